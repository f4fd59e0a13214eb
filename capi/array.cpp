// Arrays. src/lazy/arrays checks shapes and makes the nodes.
#include <algorithm>
#include <array>

#include "checks/arguments.h"
#include "elements/adopt.h"
#include "elements/elements.h"
#include "eval/eval.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"
#include "lazy/arrays/view.h"

using namespace wf;
using namespace wf::capi;

namespace {

// n elements of an argument that is an array.
template <class T> std::span<const T> elements_of(const T* array, int32_t n, const char* name, const char* count) {
  if (n < 0) throw ArgumentError(std::string(count) + " is " + std::to_string(n) + "; expected a number that is not negative");
  if (n > 0) require(array, name);
  return {array, size_t(n)};
}

std::span<const int64_t> extents_of(const int64_t* extents, int32_t rank) { return elements_of(extents, rank, "extents", "rank"); }

}  // namespace

int32_t wf_shape(const wf_seq* s, int64_t* extents, int32_t capacity, int32_t* rank) {
  auto write = [&](const Node& node) {
    const Shape shape = node.shape();
    for (int k = 0; k < std::min(shape.rank(), int(capacity)); k++) extents[k] = shape.extents()[size_t(k)];
    if (rank) *rank = shape.rank();
  };
  // With valid arguments nothing can fail, so that no guard is needed.
  const auto* const node = reinterpret_cast<const Node*>(s);
  if (node && node->is_alive() && capacity >= 0 && (extents || capacity == 0)) return write(*node), WF_OK;
  return looking("wf_shape", [&] {
    if (capacity < 0) throw ArgumentError("capacity is " + std::to_string(capacity) + "; expected a number that is not negative");
    if (capacity > 0) require(extents, "extents");
    write(look(s));
  });
}

int32_t wf_reshape(wf_seq* s, const int64_t* extents, int32_t rank, wf_seq** out) {
  return making("wf_reshape", out, [&](Call& call) {
    const NodeRef node = measured(call, s);
    return reshape(node, extents_of(extents, rank));
  });
}

namespace wf::capi {

NodeRef adopted(const std::shared_ptr<Context>& context, const Layout& layout, Type type, const void* data, Where where,
                std::shared_ptr<Adopted> owner) {
  require_extents(layout.extents, std::array{type});
  const Shape shape = Shape::of(layout.extents);
  if (shape.length() == 0 || is_contiguous(merged_axes(layout.extents, layout.strides)))
    return adopted(context, shape, type, data, where, std::move(owner));
  const Reach reach = reach_of(layout.extents, layout.strides);
  require(data, "data");
  const auto* first = static_cast<const std::byte*>(data) + reach.lowest * int64_t(size_of(type));
  const NodeRef memory = adopted(context, Shape::vector(reach.length), type, first, where, std::move(owner));
  return view_of(memory, {-reach.lowest, layout.strides}, layout.extents);
}

}  // namespace wf::capi

int32_t wf_from_host_array(wf_context* context, int32_t type, const void* data, int32_t data_type, const int64_t* extents,
                           const int64_t* strides, int32_t rank, wf_seq** out) {
  return making("wf_from_host_array", out, [&](Call& call) {
    const auto& where = context_of(call, context);
    const Type to = type_of_code(type), from = type_of_code(data_type, "data_type");
    const std::span<const int64_t> all = extents_of(extents, rank);
    require_extents(all, std::array{to});
    const Shape shape = Shape::of(all);
    const std::vector<int64_t> apart = strides ? std::vector(strides, strides + rank) : row_major(all);
    if (shape.length() > 0) {
      require(data, "data");
      reach_of(all, apart);
    }
    BufferRef buffer = Buffer::make(where->pool, size_in_bytes(shape.length(), to));
    const bool is_plain = to == from && to != Type::Bool && is_contiguous(merged_axes(all, apart));
    if (!is_plain || !buffer->fill_device(data)) copy_array({buffer->host_for_writing(), to}, {const_cast<void*>(data), from}, all, apart);
    return source(where, shape, {to}, {{std::move(buffer), 0}});
  });
}

int32_t wf_adopt_array(wf_context* context, int32_t type, const void* data, const int64_t* layout, int32_t rank,
                       void (*deleter)(void* user), void* user, wf_seq** out) {
  return making("wf_adopt_array", out, [&](Call& call) {
    const auto& where = context_of(call, context);
    const Type its = type_of_code(type);
    const std::span<const int64_t> extents = elements_of(layout, rank, "layout", "rank");
    auto owner = std::make_shared<Adopted>(Adopted{deleter, user});
    NodeRef node = adopted(where, {{extents.begin(), extents.end()}, {layout + rank, layout + 2 * rank}}, its, data, Where::Host, owner);
    owner->handed_over = true;
    return node;
  });
}

int32_t wf_permute(wf_seq* s, const int32_t* axes, int32_t n, wf_seq** out) {
  return making("wf_permute", out, [&](Call& call) {
    const NodeRef node = measured(call, s);
    return permute(node, elements_of(axes, n, "axes", "n"));
  });
}

int32_t wf_broadcast(wf_seq* s, const int64_t* extents, int32_t rank, wf_seq** out) {
  return making("wf_broadcast", out, [&](Call& call) {
    const NodeRef node = measured(call, s);
    return broadcast(node, extents_of(extents, rank));
  });
}

int32_t wf_slice(wf_seq* s, const int64_t* starts, const int64_t* counts, const int64_t* steps, int32_t n, wf_seq** out) {
  return making("wf_slice", out, [&](Call& call) {
    const NodeRef node = measured(call, s);
    return slice(node, elements_of(starts, n, "starts", "n"), elements_of(counts, n, "counts", "n"), steps);
  });
}

int32_t wf_view(wf_seq* s, int64_t offset, const int64_t* extents, const int64_t* strides, int32_t rank, wf_seq** out) {
  return making("wf_view", out, [&](Call& call) {
    const NodeRef node = measured(call, s);
    return view(node, offset, extents_of(extents, rank), elements_of(strides, rank, "strides", "rank"));
  });
}

int32_t wf_translate(wf_seq* s, const int64_t* distances, int32_t n, const char* outside, wf_seq** out) {
  return making("wf_translate", out, [&](Call& call) {
    const NodeRef node = measured(call, s);
    const std::span<const int64_t> along = elements_of(distances, n, "distances", "n");
    Few<Bits64> values;
    if (outside) values = parse_literals(outside, node->types());
    values.resize(node->types().size());
    return translate(node, along, values);
  });
}

int32_t wf_join(wf_seq* const* array, int32_t n_sequences, int32_t axis, wf_seq** out) {
  return making("wf_join", out, [&](Call& call) {
    Few<NodeRef> nodes = sequences(call, array, n_sequences);
    for (const NodeRef& s : nodes)
      if (s->length() < 0) forced_length(s);
    return join(std::move(nodes), axis);
  });
}

int32_t wf_reduce_axis(const wf_fn* f, const char* identity, wf_seq* s, const int32_t* axes, int32_t n_axes, int32_t keep, wf_seq** out) {
  return making("wf_reduce_axis", out, [&](Call& call) {
    const Closure& combine = closure(call, f);
    const NodeRef node = measured(call, s);
    const std::span<const int32_t> which = elements_of(axes, n_axes, "axes", "n_axes");
    return reduce_axes(combine, identity_of(*combine.fn, identity, node->types()), node, which, flag(keep, "keep"));
  });
}

int32_t wf_scan_axis(const wf_fn* f, const char* identity, wf_seq* s, int32_t axis, int32_t inclusive, wf_seq** prefixes, wf_seq** totals) {
  return making_scan("wf_scan_axis", {prefixes, "prefixes"}, {totals, "totals"}, [&](Call& call) {
    const Closure& combine = closure(call, f);
    const NodeRef node = measured(call, s);
    const bool is_inclusive = flag(inclusive, "inclusive");
    const std::vector<Bits64> first = identity_of(*combine.fn, identity, node->types());
    if (!prefixes) {
      const int32_t along = axis_of(*node, axis);
      return ScanResult{{}, reduce_axes(combine, first, node, {&along, 1}, false)};
    }
    return scan_axis(combine, first, node, axis, is_inclusive);
  });
}

int32_t wf_sort_axis(wf_seq* s, int32_t axis, int32_t descending, wf_seq** out) {
  return making("wf_sort_axis", out, [&](Call& call) {
    const NodeRef node = measured(call, s);
    return sort_axis(node, axis, flag(descending, "descending"));
  });
}
