// The primitives. src/lazy checks types and lengths and makes the nodes.
#include "checks/arguments.h"
#include "eval/eval.h"
#include "lazy/check.h"
#include "lazy/composed/iterate.h"

using namespace wf;
using namespace wf::capi;

int32_t wf_tabulate(wf_context* context, const wf_fn* f, int64_t n, wf_seq** out) {
  return making("wf_tabulate", out, [&](Call& call) {
    const auto& where = context_of(call, context);
    return tabulate(where, closure(call, f), n);
  });
}

int32_t wf_map(const wf_fn* f, wf_seq* const* array, int32_t n_sequences, wf_seq** out) {
  return making("wf_map", out, [&](Call& call) {
    const Closure& function = closure(call, f);
    Few<NodeRef> nodes = sequences(call, array, n_sequences);
    settle_lengths(nodes);
    return map(function, nodes);
  });
}

int32_t wf_zip(wf_seq* const* array, int32_t n_sequences, wf_seq** out) {
  return making("wf_zip", out, [&](Call& call) {
    Few<NodeRef> nodes = sequences(call, array, n_sequences);
    settle_lengths(nodes);
    return zip(nodes);
  });
}

int32_t wf_columns(wf_seq* s, const int32_t* which, int32_t n, wf_seq** out) {
  return making("wf_columns", out, [&](Call& call) {
    NodeRef node = sequence(call, s);
    require(which, "which");
    if (n < 0) throw ArgumentError("n is " + std::to_string(n) + "; expected a number that is not negative");
    return columns(node, {which, size_t(n)});
  });
}

int32_t wf_reduce(const wf_fn* f, const char* identity, wf_seq* s, wf_seq** out) {
  return making("wf_reduce", out, [&](Call& call) {
    const Closure& combine = closure(call, f);
    NodeRef node = sequence(call, s);
    return reduce(combine, identity_of(*combine.fn, identity, node->types()), node);
  });
}

int32_t wf_scan(const wf_fn* f, const char* identity, wf_seq* s, int32_t inclusive, wf_seq** prefixes, wf_seq** total) {
  return making_scan("wf_scan", {prefixes, "prefixes"}, {total, "total"}, [&](Call& call) {
    const Closure& combine = closure(call, f);
    NodeRef node = sequence(call, s);
    const bool is_inclusive = flag(inclusive, "inclusive");
    return scan(combine, identity_of(*combine.fn, identity, node->types()), node, is_inclusive);
  });
}

int32_t wf_iterate(const wf_fn* f, const char* initial, wf_seq* s, wf_seq** out) {
  return making("wf_iterate", out, [&](Call& call) {
    const Closure& step = closure(call, f);
    require(initial, "initial");
    const NodeRef node = sequence(call, s);
    return iterate(step, parse_literals(initial, step.fn->result_types()), node);
  });
}

int32_t wf_iterate_prefixes(const wf_fn* f, const char* initial, wf_seq* s, int32_t inclusive, wf_seq** prefixes, wf_seq** last) {
  return making_scan("wf_iterate_prefixes", {prefixes, "prefixes"}, {last, "last"}, [&](Call& call) {
    const Closure& step = closure(call, f);
    require(initial, "initial");
    const NodeRef node = measured(call, s);
    const int64_t first = flag(inclusive, "inclusive") ? 1 : 0, n = known_length(*node);
    const NodeRef states = iterate_prefixes(step, parse_literals(initial, step.fn->result_types()), node);
    return ScanResult{subseq(states, first, n), nth(states, n)};
  });
}

int32_t wf_filter(const wf_fn* f, wf_seq* s, wf_seq** out) {
  return making("wf_filter", out, [&](Call& call) {
    const Closure& predicate = closure(call, f);
    return filter(predicate, sequence(call, s));
  });
}

int32_t wf_sort(wf_seq* s, int32_t keys, int32_t descending, wf_seq** out) {
  return making("wf_sort", out, [&](Call& call) { return sort(sequence(call, s), keys, flag(descending, "descending")); });
}

int32_t wf_sort_by(const wf_fn* less, wf_seq* s, wf_seq** out) {
  return making("wf_sort_by", out, [&](Call& call) {
    const Closure& function = closure(call, less, "less");
    return sort(function, sequence(call, s));
  });
}

int32_t wf_merge(wf_seq* s, wf_seq* t, int32_t keys, int32_t descending, wf_seq** out) {
  return making("wf_merge", out, [&](Call& call) {
    const NodeRef first = measured(call, s), second = measured(call, t, "t");
    return merge(first, second, keys, flag(descending, "descending"));
  });
}

int32_t wf_merge_by(const wf_fn* less, wf_seq* s, wf_seq* t, wf_seq** out) {
  return making("wf_merge_by", out, [&](Call& call) {
    const Closure& function = closure(call, less, "less");
    const NodeRef first = measured(call, s), second = measured(call, t, "t");
    return merge(function, first, second);
  });
}

int32_t wf_scatter(const wf_fn* f, wf_seq* base, wf_seq* indices, wf_seq* values, wf_seq** out) {
  return making("wf_scatter", out, [&](Call& call) {
    const Closure* function = f ? &closure(call, f) : nullptr;
    const NodeRef target = measured(call, base, "base");
    const NodeRef updates[] = {sequence(call, indices, "indices"), sequence(call, values, "values")};
    settle_lengths(updates);
    return scatter(function, target, updates[0], updates[1]);
  });
}

int32_t wf_histogram(wf_seq* s, int64_t bins, wf_seq** out) {
  return making("wf_histogram", out, [&](Call& call) { return histogram(sequence(call, s), bins); });
}

int32_t wf_length(wf_seq* s, wf_seq** out) {
  return making("wf_length", out, [&](Call& call) { return length(sequence(call, s)); });
}

int32_t wf_nth(wf_seq* s, int64_t i, wf_seq** out) {
  return making("wf_nth", out, [&](Call& call) { return nth(measured(call, s), i); });
}

int32_t wf_subseq(wf_seq* s, int64_t start, int64_t length, wf_seq** out) {
  return making("wf_subseq", out, [&](Call& call) { return subseq(measured(call, s), start, length); });
}

static void require_within(int64_t n, const Node& s) {
  const int64_t length = known_length(s);
  if (n >= 0 && n <= length) return;
  const std::string last = std::to_string(length);
  throw IndexError("n is " + std::to_string(n) + ", but s has length " + last + "; expected 0 to " + last);
}

int32_t wf_take(wf_seq* s, int64_t n, wf_seq** out) {
  return making("wf_take", out, [&](Call& call) {
    NodeRef node = measured(call, s);
    require_within(n, *node);
    return subseq(node, 0, n);
  });
}

int32_t wf_drop(wf_seq* s, int64_t n, wf_seq** out) {
  return making("wf_drop", out, [&](Call& call) {
    NodeRef node = measured(call, s);
    require_within(n, *node);
    return subseq(node, n, node->length() - n);
  });
}

int32_t wf_rev(wf_seq* s, wf_seq** out) {
  return making("wf_rev", out, [&](Call& call) { return rev(measured(call, s)); });
}

int32_t wf_append(wf_seq* const* array, int32_t n_sequences, wf_seq** out) {
  return making("wf_append", out, [&](Call& call) {
    Few<NodeRef> nodes = sequences(call, array, n_sequences);
    for (const NodeRef& s : nodes)
      if (s->length() < 0) forced_length(s);
    return append(std::move(nodes));
  });
}
