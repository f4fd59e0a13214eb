// Properties of a sequence, known without computing it, and its values.
#include <algorithm>
#include <cstring>

#include "dist/parted.h"
#include "elements/column.h"
#include "elements/elements.h"
#include "eval/eval.h"

using namespace wf;
using namespace wf::capi;

void wf_retain(wf_seq* s) {
  auto* node = reinterpret_cast<Node*>(s);
  if (node && node->is_alive()) node->retain();
}

void wf_release(wf_seq* s) {
  auto* node = reinterpret_cast<Node*>(s);
  if (node && node->is_alive()) node->release();
}

int32_t wf_known_length(const wf_seq* s, int64_t* n) {
  return looking("wf_known_length", [&] {
    require(n, "n");
    *n = look(s).length();
  });
}

int32_t wf_rank(const wf_seq* s, int32_t* rank) {
  return looking("wf_rank", [&] {
    require(rank, "rank");
    *rank = look(s).rank();
  });
}

int32_t wf_column_count(const wf_seq* s, int32_t* n) {
  return looking("wf_column_count", [&] {
    require(n, "n");
    *n = int32_t(look(s).types().size());
  });
}

int32_t wf_column_type(const wf_seq* s, int32_t column, int32_t* type) {
  return looking("wf_column_type", [&] {
    require(type, "type");
    const Node& node = look(s);
    *type = int32_t(node.types()[column_of(node, column)]);
  });
}

int32_t wf_is_manifest(const wf_seq* s, int32_t* yes) {
  return looking("wf_is_manifest", [&] {
    require(yes, "yes");
    *yes = look(s).is_manifest();
  });
}

namespace wf::capi {

ForcedColumn force_column(Call& call, wf_seq* s, int32_t column) {
  Node& node = borrowed(call, s);
  const size_t k = column_of(node, column);
  if (!node.is_manifest()) {
    const NodeRef delayed(&node);
    force({&delayed, 1});
  }
  const Manifest& manifest = **node.result();
  return {node, node.types()[k], &manifest.columns[k], manifest.length};
}

}  // namespace wf::capi

// Copies elements [start, start + count) of a column. Small copies, and large ones without a conversion, read the device copy if it is
// the current one. All others read the host copy. A single element is the common case.
static void copy_out(const Elements& to, const ForcedColumn& from, int64_t start, int64_t count) {
  const size_t size = size_of(from.type), first = size_t(from.offset()) + size_t(start) * size;
  const Buffer& buffer = *from.column->buffer;
  if (count == 1 && to.type == from.type && buffer.has_host_copy()) {
    std::memcpy(to.data, buffer.host() + first, size);
    return;
  }
  if (size_t(count) <= Buffer::small / size) {
    alignas(8) std::byte few[Buffer::small];
    if (buffer.read_device(first, size_t(count) * size, few)) return copy_elements(to, {few, from.type}, count);
  } else if (to.type == from.type && to.stride == 1) {
    if (buffer.read_device(first, size_t(count) * size, to.data)) return;
  }
  copy_elements(to, {const_cast<std::byte*>(buffer.host()) + first, from.type}, count);
}

int32_t wf_force(wf_seq* const* array, int32_t n_sequences) {
  return guarded("wf_force", [&](Call& call) { force(sequences(call, array, n_sequences)); });
}

int32_t wf_wait(wf_seq* const* array, int32_t n_sequences) {
  return guarded("wf_wait", [&](Call& call) { wait(sequences(call, array, n_sequences)); });
}

// The elements that each rank has of a column of n.
static std::vector<Interval> parts_of(const Column& column, int64_t n, const Context& context) {
  const auto parted = std::static_pointer_cast<const Parted>(column.buffer->elsewhere());
  std::vector<int64_t> borders = parted && context.has_processes() ? parted->borders() : even_borders(n, context.ranks());
  if (parted && context.has_processes())
    for (int64_t& border : borders) border = std::clamp<int64_t>(border - column.offset, 0, n);
  std::vector<Interval> parts;
  for (size_t r = 0; r + 1 < borders.size(); r++) parts.push_back({borders[r], borders[r + 1]});
  return parts;
}

// A copy of this process's elements, if each process is to have those of its part.
static BufferRef copied_part(const Column& column, Type type, const std::vector<Interval>& parts, const Context& from, const Context& to) {
  const size_t size = size_of(type);
  const auto own = size_t(from.rank());
  const auto parted = from.has_processes() ? std::static_pointer_cast<const Parted>(column.buffer->elsewhere()) : nullptr;
  if (parted) {
    std::vector<Interval> wanted;
    for (const Interval& part : parts) wanted.push_back({part.begin + column.offset, part.end + column.offset});
    parted->provide(wanted);
  }
  const BufferRef copy = Buffer::make(to.pool, size_t(parts[own].end - parts[own].begin) * size);
  const Buffer& elements = parted ? *parted->memory(int(own)) : *column.buffer;
  std::memcpy(copy->host_for_writing(), elements.host() + size_t(parts[own].begin + column.offset) * size, copy->bytes());
  return copy;
}

int32_t wf_part(wf_seq* s, wf_context* local, int64_t* begin, int64_t* end, wf_seq** out) {
  return guarded("wf_part", [&](Call& call) {
    prepare(out);
    const auto& to = context_of(call, local);
    const NodeRef node = sequence(call, s);
    const Context& from = context_of(*node);
    on_all_processes(from, [&] {
      force({&node, 1});
      const Manifest& manifest = **node->result();
      const std::vector<Interval> parts = parts_of(manifest.columns[0], manifest.length, from);
      const Interval own = parts[size_t(from.rank())];
      std::vector<Column> columns;
      for (size_t c = 0; c < manifest.columns.size(); c++)
        columns.push_back({copied_part(manifest.columns[c], node->types()[c], parts, from, *to), 0});
      if (from.communicator) from.communicator->agree();
      *out = give(source(to, Shape::vector(own.end - own.begin), node->types(), std::move(columns)));
      if (begin) *begin = own.begin;
      if (end) *end = own.end;
    });
  });
}

int32_t wf_replicate(wf_seq* s, wf_seq** out) {
  return guarded("wf_replicate", [&](Call& call) {
    prepare(out);
    NodeRef node = sequence(call, s);
    force({&node, 1});
    for (const Column& column : (*node->result())->columns) column.buffer->host();
    *out = give(std::move(node));
  });
}

int32_t wf_replace(wf_seq* value, wf_seq** cell) {
  return guarded("wf_replace", [&](Call& call) {
    require(cell, "cell");
    const NodeRef next = sequence(call, value, "value"), old = *cell ? sequence(call, *cell, "cell") : NodeRef();
    if (next == old) throw ArgumentError("value and *cell are the same handle; expected a sequence other than the cell's own");
    force_in_place(next, old);
    wf_release(*cell);
    *cell = value;
  });
}

int32_t wf_to_host(wf_seq* s, int32_t column, int64_t start, int64_t count, void* data, int32_t data_type, int64_t stride) {
  return guarded("wf_to_host", [&](Call& call) {
    Type to = type_of_code(data_type, "data_type");
    borrowed(call, s);
    if (count != 0) require(data, "data");
    if (stride == 0 && count > 1)
      throw ArgumentError("stride is 0 and count is " + std::to_string(count) + "; expected a stride other than 0");
    int64_t reach;
    if (__builtin_mul_overflow(stride, int64_t(size_in_bytes(count, to, "count")), &reach))
      throw SizeError("stride is " + std::to_string(stride) + ": " + std::to_string(count) + " elements that far apart overflow 64 bits");
    ForcedColumn from = force_column(call, s, column);
    if (start < 0 || start > from.length || count > from.length - start)
      throw IndexError("start is " + std::to_string(start) + " and count is " + std::to_string(count) + ", but s has length " +
                       std::to_string(from.length) + "; expected a range within s");
    copy_out({data, to, stride}, from, start, count);
  });
}

int32_t wf_data(wf_seq* s, int32_t column, const void** data, int64_t* n) {
  return guarded("wf_data", [&](Call& call) {
    prepare(data, "data");
    ForcedColumn forced = force_column(call, s, column);
    *data = forced.data();
    if (n) *n = forced.length;
  });
}

int32_t wf_explain(wf_seq* const* array, int32_t n_sequences, int32_t format, char* buffer, int64_t capacity, int64_t* needed) {
  return guarded("wf_explain", [&](Call& call) {
    Few<NodeRef> nodes = sequences(call, array, n_sequences);
    give_text(explain(nodes, format_of_code(format)), buffer, capacity, needed);
  });
}
