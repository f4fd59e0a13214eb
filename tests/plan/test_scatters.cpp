// Kernels that compute the indices and values that they scatter: the plans, and the results on an engine that runs them.
#include "check.h"
#include "oracle/graph.h"
#include "plan/explained.h"
#include "plan/plan.h"

using graph::Nodes;
using std::string;
using wf::NodeRef;

namespace {

constexpr int64_t elements = 1 << 15, values = 1000;  // fewer elements are scattered into by the routine

NodeRef known(NodeRef s) {
  wf::force({&s, 1});
  return s;
}
NodeRef tabulated(const string& body, int64_t n, const Nodes& captures = {}) {
  return graph::tabulate("(fn ((i i64)) " + body + ")", n, captures);
}
NodeRef base() { return known(tabulated("(eq (rem i 3:i64) 0:i64)", elements)); }
NodeRef sums() { return known(tabulated("i", elements)); }
// Indices that repeat, computed.
NodeRef places(int64_t n = values) { return tabulated("(rem (mul i 7919:i64) 20000:i64)", n); }
NodeRef scattered(const string& op, const NodeRef& base, const NodeRef& indices, const NodeRef& values) {
  const string t(wf::name(base->types()[0]));
  const wf::Closure f = graph::fn("(fn ((a " + t + ") (b " + t + ")) (" + op + " a b))");
  return wf::scatter(&f, base, indices, values);
}

string plan_of(const Nodes& nodes, bool scatters = true) {
  wf::PlanOptions options;
  options.scatters = scatters;
  options.verify = true;
  string text;
  for (const auto& step : wf::make_plan(nodes, options).steps) text += (text.empty() ? "" : "; ") + wf::summary(*step);
  return text;
}
string wrong(const NodeRef& node) {
  oracle::Oracle oracle;
  const oracle::ValueRef expected = oracle.value(node);
  return oracle::difference(*expected, graph::forced(node));
}
string error(const NodeRef& node) {
  try {
    wf::force({&node, 1});
  } catch (const wf::RangeError& e) { return e.what(); }
  return "";
}

}  // namespace

TEST(a_kernel_scatters_what_it_computes) {
  CHECK_EQ(plan_of({scattered("add", sums(), places(), tabulated("(mul i 3:i64)", values))}), "scatter(add)");
  CHECK_EQ(plan_of({scattered("or", base(), places(), tabulated("(lt i 500:i64)", values))}), "scatter(or)");
  CHECK_EQ(plan_of({scattered("or", base(), places(), tabulated("true", values))}), "scatter(or)");
  CHECK_EQ(plan_of({wf::histogram(places(), elements)}), "store(1); scatter(add)");
  // Equal to one element in memory.
  CHECK_EQ(plan_of({scattered("add", sums(), places(), tabulated("(at $0 5:i64)", values, {sums()}))}), "scatter(add)");
}

// Indices that a routine's result decides are computed later than values that nothing decides.
TEST(a_value_that_an_earlier_kernel_would_store_is_not_stored) {
  const NodeRef later = tabulated("(rem (at $0 i) 20000:i64)", values, {wf::histogram(known(places(2 * values)), 20000)});
  CHECK_EQ(plan_of({scattered("or", base(), later, tabulated("true", values))}), "store(1); scatter(count); scatter(or)");
  const NodeRef element = tabulated("(at $0 5:i64)", values, {sums()});
  CHECK_EQ(plan_of({scattered("add", sums(), later, element)}), "store(1); scatter(count); scatter(add)");
  CHECK_EQ(plan_of({scattered("add", sums(), later, element), element}), "store(1); store(1); scatter(count); scatter(add)");
  CHECK_EQ(wrong(scattered("add", sums(), later, element)), "");
}

// Engines that scatter in routines alone.
TEST(a_routine_reads_one_value_for_all_indices) {
  const auto plan = [](const Nodes& nodes) {
    wf::PlanOptions options;
    options.one_values = options.verify = true;
    string text;
    for (const auto& step : wf::make_plan(nodes, options).steps)
      text += (text.empty() ? "" : "; ") + wf::summary(*step) + (step->call && step->call->one_value ? " of one value" : "");
    return text;
  };
  const NodeRef one = known(tabulated("41:i64", 1)), equal = tabulated("(at $0 0:i64)", values, {one});
  // The kernel of the indices is a later one.
  const NodeRef later = tabulated("(rem (at $0 i) 20000:i64)", values, {wf::histogram(known(places(2 * values)), 20000)});
  CHECK_EQ(plan({scattered("add", sums(), later, equal)}), "store(1); scatter(count); store(1); scatter(add) of one value");
  CHECK_EQ(plan({scattered("add", sums(), places(), equal), equal}), "store(2); scatter(add)");
  CHECK_EQ(plan({scattered("add", sums(), places(), tabulated("(at $0 i)", values, {sums()}))}), "store(2); scatter(add)");
  // Few and many indices, tables and atomic operations, and all types.
  for (int64_t n : {int64_t(0), int64_t(1), int64_t(1025), int64_t(150'011)})
    for (int64_t m : {int64_t(100), elements, 3 * elements}) {
      const NodeRef at = known(tabulated("(rem (mul i 7919:i64) " + std::to_string(m) + ":i64)", n));
      for (const char* type : {"u8", "i32", "u32", "i64", "u64"}) {
        const string t = type;
        const NodeRef to = known(tabulated("(cast " + t + " (rem i 5:i64))", m)), x = known(tabulated("(cast " + t + " 3:i64)", 1));
        for (const char* op : {"add", "max", "xor"}) CHECK_EQ(wrong(scattered(op, to, at, tabulated("(at $0 0:i64)", n, {x}))), "");
      }
      const NodeRef to = known(tabulated("(eq (rem i 3:i64) 0:i64)", m));
      for (const char* truth : {"true", "false"})
        for (const char* op : {"and", "or"})
          CHECK_EQ(wrong(scattered(op, to, at, tabulated("(at $0 0:i64)", n, {known(tabulated(truth, 1))}))), "");
      if (m == 100) {
        const NodeRef halves = known(tabulated("0.5:f32", 1)), floats = known(tabulated("(cast f32 i)", m));
        CHECK_EQ(wrong(scattered("add", floats, at, tabulated("(at $0 0:i64)", n, {halves}))), "");
      }
    }
}

TEST(kernels_whose_results_others_need_store_them) {
  const NodeRef at = places(), more = tabulated("i", values);
  CHECK_EQ(plan_of({scattered("add", sums(), at, more), at}), "store(3); scatter(add)");  // as u32, too
  CHECK_EQ(plan_of({scattered("add", sums(), at, more), scattered("max", sums(), at, more)}), "store(2); scatter(max); scatter(add)");
  CHECK_EQ(plan_of({scattered("add", sums(), at, more)}, false), "store(2); scatter(add)");
  CHECK_EQ(plan_of({scattered("add", known(tabulated("i", 100)), tabulated("(rem i 100:i64)", values), more)}), "store(2); scatter(add)");
}

TEST(results_of_scatters) {
  for (int64_t n : {int64_t(0), int64_t(1), values, int64_t(50021)}) {
    const NodeRef at = known(places(n)), computed = tabulated("(at $0 i)", n, {at});
    for (const char* op : {"add", "min", "max", "mul", "and", "or", "xor"}) {
      CHECK_EQ(wrong(scattered(op, sums(), computed, tabulated("(mul i 3:i64)", n))), "");
      CHECK_EQ(wrong(scattered(op, tabulated("(sub i 7:i64)", elements), computed, tabulated("3:i64", n))), "");
    }
    for (const char* op : {"and", "or"}) {
      CHECK_EQ(wrong(scattered(op, base(), computed, tabulated("(lt (rem i 10:i64) 5:i64)", n))), "");
      CHECK_EQ(wrong(scattered(op, base(), computed, tabulated("(eq i 7:i64)", n))), "");
    }
    CHECK_EQ(wrong(wf::histogram(computed, elements)), "");
    CHECK_EQ(wrong(scattered("add", sums(), computed, tabulated("(at $0 5:i64)", n, {sums()}))), "");
    // The base is read again.
    const NodeRef from = sums(), to = scattered("add", from, computed, tabulated("i", n));
    CHECK_EQ(wrong(tabulated("(sub (at $0 i) (at $1 i))", elements, {to, from})), "");
  }
}

TEST(an_index_out_of_range_is_an_error) {
  const string outside = "(where (eq i 900:i64) 99999:i64 (rem i 20:i64))";
  for (int64_t n : {values, int64_t(50021)})
    CHECK_EQ(error(scattered("add", sums(), tabulated(outside, n), tabulated("i", n))).find("index 99999"), size_t(0));
}
