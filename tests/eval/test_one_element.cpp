// A value computed alone has the same bits as one computed among many: engines compute rank 0 after the loop and rank 1 in it with
// the same functions. Run for every instruction set (WARPFOLD_ISA).
#include <algorithm>
#include <cmath>
#include <random>

#include "check.h"
#include "oracle/graph.h"
#include "samples.h"

using graph::Nodes;
using std::string;
using std::vector;
using wf::Bits64;
using wf::NodeRef;
using wf::Op;
using wf::Type;

namespace {

constexpr int64_t count = 2311;  // several tiles of 64 and a partial one

string typed(Type type) { return " " + string(wf::name(type)) + ")"; }

// Edge values first, then numbers of all magnitudes, most of them moderate.
template <class T> NodeRef numbers(unsigned seed) {
  std::mt19937_64 random(seed);
  vector<T> x = samples::edges<T>();
  if (seed > 1) std::shuffle(x.begin(), x.end(), random);
  while (int64_t(x.size()) < count) {
    if constexpr (std::is_floating_point_v<T>)
      x.push_back(x.size() % 8 ? samples::spread<T>(random, -12, 7) : samples::spread<T>(random, -100, 100));
    else x.push_back(T(random() >> (random() % 64)));
  }
  return graph::source(x);
}
NodeRef numbers(Type type, unsigned seed) {
  return wf::visit(type, [&](auto tag) { return numbers<typename decltype(tag)::type>(seed); });
}

// Checks that the elements are the same if each is computed alone, before and after the whole sequence, or with all others.
void check_elements(const string& what, const NodeRef& s, int64_t step) {
  Nodes alone;
  for (int64_t i = 0; i < s->length(); i += step) alone.push_back(wf::nth(s, i));
  for (const NodeRef& element : alone) wf::force({&element, 1});  // each in its own force: forced together, s would be stored first
  CHECK(!s->is_manifest());
  const vector<Bits64> all = graph::forced(s).columns[0];
  int64_t different = 0, first = 0;
  for (size_t k = 0; k < alone.size(); k++) {
    const int64_t i = int64_t(k) * step;
    const Bits64 before = graph::forced(alone[k]).columns[0][0], after = graph::forced(wf::nth(s, i)).columns[0][0];
    CHECK_EQ(after, all[i]);
    if (before == all[i] || (wf::is_nan(s->types()[0], before) && wf::is_nan(s->types()[0], all[i]))) continue;
    if (different++ == 0) first = i;
  }
  if (different > 0)
    check::fail(__FILE__, __LINE__,
                what + ": " + std::to_string(different) + " of " + std::to_string(alone.size()) +
                    " elements have other bits alone, first element " + std::to_string(first));
}

string operation(Op op, Type type) {
  const char* const names[] = {"a", "b", "c"};
  string params, args;
  for (int k = 0; k < wf::info(op).arity; k++) {
    const bool is_condition = op == Op::where_ && k == 0;
    params += string("(") + names[k] + typed(is_condition ? Type::Bool : type);
    args += string(" ") + names[k];
  }
  return "(fn (" + params + ") (" + string(wf::name(op)) + args + "))";
}

}  // namespace

TEST(every_operation) {
  for (int t = 0; t < wf::type_count; t++)
    for (int o = 0; o < wf::op_count; o++) {
      const Type type = Type(t);
      const Op op = Op(o);
      if (!wf::is_in(type, wf::info(op).on)) continue;
      Nodes operands;
      for (int k = 0; k < wf::info(op).arity; k++)
        operands.push_back(numbers(op == Op::where_ && k == 0 ? Type::Bool : type, unsigned(k + 1)));
      const string f = operation(op, type);
      check_elements(f, graph::map(f, operands), wf::is_in(type, wf::Float) ? 1 : 7);
    }
}

TEST(every_cast) {
  for (int from = 0; from < wf::type_count; from++)
    for (int to = 0; to < wf::type_count; to++) {
      const string f = "(fn ((a" + typed(Type(from)) + ") (cast " + string(wf::name(Type(to))) + " a))";
      check_elements(f, graph::map(f, {numbers(Type(from), 1)}), 3);
    }
}

TEST(chains_of_operations) {
  for (const char* type : {"f32", "f64"}) {
    const string t = type, x = "(fn ((x " + t + "))";
    const NodeRef s = numbers(t == "f32" ? Type::F32 : Type::F64, 1);
    const NodeRef wave = graph::map(x + " (mul (sin x) (exp (mul 0.125:" + t + " (cos x)))))", {s});
    const NodeRef bent = graph::map(x + " (add (tanh (add x 0.25:" + t + ")) (log1p (abs x))))", {wave});
    check_elements("a chain of maps", bent, 1);
    check_elements("fused steps", graph::map(x + " (add (mul (add (mul x 1.5:" + t + ") 0.1:" + t + ") 0.7:" + t + ") 3:" + t + "))", {s}),
                   1);
  }
}

TEST(operations_in_loops) {
  const string loop = "(fn ((x f32)) (let (((y k) (loop ((y x) (k 0:i32)) (lt k 5:i32) (tuple (exp (sin y)) (add k 1:i32))))) (log y)))";
  string five_times = "x";
  for (int k = 0; k < 5; k++) five_times = "(exp (sin " + five_times + "))";
  five_times = "(fn ((x f32)) (log " + five_times + "))";
  const NodeRef s = numbers(Type::F32, 1), by_loop = graph::map(loop, {s}), unrolled = graph::map(five_times, {s});
  check_elements("a loop", by_loop, 5);
  check_elements("five steps", unrolled, 5);
  const auto a = graph::elements<float>(by_loop), b = graph::elements<float>(unrolled);
  for (size_t i = 0; i < a.size(); i++) CHECK(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])));
}
