// Each operation of the table takes expressions, lazy scalars, sequences, arrays and numbers, and gives all of them the same values.
#include <array>
#include <cmath>
#include <set>

#include "common.h"

using namespace warpfold;

namespace {

std::set<std::string> names;  // in the written form, of the operations that are tested

using Doubles = std::vector<double>;
template <class S> Doubles numbers_of(const S& s) { return cast<double>(Seq(s)).to_vector(); }

// The functions of std differ from those of the engine in the last bits.
void check_same(const std::string& what, const Doubles& got, const Doubles& wanted, double bound = 0) {
  bool same = got.size() == wanted.size();
  for (size_t k = 0; same && k < got.size(); k++)
    same =
        got[k] == wanted[k] || (std::isnan(got[k]) && std::isnan(wanted[k])) || std::abs(got[k] - wanted[k]) <= bound * std::abs(wanted[k]);
  if (!same) CHECK_EQ(what, "equal");
}

// 2 x 3 numbers for operand k. Integers are small, so that they are shift counts, too.
template <class T> std::vector<T> operand(size_t k) {
  if constexpr (std::is_floating_point_v<T>) return {0.25f + 0.125f * float(k), 0.75f, 0.5f, -0.5f, 2.5f, float(k + 1)};
  else return {T(5 - k), T(3), T(1 + k), T(7), T(k), T(2)};
}

// f of sequences, arrays, lazy scalars and numbers is what it is of expressions.
template <class T, bool is_function, class F, size_t... k>
void check_kinds(const std::string& name, const F& f, double bound, std::index_sequence<k...>) {
  const std::tuple x{operand<T>(k)...};  // of vectors
  const auto wanted = numbers_of(map([&](const auto&... e) { return f(e...); }, Seq<T>(std::get<k>(x))...));
  check_same(name + " of sequences", numbers_of(f(Seq<T>(std::get<k>(x))...)), wanted);
  check_same(name + " of arrays", numbers_of(f(Array<T, 2>(std::get<k>(x), {2, 3})...)), wanted);
  for (size_t i = 0; i < wanted.size(); i++) {
    check_same(name + " of scalars", {double(f(Scalar<T>(std::get<k>(x)[i])...).get())}, {wanted[i]});
    if constexpr (is_function) check_same(name + " of numbers", {double(f(std::get<k>(x)[i]...))}, {wanted[i]}, bound);
  }
}
// An operation of n operands, which have the types that the table states. An operator of numbers is C++'s own.
enum class Type { Any, Num, Bits, Int, Float };
template <Type takes, size_t n, bool is_function = true, class F>
void check_operation(const std::string& name, const F& f, double bound = 0) {
  names.insert(name);
  using T = std::conditional_t<takes == Type::Float, double, int>;
  check_kinds<T, is_function>(name, f, bound, std::make_index_sequence<n>());
}

constexpr double standard = 1e-14, engine = 0;

}  // namespace

TEST(comparisons_and_arithmetic_take_all_kinds) {
#define WARPFOLD_COMPARISON(symbol, id) check_operation<Type::Any, 2, false>(#id, [](const auto& x, const auto& y) { return x symbol y; });
#define WARPFOLD_ARITHMETIC(symbol, id, name, takes) \
  check_operation<Type::takes, 2, false>(name, [](const auto& x, const auto& y) { return x symbol y; });
#include "warpfold/expressions/functions.def"
}
TEST(functions_take_all_kinds) {
#define WARPFOLD_FUNCTION1(id, takes, truth, numbers) \
  check_operation<Type::takes, 1>(                    \
      #id, [](const auto& x) { return warpfold::id(x); }, numbers);
#define WARPFOLD_FUNCTION2(id, takes, truth, numbers) \
  check_operation<Type::takes, 2>(                    \
      #id, [](const auto& x, const auto& y) { return warpfold::id(x, y); }, numbers);
#define WARPFOLD_FUNCTION3(id, takes, truth, numbers) \
  check_operation<Type::takes, 3>(                    \
      #id, [](const auto& x, const auto& y, const auto& z) { return warpfold::id(x, y, z); }, numbers);
#include "warpfold/expressions/functions.def"
}
TEST(other_operations_take_all_kinds) {
  check_operation<Type::Num, 1, false>("neg", [](const auto& x) { return -x; });
  check_operation<Type::Num, 1, false>("pos", [](const auto& x) { return +x; });
  check_operation<Type::Bits, 1, false>("not", [](const auto& x) { return ~x; });
  check_operation<Type::Any, 1, false>("!", [](const auto& x) { return !x; });
  check_operation<Type::Any, 2, false>("&&", [](const auto& x, const auto& y) { return x && y; });
  check_operation<Type::Any, 2, false>("||", [](const auto& x, const auto& y) { return x || y; });
  check_operation<Type::Any, 2>("min", [](const auto& x, const auto& y) { return min(x, y); });
  check_operation<Type::Any, 2>("max", [](const auto& x, const auto& y) { return max(x, y); });
  check_operation<Type::Any, 3>("where", [](const auto& c, const auto& x, const auto& y) { return where(c, x, y); });
  check_operation<Type::Any, 3>("clamp", [](const auto& x, const auto& low, const auto& high) { return clamp(x, low, high); });
  check_operation<Type::Any, 1>("cast", [](const auto& x) { return cast<int>(x); });
  check_operation<Type::Num, 1>("f<R>", [](const auto& x) { return digamma<double>(x); });
}
// Runs after those above.
TEST(the_table_is_complete) {
  for (int32_t k = 0; wf_op_name(k); k++)
    if (!names.contains(wf_op_name(k))) CHECK_EQ(std::string(wf_op_name(k)), "an operation of C++");
}

// A sequence and an array of rank 1 are converted to each other, and nothing is copied.
TEST(sequences_and_arrays_are_converted_free_of_cost) {
  const Seq<float> s(numbers<float>(1025));
  const Array<float, 1> v = s, braced{s}, by_call(s);
  const Array<float, 2> a(v, {5, 205});
  Seq<float> back = v, assigned, list{v};
  assigned = v;
  for (const float* data : {v.data(), braced.data(), by_call.data(), Array(s).data(), a.data(), back.data(), assigned.data(), list.data(),
                            Seq<float>(v).data(), Seq(v).data(), static_cast<Seq<float>>(v).data(), Seq<float>(a).data(), Seq(a).data()})
    CHECK(data == s.data());
  auto of_sequence = [](const Seq<float>& x) { return x.data(); };
  auto of_array = [](const Array<float, 1>& x) { return x.data(); };
  CHECK(of_sequence(v) == s.data() && of_array(s) == s.data());
  const std::vector<Seq<float>> both{v, s};
  CHECK(append(s, v).size() == 2050 && both[0].data() == s.data());
  // Another type is converted lazily: inside jit there are no values to copy.
  CHECK(!Seq<int>(v).is_manifest() && Seq<int>(v).to_vector() == cast<int>(s).to_vector());
  const auto twice = jit([](const Array<float, 1>& x) { return Seq<float>(x) + Seq<int>(Array<float, 2>(x, {5, -1})); });
  CHECK(twice(v).to_vector() == (s + s).to_vector());
}
TEST(sequences_and_arrays_have_elements_and_parts) {
  const Seq<float> s{1, 2, 3, 4};
  const Array<float, 1> v = s;
  const Scalar<int> k = 2;
  CHECK_EQ(s[1].get() + s(1).get() + v[1].get() + v(1).get() + s[k].get() + s(k).get() + v[k].get() + v(k).get(), 20);
  CHECK((tabulate([&](auto i) { return s[i] + s(i) + v[i] + v(i); }, 4).to_vector() == std::vector<float>{4, 8, 12, 16}));
  CHECK(s(slice(1, -1)).to_vector() == v(slice(1, -1)).to_vector() && s(every).force().size() == 4 && v.force().size() == 4);
  CHECK((filter([](auto x) { return x > 2; }, v).to_vector() == std::vector<float>{3, 4}));
  CHECK(rev(v).to_vector() == rev(s).to_vector() && scan_incl(plus, 0.f, v).to_vector() == scan_incl(plus, 0.f, s).to_vector());
  float total = 0;
  for (auto [x, y] : zip(v, v)) total += x * y;
  CHECK(total == dot(v, s).get());
}

// A number next to any kind adopts its type, and shapes are broadcast.
TEST(kinds_are_mixed) {
  const Seq<float> s{1, 2, 3};
  const Array<float, 1> v = s;
  const Array<float, 2> a{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  const Scalar<float> x = 2.f;
  static_assert(std::is_same_v<decltype(s * 0.5), Seq<float>> && std::is_same_v<decltype(s + x), Seq<float>>);
  static_assert(std::is_same_v<decltype(s + v), Array<float, 1>> && std::is_same_v<decltype(s + a), Array<float, 2>>);
  CHECK((0.5 * s + s * x).to_vector() == std::vector<float>{2.5, 5, 7.5});
  CHECK((s + a - v).to_vector() == a.to_vector());
  CHECK(((s > 1 && s != 3) == Seq<bool>{false, true, false}).to_vector() == std::vector<bool>(3, true));
  CHECK((s + Seq<float>{1}).to_vector() == std::vector<float>{2, 3, 4});
  CHECK_THROWS(SizeError, s + Seq<float>{1, 2});
  Seq<int> k{1, 2};
  k += 1.9;
  k *= Seq<int>{3, 4};
  CHECK((k.to_vector() == std::vector{6, 12}));
  CHECK_EQ(kernels(sum(exp(s) * s + 1)), "1 kernel");
}
// Sequences inside a traced function, next to expressions, captured ones, and reductions.
TEST(operators_inside_traced_functions) {
  const int64_t m = 17, n = 33;
  const std::vector<float> values = numbers<float>(m * n);
  const Seq<float> s(values), w(std::vector<float>(values.begin(), values.begin() + n));
  const Array<float, 1> v = w;
  const auto got = tabulate(
      [&](auto i) {
        const auto row = subseq(s, i * n, n);
        return sum((row - s[i]) * w + abs(row) * v + clamp(row, -sum(row), 2) + map([i](auto x) { return x * i; }, v));
      },
      m);
  std::vector<float> wanted;
  for (int64_t i = 0; i < m; i++) {
    float total = 0, row_sum = 0;
    for (int64_t j = 0; j < n; j++) row_sum += values[size_t(i * n + j)];
    for (int64_t j = 0; j < n; j++) {
      const float x = values[size_t(i * n + j)], y = values[size_t(j)];
      total += (x - values[size_t(i)]) * y + std::abs(x) * y + std::max(std::min(x, 2.f), -row_sum) + y * float(i);
    }
    wanted.push_back(total);
  }
  CHECK(got.to_vector() == wanted);  // whole numbers below 2^24
}
TEST(equality_of_tuples) {
  const Seq<std::pair<int, float>> s = zip(Seq<int>{1, 2, 3}, Seq<float>{1, 2, 3}), t = zip(Seq<int>{1, 2, 4}, Seq<float>{1, 5, 3});
  const std::vector<bool> same{true, false, false};
  CHECK((s == t).to_vector() == same);
  CHECK((!(s != t)).to_vector() == same);
  const auto a = zip(Array{{1, 2}, {3, 4}}, Array{{1, 0}, {3, 0}}), b = zip(Array{{1, 2}, {3, 4}}, Array{1, 0});
  CHECK(((a == b).to_vector() == std::vector{true, true, false, true}));
  CHECK((s[0] == t[0]).get() && (s[2] != t[2]).get());
}

// One value is an array of rank 0.
TEST(reductions_of_one_value) {
  const Scalar<int> x = -3;
  CHECK_EQ(sum(x).get() + product(x).get() + min(x).get() + max(x).get() + least(x).get() + largest(x).get(), -18);
  CHECK(any(x).get() && all(x).get() && count(x).get() == 1);
  CHECK(mean(x).get() == -3 && variance(x).get() == 0 && norm(x).get() == 3 && logsumexp(x).get() == -3);
  CHECK(sum(2.5) == 2.5 && norm(-2) == 2.0 && sum(true) == 1);
  CHECK((map([](auto e) { return sum(e) + variance(e); }, Seq<float>{1, 2}).to_vector() == std::vector<float>{1, 2}));
}
TEST(reductions_of_sequences_and_of_bools) {
  const Seq<float> s{3, 4};
  CHECK(norm(s).get() == 5 && variance(s).get() == 0.25f && least(s).get() == 3 && largest(s).get() == 4 && count(s).get() == 2);
  CHECK(std::abs(sum(softmax(s)).get() - 1) < 1e-6f && cumulative_sum(s).to_vector()[1] == 7);
  const int64_t n = 100001;
  const auto odd = tabulate([](auto i) { return i % 2 == 1; }, n);
  static_assert(std::is_same_v<decltype(sum(odd)), Scalar<int64_t>>);
  CHECK_EQ(sum(odd).get(), n / 2);
  CHECK_EQ(sum(Array<bool, 2>(odd, {1, n}), 1)(0).get(), n / 2);
  CHECK_EQ(sum(Array<bool, 2>(odd, {1, n})).get(), n / 2);
  CHECK_EQ(cumulative_sum(odd)(-1).get(), n / 2);
  CHECK(product(odd).get() == 0 && mean(odd).get() == double(n / 2) / double(n));
  CHECK((+odd).to_vector()[1] + 1 == 2);
}
// Expressions without a value are storage of a function.
TEST(expressions_are_local_storage) {
  auto reversed_sum = [](auto x) {
    std::array<Expr<float>, 4> powers;
    powers[0] = 1;
    for (size_t k = 1; k < powers.size(); k++) powers[k] = powers[k - 1] * x;
    Expr<float> sum = 0;
    for (const auto& power : powers) sum += power;
    return sum;
  };
  CHECK((map(reversed_sum, Seq<float>{2, 3}).to_vector() == std::vector<float>{15, 40}));
  std::string text;
  try {
    map([](auto x) { return Expr<float>() + x; }, Seq<float>{2, 3});
  } catch (const ArgumentError& e) { text = e.what(); }
  CHECK_EQ(text, "an Expr is used before it has a value; expected an assignment first");
}

// A function of numbers computes on the CPU, also inside of functions that do.
TEST(functions_of_numbers) {
  CHECK_EQ(digamma(1.0), digamma(Scalar(1.0)).get());
  CHECK(std::is_same_v<decltype(lfact<float>(3)), float> && lfact(3) == lfact(Scalar(3)).get());
  CHECK((map([](auto x) { return x * digamma(1.0); }, Seq<double>{2}).to_vector() == std::vector{2 * digamma(1.0)}));
  needs_cpu();
  const auto s = map(host([](double x) { return digamma(x); }), iota<double>(5000));
  CHECK(s.to_vector()[1] == digamma(1.0));
}
