// The sinks of a kernel: stores, compactions, aliases, and the scalars of its epilogue.
#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

#include "expr/guards/guard.h"
#include "expr/indices/simplify.h"
#include "expr/range.h"
#include "expr/rewrite.h"
#include "plan/weave.h"

namespace wf {

void Weaver::add(VertexId v) {
  const Vertex& vertex = plan_.vertices[v];
  if (vertex.scalar) {
    const std::vector<Id> values = expand(epilogue_, v, epilogue_.builder.constant(int64_t(0)));
    for (uint32_t c = 0; c < values.size(); c++) scalars_.push_back({{v, c}, values[c]});
  } else {
    store(v);
  }
  step_.finished.push_back({v, vertex.placement, vertex.reason, !vertex.scalar && plan_.unread_of(v) != 0});
}

// The body, and so the order in which engines fold, stays the same if the kernel reduces v's input already. Scans and functions that do
// not commute have forms that depend on all sinks.
bool Weaver::takes_along(VertexId v) const {
  const Kernel& kernel = step_.kernel;
  if (!scans_.empty() || !kernel.compactions.empty()) return false;
  if (!std::ranges::all_of(kernel.reductions, [](const Reduction& r) { return folds_in_any_order(*r.combine); })) return false;
  return std::ranges::any_of(scalar_params_, [&](const auto& known) {
    const Vertex& vertex = plan_.vertices[known.first];
    return vertex.kind == NodeKind::Reduce && vertex.inputs[0] == plan_.vertices[v].inputs[0];
  });
}

void Weaver::store(VertexId v) {
  const Vertex& vertex = plan_.vertices[v];
  for (uint32_t c = 0; c < vertex.types.size(); c++) {
    const ColumnAlias alias = plan_.alias({v, c});
    if (alias.exists() && plan_.is_read({v, c})) step_.stored.push_back({{v, c}, StoredColumn::Alias, 0, alias.source, alias.offset, ~0u});
  }
  if (vertex.placement == Placement::Aliased) return;
  const std::vector<Id> values = expand(body_, v, index_);
  Id mask = mask_of(vertex.kind == NodeKind::Filter ? v : vertex.domain);
  if (mask != no_id) return compact(v, mask, values);
  Kernel& kernel = step_.kernel;
  for (uint32_t c = 0; c < values.size(); c++) {
    if (plan_.alias({v, c}).exists() || !plan_.is_read({v, c})) continue;
    uint32_t value = result(values[c]);
    if (output_of_.size() <= value) output_of_.resize(value + 1, no_output);
    uint32_t& output = output_of_[value];
    if (output == no_output) {
      output = static_cast<uint32_t>(kernel.outputs.size());
      kernel.outputs.push_back(vertex.types[c]);
      kernel.stores.push_back({value, output});
    }
    step_.stored.push_back({{v, c}, StoredColumn::Output, output, {}, 0, ~0u});
  }
}

void Weaver::compact(VertexId v, Id mask, const std::vector<Id>& values) {
  Kernel& kernel = step_.kernel;
  uint32_t mask_number = result(mask);
  auto it = std::find_if(kernel.compactions.begin(), kernel.compactions.end(), [&](const Compact& c) { return c.mask == mask_number; });
  if (it == kernel.compactions.end()) it = kernel.compactions.insert(it, Compact{mask_number, {}, {}});
  uint32_t number = static_cast<uint32_t>(it - kernel.compactions.begin());
  for (uint32_t c = 0; c < values.size(); c++) {
    if (!plan_.is_read({v, c})) continue;
    uint32_t value = result(values[c]);
    auto same = std::find(it->values.begin(), it->values.end(), value);
    uint32_t output = same != it->values.end() ? it->outputs[same - it->values.begin()] : static_cast<uint32_t>(kernel.outputs.size());
    if (same == it->values.end()) {
      kernel.outputs.push_back(plan_.vertices[v].types[c]);
      it->values.push_back(value);
      it->outputs.push_back(output);
    }
    step_.stored.push_back({{v, c}, StoredColumn::Output, output, {}, 0, number});
  }
}

// Joins all scans into one scan with the columns of all.
void Weaver::finish_scan() {
  if (scans_.empty()) return;
  Scan scan;
  scan.axis = plan_.vertices[scans_[0].vertices[0]].definition->axis;
  for (const ScanPart& part : scans_) {
    const Definition& d = *plan_.vertices[part.vertices[0]].definition;
    const std::vector<Bits64> starts = starts_of(d);
    scan.identity.insert(scan.identity.end(), starts.begin(), starts.end());
    scan.values.insert(scan.values.end(), part.values.begin(), part.values.end());
  }
  if (scans_.size() == 1) {
    scan.combine = plan_.vertices[scans_[0].vertices[0]].definition->fn;
  } else {
    Builder b;
    std::vector<Id> left, right, results;
    for (auto* side : {&left, &right})
      for (const ScanPart& part : scans_)
        for (Type t : plan_.vertices[part.vertices[0]].types) side->push_back(b.param(t));
    size_t first = 0;
    for (const ScanPart& part : scans_) {
      size_t last = first + part.values.size();
      std::vector<Id> args(left.begin() + first, left.begin() + last);
      args.insert(args.end(), right.begin() + first, right.begin() + last);
      for (Id r : b.inline_call(*plan_.vertices[part.vertices[0]].definition->fn, args)) results.push_back(r);
      first = last;
    }
    scan.combine = b.finish(results);
  }
  step_.kernel.scan.push_back(std::move(scan));
}

namespace {

Id same_load(Builder& b, const Term& term, Id index) {
  if (term.kind == Kind::Argument) return b.argument(term.slot, term.type);
  if (term.kind == Kind::Length) return b.length(term.slot);
  return b.at(term.slot, term.column, term.type, index);
}

}  // namespace

// Returns true if evaluating a part of fn only where it is chosen makes a difference.
static bool is_guarded(const Fn& fn) { return has_checks(fn) || has_folds(fn); }

// A result that only masked sinks read is evaluated only if one of their masks is true, so its checks of indices apply only then.
void Weaver::choose_under_masks() {
  const Kernel& kernel = step_.kernel;
  std::vector<Id> chosen(results_.size(), no_id);  // the condition under which a result is read; no_id: not read
  const Id always = body_.builder.constant(true);
  auto read = [&](uint32_t number, uint32_t mask) {
    Id condition = mask == no_mask ? always : results_[mask];
    Id& known = chosen[number];
    if (known == no_id || condition == always) known = condition;
    else if (known != always) known = body_.builder.apply(Op::or_, {known, condition});
  };
  for (const Store& s : kernel.stores) read(s.value, no_mask);
  for (const Scan& s : kernel.scan)
    for (uint32_t value : s.values) read(value, no_mask);
  for (const Reduction& r : kernel.reductions) {
    if (r.mask != no_mask) read(r.mask, no_mask);
    for (uint32_t value : r.values) read(value, r.mask);
  }
  for (const Compact& c : kernel.compactions) {
    read(c.mask, no_mask);
    for (uint32_t value : c.values) read(value, c.mask);
  }
  std::vector<Id> masked = results_;
  for (size_t k = 0; k < results_.size(); k++) {
    if (chosen[k] == no_id || chosen[k] == always) continue;
    Id nothing = body_.builder.literal(body_.builder.type(results_[k]), 0);
    masked[k] = body_.builder.apply(Op::where_, {chosen[k], results_[k], nothing});
  }
  results_ = std::move(masked);
}

// The scanned values are evaluated before any prefix exists, so the guards of their checks must not depend on conditions of prefixes, which
// later results may have. So the scanned values and the later results have separate guards; a check that both need is duplicated.
FnRef Weaver::guard_results(FnRef body) const {
  auto guarded = [](FnRef fn) { return choose_folds(guard(std::move(fn), false)); };
  if (step_.kernel.scan.empty() || !is_guarded(*body)) return guarded(std::move(body));
  const std::vector<uint32_t>& scanned = step_.kernel.scan[0].values;
  std::vector<bool> is_scanned(body->results.size());
  for (uint32_t value : scanned) is_scanned[value] = true;
  auto copy_params = [&](Builder& b) {
    std::vector<Id> params;
    for (const Param& p : body->params) params.push_back(b.param(p.type, p.name));
    return params;
  };
  Builder joined;
  const std::vector<Id> params = copy_params(joined);
  std::vector<Id> results(body->results.size());
  for (bool group : {true, false}) {
    Builder b;
    const std::vector<Id> all = b.inline_call(*body, copy_params(b));
    std::vector<Id> chosen;
    for (size_t k = 0; k < all.size(); k++)
      if (is_scanned[k] == group) chosen.push_back(all[k]);
    const std::vector<Id> group_results = joined.inline_call(*guarded(b.finish(chosen)), params);
    for (size_t k = 0, next = 0; k < all.size(); k++)
      if (is_scanned[k] == group) results[k] = group_results[next++];
  }
  return joined.finish(results);
}

// The range of the indices of the kernel's loop.
Range Weaver::index_range() const {
  const bool is_known = step_.domain.filter == no_vertex && step_.domain.n > 0 && !options_.needs_lengths;
  return {0, is_known ? step_.domain.n - 1 : INT64_MAX};
}

// The range of an argument of this size: see size_class.
static Range range_of_size(Type type, uint64_t size) {
  if (type != Type::I64 || size == any_size) return all_of(type);
  return size == positive_size ? Range{2, most_of_size} : Range{-most_of_size, -2};
}

// The body without the Checks that always hold if its parameters are in these ranges. For the proof, an argument is a further parameter.
FnRef Weaver::without_proven(FnRef body, std::vector<Range> known) const {
  if (step_.arguments.empty() || !body->loops.empty() || !has_checks(*body)) return without_proven_checks(std::move(body), known);
  const auto builder = [](Builder& b) {
    b.reads_cannot_fail();
    b.params_cannot_fail();
  };
  std::vector<std::optional<Type>> types(step_.arguments.size());
  for (const Term& t : body->terms)
    if (t.kind == Kind::Argument) types[t.slot] = t.type;
  Builder with_params, with_arguments;
  builder(with_params), builder(with_arguments);
  std::vector<Id> params = copy_params(with_params, *body), args = copy_params(with_arguments, *body);
  const size_t first = params.size();
  for (uint32_t k = 0; k < types.size(); k++) {
    const auto& [v, slot] = step_.arguments[k];
    const Type type = types[k].value_or(Type::I64);
    params.push_back(with_params.param(type));
    args.push_back(with_arguments.argument(k, type));
    known.push_back(range_of_size(type, size_class(plan_.vertices[v].definition->arguments[slot])));
  }
  const FnRef open = with_params.finish(with_params.inline_call(*body, std::span(params).first(first), [&](const Term& term, Id index) {
    if (term.kind == Kind::Argument) return params[first + term.slot];
    return term.kind == Kind::At ? with_params.at(term.slot, term.column, term.type, index) : with_params.length(term.slot);
  }));
  const FnRef proven = without_proven_checks(open, known);
  return proven == open ? body : with_arguments.finish(with_arguments.inline_call(*proven, args));
}

// Reorders the prefix parameters: they were made scan by scan, but a kernel's body takes all exclusive prefixes first.
void Weaver::finish_body() {
  if (is_guarded(body_.builder.so_far())) choose_under_masks();
  FnRef body = guard_results(simplify_indices(body_.builder.finish(results_), index_range()));
  std::vector<Range> known;
  for (const Param& p : body->params) known.push_back(all_of(p.type));
  known[0] = index_range();
  body = without_proven(std::move(body), std::move(known));
  if (scans_.size() > 1) {
    Builder b;
    std::vector<Id> args(body->params.size());
    args[0] = b.param(Type::I64, "i");
    for (bool inclusive : {false, true}) {
      size_t slot = 1;
      for (const ScanPart& part : scans_) {
        size_t m = part.exclusive.size();
        for (size_t c = 0; c < m; c++) {
          size_t old = slot + (inclusive ? m : 0) + c;
          args[old] = b.param(body->params[old].type);
        }
        slot += 2 * m;
      }
    }
    body = b.finish(b.inline_call(*body, args, [&](const Term& term, Id index) { return same_load(b, term, index); }));
  }
  step_.kernel.body = std::move(body);
}

// Reorders the epilogue's parameters: they were made in order of discovery, but a kernel's epilogue takes the columns of all reductions,
// then those of the scan, then the counts of all compactions.
void Weaver::finish_epilogue() {
  if (scalars_.empty()) return;
  std::vector<Id> results;
  for (uint32_t k = 0; k < scalars_.size(); k++) {
    results.push_back(scalars_[k].second);
    step_.stored.push_back({scalars_[k].first, StoredColumn::Scalar, k, {}, 0, ~0u});
  }
  FnRef found = choose_folds(guard(epilogue_.builder.finish(results), false));
  Builder b;
  std::vector<Id> args(found->params.size());
  std::map<std::tuple<bool, uint32_t, uint32_t>, std::vector<size_t>> known;  // the parameters for each scalar
  for (size_t k = 0; k < epilogue_params_.size(); k++) {
    const Scalar& s = epilogue_params_[k];
    known[{s.total, s.index, s.column}].push_back(k);
  }
  auto declare = [&](bool total, uint32_t index, uint32_t column, Type type) {
    Id param = b.param(type);
    for (size_t k : known[{total, index, column}]) args[k] = param;
  };
  const Kernel& kernel = step_.kernel;
  for (uint32_t r = 0; r < kernel.reductions.size(); r++) {
    const std::vector<Type> types = kernel.reductions[r].combine->result_types();
    for (uint32_t c = 0; c < types.size(); c++) declare(false, r, c, types[c]);
  }
  for (uint32_t k = 0; k < scans_.size(); k++) {
    const std::vector<Type>& types = plan_.vertices[scans_[k].vertices[0]].types;
    for (uint32_t c = 0; c < types.size(); c++) declare(true, k, c, types[c]);
  }
  for (size_t k = 0; k < kernel.compactions.size(); k++) b.param(Type::I64);
  step_.kernel.finish = b.finish(b.inline_call(*found, args, [&](const Term& term, Id index) { return same_load(b, term, index); }));
}

Step Weaver::finish() {
  finish_scan();
  finish_body();
  finish_epilogue();
  return std::move(step_);
}

}  // namespace wf
