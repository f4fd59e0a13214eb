// Modified Bessel functions I0 and I1: power series in x^2 up to 5, then e^x f(1/x) / sqrt x.
#pragma once

#include "ops/elementary/exponential.h"

namespace wf {
namespace meaning {

// (I0 - 1) / z and (I1 / x - 1/2) / z, z = x^2
WF_FN float i0_near(float z) {
  return horner(z, 0x1p-2f, 0x1p-6f, 0x1.c71c3ep-12f, 0x1.c72082p-18f, 0x1.231cdep-24f, 0x1.049d84p-31f, 0x1.3df65ap-39f, 0x1.cb9c52p-47f);
}
WF_FN double i0_near(double z) {
  return horner(z, 0x1p-2, 0x1p-6, 0x1.c71c71c71c72bp-12, 0x1.c71c71c71c3e9p-18, 0x1.23456789b1a61p-24, 0x1.02e85c07cd916p-31,
                0x1.522a4419b5aa5p-39, 0x1.522a3fd694f7ap-47, 0x1.0b3186a31d0eep-55, 0x1.55f85af2d1365p-64, 0x1.6a7712540fea9p-73,
                0x1.397b57e64fcdfp-82, 0x1.2b7d75ad2043ep-91);
}
WF_FN float i1_near(float z) {
  return horner(z, 0x1p-4f, 0x1.555556p-9f, 0x1.c71c5ep-15f, 0x1.6c1858p-21f, 0x1.843cc8p-28f, 0x1.293bcap-35f, 0x1.424abp-43f,
                0x1.8c6786p-51f);
}
WF_FN double i1_near(double z) {
  return horner(z, 0x1p-4, 0x1.5555555555558p-9, 0x1.c71c71c71c5a3p-15, 0x1.6c16c16c1b281p-21, 0x1.845c8a0c0c1c4p-28, 0x1.27e4fb902c337p-35,
                0x1.522a406b6259ap-43, 0x1.2c97ae9b1b5aap-51, 0x1.ab771ec6a80e5p-60, 0x1.f25ba2d74c499p-69, 0x1.d66e25112b34cp-78,
                0x1.e61cc2beecf2cp-87);
}
// sqrt x e^-x I(x) at t = 1 / x - 3/32
WF_FN float i0_far(float t) {
  return horner(t, 0x1.9d95f4p-2f, 0x1.cb8978p-5f, 0x1.465bdep-5f, 0x1.fc63f8p-5f, 0x1.8496cp-3f, 0x1.f307ccp-1f, 0x1.a0395p+0f,
                -0x1.2efdp+5f, -0x1.092592p+7f, 0x1.6cbeaap+9f);
}
WF_FN double i0_far(double t) {
  return horner(t, 0x1.9d95f3db6c2d7p-2, 0x1.cb893ff82f081p-5, 0x1.4669d43834e25p-5, 0x1.fddc938fa2f43p-5, 0x1.782a34004b374p-3,
                0x1.c63832461199fp-1, 0x1.e254686df75cbp+1, -0x1.31b7937a3a4e8p+4, -0x1.fe4daa50a44cfp+8, -0x1.7daae3b780c31p+10,
                0x1.41d56198ecb56p+15, 0x1.7d67d9d8915dcp+17, -0x1.ed61806a22aep+21, -0x1.2712eedc70ad5p+23, 0x1.9feed4411c4e2p+28,
                -0x1.2d79c21b9109ep+30, -0x1.2434f89827bbap+35, 0x1.9becfbe7ada8p+38, 0x1.7ba10650c78ebp+40, -0x1.0750056afd58ep+46,
                0x1.b9724c6b1f98ap+47, 0x1.c44c2259e4a53p+52, -0x1.c1d103cf9ab31p+55, -0x1.08b93542d0676p+59, 0x1.a86f19152fb86p+62,
                0x1.75ea2c3df9cap+64, -0x1.fd2e22d01f09ep+68, -0x1.153962fe0363fp+68, 0x1.8b225301a6cdp+74, -0x1.0c78f3c214d77p+75,
                -0x1.6c74b47012169p+79, 0x1.effb03218b408p+80, 0x1.30e8ea7714fafp+83, -0x1.1ee463a6bab4dp+85);
}
WF_FN float i1_far(float t) {
  return horner(t, 0x1.89b1aep-2f, -0x1.470ff6p-3f, -0x1.00fd9cp-4f, -0x1.4e12b4p-4f, -0x1.ced2f4p-3f, -0x1.1bd94ap+0f, -0x1.0b2fecp+1f,
                0x1.3afbcep+5f, 0x1.299b64p+7f, -0x1.6b00cap+9f);
}
WF_FN double i1_far(double t) {
  return horner(t, 0x1.89b1add3254e2p-2, -0x1.470fe5abaa65cp-3, -0x1.01052113f45bp-4, -0x1.4ee22c1e4ae46p-4, -0x1.c1904e96c042bp-3,
                -0x1.02ea3058bc0ddp+0, -0x1.167e10464218dp+2, 0x1.240e1360375aep+4, 0x1.0f9703f0e2d5dp+9, 0x1.cbcf0314e1b84p+10,
                -0x1.4b3fa03136341p+15, -0x1.b5bc37430d84dp+17, 0x1.f904d92fa2597p+21, 0x1.70c2bd5a5f463p+23, -0x1.aeb5aaf223f4cp+28,
                0x1.0730397b6dd3fp+30, 0x1.35ae07b91b0cdp+35, -0x1.9a70f24cbb1d9p+38, -0x1.b917f0d3b8853p+40, 0x1.0d8b58f6d2c69p+46,
                -0x1.9701111363a3fp+47, -0x1.d627638057c27p+52, 0x1.bf8526ae48a69p+55, 0x1.1733f0623362cp+59, -0x1.ae51e941d50ep+62,
                -0x1.93dbd37fcdfaap+64, 0x1.04b6a0f409a59p+69, 0x1.5dbb9f56dc783p+68, -0x1.976948cf284acp+74, 0x1.04e436fdfcd55p+75,
                0x1.79c471f33c1e9p+79, -0x1.f877797c80239p+80, -0x1.3d6c8cf37ae45p+83, 0x1.27fb1dee48a6cp+85);
}

template <int order, class T> WF_FN T modified_bessel(T x) {
  constexpr T limit = T(sizeof(T) == 4 ? 100 : 750);
  T size = float_abs(x), large = size > limit ? limit : size, z = size * size, t = 1 / large - T(0.09375);
  T near = order == 0 ? fma(z, i0_near(z), T(1)) : size * fma(z, i1_near(z), T(0.5));
  auto [r, low, n, integer] = reduce_by_ln2(large);
  auto power = sum_of_ordered(T(1), fma(exp_tail(r) * r, r, low) + r);
  T factor = (order == 0 ? i0_far(t) : i1_far(t)) / root(large);
  T y = size < 5 ? near : scaled(fma(power.low, factor, power.high * factor), integer);
  return order == 1 ? with_sign(y, x) : y;
}
template <class T> WF_FN T math_bessel_i0(T x) { return modified_bessel<0>(x); }
template <class T> WF_FN T math_bessel_i1(T x) { return modified_bessel<1>(x); }

}  // namespace meaning
}  // namespace wf
