#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "cuda/routines/atomics.h"
#include "cuda/text/emitter.h"
#include "cuda/text/foreign.h"

namespace wf::cuda {
namespace {

struct Definition {
  std::string_view name, result, meaning;
  int arity;
};

constexpr Definition definitions[] = {
#define OP(name, arity, on, result, laws, identity, bits, cost, monoid, meaning) {#name, #result, #meaning, arity},
#include "ops/ops.def"
};

void collect(const FnRef& fn, std::set<Op>& used) {
  if (!fn) return;
  for (const Term& t : fn->terms)
    if (t.kind == Kind::Apply && t.op != Op::where_) used.insert(t.op);
  for (const Fn::LoopInfo& loop : fn->loops) {
    collect(loop.body, used);
    collect(loop.combine, used);
  }
}

std::set<Op> operations_of(const Kernel& kernel) {
  std::set<Op> used;
  collect(kernel.body, used);
  collect(kernel.finish, used);
  for (const RowElements& e : kernel.elements) collect(e.value, used);
  for (const Scan& scan : kernel.scan) collect(scan.combine, used);
  for (const Reduction& r : kernel.reductions) collect(r.combine, used);
  return used;
}

bool is_special(Op op) { return info(op).cost == Cost::special; }
bool is_math(Op op) { return info(op).cost == Cost::light || info(op).cost == Cost::heavy || is_special(op); }

}  // namespace

bool uses_math(const Kernel& kernel) { return std::ranges::any_of(operations_of(kernel), is_math); }
bool uses_special_functions(const Kernel& kernel) { return std::ranges::any_of(operations_of(kernel), is_special); }

std::string includes_and_operations(const Kernel& kernel, const std::vector<std::string>& skeletons, const std::vector<Op>& more) {
  std::set<Op> used = operations_of(kernel);
  used.insert(more.begin(), more.end());
  std::string lines;
  bool math = calls_foreign(kernel), special = false;
  for (Op op : used) {
    const Definition& d = *std::ranges::find(definitions, name(op), &Definition::name);
    math = math || is_math(op), special = special || is_special(op);
    lines += "WF_OP(" + std::string(d.name) + ", " + std::to_string(d.arity) + ", " + std::string(d.result) + ", " +
             std::string(d.meaning) + ")\n";
  }
  std::string includes = math ? "" : "#define WF_WITHOUT_MATH\n";
  if (!special) includes += "#define WF_WITHOUT_SPECIAL\n";
  for (const std::string& skeleton : skeletons) includes += "#include \"" + skeleton + "\"\n";
  return includes + source_definitions(kernel) + "\nnamespace wf {\n\n" + lines;
}

std::string Emitter::operations() const {
  std::vector<Op> more;
  if (overflow_check() == OverflowCheck::Magnitude) more = {Op::abs_, Op::max_};
  if (overflow_check() == OverflowCheck::Extremes) more = {Op::min_, Op::max_};
  if (form_.window) more = {Op::add_, Op::mul_};  // of indices
  std::vector<std::string> skeletons{small_               ? "small.cuh"
                                     : form_.filter       ? "filter.cuh"
                                     : chained_ || along_ ? "scan.cuh"
                                     : rows_              ? "rows.cuh"
                                     : form_.window       ? "strips.cuh"
                                                          : "reduce.cuh"};
  if (sums_under_extremes()) skeletons.push_back("law.cuh");
  if (form_.by_bytes) skeletons.push_back("bytes.cuh");
  if (has_segments(kernel_)) skeletons.push_back("routines.cuh");
  if (kernel_.scatters.empty()) return includes_and_operations(kernel_, skeletons, more);
  skeletons.push_back("scatter.cuh");
  for (const Scatter& s : kernel_.scatters) more.push_back(s.op);
  std::string text = includes_and_operations(kernel_, skeletons, more);
  for (size_t k = 0; k < kernel_.scatters.size(); k++) {
    const Op op = kernel_.scatters[k].op;
    const Type type = kernel_.outputs[kernel_.scatters[k].output];
    text += "\nstruct Scatter" + str(k) + " {\n" + combine_out_text(op, type) + looks_text(op, type) + "};\n";
  }
  return text;
}

}  // namespace wf::cuda
