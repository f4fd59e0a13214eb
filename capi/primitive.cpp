// The primitives. src/lazy checks types and lengths and makes the nodes.
#include "checks/arguments.h"
#include "eval/eval.h"
#include "lazy/check.h"
#include "lazy/composed/iterate.h"

using namespace wf;
using namespace wf::capi;

int32_t wf_tabulate(wf_context* context, const wf_fn* f, int64_t n, wf_seq** out) {
  return guarded("wf_tabulate", [&](Call& call) {
    prepare(out);
    const auto& where = context_of(call, context);
    *out = give(tabulate(where, closure(call, f), n));
  });
}

int32_t wf_map(const wf_fn* f, wf_seq* const* array, int32_t n_sequences, wf_seq** out) {
  return guarded("wf_map", [&](Call& call) {
    prepare(out);
    const Closure& function = closure(call, f);
    Few<NodeRef> nodes = sequences(call, array, n_sequences);
    settle_lengths(nodes);
    *out = give(map(function, nodes));
  });
}

int32_t wf_zip(wf_seq* const* array, int32_t n_sequences, wf_seq** out) {
  return guarded("wf_zip", [&](Call& call) {
    prepare(out);
    Few<NodeRef> nodes = sequences(call, array, n_sequences);
    settle_lengths(nodes);
    *out = give(zip(nodes));
  });
}

int32_t wf_columns(wf_seq* s, const int32_t* which, int32_t n, wf_seq** out) {
  return guarded("wf_columns", [&](Call& call) {
    prepare(out);
    NodeRef node = sequence(call, s);
    require(which, "which");
    if (n < 0) throw ArgumentError("n is " + std::to_string(n) + "; expected a number that is not negative");
    *out = give(columns(node, {which, size_t(n)}));
  });
}

int32_t wf_reduce(const wf_fn* f, const char* identity, wf_seq* s, wf_seq** out) {
  return guarded("wf_reduce", [&](Call& call) {
    prepare(out);
    const Closure& combine = closure(call, f);
    NodeRef node = sequence(call, s);
    *out = give(reduce(combine, identity_of(*combine.fn, identity, node->types()), node));
  });
}

int32_t wf_scan(const wf_fn* f, const char* identity, wf_seq* s, int32_t inclusive, wf_seq** prefixes, wf_seq** total) {
  return guarded("wf_scan", [&](Call& call) {
    if (prefixes) *prefixes = nullptr;
    if (total) *total = nullptr;
    if (!prefixes && !total) throw ArgumentError("prefixes and total are both NULL; expected at least one output");
    const Closure& combine = closure(call, f);
    NodeRef node = sequence(call, s);
    const bool is_inclusive = flag(inclusive, "inclusive");
    ScanResult result = scan(combine, identity_of(*combine.fn, identity, node->types()), node, is_inclusive);
    if (prefixes) *prefixes = give(std::move(result.prefixes));
    if (total) *total = give(std::move(result.total));
  });
}

int32_t wf_iterate(const wf_fn* f, const char* initial, wf_seq* s, wf_seq** out) {
  return guarded("wf_iterate", [&](Call& call) {
    prepare(out);
    const Closure& step = closure(call, f);
    require(initial, "initial");
    const NodeRef node = sequence(call, s);
    *out = give(iterate(step, parse_literals(initial, step.fn->result_types()), node));
  });
}

int32_t wf_iterate_prefixes(const wf_fn* f, const char* initial, wf_seq* s, int32_t inclusive, wf_seq** prefixes, wf_seq** last) {
  return guarded("wf_iterate_prefixes", [&](Call& call) {
    if (prefixes) *prefixes = nullptr;
    if (last) *last = nullptr;
    if (!prefixes && !last) throw ArgumentError("prefixes and last are both NULL; expected at least one output");
    const Closure& step = closure(call, f);
    require(initial, "initial");
    const NodeRef node = measured(call, s);
    const int64_t first = flag(inclusive, "inclusive") ? 1 : 0, n = known_length(*node);
    const NodeRef states = iterate_prefixes(step, parse_literals(initial, step.fn->result_types()), node);
    NodeRef each = subseq(states, first, n), end = nth(states, n);
    if (prefixes) *prefixes = give(std::move(each));
    if (last) *last = give(std::move(end));
  });
}

int32_t wf_filter(const wf_fn* f, wf_seq* s, wf_seq** out) {
  return guarded("wf_filter", [&](Call& call) {
    prepare(out);
    const Closure& predicate = closure(call, f);
    *out = give(filter(predicate, sequence(call, s)));
  });
}

int32_t wf_sort(wf_seq* s, int32_t keys, int32_t descending, wf_seq** out) {
  return guarded("wf_sort", [&](Call& call) {
    prepare(out);
    *out = give(sort(sequence(call, s), keys, flag(descending, "descending")));
  });
}

int32_t wf_sort_by(const wf_fn* less, wf_seq* s, wf_seq** out) {
  return guarded("wf_sort_by", [&](Call& call) {
    prepare(out);
    const Closure& function = closure(call, less, "less");
    *out = give(sort(function, sequence(call, s)));
  });
}

int32_t wf_merge(wf_seq* s, wf_seq* t, int32_t keys, int32_t descending, wf_seq** out) {
  return guarded("wf_merge", [&](Call& call) {
    prepare(out);
    const NodeRef first = measured(call, s), second = measured(call, t, "t");
    *out = give(merge(first, second, keys, flag(descending, "descending")));
  });
}

int32_t wf_merge_by(const wf_fn* less, wf_seq* s, wf_seq* t, wf_seq** out) {
  return guarded("wf_merge_by", [&](Call& call) {
    prepare(out);
    const Closure& function = closure(call, less, "less");
    const NodeRef first = measured(call, s), second = measured(call, t, "t");
    *out = give(merge(function, first, second));
  });
}

int32_t wf_scatter(const wf_fn* f, wf_seq* base, wf_seq* indices, wf_seq* values, wf_seq** out) {
  return guarded("wf_scatter", [&](Call& call) {
    prepare(out);
    const Closure* function = f ? &closure(call, f) : nullptr;
    const NodeRef target = measured(call, base, "base");
    const NodeRef updates[] = {sequence(call, indices, "indices"), sequence(call, values, "values")};
    settle_lengths(updates);
    *out = give(scatter(function, target, updates[0], updates[1]));
  });
}

int32_t wf_histogram(wf_seq* s, int64_t bins, wf_seq** out) {
  return guarded("wf_histogram", [&](Call& call) {
    prepare(out);
    *out = give(histogram(sequence(call, s), bins));
  });
}

int32_t wf_length(wf_seq* s, wf_seq** out) {
  return guarded("wf_length", [&](Call& call) {
    prepare(out);
    *out = give(length(sequence(call, s)));
  });
}

int32_t wf_nth(wf_seq* s, int64_t i, wf_seq** out) {
  return guarded("wf_nth", [&](Call& call) {
    prepare(out);
    *out = give(nth(measured(call, s), i));
  });
}

int32_t wf_subseq(wf_seq* s, int64_t start, int64_t length, wf_seq** out) {
  return guarded("wf_subseq", [&](Call& call) {
    prepare(out);
    *out = give(subseq(measured(call, s), start, length));
  });
}

static void require_within(int64_t n, const Node& s) {
  const int64_t length = known_length(s);
  if (n >= 0 && n <= length) return;
  const std::string last = std::to_string(length);
  throw IndexError("n is " + std::to_string(n) + ", but s has length " + last + "; expected 0 to " + last);
}

int32_t wf_take(wf_seq* s, int64_t n, wf_seq** out) {
  return guarded("wf_take", [&](Call& call) {
    prepare(out);
    NodeRef node = measured(call, s);
    require_within(n, *node);
    *out = give(subseq(node, 0, n));
  });
}

int32_t wf_drop(wf_seq* s, int64_t n, wf_seq** out) {
  return guarded("wf_drop", [&](Call& call) {
    prepare(out);
    NodeRef node = measured(call, s);
    require_within(n, *node);
    *out = give(subseq(node, n, node->length() - n));
  });
}

int32_t wf_rev(wf_seq* s, wf_seq** out) {
  return guarded("wf_rev", [&](Call& call) {
    prepare(out);
    *out = give(rev(measured(call, s)));
  });
}

int32_t wf_append(wf_seq* const* array, int32_t n_sequences, wf_seq** out) {
  return guarded("wf_append", [&](Call& call) {
    prepare(out);
    Few<NodeRef> nodes = sequences(call, array, n_sequences);
    for (const NodeRef& s : nodes)
      if (s->length() < 0) forced_length(s);
    *out = give(append(std::move(nodes)));
  });
}
