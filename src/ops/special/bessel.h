// Bessel functions of order 0 and 1. Up to 3: power series in x^2, with a logarithm for the second kind. From 3 on: amplitude and phase,
// J(x) = sqrt(2 / (pi x)) M(1/x) cos(x - (1 + 2 order) pi/4 + P(1/x) / x), and Y with the sine.
#pragma once

#include "ops/elementary/circular.h"
#include "ops/elementary/logarithm.h"

namespace wf {
namespace meaning {

// Near 0, at t = x^2 - 3: J0, J1 / x, (Y0 - 2/pi J0 log x - c) / t, (Y1 - 2/pi (J1 log x - 1 / x)) / x
WF_FN float j0_near(float t) {
  return horner(t, 0x1.848bc4p-2f, -0x1.568e0cp-3f, 0x1.8b6b16p-7f, -0x1.77eb3p-12f, 0x1.86fbb2p-18f, -0x1.00a6ep-24f, 0x1.b8882ap-32f);
}
WF_FN double j0_near(double t) {
  return horner(t, 0x1.848bc4c57d329p-2, -0x1.568e0bdd28a06p-3, 0x1.8b6b194670131p-7, -0x1.77eb0a09188ap-12, 0x1.86f6558b4de4bp-18,
                -0x1.00c0c469db989p-24, 0x1.d0dd6563ecbb3p-32, -0x1.33c02a310c3b2p-39, 0x1.3704cdf9019e9p-47, -0x1.ef7923107b908p-56,
                0x1.34af18b54b9b3p-64);
}
WF_FN float j1_near(float t) {
  return horner(t, 0x1.568e0cp-2f, -0x1.8b6b1ap-5f, 0x1.19f046p-9f, -0x1.86f668p-15f, 0x1.40f3aep-21f, -0x1.5c8b9ap-28f, 0x1.00ef6p-35f);
}
WF_FN double j1_near(double t) {
  return horner(t, 0x1.568e0bdd28a06p-2, -0x1.8b6b19467012fp-5, 0x1.19f04786d263p-9, -0x1.86f6558b4e513p-15, 0x1.40f0f5847b74dp-21,
                -0x1.5ca60c0a1267bp-28, 0x1.0d482307e1e53p-35, -0x1.37048f99d870cp-43, 0x1.16ccdf94a0b8ep-51, -0x1.8f2364df3f257p-60,
                0x1.c4de597980711p-69);
}
WF_FN float y0_near(float t) {
  return horner(t, 0x1.83f8fcp-4f, -0x1.7fc936p-7f, 0x1.c6a4dap-12f, -0x1.0dd692p-17f, 0x1.84805ep-24f, -0x1.64859p-31f);
}
WF_FN double y0_near(double t) {
  return horner(t, 0x1.83f8fbd055046p-4, -0x1.7fc939a1bc2cbp-7, 0x1.c6a499df47596p-12, -0x1.0dd1f9b3d7a8bp-17, 0x1.84aca0c30385ap-24,
                -0x1.795fbf5ea058ep-31, 0x1.0830026a40fe5p-38, -0x1.179e442ed7883p-46, 0x1.cf3f338307ce3p-55, -0x1.2a42fa309d9a5p-63);
}
WF_FN float y1_near(float t) {
  return horner(t, -0x1.d91c3p-5f, 0x1.3af654p-5f, -0x1.35903ap-9f, 0x1.fb8dp-15f, -0x1.d0fd5p-21f, 0x1.118bfp-27f, -0x1.ac435p-35f);
}
WF_FN double y1_near(double t) {
  return horner(t, -0x1.d91c2fd98b819p-5, 0x1.3af653e18386ap-5, -0x1.35903a4c110ebp-9, 0x1.fb8cde595da7p-15, -0x1.d0f888f788f89p-21,
                0x1.11a3196e0bd73p-27, -0x1.c1efce380182p-35, 0x1.115f1eb336a93p-42, -0x1.ff68e13953f48p-51, 0x1.7ba9122309947p-59,
                -0x1.bc4be445eef4bp-68);
}
// c, the value of Y0 - 2/pi J0 log x at t = 0. It is added last, since the other terms are small where it is large.
template <class T> struct CenterOfY0;
template <> struct CenterOfY0<float> { static constexpr Pair<float> value = {0x1.500576p-2f, 0x1.f21db2p-28f}; };
template <> struct CenterOfY0<double> { static constexpr Pair<double> value = {0x1.5005767c876c4p-2, 0}; };
// M and P at t = 1 / x - 5/32
WF_FN float modulus0(float t) {
  return horner(t, 0x1.ff3f4p-1f, -0x1.29eae6p-6f, -0x1.9f8a54p-5f, 0x1.4617d4p-5f, 0x1.df69eap-7f, -0x1.8f64eap-4f, 0x1.090192p-3f);
}
WF_FN double modulus0(double t) {
  return horner(t, 0x1.ff3f3f64664c8p-1, -0x1.29eb082a9f145p-6, -0x1.9f87ff6c81898p-5, 0x1.4633e66fb4f74p-5, 0x1.d32a70179d7fbp-7,
                -0x1.923020616b7c5p-4, 0x1.44c87c24401b6p-3, -0x1.3fff2faca3d55p-5, -0x1.26faa1b406512p-1, 0x1.052f6e59898e4p+1,
                -0x1.edc3d20fcdf3p+1, 0x1.8b101f8f5c5c6p+0, 0x1.57ffc2bbefa1bp+4, -0x1.a8cab2396b4abp+6, 0x1.2028084c21b75p+8,
                -0x1.bdbd42d58d7bcp+8, 0x1.6e47264cd2a84p+9, 0x1.2c03a4c127aa9p+9, -0x1.9d4e8e0199aaep+15, 0x1.16ca855e94344p+18,
                -0x1.a830b2549159ep+16, -0x1.3f090c752a40fp+21, 0x1.3b91457c5b4d9p+22);
}
WF_FN float modulus1(float t) {
  return horner(t, 0x1.012516p+0f, 0x1.cab902p-5f, 0x1.50ab1p-3f, -0x1.4fdde2p-4f, -0x1.9e0724p-5f, 0x1.6b852p-3f, -0x1.52368ep-3f,
                -0x1.77fd92p-4f);
}
WF_FN double modulus1(double t) {
  return horner(t, 0x1.0125153a062e3p+0, 0x1.cab931227777fp-5, 0x1.50a8b56c9d185p-3, -0x1.4ff70286d71d5p-4, -0x1.96f5b22606621p-5,
                0x1.6d7901b5aee95p-3, -0x1.bdf50877e99a9p-3, -0x1.159beb8ff1899p-5, 0x1.dae14ba0f1911p-1, -0x1.5d3252f9dedd3p+1,
                0x1.19ab0c0775a65p+2, 0x1.ad2b632174792p-3, -0x1.f5e3a57b8a348p+4, 0x1.0ce346035c16dp+7, -0x1.5046db8b9c01bp+8,
                0x1.bf078f5c07ebp+8, -0x1.b405873ff6abfp+8, -0x1.211bcab4e5555p+11, 0x1.eabf8ffd20b0fp+15, -0x1.334bef6d5cc4ep+18,
                0x1.1cb2255d769d6p+16, 0x1.70d0381dfaa6bp+21, -0x1.643bc3de2bba2p+22);
}
WF_FN float phase0(float t) {
  return horner(t, -0x1.f9ed34p-4f, 0x1.2394dcp-6f, 0x1.65e13ep-5f, -0x1.0b786p-4f, 0x1.3085d6p-7f, 0x1.65cfc8p-3f, -0x1.e86e08p-2f,
                0x1.bcdd22p-2f, 0x1.d7c402p+0f, -0x1.66bd7p+2f);
}
WF_FN double phase0(double t) {
  return horner(t, -0x1.f9ed3500e7129p-4, 0x1.2394cd506e94dp-6, 0x1.65e27a8ddfa68p-5, -0x1.0b70233dc12e7p-4, 0x1.2a9e47b32287cp-7,
                0x1.6365e5a929d81p-3, -0x1.d3ee68fc1e923p-2, 0x1.fb637611205aap-2, 0x1.c3c7e02834809p-1, -0x1.8ce4b5df35283p+2,
                0x1.1fe9d994f36d7p+4, -0x1.c4a286a981649p+4, -0x1.51de72888a3d5p+4, 0x1.5a2abc8a45df4p+8, -0x1.7ec32f009cda1p+10,
                0x1.15466afb202p+12, -0x1.4aadb7a7feba6p+12, -0x1.3c93199db2443p+14, 0x1.2ab149db3dafep+15, 0x1.7d8ed8a471678p+16,
                0x1.03c6fb7241e9bp+22, -0x1.d3fa1e8fc48a5p+24, -0x1.a99c77705abd6p+21, 0x1.f004f71cdc5cp+28, -0x1.c7b2f182ad8c4p+29,
                -0x1.166abeab1e0fcp+31, 0x1.7b04a8fd1f505p+32);
}
WF_FN float phase1(float t) {
  return horner(t, 0x1.7c18ep-2f, -0x1.7d9336p-5f, -0x1.fabe96p-4f, 0x1.0c98f4p-3f, 0x1.7d19ep-6f, -0x1.5340b6p-2f, 0x1.5e8272p-1f,
                -0x1.91bae4p-2f, -0x1.6df86ep+1f, 0x1.e5ab28p+2f);
}
WF_FN double phase1(double t) {
  return horner(t, 0x1.7c18df6e92df7p-2, -0x1.7d932d95a5dep-5, -0x1.fabf4e788c3afp-4, 0x1.0c93f6fb61e22p-3, 0x1.80852d55732aap-6,
                -0x1.51bda5517a7cdp-2, 0x1.529e8201a4a93p-1, -0x1.e57c4a9de9916p-2, -0x1.baeb29c8bb5a7p+0, 0x1.170558143c1d9p+3,
                -0x1.6159a201027d8p+4, 0x1.c3f14dd14df9p+4, 0x1.8d2b4940740dfp+5, -0x1.d7db881efc20dp+8, 0x1.cc7156540bc66p+10,
                -0x1.2205e0097bf35p+12, 0x1.715bc0bc7740dp+12, 0x1.9872f4c97e4cbp+12, -0x1.76649a410b476p+16, 0x1.bab0f1e9dbba6p+19,
                -0x1.2b6918f96e47dp+22, 0x1.d387a154cad73p+22, 0x1.2fbf5acd76492p+25, -0x1.6c5ecd5e7910dp+27, 0x1.ccede78b577cp+27);
}

// 2/pi, and 2/pi log 2, whose first part has few digits
template <class T> struct TwoPerPi;
template <> struct TwoPerPi<float> {
  static constexpr Pair<float> value = {0x1.45f306p-1f, 0x1.b9391p-26f}, log2 = {0x1.c3ep-2f, -0x1.b3840cp-17f};
};
template <> struct TwoPerPi<double> {
  static constexpr Pair<double> value = {0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55}, log2 = {0x1.c3dc98f7eap-2, -0x1.2c889a4fbd3e9p-43};
};

// The second kind if `second`; x >= 3; the angle is that of x.
template <int order, bool second, class T> WF_FN T bessel_far(T x, Angle<T> angle) {
  constexpr T quarter_turn = HalfPi<T>::first / 2;
  T w = 1 / x, t = w - T(0.15625);
  T amplitude = T(0x1p-20) * root(T(0x1p40 * 0.63661977236758134308) / x) * (order == 0 ? modulus0(t) : modulus1(t));
  auto turned = sum_of(angle.r, w * (order == 0 ? phase0(t) : phase1(t)));
  auto less = sum_of(turned.high, -quarter_turn);
  bool below = less.high < -quarter_turn;
  auto more = sum_of(less.high, below ? HalfPi<T>::first : T(0));
  T rest = ((angle.low + turned.low) + (less.low + more.low)) + (below ? HalfPi<T>::second / 2 : -HalfPi<T>::second / 2);
  auto r = sum_of_ordered(more.high, rest);
  BitsOf<T> quarters = (second ? 0 : 1) - BitsOf<T>(order) - (below ? 1 : 0);
  return amplitude * circular(Angle<T>{r.high, r.low, angle.quarter}, quarters);
}
template <int order, bool second, class T> WF_FN T bessel_near(T x) {
  T t = fma(x, x, T(-3)), j = order == 0 ? j0_near(t) : x * j1_near(t);
  if constexpr (!second) return j;
  T log = log_in_base(x, TwoPerPi<T>::log2, TwoPerPi<T>::value);
  if constexpr (order == 0) return fma(log, j, fma(t, y0_near(t), CenterOfY0<T>::value.low)) + CenterOfY0<T>::value.high;
  else return fma(log, j, fma(x, y1_near(t), -TwoPerPi<T>::value.high / x));
}
template <int order, bool second, class T> WF_FN T bessel(T x, T size, Angle<T> angle) {
  const T inf = T(__builtin_inf());
  T y = size < 3 ? bessel_near<order, second>(size) : size == inf ? T(0) : bessel_far<order, second>(size, angle);
  if constexpr (second) return x > 0 ? y : x == 0 ? -inf : T(__builtin_nan(""));
  else return x != x ? x : order == 1 ? y * with_sign(T(1), x) : y;
}
// Infinity has no angle; its value does not need one.
template <class T> WF_FN Angle<T> bessel_angle(T size) { return angle_of(size < T(__builtin_inf()) ? size : T(0)); }
template <class T> WF_FN T math_bessel_j0(T x) { return bessel<0, false>(x, float_abs(x), bessel_angle(float_abs(x))); }
template <class T> WF_FN T math_bessel_j1(T x) { return bessel<1, false>(x, float_abs(x), bessel_angle(float_abs(x))); }
template <class T> WF_FN T math_bessel_y0(T x) { return bessel<0, true>(x, float_abs(x), bessel_angle(float_abs(x))); }
template <class T> WF_FN T math_bessel_y1(T x) { return bessel<1, true>(x, float_abs(x), bessel_angle(float_abs(x))); }
// For angles on the fast circle
template <class T> WF_FN T fast_bessel_j0(T x) { return bessel<0, false>(x, float_abs(x), small_angle(float_abs(x))); }
template <class T> WF_FN T fast_bessel_j1(T x) { return bessel<1, false>(x, float_abs(x), small_angle(float_abs(x))); }
template <class T> WF_FN T fast_bessel_y0(T x) { return bessel<0, true>(x, float_abs(x), small_angle(float_abs(x))); }
template <class T> WF_FN T fast_bessel_y1(T x) { return bessel<1, true>(x, float_abs(x), small_angle(float_abs(x))); }

}  // namespace meaning
}  // namespace wf
