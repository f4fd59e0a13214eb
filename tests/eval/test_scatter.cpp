// scatter and histogram against loops over the same elements: every type and operation, few and many elements and bins, so that tables,
// atomic operations and one worker take part. Few values per bin tell values that decide an `and` or `or` from the others.
#include <functional>
#include <random>

#include "check.h"
#include "cpu/threads/chunks.h"
#include "eval/context.h"
#include "oracle/graph.h"
#include "plan/plan.h"

using graph::elements;
using graph::Nodes;
using graph::source;
using std::string;
using std::vector;
using wf::NodeRef;

namespace {

struct Size {
  int64_t n, bins;
};
constexpr Size sizes[] = {{0, 5},         {1, 1},          {100, 7},      {40007, 3},     {40007, 30011},    {40007, 100003},
                          {5003, 270007}, {20011, 330007}, {300007, 256}, {300007, 5000}, {300007, 2000003}, {2000003, 12289}};

template <class T> vector<T> random_numbers(int64_t n, uint64_t below, unsigned seed) {
  std::mt19937_64 random(seed);
  if (std::is_same_v<T, bool>) below = 2;
  vector<T> all;
  for (int64_t i = 0; i < n; i++) all.push_back(T(random() % below));
  return all;
}

NodeRef scatter(const string& op, const NodeRef& base, const NodeRef& indices, const NodeRef& values) {
  const string t(wf::name(base->types()[0]));
  const wf::Closure f = graph::fn("(fn ((a " + t + ") (b " + t + ")) (" + op + " a b))");
  return wf::scatter(&f, base, indices, values);
}

// The same indices, which are computed and not in memory.
NodeRef computed(const NodeRef& indices) {
  return graph::map("(fn ((x " + string(wf::name(indices->types()[0])) + ")) (cast i64 x))", {indices});
}

template <class T> using Operation = T (*)(T, T);
template <class T> Operation<T> host_operation(const string& op) {
  if (op == "add") return [](T x, T y) { return T(uint64_t(x) + uint64_t(y)); };
  if (op == "mul") return [](T x, T y) { return T(uint64_t(x) * uint64_t(y)); };
  if (op == "min") return [](T x, T y) { return std::min(x, y); };
  if (op == "max") return [](T x, T y) { return std::max(x, y); };
  if (op == "and") return [](T x, T y) { return T(x & y); };
  if (op == "or") return [](T x, T y) { return T(x | y); };
  return [](T x, T y) { return T(x ^ y); };
}

template <class T, class I> void check_operations(const vector<string>& operations) {
  for (const auto [n, bins] : sizes) {
    const auto limit = std::min<uint64_t>(uint64_t(bins), uint64_t(std::numeric_limits<I>::max()));
    const auto indices = random_numbers<I>(n, limit, 1);
    const auto values = random_numbers<T>(n, 1000003, 2), base = random_numbers<T>(bins, 1009, 3);
    for (const string& op : operations) {
      vector<T> right = base;
      const Operation<T> combined = host_operation<T>(op);
      for (int64_t i = 0; i < n; i++) {
        auto&& at = right[size_t(indices[size_t(i)])];
        at = combined(at, values[size_t(i)]);
      }
      CHECK(elements<T>(scatter(op, source(base), source(indices), source(values))) == right);
      CHECK(elements<T>(scatter(op, source(base), computed(source(indices)), source(values))) == right);
    }
  }
}

string error(const NodeRef& node) {
  try {
    wf::force({&node, 1});
  } catch (const wf::RangeError& e) { return e.what(); }
  return "";
}

}  // namespace

TEST(integers_are_combined_by_every_operation) {
  const vector<string> all{"add", "mul", "min", "max", "and", "or", "xor"};
  check_operations<int32_t, int32_t>(all);
  check_operations<uint32_t, uint8_t>(all);
  check_operations<uint64_t, uint32_t>({"add", "min", "xor"});
  check_operations<int64_t, uint64_t>({"mul", "max", "or"});
  check_operations<uint8_t, int64_t>(all);
  check_operations<bool, int32_t>({"and", "or", "xor"});
}

TEST(elements_are_counted) {
  for (const auto [n, bins] : sizes) {
    const auto s = random_numbers<int32_t>(n, uint64_t(bins), 4);
    vector<int64_t> right(static_cast<size_t>(bins));
    for (int32_t x : s) right[size_t(x)]++;
    CHECK(elements<int64_t>(wf::histogram(source(s), bins)) == right);
    CHECK(elements<int64_t>(wf::histogram(graph::map("(fn ((x i32)) (cast u64 x))", {source(s)}), bins)) == right);
  }
  const auto bytes = random_numbers<uint8_t>(300007, 256, 5);
  vector<int64_t> right(256);
  for (uint8_t x : bytes) right[x]++;
  const NodeRef counts = wf::histogram(source(bytes), 256);
  CHECK(wf::explain(Nodes{counts}, wf::ExplainFormat::Text).find("scatter(count); i < 256") != string::npos);
  CHECK(elements<int64_t>(counts) == right);
}

// Sizes around blocks, pairs of blocks and groups of pairs, and several pieces of a worker; with few bins, indices are checked first.
TEST(counts_of_bytes) {
  for (int64_t n : {(1 << 14) - 1, 1 << 14, (1 << 14) + 63, 12352 + 4096, 20011, (1 << 16) - 1, 1 << 16, (1 << 16) + 511, (1 << 16) + 1023,
                    (1 << 16) + 3 * 1024, (1 << 20) + 513, (1 << 21) + 7 * 1024 + 5})
    for (int64_t bins : {1, 5, 255, 256}) {
      auto bytes = random_numbers<uint8_t>(n, int(bins), uint64_t(n + bins));
      vector<int64_t> right(static_cast<size_t>(bins));
      for (uint8_t x : bytes) right[x]++;
      CHECK(elements<int64_t>(wf::histogram(source(bytes), bins)) == right);
      if (bins > 255) continue;
      bytes[size_t(n - 2)] = uint8_t(bins);
      CHECK(
          error(wf::histogram(source(bytes), bins)).starts_with("index " + std::to_string(bins) + " at element " + std::to_string(n - 2)));
    }
}

// Each count is the number of bytes, whatever they are equal to: one value alone, each value in a run of its own, one bit in every block. `more`
// bytes fill sums of 16 bits several times.
TEST(counts_of_equal_bytes) {
  constexpr int64_t n = (1 << 18) + 77, more = (9 << 20) + 77;
  for (int64_t count : {n, more})
    for (int value : {0, 1, 15, 16, 128, 170, 255}) {
      vector<int64_t> right(256);
      right[size_t(value)] = count;
      CHECK(elements<int64_t>(wf::histogram(source(vector<uint8_t>(size_t(count), uint8_t(value))), 256)) == right);
    }
  for (int64_t run : {1, 8, 500, 512, 1024, 1100}) {
    vector<uint8_t> bytes(static_cast<size_t>(n));
    vector<int64_t> right(256);
    for (int64_t i = 0; i < n; i++) right[bytes[size_t(i)] = uint8_t(i / run)]++;
    CHECK(elements<int64_t>(wf::histogram(source(bytes), 256)) == right);
    for (int64_t i = 0; i < n; i++) bytes[size_t(i)] = i % (512 + run) == 0 ? uint8_t(1 << i / (512 + run) % 8) : uint8_t(0);
    std::fill(right.begin(), right.end(), 0);
    for (uint8_t x : bytes) right[x]++;
    CHECK(elements<int64_t>(wf::histogram(source(bytes), 256)) == right);
  }
}

// The counts of bytes hold those below 128 and the others apart, until there are enough of either.
TEST(counts_of_bytes_with_the_same_high_bit) {
  const auto low = random_numbers<uint8_t>((1 << 20) + 4711, 128, 16), chance = random_numbers<uint8_t>((1 << 20) + 4711, 256, 17);
  const auto check = [&](auto is_high) {
    vector<uint8_t> bytes = low;
    vector<int64_t> right(256);
    for (size_t i = 0; i < bytes.size(); i++) right[bytes[i] = uint8_t(low[i] + (is_high(int64_t(i)) ? 128 : 0))]++;
    CHECK(elements<int64_t>(wf::histogram(source(bytes), 256)) == right);
  };
  for (int64_t run : {1, 63, 64, 65, 6100, 6144, 6208, 12287, 12352, 20000, 150000}) {
    check([&](int64_t i) { return i / run % 2 == 0; });
    check([&](int64_t i) { return i / run % 2 == 1; });
    check([&](int64_t i) { return i / run % 5 == 3; });
  }
  for (int share : {1, 3, 100, 253, 255}) check([&](int64_t i) { return chance[size_t(i)] < share; });
}

// Elements that begin at every place of a word, and one index alone, which all threads update.
TEST(slices_and_equal_indices) {
  const auto bytes = random_numbers<uint8_t>(300007, 256, 14);
  const auto values = random_numbers<int32_t>(300007, 1000, 15);
  const NodeRef s = source(bytes), x = source(values), base = source(vector<int32_t>(256)), same = source(vector<int32_t>(300007, 77));
  for (int64_t first : {0, 1, 3, 4, 7, 16, 299990}) {
    vector<int64_t> counts(256);
    vector<int32_t> sums(256), one(256);
    for (size_t i = size_t(first); i < bytes.size(); i++) {
      counts[bytes[i]]++;
      sums[bytes[i]] += values[i];
      one[77] += values[i];
    }
    const int64_t n = int64_t(bytes.size()) - first;
    const NodeRef some = wf::subseq(s, first, n), added = wf::subseq(x, first, n);
    CHECK(elements<int64_t>(wf::histogram(some, 256)) == counts);
    CHECK(elements<int32_t>(scatter("add", base, some, added)) == sums);
    CHECK(elements<int32_t>(scatter("add", base, wf::subseq(same, first, n), added)) == one);
  }
}

TEST(the_last_of_equal_indices_wins) {
  for (const auto [n, bins] : sizes) {
    const auto indices = random_numbers<int32_t>(n, uint64_t(bins), 6), values = random_numbers<int32_t>(n, 1000003, 7);
    vector<int32_t> right(size_t(bins), -1);
    for (int64_t i = 0; i < n; i++) right[size_t(indices[size_t(i)])] = values[size_t(i)];
    // Values of two columns, one of them computed.
    const NodeRef twice = graph::map("(fn ((x i32)) (tuple x (mul (cast f32 x) 2.0:f32)))", {source(values)});
    const NodeRef base = graph::tabulate("(fn ((i i64)) (tuple -1:i32 -2.0:f32))", bins);
    const NodeRef r = wf::scatter(nullptr, base, source(indices), twice);
    CHECK(elements<int32_t>(r) == right);
    const auto second = elements<float>(r, 1);
    for (size_t k = 0; k < right.size(); k++) CHECK(second[k] == float(right[k]) * 2);
  }
}

// Random bits of a type: numbers, NaNs and zeros of either sign.
oracle::Value random_bits(wf::Type type, int64_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  oracle::Value value({type}, n);
  const wf::Bits64 mask = type == wf::Type::Bool ? 1 : ~wf::Bits64(0) >> (64 - 8 * wf::size_of(type));
  for (wf::Bits64& bits : value.columns[0]) bits = random() & mask;
  return value;
}

template <class I> void check_replaced(wf::Type type, const vector<I>& places, int64_t bins, bool in_memory = true) {
  const auto n = int64_t(places.size());
  const oracle::Value base = random_bits(type, bins, 51), values = random_bits(type, n, 52);
  oracle::Value right = base;
  for (int64_t i = 0; i < n; i++) right.columns[0][size_t(places[size_t(i)])] = values.columns[0][size_t(i)];
  const NodeRef at = source(places), r = wf::scatter(nullptr, source(base), in_memory ? at : computed(at), source(values));
  CHECK(graph::forced(r).columns == right.columns);
}

// Values of every type, bit by bit: by one worker, in buckets, in rounds of buckets, and by the positions of the last ones.
TEST(integers_and_floats_are_replaced_bit_by_bit) {
  for (const auto [n, bins] : sizes) {
    const auto places = random_numbers<int32_t>(n, uint64_t(bins), 53);
    for (wf::Type type : {wf::Type::Bool, wf::Type::F32, wf::Type::I64}) check_replaced(type, places, bins);
    check_replaced(wf::Type::U8, vector<uint64_t>(places.begin(), places.end()), bins, false);
    check_replaced(wf::Type::F64, random_numbers<uint8_t>(n, uint64_t(std::min<int64_t>(bins, 256)), 54), bins);
  }
  check_replaced(wf::Type::U32, random_numbers<uint32_t>((1 << 21) + 77, 300007, 55), 300007);
  // Neighbours in one bucket: upwards, downwards, and one index alone.
  vector<int32_t> places(300007);
  for (size_t i = 0; i < places.size(); i++) places[i] = int32_t(i);
  check_replaced(wf::Type::F32, places, 300007);
  std::ranges::reverse(places);
  check_replaced(wf::Type::U8, places, 300007);
  std::ranges::fill(places, 299999);
  check_replaced(wf::Type::F64, places, 300007);
}

TEST(updates_may_be_kept_by_a_filter_and_views) {
  const int64_t n = 300007, bins = 100003;
  const auto numbers = random_numbers<int32_t>(n, uint64_t(bins), 56);
  const NodeRef kept = graph::filter("(fn ((x i32)) (ne (rem x 3:i32) 0:i32))", source(numbers));
  const NodeRef values = graph::map("(fn ((x i32)) (cast f32 (mul x 7:i32)))", {kept});
  vector<float> last(size_t(bins), 0.5f), sums = last;
  for (int32_t x : numbers)
    if (x % 3 != 0) last[size_t(x)] = float(x * 7), sums[size_t(x)] += float(x * 7);
  const NodeRef base = source(vector<float>(size_t(bins), 0.5f));
  const NodeRef replaced = wf::scatter(nullptr, base, kept, values), added = scatter("add", base, kept, values);
  wf::force(Nodes{replaced, added});
  CHECK(elements<float>(replaced) == last);
  CHECK(elements<float>(added) == sums);
  for (int64_t first : {1, 3, 299990}) {
    const NodeRef at = wf::subseq(source(numbers), first, n - first), x = wf::subseq(source(numbers), 0, n - first);
    vector<int32_t> right(size_t(bins), -1);
    for (int64_t i = 0; i < n - first; i++) right[size_t(numbers[size_t(first + i)])] = numbers[size_t(i)];
    CHECK(elements<int32_t>(wf::scatter(nullptr, source(vector<int32_t>(size_t(bins), -1)), at, x)) == right);
  }
}

// Few updates cost a copy of the base. Nothing else is allocated, and nothing at all if the base becomes the result.
TEST(few_updates_take_no_memory) {
  const int64_t bins = 1 << 22, n = 1000;
  const NodeRef at = source(random_numbers<int32_t>(n, bins, 57)), x = source(random_numbers<uint8_t>(n, 256, 58));
  NodeRef base = graph::tabulate("(fn ((i i64)) (cast u8 i))", bins);
  wf::force(Nodes{base, at, x});
  if (wf::context_of(*base).engine->name() != "cpu") return;
  wf::Pool& pool = *wf::context_of(*base).pool;
  const auto peak_of = [&](const auto& run) {
    const int64_t before = pool.live();
    pool.reset_peak();
    run();
    return pool.peak() - before;
  };
  NodeRef r = wf::scatter(nullptr, base, at, x);
  CHECK_EQ(wf::summary(*wf::make_plan({&r, 1}, {}).steps[0]), "scatter(replace)");
  CHECK(peak_of([&] { wf::force(Nodes{r}); }) < bins * 5 / 4);
  const auto right = elements<uint8_t>(r);
  r = wf::scatter(nullptr, base, at, x);
  CHECK(peak_of([&] {
          const NodeRef value = r, old = base;
          wf::force_in_place(value, old);
        }) < bins / 4);
  base = NodeRef();
  CHECK(elements<uint8_t>(r) == right);
}

// A base that others need is not overwritten, and none is after an error.
TEST(a_base_in_place_is_kept_for_others) {
  const int64_t bins = 300007, n = 40007;
  const char* const numbered = "(fn ((i i64)) (cast i32 i))";
  vector<int32_t> start(size_t(bins), 0), places = random_numbers<int32_t>(n, uint64_t(bins), 59);
  for (int64_t k = 0; k < bins; k++) start[size_t(k)] = int32_t(k);
  const NodeRef base = graph::tabulate(numbered, bins), other = graph::map("(fn ((x i32)) (add x 1:i32))", {base});
  wf::force(Nodes{base});
  const NodeRef ones = source(vector<int32_t>(size_t(n), 1));
  const auto force_in_place = [&](const NodeRef& r) {
    const NodeRef value = r, old = base;
    wf::force_in_place(value, old);
  };
  const NodeRef r = scatter("add", base, source(places), ones);
  force_in_place(r);
  CHECK(elements<int32_t>(base) == start);
  CHECK_EQ(elements<int32_t>(other)[1], 2);
  places.back() = int32_t(bins);
  CHECK_THROWS(wf::RangeError, force_in_place(scatter("add", base, source(places), ones)));
  CHECK_THROWS(wf::RangeError, force_in_place(wf::scatter(nullptr, base, source(places), ones)));
  CHECK(elements<int32_t>(base) == start);
}

// The order of combination depends on neither the number of workers nor their speed; many values of an f32 are carried in f64.
TEST(floats_are_combined_in_a_fixed_order_by_any_number_of_threads) {
  for (const auto [n, bins] : {Size{300007, 300}, {300007, 5000}, {300007, 100003}, {40007, 100003}, {2200007, 1000003}}) {
    const auto places = random_numbers<int32_t>(n, uint64_t(bins), 60);
    vector<double> values, right(size_t(bins), 0.1);
    for (int32_t x : random_numbers<int32_t>(n, 2000001, 61)) values.push_back(x / 3.0);
    const vector<float> narrow(values.begin(), values.end());
    for (size_t i = 0; i < values.size(); i++) right[size_t(places[i])] += values[i];
    const NodeRef at = source(places), wide_values = source(values), narrow_values = source(narrow);
    const NodeRef wide_base = source(vector<double>(size_t(bins), 0.1)), narrow_base = source(vector<float>(size_t(bins), 0.1f));
    vector<vector<double>> wide;
    vector<vector<float>> sums;
    for (int workers : {1, 2, 7, 0}) {
      wf::cpu::limit_workers(workers);
      wide.push_back(elements<double>(scatter("add", wide_base, at, wide_values)));
      sums.push_back(elements<float>(scatter("add", narrow_base, at, narrow_values)));
      CHECK(wide.back() == wide.front());
      CHECK(sums.back() == sums.front());
    }
    for (size_t k = 0; k < right.size(); k++) {
      CHECK(std::abs(wide[0][k] - right[k]) <= 1e-12 * right[k]);
      CHECK(std::abs(double(sums[0][k]) - right[k]) <= 1e-6 * right[k]);
    }
  }
  // One after another, ones leave 2^24 as it is in f32.
  const int64_t n = 40007, bins = 30011;
  vector<float> base(size_t(bins), 0x1p24f);
  const NodeRef r = scatter("add", source(base), source(vector<int32_t>(size_t(n), 77)), source(vector<float>(size_t(n), 1)));
  CHECK_EQ(elements<float>(r)[77], 0x1p24f + 40008);
}

// In the order of the positions, so that the bits are the same every time.
TEST(floats_are_combined_in_a_fixed_order) {
  for (const auto [n, bins] : sizes) {
    const auto indices = random_numbers<int32_t>(n, uint64_t(bins), 8);
    vector<float> values, base(size_t(bins), -0.0f);
    for (int32_t x : random_numbers<int32_t>(n, 2001, 9)) values.push_back(float(x - 1000));
    vector<float> sums = base, least = base;
    for (size_t i = 0; i < values.size(); i++) {
      sums[size_t(indices[i])] += values[i];
      least[size_t(indices[i])] = std::min(least[size_t(indices[i])], values[i]);
    }
    CHECK(elements<float>(scatter("add", source(base), source(indices), source(values))) == sums);
    CHECK(elements<float>(scatter("min", source(base), source(indices), source(values))) == least);
    const auto untouched = elements<float>(scatter("add", source(base), source(vector<int32_t>()), source(vector<float>())));
    for (float x : untouched) CHECK(std::signbit(x));
    vector<float> thirds;
    for (float x : values) thirds.push_back(x / 3);
    const auto once = elements<float>(scatter("add", source(base), source(indices), source(thirds)));
    for (int again = 0; again < 3; again++) CHECK(elements<float>(scatter("add", source(base), source(indices), source(thirds))) == once);
  }
}

// Into few elements, floats are carried in f64: the results are those of exact arithmetic, rounded once or nearly so.
template <class T> void check_floats(const string& type, double relative) {
  for (const auto [n, bins] :
       {Size{0, 5}, {1, 1}, {3, 2}, {63, 3}, {65, 128}, {1025, 7}, {65536, 16}, {65537, 16}, {1000007, 128}, {1000007, 129}}) {
    const auto places = random_numbers<uint8_t>(n, uint64_t(bins), 21);
    vector<T> values, base(size_t(bins), T(0.1));
    for (int32_t x : random_numbers<int32_t>(n, 2000001, 22)) values.push_back(T(x) / 3);
    vector<double> sums(base.begin(), base.end()), products = sums;
    vector<T> least(base), most(base), factors;
    for (T x : values) factors.push_back(1 + (x - T(333333)) / T(1e12));
    for (size_t i = 0; i < values.size(); i++) {
      sums[places[i]] += double(values[i]);
      products[places[i]] *= double(factors[i]);
      least[places[i]] = std::min(least[places[i]], values[i]);
      most[places[i]] = std::max(most[places[i]], values[i]);
    }
    for (const NodeRef& at : {source(places), computed(source(places))}) {
      const auto added = elements<T>(scatter("add", source(base), at, source(values)));
      const auto multiplied = elements<T>(scatter("mul", source(base), at, source(factors)));
      for (size_t k = 0; k < base.size(); k++) {
        const double most_error = bins > 128 ? 1e-3 : relative;  // into more elements, floats are added one after another
        CHECK(std::abs(double(added[k]) - sums[k]) <= most_error * std::abs(sums[k]));
        CHECK(std::abs(double(multiplied[k]) - products[k]) <= most_error * std::abs(products[k]));
      }
      CHECK(elements<T>(scatter("min", source(base), at, source(values))) == least);
      CHECK(elements<T>(scatter("max", source(base), at, source(values))) == most);
      CHECK(elements<T>(scatter("add", source(base), at, source(values))) == added);
    }
  }
  CHECK(type == wf::name(source(vector<T>(1))->types()[0]));
}

TEST(floats_into_few_elements_are_carried_in_f64) {
  check_floats<float>("f32", 1e-7);
  check_floats<double>("f64", 1e-12);
}

TEST(floats_keep_zeros_and_numbers_beside_nan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const NodeRef at = source(vector<int32_t>{0, 1, 1, 2, 4});
  const NodeRef x = source(vector<float>{nan, nan, 2, -0.0f, nan}), base = source(vector<float>{1, 5, -0.0f, nan, nan});
  const auto least = elements<float>(scatter("min", base, at, x)), most = elements<float>(scatter("max", base, at, x));
  const auto sums = elements<float>(scatter("add", base, at, x));
  CHECK((least[0] == 1 && least[1] == 2 && least[2] == 0 && std::isnan(least[3]) && std::isnan(least[4])));
  CHECK((most[0] == 1 && most[1] == 5 && most[2] == 0 && std::isnan(most[3]) && std::isnan(most[4])));
  CHECK((std::isnan(sums[0]) && std::isnan(sums[1]) && sums[2] == 0 && std::signbit(sums[2]) && std::isnan(sums[3])));
}

// A column of each kind; indices and values that begin at every place of a pack; the first index outside is named.
TEST(floats_beside_integers) {
  const int64_t n = 300007;
  const auto places = random_numbers<uint8_t>(n, 16, 23);
  const auto numbers = random_numbers<int32_t>(n, 1000, 24);
  const NodeRef at = source(places), x = source(numbers);
  const NodeRef base = graph::tabulate("(fn ((i i64)) (tuple 1.0:f64 1:i32 1.0:f32))", 16);
  const wf::Closure f = graph::fn("(fn ((a f64) (b i32) (c f32) (d f64) (e i32) (f f32)) (tuple (add a d) (add b e) (max c f)))");
  for (int64_t first : {0, 1, 3, 16, 300006}) {
    vector<int32_t> sums(16, 1), most(16, 1);
    for (size_t i = size_t(first); i < numbers.size(); i++) {
      sums[places[i]] += numbers[i];
      most[places[i]] = std::max(most[places[i]], numbers[i]);
    }
    const NodeRef some = wf::subseq(at, first, n - first);
    const NodeRef values = graph::map("(fn ((x i32)) (tuple (cast f64 x) x (cast f32 x)))", {wf::subseq(x, first, n - first)});
    const NodeRef r = wf::scatter(&f, base, some, values);
    CHECK(elements<double>(r, 0) == vector<double>(sums.begin(), sums.end()));
    CHECK(elements<int32_t>(r, 1) == sums);
    CHECK(elements<float>(r, 2) == vector<float>(most.begin(), most.end()));
  }
  const NodeRef wrong = scatter("add", source(vector<float>(3)), at, graph::map("(fn ((x i32)) (cast f32 x))", {x}));
  const auto outside = std::ranges::find_if(places, [](uint8_t k) { return k > 2; });
  const string named = "index " + std::to_string(*outside) + " at element " + std::to_string(outside - places.begin()) + " ";
  CHECK(error(wrong).starts_with(named));
}

TEST(columns_have_operations_of_their_own) {
  const auto indices = random_numbers<int32_t>(100007, 1009, 10), x = random_numbers<int32_t>(100007, 999, 11);
  const NodeRef values = graph::map("(fn ((x i32)) (tuple x (cast u8 x)))", {source(x)});
  const NodeRef base = graph::tabulate("(fn ((i i64)) (tuple 0:i32 255:u8))", 1009);
  const wf::Closure f = graph::fn("(fn ((a i32) (b u8) (c i32) (d u8)) (tuple (max c a) (and b d)))");
  const NodeRef r = wf::scatter(&f, base, source(indices), values);
  vector<int32_t> most(1009);
  vector<uint8_t> all(1009, 255);
  for (size_t i = 0; i < x.size(); i++) {
    most[size_t(indices[i])] = std::max(most[size_t(indices[i])], x[i]);
    all[size_t(indices[i])] &= uint8_t(x[i]);
  }
  CHECK(elements<int32_t>(r) == most);
  CHECK(elements<uint8_t>(r, 1) == all);
}

// Bools that most values find as they leave them: a GPU looks at groups of neighbours that change no more. In the last base, few are.
TEST(bools_that_seldom_change) {
  for (int64_t m : {131072, 131073, 150001, 2300007}) {
    const int64_t n = 4 * m + 3;
    const auto indices = random_numbers<int32_t>(n, uint64_t(m), 41);
    const auto values = random_numbers<bool>(n, 2, 42);
    for (const char* op : {"or", "and"})
      for (int64_t rare : {97, 1000003, 3}) {
        const bool done = op[0] == 'o';
        vector<bool> base;
        for (int64_t k = 0; k < m; k++) base.push_back((k % rare == 5 % rare) != done);
        vector<bool> right = base;
        for (int64_t i = 0; i < n; i++)
          if (values[size_t(i)] == done) right[size_t(indices[size_t(i)])] = done;
        CHECK(elements<bool>(scatter(op, source(base), source(indices), source(values))) == right);
        CHECK(elements<bool>(scatter(op, source(base), computed(source(indices)), source(values))) == right);
      }
  }
}

// The error is the same if the indices are checked first and if those check them who combine the elements into tables.
TEST(an_index_outside_is_an_error_that_names_the_first_one) {
  for (const auto [n, bins] : {Size{10, 50}, {100007, 50}, {100007, 5000}, {20011, 330007}}) {
    auto indices = random_numbers<int32_t>(n, uint64_t(bins), 12);
    const NodeRef base = source(vector<int32_t>(size_t(bins))), values = source(vector<int32_t>(size_t(n), 1));
    const NodeRef bools = source(vector<bool>(size_t(bins))), trues = source(vector<bool>(size_t(n), true));
    const NodeRef pairs = graph::tabulate("(fn ((i i64)) (tuple 0:i32 0.0:f32))", bins);
    const NodeRef values_of_pairs = graph::map("(fn ((x i32)) (tuple x (cast f32 x)))", {values});
    const wf::Closure sums = graph::fn("(fn ((a i32) (b f32) (c i32) (d f32)) (tuple (add a c) (add b d)))");
    for (const auto& [place, index] : {std::pair<int64_t, int32_t>{n - 1, bins}, {n / 2, -1}, {3, bins + 950}}) {
      indices[size_t(place)] = index;
      const string named = "index " + std::to_string(index) + " at element " + std::to_string(place) + " ";
      for (const NodeRef& at : {source(indices), computed(source(indices))})
        for (const NodeRef& r : {scatter("add", base, at, values), scatter("or", bools, at, trues), wf::scatter(nullptr, base, at, values),
                                 wf::scatter(&sums, pairs, at, values_of_pairs), wf::histogram(at, bins)}) {
          CHECK(error(r).starts_with(named));
          CHECK(error(r).starts_with(named));
        }
    }
  }
  CHECK(error(wf::histogram(source(vector<uint8_t>{3, 255}), 255)).starts_with("index 255 at element 1 "));
  CHECK(error(wf::histogram(source(vector<int32_t>{0}), 0)).starts_with("index 0 at element 0 "));
}

// The routine checks indices in memory; a kernel computes others and checks them.
TEST(indices_in_memory_are_read_once) {
  const NodeRef base = source(vector<int32_t>(50)), at = source(random_numbers<int32_t>(1000, 50, 16));
  const auto steps = [&](const NodeRef& indices) {
    const NodeRef r = scatter("add", base, indices, at);
    return wf::make_plan({&r, 1}, {}).steps.size();
  };
  CHECK_EQ(steps(at), size_t(1));
  CHECK_EQ(steps(computed(at)), size_t(2));
}

TEST(scatters_join_other_work) {
  const auto s = random_numbers<int32_t>(100007, 1000, 13);
  const NodeRef x = source(s), small = graph::filter("(fn ((x i32)) (lt x 100:i32))", x);
  const NodeRef counts = wf::histogram(small, 100),
                starts = graph::scan("(fn ((a i64) (b i64)) (add a b))", "0:i64", counts, false).prefixes;
  const NodeRef again = scatter("add", counts, small, graph::map("(fn ((x i32)) (cast i64 x))", {small}));
  wf::force(Nodes{starts, again});
  vector<int64_t> right(100), prefixes, sums;
  for (int32_t v : s)
    if (v < 100) right[size_t(v)]++;
  int64_t sum = 0;
  for (int64_t k = 0; k < 100; k++) {
    prefixes.push_back(sum);
    sum += right[size_t(k)];
    sums.push_back(right[size_t(k)] * (1 + k));
  }
  CHECK(elements<int64_t>(counts) == right);
  CHECK(elements<int64_t>(starts) == prefixes);
  CHECK(elements<int64_t>(again) == sums);
}

// A base that nothing else can read becomes the result; of others, the elements are copied.
TEST(scatters_in_place) {
  const int64_t n = 100007, bins = 300007;
  const auto places = random_numbers<int32_t>(n, uint64_t(bins), 31), numbers = random_numbers<int32_t>(n, 1000, 32);
  const NodeRef at = source(places), x = source(numbers);
  wf::force(Nodes{at, x});
  vector<int32_t> right(static_cast<size_t>(bins)), start;
  for (int64_t k = 0; k < bins; k++) start.push_back(right[size_t(k)] = int32_t(k));
  for (int64_t i = 0; i < n; i++) right[size_t(places[size_t(i)])] += numbers[size_t(i)];
  const char* const numbered = "(fn ((i i64)) (cast i32 i))";
  wf::Pool& pool = *wf::context_of(*at).pool;
  const NodeRef alone = scatter("add", graph::tabulate(numbered, bins), at, x);
  const int64_t before = pool.live();
  pool.reset_peak();
  wf::force(Nodes{alone});
  CHECK(pool.peak() - before < 2 * 4 * bins);
  CHECK(elements<int32_t>(alone) == right);
  for (bool is_forced : {false, true}) {
    const NodeRef base = graph::tabulate(numbered, bins);
    if (is_forced) wf::force(Nodes{base});
    const NodeRef first = scatter("add", base, at, x), second = scatter("add", base, at, x);
    CHECK(elements<int32_t>(first) == right);
    CHECK(elements<int32_t>(base) == start);
    CHECK(elements<int32_t>(second) == right);
  }
  // Together with the base; twice; two columns in one buffer; after a failure.
  const NodeRef base = graph::tabulate(numbered, bins), both = scatter("add", base, at, x);
  wf::force(Nodes{base, both});
  CHECK(elements<int32_t>(base) == start);
  CHECK(elements<int32_t>(both) == right);
  const NodeRef twice = scatter("max", scatter("add", graph::tabulate(numbered, bins), at, x), at, x);
  CHECK(elements<int32_t>(twice) == right);
  const NodeRef pairs = graph::tabulate("(fn ((i i64)) (tuple (cast i32 i) (cast i32 i)))", bins);
  const wf::Closure f = graph::fn("(fn ((a i32) (b i32) (c i32) (d i32)) (tuple (add a c) (max b d)))");
  const NodeRef two = wf::scatter(&f, pairs, at, wf::zip(Nodes{x, x}));
  CHECK(elements<int32_t>(two, 0) == right);
  vector<int32_t> most = start;
  for (int64_t i = 0; i < n; i++) most[size_t(places[size_t(i)])] = std::max(most[size_t(places[size_t(i)])], numbers[size_t(i)]);
  CHECK(elements<int32_t>(two, 1) == most);
  const NodeRef wrong = scatter("add", graph::tabulate(numbered, 1000), at, x);
  CHECK(!error(wrong).empty());
  CHECK_EQ(error(wrong), error(wrong));
}

TEST(bad_arguments_are_errors) {
  const NodeRef base = source(vector<int32_t>(5)), indices = source(vector<int32_t>(3)), floats = source(vector<float>(3));
  const wf::Closure add = graph::fn("(fn ((a i32) (b i32)) (add a b))"), sub = graph::fn("(fn ((a i32) (b i32)) (sub a b))");
  CHECK_THROWS(wf::TypeError, wf::scatter(&add, base, indices, floats));
  CHECK_THROWS(wf::TypeError, wf::scatter(&add, base, floats, indices));
  CHECK_THROWS(wf::ArgumentError, wf::scatter(&sub, base, indices, indices));
  CHECK_THROWS(wf::SizeError, wf::scatter(&add, base, indices, base));
  CHECK_THROWS(wf::SizeError, wf::scatter(&add, wf::nth(base, 0), indices, indices));
  CHECK_THROWS(wf::TypeError, wf::histogram(floats, 5));
  CHECK_THROWS(wf::SizeError, wf::histogram(indices, -1));
  CHECK_THROWS(wf::SizeError, wf::histogram(indices, int64_t(1) << 62));
}
