// Scans of pairs (flag, value) that start again where the flag is set, next to a plain loop: sparse and dense flags, values across chunks.
#include <cmath>

#include "check.h"
#include "oracle/graph.h"

using graph::Nodes;
using std::string;
using std::vector;
using wf::NodeRef;

namespace {

const vector<int64_t> sizes = {0, 1, 2, 63, 64, 65, 2047, 2049, 65536 * 3, 1000007};

struct Flags {
  const char* text;  // of the index
  bool (*at)(int64_t);
};
const vector<Flags> all_flags = {
    {"false", [](int64_t) { return false; }},
    {"(eq i 0:i64)", [](int64_t i) { return i == 0; }},
    {"(eq (rem i 8192:i64) 0:i64)", [](int64_t i) { return i % 8192 == 0; }},
    {"(eq (rem i 1000:i64) 0:i64)", [](int64_t i) { return i % 1000 == 0; }},
    {"(eq (rem i 100:i64) 99:i64)", [](int64_t i) { return i % 100 == 99; }},
    {"(eq (rem i 3:i64) 1:i64)", [](int64_t i) { return i % 3 == 1; }},
    {"(eq (rem i 300000:i64) 299999:i64)", [](int64_t i) { return i % 300000 == 299999; }},
    {"true", [](int64_t) { return true; }},
};

template <class T> struct Operation {
  const char *name, *type, *identity, *value;  // the value: of the index
  T (*op)(T, T);
  T (*at)(int64_t);
  T none;
};

template <class T> bool same(T a, T b) { return a == b || (a != a && b != b); }

template <class T> void verify(const Operation<T>& operation) {
  const string pair = "(tuple (or s t) (where t b (" + string(operation.name) + " a b)))", type = operation.type;
  const string combine = "(fn ((s bool) (a " + type + ") (t bool) (b " + type + ")) " + pair + ")";
  for (const Flags& flags : all_flags)
    for (int64_t n : sizes)
      for (bool inclusive : {false, true})
        for (bool stored : {false, true}) {
          const NodeRef pairs = graph::tabulate("(fn ((i i64)) (tuple " + string(flags.text) + " " + operation.value + "))", n);
          if (stored) wf::force(Nodes{pairs});
          const auto scanned = graph::scan(combine, "(tuple false " + string(operation.identity) + ")", pairs, inclusive);
          wf::force(Nodes{scanned.prefixes, scanned.total});
          const auto set = graph::elements<bool>(scanned.prefixes, 0);
          const auto values = graph::elements<T>(scanned.prefixes, 1);
          bool flag = false;
          T value = operation.none;
          int64_t wrong = 0;
          for (int64_t i = 0; i < n; i++) {
            if (!inclusive) wrong += set[i] != flag || !same(values[i], value);
            const T x = operation.at(i);
            value = flags.at(i) ? x : operation.op(value, x), flag = flag || flags.at(i);
            if (inclusive) wrong += set[i] != flag || !same(values[i], value);
          }
          CHECK_EQ(wrong, 0);
          CHECK_EQ(graph::elements<bool>(scanned.total, 0)[0], flag);
          CHECK(same(graph::elements<T>(scanned.total, 1)[0], value));
        }
}

}  // namespace

TEST(sums_of_integers) {
  verify<int32_t>({"add", "i32", "0:i32", "(cast i32 (mul i 77777:i64))",
                   [](int32_t a, int32_t b) { return int32_t(uint32_t(a) + uint32_t(b)); },
                   [](int64_t i) { return int32_t(uint64_t(i) * 77777); }, 0});
}
TEST(largest_integers) {
  verify<int64_t>({"max", "i64", "-9223372036854775808:i64", "(rem (mul i 7919:i64) 1013:i64)",
                   [](int64_t a, int64_t b) { return std::max(a, b); }, [](int64_t i) { return i * 7919 % 1013; }, INT64_MIN});
}
TEST(sums_of_floats) {  // whole numbers, small enough to be exact
  verify<float>({"add", "f32", "0.0:f32", "(cast f32 (sub (rem i 7:i64) 3:i64))", [](float a, float b) { return a + b; },
                 [](int64_t i) { return float(i % 7 - 3); }, 0});
}
TEST(smallest_floats_beside_nan) {  // min(NaN, x) = x = min(x, NaN), so that NaN is the identity
  verify<float>({"min", "f32", "nan:f32", "(where (lt (rem i 5:i64) 3:i64) nan:f32 (cast f32 (rem i 11:i64)))",
                 [](float a, float b) { return std::isnan(a) ? b
                                               : b < a       ? b
                                                             : a; },
                 [](int64_t i) { return i % 5 < 3 ? NAN : float(i % 11); }, NAN});
}
