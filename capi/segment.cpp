// Segments. src/lazy/composed/segments.h checks types and lengths and composes the primitives.
#include "lazy/composed/segments.h"

#include "checks/arguments.h"

using namespace wf;
using namespace wf::capi;

int32_t wf_offsets(wf_seq* lengths, wf_seq** out) {
  return making("wf_offsets", out, [&](Call& call) { return offsets(measured(call, lengths, "lengths")); });
}

int32_t wf_segment_reduce(const wf_fn* f, const char* identity, wf_seq* values, wf_seq* offsets, wf_seq** out) {
  return making("wf_segment_reduce", out, [&](Call& call) {
    const Closure& combine = closure(call, f);
    const NodeRef node = sequence(call, values, "values"), at = measured(call, offsets, "offsets");
    return segment_reduce(combine, identity_of(*combine.fn, identity, node->types()), node, at);
  });
}

int32_t wf_segment_scan(const wf_fn* f, const char* identity, wf_seq* values, wf_seq* offsets, int32_t inclusive, wf_seq** prefixes,
                        wf_seq** totals) {
  return making_scan("wf_segment_scan", {prefixes, "prefixes"}, {totals, "totals"}, [&](Call& call) {
    const Closure& combine = closure(call, f);
    const NodeRef node = measured(call, values, "values"), at = measured(call, offsets, "offsets");
    const bool is_inclusive = flag(inclusive, "inclusive");
    const std::vector<Bits64> first = identity_of(*combine.fn, identity, node->types());
    if (!prefixes) return ScanResult{{}, segment_reduce(combine, first, node, at)};
    return segment_scan(combine, first, node, at, is_inclusive);
  });
}

int32_t wf_segment_filter(const wf_fn* f, wf_seq* values, wf_seq* offsets, wf_seq** values_out, wf_seq** offsets_out) {
  return guarded("wf_segment_filter", [&](Call& call) {
    prepare(values_out, "values_out");
    prepare(offsets_out, "offsets_out");
    const Closure& predicate = closure(call, f);
    const NodeRef node = sequence(call, values, "values"), at = measured(call, offsets, "offsets");
    Segmented result = segment_filter(predicate, node, at);
    *values_out = give(std::move(result.values));
    *offsets_out = give(std::move(result.offsets));
  });
}

int32_t wf_segment_ids(wf_seq* offsets, int64_t n, wf_seq** out) {
  return making("wf_segment_ids", out, [&](Call& call) { return segment_ids(measured(call, offsets, "offsets"), n); });
}
