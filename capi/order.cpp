// Sequences in order: runs, searches, sets. src/lazy/composed/groups.h has the checks and the definitions.
#include "checks/arguments.h"
#include "lazy/composed/groups.h"

using namespace wf;
using namespace wf::capi;

int32_t wf_runs(wf_seq* s, int32_t keys, wf_seq** out) {
  return making("wf_runs", out, [&](Call& call) { return runs(measured(call, s), keys); });
}

int32_t wf_runs_by(const wf_fn* equal, wf_seq* s, wf_seq** out) {
  return making("wf_runs_by", out, [&](Call& call) {
    const Closure& function = closure(call, equal, "equal");
    return runs(function, measured(call, s));
  });
}

int32_t wf_unique(wf_seq* s, int32_t keys, wf_seq** out) {
  return making("wf_unique", out, [&](Call& call) { return unique(measured(call, s), keys); });
}

int32_t wf_unique_by(const wf_fn* equal, wf_seq* s, wf_seq** out) {
  return making("wf_unique_by", out, [&](Call& call) {
    const Closure& function = closure(call, equal, "equal");
    return unique(function, measured(call, s));
  });
}

int32_t wf_split(const wf_fn* f, wf_seq* s, wf_seq** values, wf_seq** offsets) {
  return guarded("wf_split", [&](Call& call) {
    prepare(values, "values");
    prepare(offsets, "offsets");
    const Closure& separates = closure(call, f);
    Segmented result = split(separates, measured(call, s));
    *values = give(std::move(result.values));
    *offsets = give(std::move(result.offsets));
  });
}

int32_t wf_search(wf_seq* sorted, wf_seq* needles, int32_t keys, int32_t descending, int32_t after, wf_seq** out) {
  return making("wf_search", out, [&](Call& call) {
    const NodeRef node = sequence(call, sorted, "sorted"), sought = sequence(call, needles, "needles");
    return search({keys, flag(descending, "descending"), nullptr}, node, sought, flag(after, "after"));
  });
}

int32_t wf_search_by(const wf_fn* less, wf_seq* sorted, wf_seq* needles, int32_t after, wf_seq** out) {
  return making("wf_search_by", out, [&](Call& call) {
    const Closure& function = closure(call, less, "less");
    const NodeRef node = sequence(call, sorted, "sorted"), sought = sequence(call, needles, "needles");
    return search(order_of(function, node->types()), node, sought, flag(after, "after"));
  });
}

using SetOperation = NodeRef(const ElementOrder&, const NodeRef&, const NodeRef&);

static int32_t combine_by_keys(const char* name, SetOperation* operation, wf_seq* s, wf_seq* t, int32_t keys, int32_t descending,
                               wf_seq** out) {
  return making(name, out, [&](Call& call) {
    const NodeRef first = measured(call, s), second = sequence(call, t, "t");
    return operation({keys, flag(descending, "descending"), nullptr}, first, second);
  });
}

static int32_t combine_by_function(const char* name, SetOperation* operation, const wf_fn* less, wf_seq* s, wf_seq* t, wf_seq** out) {
  return making(name, out, [&](Call& call) {
    const Closure& function = closure(call, less, "less");
    const NodeRef first = measured(call, s), second = sequence(call, t, "t");
    return operation(order_of(function, first->types()), first, second);
  });
}

int32_t wf_intersection(wf_seq* s, wf_seq* t, int32_t keys, int32_t descending, wf_seq** out) {
  return combine_by_keys("wf_intersection", intersection, s, t, keys, descending, out);
}
int32_t wf_intersection_by(const wf_fn* less, wf_seq* s, wf_seq* t, wf_seq** out) {
  return combine_by_function("wf_intersection_by", intersection, less, s, t, out);
}
int32_t wf_difference(wf_seq* s, wf_seq* t, int32_t keys, int32_t descending, wf_seq** out) {
  return combine_by_keys("wf_difference", difference, s, t, keys, descending, out);
}
int32_t wf_difference_by(const wf_fn* less, wf_seq* s, wf_seq* t, wf_seq** out) {
  return combine_by_function("wf_difference_by", difference, less, s, t, out);
}
