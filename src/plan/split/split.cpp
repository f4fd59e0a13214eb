// The split pass lets the parts of a context compute kernels (split.h). Everything else runs as a whole.
#include "plan/split/split.h"

#include <algorithm>

#include "expr/recent.h"

namespace wf {
namespace {

// The reason for which the step runs as a whole; empty if it can be split.
std::string_view reason_for_whole(const Step& step) {
  const Kernel& k = step.kernel;
  if (step.call) return "a routine";
  if (k.has_scan() && k.scan[0].axis.exists()) return "a scan along an axis";
  if (has_segments(k)) return "numbers of segments are computed";
  if (has_parts(k)) return "parts of an append are read where they are";
  if (!k.scatters.empty()) return "a scatter";
  return "";
}

// Returns false for a kernel that only computes scalars after the loop.
bool has_sinks_in_loop(const Kernel& k) {
  return k.has_scan() || !k.stores.empty() || !k.compactions.empty() || !k.reductions.empty() || !k.scatters.empty() || !k.elements.empty();
}

// The value that precedes a part, and that a part without elements contributes: the operation's own identity, since the kernel's, if it is another one,
// is combined once.
std::vector<Bits64> identities_of_parts(const Fn& combine, std::span<const Bits64> identity) {
  std::vector<Bits64> bits(identity.begin(), identity.end());
  for (size_t c = 0; c < bits.size(); c++)
    if (const auto op = column_op(combine, c))
      if (const auto own = identity_bits(*op, combine.params[c].type)) bits[c] = *own;
  return bits;
}

// Returns true if no element and a NaN contribute different values.
bool hides_nans(const Reduction& r) {
  for (size_t c = 0; c < r.identity.size(); c++)
    if (neutral_start(*r.combine, c, r.identity[c]) != r.identity[c]) return true;
  return false;
}

void append(std::vector<Type>& types, const std::vector<Type>& more) { types.insert(types.end(), more.begin(), more.end()); }

// The types of the scalars that exist after the loop, in their order.
std::vector<Type> scalar_types(const Kernel& k) {
  std::vector<Type> types;
  for (const Reduction& r : k.reductions) append(types, r.combine->result_types());
  for (const Scan& s : k.scan) append(types, s.combine->result_types());
  types.resize(types.size() + k.compactions.size(), Type::I64);
  return types;
}

Kernel totals_of(const Kernel& k) {
  const Scan& scan = k.scan[0];
  Kernel totals;
  totals.inputs = k.inputs;
  totals.arguments = k.arguments;
  Builder b;
  std::vector<Id> params, results;
  for (const Param& p : k.body->params) params.push_back(params.empty() ? b.param(p.type, p.name) : b.literal(p.type, 0));
  const std::vector<Id> values = b.inline_call(*k.body, params);
  Reduction reduction{scan.combine, identities_of_parts(*scan.combine, scan.identity), {}};
  for (uint32_t value : scan.values) {
    reduction.values.push_back(uint32_t(results.size()));
    results.push_back(values[value]);
  }
  totals.body = b.finish(results);
  totals.reductions.push_back(std::move(reduction));
  totals.finish = identity_fn(scan.combine->result_types());
  return totals;
}

// A kernel of one index per part. After the inputs of k it has one of each of these types; the body's results are their elements, then the prefixes.
struct OverParts {
  OverParts(const Kernel& k, std::span<const Type> types, const std::vector<Param>& prefixes = {}) {
    kernel.inputs = k.inputs;
    kernel.arguments = k.arguments;
    const Id i = b.param(Type::I64, "i");
    std::vector<Id> params;
    for (const Param& p : prefixes) params.push_back(b.param(p.type, p.name));
    for (Type type : types) {
      results.push_back(b.at(uint32_t(kernel.inputs.size()), 0, type, i));
      kernel.inputs.push_back({type});
    }
    results.insert(results.end(), params.begin(), params.end());
    kernel.body = b.finish(results);
  }
  Kernel kernel;

 private:
  Builder b;
  std::vector<Id> results;
};

Kernel carries_of(const Kernel& k) {
  const Scan& scan = k.scan[0];
  const std::vector<Type> types = scan.combine->result_types();
  const uint32_t m = uint32_t(types.size());
  Kernel carries = OverParts(k, types, std::vector<Param>(k.body->params.begin() + 1, k.body->params.end())).kernel;
  carries.outputs = types;
  Scan of_totals{scan.combine, scan.identity, {}};
  for (uint32_t c = 0; c < m; c++) {
    of_totals.values.push_back(c);
    carries.stores.push_back({m + c, c});
  }
  carries.scan.push_back(std::move(of_totals));
  return carries;
}

// The reductions of the kernel that need to know whether a part has elements, by number.
std::vector<uint32_t> with_flags(const Kernel& k) {
  std::vector<uint32_t> numbers;
  for (uint32_t r = 0; r < k.reductions.size(); r++)
    if (k.reductions[r].mask != no_mask && hides_nans(k.reductions[r])) numbers.push_back(r);
  return numbers;
}

// Further reductions, at the end, tell whether the mask holds anywhere in the part.
Kernel local_of(const Kernel& k) {
  Kernel local = k;
  if (!k.finish) return local;
  for (Reduction& r : local.reductions) r.identity = identities_of_parts(*r.combine, r.identity);
  for (uint32_t r : with_flags(k)) local.reductions.push_back({op_fn(Op::or_, Type::Bool), {0}, {k.reductions[r].mask}});
  local.finish = identity_fn(scalar_types(local));
  return local;
}

// (a..., b...) -> b...: the total of a scan is that of the last part.
FnRef last_of(const std::vector<Type>& types) {
  Builder b;
  std::vector<Id> last;
  for (Type type : types) b.param(type);
  for (Type type : types) last.push_back(b.param(type));
  return b.finish(last);
}

Kernel combination_of(const Kernel& k, const Kernel& local) {
  Kernel combination = OverParts(k, scalar_types(local)).kernel;
  combination.finish = k.finish;
  uint32_t next = 0;
  const auto reduce = [&](FnRef combine, std::vector<Bits64> identity) {
    Reduction reduction{std::move(combine), std::move(identity), {}};
    for (size_t c = 0; c < reduction.identity.size(); c++) reduction.values.push_back(next++);
    combination.reductions.push_back(std::move(reduction));
  };
  for (const Reduction& r : k.reductions) reduce(r.combine, r.identity);
  for (uint32_t r : with_flags(k)) combination.reductions[r].mask = next++;
  for (const Scan& s : k.scan) reduce(last_of(s.combine->result_types()), s.identity);
  for (size_t c = 0; c < k.compactions.size(); c++) reduce(op_fn(Op::add_, Type::I64), {0});
  return combination;
}

std::shared_ptr<const Split> split_of(const Kernel& k) {
  auto split = std::make_shared<Split>();
  if (k.has_scan()) split->totals = totals_of(k), split->carries = carries_of(k);
  split->local = local_of(k);
  if (k.finish) split->combination = combination_of(k, split->local);
  return split;
}

// "all of $1", or "$0 from i - 1 to i + 1"; empty if a part reads its own elements alone, or if it is not known.
std::string describe_reaches(const Step& step, std::span<const Bits64> arguments) {
  const int64_t n = step.domain.n, begin = n / 3, end = 2 * n / 3;
  if (step.domain.filter != no_vertex || begin >= end || std::ranges::count(step.lengths, -1) > 0) return "";
  const std::vector<Interval> all = reaches(step.kernel, arguments, step.lengths, begin, end);
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "; " : ", ") + part; };
  for (size_t k = 0; k < all.size(); k++) {
    const auto [low, high] = all[k];
    const std::string input = "$" + std::to_string(k);
    if (low == high || (low == begin && high == end)) continue;
    if (low == 0 && high == step.lengths[k]) add("all of " + input);
    else
      add(input + " from " + std::to_string(low) + " to " + std::to_string(high - 1) + " for i from " + std::to_string(begin) + " to " +
          std::to_string(end - 1));
  }
  return text;
}

// Functions of the host may have addresses for names.
uint64_t fingerprint_of(const Step& step) {
  uint64_t hash = mix(step.kernel.inputs.size(), step.kernel.outputs.size() << 8 | uint64_t(step.call ? 1 + step.call->routine.kind : 0));
  const auto add = [&](const FnRef& fn) {
    if (!fn) return;
    bool has_foreigns = false;
    for_each_body(*fn, [&](const Fn& body, bool) { has_foreigns |= !body.foreigns.empty(); });
    hash = mix(hash, has_foreigns ? fn->terms.size() : structure_hash(*fn, true));
  };
  for_each_function(step.kernel, add);
  if (step.call && step.call->fn) add(step.call->fn);
  return hash;
}

}  // namespace

std::string describe_split(const Step& step, std::span<const Bits64> arguments) {
  if (!step.split) return step.whole_for.empty() ? "" : "as a whole: " + std::string(step.whole_for);
  return "each its range" + std::string(step.split->totals ? ", from the carry of the parts before" : "") +
         (step.split->combination ? ", partial results are combined" : "") + describe_reaches(step, arguments);
}

void pass_split(Plan& plan, const PlanOptions&) {
  for (const std::shared_ptr<Step>& step : plan.steps) {
    step->fingerprint = fingerprint_of(*step);
    if (!step->call && !has_sinks_in_loop(step->kernel)) continue;
    step->whole_for = reason_for_whole(*step);
    if (step->whole_for.empty()) step->split = split_of(step->kernel);
  }
}

}  // namespace wf
