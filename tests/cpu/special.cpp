// The special functions against Boost.Math: within the bounds of ops/errors.def at edges and random points, and the same bits on every
// instruction set with fma. With EXHAUSTIVE defined: 10^7 points per function.
#include <iomanip>

#include "accuracy.h"
#include "reference/special.h"

using namespace accuracy;
using reference::Long;

namespace {

constexpr int64_t points = exhaustive ? 10'000'000 : 3 * chunk;
constexpr double bound_without_fma = 6;  // in ULP, for one operand

double bound_of(Op op, Type type) {
#define ERROR(name, f32, f64) \
  if (op == Op::name##_) return type == Type::F32 ? f32 : f64;
#define RELATIVE_ERROR(name, f32, f64) ERROR(name, f32, f64)
#include "ops/errors.def"
  return 0;
}

// Everywhere, and near the points where functions change their form or lose accuracy.
template <class T> T operand(Random& random) {
  const double u = unit(random);
  switch (random() % 16) {
    case 0: return special<T>(random);
    case 1: return of_any_bits<T>(random);
    case 2: return of_exponents<T>(random, -60, 10);
    case 3: return T((u - 0.5) * 1600);
    case 4: return T(1 - u * 0.01);
    case 5: return T(1 + (u - 0.5) * 0.01);
    case 6: return T(2 + (u - 0.5) * 0.01);
    case 7: return T(u * 200);
    case 8: return T(-u * 8);
    case 9: return T(-u * 180);
    case 10: return T(u * 40);
    case 11: return T((u - 0.5) * 80);
    case 12: return T(std::round((u - 0.5) * 400) / 2);
    case 13: return T((u - 0.5) * 4);
    default: return T(u * (random() & 1 ? 1 : 4));
  }
}

template <class T> void on_one(Op op) {
  test<T>(
      op, bound_of(op, type_of<T>), bound_without_fma, points / chunk,
      [](int64_t number, auto& x, auto&) {
        Random random{uint64_t(number)};
        for (T& value : x) value = operand<T>(random);
      },
      [=](Long x, Long) { return Wanted<Long>(reference::special(op, x), reference::size_of_terms(op, x)); });
}

double power_of_ten(Random& random, double low, double high) { return std::pow(10, low + unit(random) * (high - low)); }

template <class T> struct Operands { T a, b, c; };

// Parameters of the incomplete functions from 0.1 to 10^4, with points near their means, too.
template <class T> Operands<T> operands(Op op, Random& random) {
  const double a = power_of_ten(random, -1, 4), b = power_of_ten(random, -1, 4), u = unit(random);
  if (op == Op::logaddexp_) return {T(50 * u - 25), T(50 * unit(random) - 25), 0};
  if (op == Op::lbeta_) return {T(power_of_ten(random, -4, 5)), T(power_of_ten(random, -4, 5)), 0};
  if (op == Op::lchoose_) {
    const double n = random() % 4 == 0 ? -unit(random) : a / 10;
    switch (random() % 4) {
      case 0: return {T(std::round(10 * a)), T(std::round(10 * a * (random() & 1 ? u : u * 1e-3))), 0};
      case 1: return {T(n), T(n * u), 0};
      case 2: return {T(n), T(n + b / 10), 0};
      default: return {T(n), T(-b / 10), 0};
    }
  }
  if (op == Op::mvlgamma_ || op == Op::mvdigamma_) return {T(a / 10 + 4.6), T(random() % 8 == 0 ? 10 * u : std::floor(10 * u)), 0};
  if (op == Op::polygamma_) return {T(std::floor(20 * u)), T(random() % 8 == 0 ? -40 * unit(random) : power_of_ten(random, -0.5, 4)), 0};
  if (op == Op::mvpolygamma_) return {T(random() % 4), T(a / 10 + 4.6), T(std::floor(10 * u))};
  if (op == Op::ibeta_) {
    const double mean = a / (a + b), deviation = std::sqrt(mean * (1 - mean) / (a + b + 1)), near = mean + (u - 0.5) * 12 * deviation;
    return {T(a), T(b), T(random() & 1 ? u : std::clamp(near, 0.0, 1.0))};
  }
  switch (random() % 3) {
    case 0: return {T(a), T(power_of_ten(random, -3, 4)), 0};
    case 1: return {T(a), T(std::fabs(a + (u - 0.5) * 12 * std::sqrt(a))), 0};
    default: return {T(a), T(a * std::exp((u - 0.5) * 3)), 0};
  }
}

// Errors relative to the value, or for functions with zeros to the greater of the value and 1.
template <class T> void on_several(Op op) {
  const bool has_zeros = info(op).arity == 2 && op != Op::gamma_p_ && op != Op::gamma_q_;
  const double bound = bound_of(op, type_of<T>);
  Random random{1};
  std::vector<T> a(chunk), b(chunk), c(chunk), out(chunk);
  double worst = 0;
  for (int64_t done = 0; done < (exhaustive ? points : 2 * chunk); done += chunk) {
    std::vector<Long> wanted(chunk);
    for (size_t k = 0; k < size_t(chunk); k++) {
      auto x = operands<T>(op, random);
      a[k] = x.a, b[k] = x.b, c[k] = x.c, wanted[k] = reference::special(op, x.a, x.b, x.c);
    }
    for (auto& [isa_name, loops] : cpu::every_isa()) {
      constexpr int64_t step = int64_t(sizeof(T)) * cpu::tile;
      cpu::Operand in[] = {{a.data(), step}, {b.data(), step}, {c.data(), step}};
      loops->op[int(op)][int(type_of<T>)](out.data(), in, chunk / cpu::tile);
      for (size_t k = 0; k < size_t(chunk); k++) {
        if (out[k] == T(wanted[k]) || (std::isnan(wanted[k]) && std::isnan(out[k]))) continue;
        const Long size = has_zeros ? std::fmax(1, std::fabs(wanted[k])) : std::fabs(wanted[k]);
        if (size < Long(std::numeric_limits<T>::min())) continue;
        const double error = double(std::fabs(out[k] - wanted[k]) / size);
        worst = std::max(worst, error);
        if (error <= bound) continue;
        std::ostringstream message;
        message << name(op) << (sizeof(T) == 4 ? " f32" : " f64") << " of " << std::setprecision(17) << a[k] << " " << b[k] << " " << c[k]
                << " is " << out[k] << ", expected " << wanted[k] << " within " << bound << ", on " << isa_name;
        return check::fail(__FILE__, __LINE__, message.str());
      }
    }
  }
  if (exhaustive) std::printf("%-10s %s %.3g\n", std::string(name(op)).c_str(), sizeof(T) == 4 ? "f32" : "f64", worst);
}

// Values that Boost.Math lacks.
struct Listed {
  Op op;
  double a, b, c, wanted;
};
constexpr Listed listed[] = {
#define ROW(op, ...) {Op::op##_, __VA_ARGS__},
#include "reference/special_derivatives.def"
};
bool is_listed(Op op) {
  return std::ranges::any_of(listed, [=](const Listed& row) { return row.op == op; });
}

template <class T> T value(Op op, T a, T b = 0, T c = 0) {
  return from_bits<T>(evaluate(op, type_of<T>, to_bits(a), to_bits(b), to_bits(c)));
}

void check_close(double got, double wanted, double relative) {
  if (!(std::fabs(got - wanted) <= relative * std::fabs(wanted))) CHECK_EQ(got, wanted);
}

}  // namespace

TEST(one_operand_f32) {
  for (int k = 0; k < op_count; k++)
    if (op_table[k].cost == Cost::special && op_table[k].arity == 1) on_one<float>(Op(k));
}
TEST(one_operand_f64) {
  for (int k = 0; k < op_count; k++)
    if (op_table[k].cost == Cost::special && op_table[k].arity == 1) on_one<double>(Op(k));
}
TEST(several_operands_f32) {
  for (int k = 0; k < op_count; k++)
    if (op_table[k].cost == Cost::special && op_table[k].arity > 1 && !is_listed(Op(k))) on_several<float>(Op(k));
}
TEST(several_operands_f64) {
  for (int k = 0; k < op_count; k++)
    if (op_table[k].cost == Cost::special && op_table[k].arity > 1 && !is_listed(Op(k))) on_several<double>(Op(k));
}
TEST(listed_values) {
  for (const Listed& row : listed) {
    const auto error = [&](double got) { return std::fabs(got - row.wanted) / std::fabs(row.wanted); };
    const double f64 = error(value(row.op, row.a, row.b, row.c)), f32 = error(value(row.op, float(row.a), float(row.b), float(row.c)));
    if (f64 <= bound_of(row.op, Type::F64) && f32 <= bound_of(row.op, Type::F32)) continue;
    std::ostringstream message;
    message << name(row.op) << " of " << std::setprecision(17) << row.a << " " << row.b << " " << row.c << " is wrong by " << f64
            << " in f64 and " << f32 << " in f32";
    check::fail(__FILE__, __LINE__, message.str());
  }
}
TEST(derivatives_at_ends) {
  const double inf = INFINITY;
  for (Op op : {Op::polygamma_, Op::mvpolygamma_}) CHECK(std::isnan(value(op, 1.5, 2.0, 1.0)) && std::isnan(value(op, -1.0, 2.0, 1.0)));
  CHECK(value(Op::polygamma_, 3.0, -2.0) == inf && std::isnan(value(Op::polygamma_, 2.0, -2.0)));
  CHECK_EQ(value(Op::polygamma_, 2.0, inf), 0.0);
  check_close(value(Op::polygamma_, 100.0, 1e4), -9.3793632015435127e-245, 1e-13);
  check_close(value(Op::polygamma_, 2.0, -1e-3), 1999999997.5893798, 1e-13);
  CHECK_EQ(value(Op::gamma_p_da_, 2.0, 0.0), 0.0);
  CHECK_EQ(value(Op::gamma_p_da_, 2.0, inf), 0.0);
  check_close(value(Op::gamma_p_da_, 0.0, 1.0), -0.21938393439552029, 1e-13);  // -E1(1)
  CHECK(std::isnan(value(Op::gamma_p_da_, -1.0, 1.0)) && std::isnan(value(Op::gamma_p_da_, 1.0, -1.0)) &&
        std::isnan(value(Op::gamma_p_da_, 0.0, 0.0)));
  for (Op op : {Op::ibeta_da_, Op::ibeta_db_}) {
    CHECK(value(op, 2.0, 3.0, 0.0) == 0 && value(op, 2.0, 3.0, 1.0) == 0);
    CHECK(std::isnan(value(op, 2.0, 3.0, 1.5)) && std::isnan(value(op, -2.0, 3.0, 0.5)) && std::isnan(value(op, 2.0, 0.0, 0.5)));
  }
}

TEST(several_operands_at_edges) {
  const double inf = std::numeric_limits<double>::infinity();
  auto nan = [](double x) { return std::isnan(x); };
  CHECK_EQ(value(Op::gamma_p_, 2.0, 0.0), 0.0);
  CHECK_EQ(value(Op::gamma_q_, 2.0, 0.0), 1.0);
  CHECK_EQ(value(Op::gamma_p_, 2.0, inf), 1.0);
  CHECK_EQ(value(Op::gamma_q_, 0.0, 2.0), 0.0);
  CHECK_EQ(value(Op::gamma_q_, inf, 2.0), 1.0);
  for (Op op : {Op::gamma_p_, Op::gamma_q_})
    CHECK(nan(value(op, -1.0, 2.0)) && nan(value(op, 1.0, -2.0)) && nan(value(op, 0.0, 0.0)) && nan(value(op, inf, inf)));
  CHECK_EQ(value(Op::ibeta_, 2.0, 3.0, 0.0), 0.0);
  CHECK_EQ(value(Op::ibeta_, 2.0, 3.0, 1.0), 1.0);
  CHECK_EQ(value(Op::ibeta_, 0.0, 3.0, 0.5), 1.0);
  CHECK_EQ(value(Op::ibeta_, inf, 3.0, 0.5), 0.0);
  CHECK(nan(value(Op::ibeta_, 2.0, 3.0, 1.5)) && nan(value(Op::ibeta_, -2.0, 3.0, 0.5)) && nan(value(Op::ibeta_, 0.0, 0.0, 0.5)));
  const double subnormal = 5e-324;
  CHECK_EQ(value(Op::gamma_p_, 2.0, subnormal), 0.0);
  CHECK_EQ(value(Op::gamma_q_, 1e300, 1.0), 1.0);
  CHECK_EQ(value(Op::gamma_p_, 1e308, 2.0), 0.0);
  CHECK_EQ(value(Op::gamma_p_, 10.0f, 1e-45f), 0.0f);
  CHECK_EQ(value(Op::ibeta_, subnormal, subnormal, 0.25), 0.5);
  CHECK_EQ(value(Op::ibeta_, subnormal, 2.0, 0.25), 1.0);
  CHECK_EQ(value(Op::ibeta_, 1e15, 1e15, 0.5), 0.5);
  CHECK_EQ(value(Op::ibeta_, 1e300, 1e300, 0.75), 1.0);
  CHECK_EQ(value(Op::ibeta_, 1.5f, 3e38f, 1e-30f), 1.0f);
  // The distribution of the number of heads, 10^15 throws: half of them with probability 1/2 + 1 / sqrt(2 pi 10^15), one deviation less
  check_close(value(Op::ibeta_, 5e14, 5e14 + 1, 0.5), 0.5 + 1.2615662610100802e-8, 1e-14);
  // Computed with 40 digits
  struct Point {
    double b, x, value;
  };
  for (auto [b, x, wanted] : {Point{0x1.8p35, 0x1.fffp-3, 1.6197366315745391e-76}, Point{0x1.8p35, 0x1.fffep-3, 0.010460491299139491},
                              Point{0x1.8p35, 0x1.ffff8p-3, 0.28185176138146273}, Point{0x1.8p35, 0x1p-2, 0.50000058575803874},
                              Point{0x1.8p35, 0x1.00008p-2, 0.87589336026029063}, Point{0x1p60, 0x1.fffp-27, 6.5240116776436410e-58},
                              Point{0x1p60, 0x1.fffep-27, 0.022855374337817199}, Point{0x1p60, 0x1.ffff8p-27, 0.30922617172468597},
                              Point{0x1p60, 0x1p-26, 0.50078019820867503}, Point{0x1p60, 0x1.00008p-26, 0.84181688661996956}})
    check_close(value(Op::ibeta_, 0x1p34, b, x), wanted, 2e-12);
  check_close(value(Op::ibeta_, 1e-10, 1.0, 1e-10), 0.99999999769741491, 1e-14);
  check_close(value(Op::ibeta_, 0.1, 1e-3, 1 - 0x1p-53), 0.045467680664249458, 1e-12);
  check_close(value(Op::ibeta_, 0.1f, 0.5f, 1e-45f), 2.8886049677741622e-05, 1e-6);
  check_close(value(Op::lbeta_, subnormal, 2.0), 744.44007192138126, 1e-15);
  check_close(value(Op::lbeta_, 0x1.a8ee9p+0f, 0x1.cfc692p+37f), -43.660156818990872, 1e-6);
  check_close(value(Op::lbeta_, 0.026639847089036557, 3.773959995310031e+51), 0.446799187081984, 1e-13);
  check_close(value(Op::lbeta_, subnormal, subnormal), 745.13321910194121, 1e-15);
  CHECK_EQ(value(Op::lbeta_, 0.0, 2.0), inf);
  CHECK_EQ(value(Op::lbeta_, inf, 2.0), -inf);
  CHECK(nan(value(Op::lbeta_, -1.0, 2.0)));
  CHECK_EQ(value(Op::lchoose_, 5.0, 0.0), 0.0);
  CHECK_EQ(value(Op::lchoose_, 5.0, 5.0), 0.0);
  CHECK_EQ(value(Op::lchoose_, 5.0, 7.0), -inf);
  for (double n : {-1 + 0x1p-53, -0.5, -5e-324, 0.0, 2.5, 1e308, inf}) CHECK_EQ(value(Op::lchoose_, n, 0.0), 0.0);
  for (double n : {-1.0, -1.5, -inf, double(NAN)}) CHECK(nan(value(Op::lchoose_, n, 0.0)) && nan(value(Op::lchoose_, n, 0.5)));
  CHECK(nan(value(Op::lchoose_, inf, inf)));
  for (double k : {-1.0, -7.0, -1e300, inf, -inf}) CHECK_EQ(value(Op::lchoose_, 0.5, k), -inf);
  CHECK_EQ(value(Op::lchoose_, inf, 2.0), inf);
  // Computed with 90 digits
  check_close(value(Op::lchoose_, 0.5, 7.0), -4.1281114246929182, 1e-14);
  check_close(value(Op::lchoose_, 0.5f, 7.0f), -4.1281114246929182, 1e-6);
  check_close(value(Op::lchoose_, 1e-30, 33.0), -72.574060351287851, 1e-14);
  check_close(value(Op::lchoose_, 1e-45f, 3.0f), -104.37754219209996, 1e-6);
  check_close(value(Op::lchoose_, -1 + 0x1p-24f, 1e30f), -4.1517477344747321e-6, 0.3);
  check_close(value(Op::lchoose_, 1e30f, 1e-3f), 0.069653946388104688, 1e-5);
  check_close(value(Op::lchoose_, 1e290, 0.3), 200.43307789998982758, 1e-14);
  check_close(value(Op::lchoose_, 2.5, -1.25), -3.1971731287798483, 1e-14);
  CHECK_EQ(value(Op::logaddexp_, inf, -inf), inf);
  CHECK_EQ(value(Op::logaddexp_, -inf, -inf), -inf);
  CHECK_EQ(value(Op::logaddexp_, -inf, 3.0), 3.0);
  CHECK_EQ(value(Op::mvlgamma_, 3.0, 0.0), 0.0);
  CHECK_EQ(value(Op::mvlgamma_, 3.0, 1.0), value(Op::lgamma_, 3.0));
  for (auto [x, p] : {std::pair(1.0, 3.0), {-0.5, 1.0}, {0.0, 1.0}, {9.0, 2.5}, {9.0, 0.5}, {9.0, -1.0}, {1e6, 65537.0}, {9.0, inf}})
    CHECK(nan(value(Op::mvlgamma_, x, p)) && nan(value(Op::mvdigamma_, x, p)));
  for (Op op : {Op::mvlgamma_, Op::mvdigamma_}) CHECK(value(op, inf, 3.0) == inf && value(op, inf, 0.0) == 0);
  // Sums of many terms
  check_close(value(Op::mvlgamma_, 40000.0f, 65536.0f), 15397322540.127387, 1e-6);
  check_close(value(Op::mvdigamma_, 40000.0f, 65536.0f), 653662.90114292092, 1e-6);
}
