// Arrays in files. src/files has the formats.
#include <algorithm>
#include <numeric>

#include "checks/guard.h"
#include "elements/column.h"
#include "eval/eval.h"
#include "files/formats.h"
#include "lazy/arrays/arrays.h"
#include "lazy/check.h"

using namespace wf;
using namespace wf::capi;

// Languages whose strings cannot be NULL pass an empty one.
static const char* given(const char* text) { return text && *text ? text : nullptr; }

// The elements converted to `type`, lazily.
static NodeRef converted(const NodeRef& s, Type type) {
  if (s->types()[0] == type) return s;
  Builder b;
  const Closure cast{b.finish({b.cast(type, b.param(s->types()[0], "x"))}), {}, {}};
  return map(cast, {&s, 1});
}

// The array in memory; one in Fortran order is a view of it.
static NodeRef node_of(const std::shared_ptr<Context>& where, const FileArray& array, const std::string& path) {
  std::vector<int64_t> extents = array.extents;
  if (extents.size() > size_t(Shape::most_axes))
    throw UnsupportedError(quoted(path) + " has rank " + std::to_string(extents.size()) + "; expected at most " +
                           std::to_string(Shape::most_axes));
  if (array.fortran) std::reverse(extents.begin(), extents.end());
  const NodeRef s = source(where, Shape::of(extents), {array.type}, {{array.elements, 0}});
  if (!array.fortran || extents.size() < 2) return s;
  std::vector<int32_t> axes(extents.size());
  std::iota(axes.rbegin(), axes.rend(), 0);
  return permute(s, axes);
}

int32_t wf_read_array(wf_context* context, const char* path, const char* format, const char* name, int32_t type, wf_seq** out) {
  return making("wf_read_array", out, [&](Call& call) {
    const auto& where = context_of(call, context);
    require(path, "path");
    const auto wanted = type == -1 ? std::nullopt : std::optional(type_of_code(type));
    const FileFormat& its = format_of(given(format), path);
    if (given(name) && !its.has_names)
      throw ArgumentError("name is \"" + std::string(name) + "\", but a file of format " + std::string(its.name) +
                          " has one array without a name; expected NULL");
    const NodeRef array = node_of(where, its.read({path, given(name), wanted, where->pool}), path);
    return wanted ? converted(array, *wanted) : array;
  });
}

// The computed elements of a sequence of one column; `owners` keeps them.
static ArrayToWrite array_to_write(Call& call, const wf_seq* s, const std::string& argument, std::vector<NodeRef>& owners) {
  const NodeRef node = sequence(call, s, argument.c_str());
  if (node->types().size() != 1)
    throw TypeError(argument + " has " + std::to_string(node->types().size()) +
                    " columns; expected 1: write each column to an array of its own");
  owners.push_back(node);
  return {{}, node->types()[0], {}, {}};
}

static void add_elements(ArrayToWrite& array, const NodeRef& node) {
  const std::shared_ptr<const Manifest> manifest = node->state().manifest;
  const Column& column = manifest->columns[0];
  const size_t size = size_of(array.type);
  const Shape shape = node->shape();
  array.extents.assign(shape.extents().begin(), shape.extents().end());
  array.elements = {column.buffer->host() + size_t(column.offset) * size, size_t(manifest->length) * size, column.buffer};
}

static void add_name(std::vector<ArrayToWrite>& arrays, const char* const* names, size_t k, size_t n) {
  const std::string argument = ordinal(k, n, "name");
  require(names[k], argument.c_str());
  const std::string name = names[k];
  if (name.empty() || name.size() > 60000)
    throw ArgumentError(argument + " has " + std::to_string(name.size()) + " bytes; expected 1 to 60000");
  for (size_t j = 0; j < k; j++)
    if (arrays[j].name == name)
      throw ArgumentError(argument + " is \"" + name + "\", like " + ordinal(j, n, "one") + "; expected different names");
  arrays[k].name = name;
}

int32_t wf_write_arrays(const char* path, const char* format, wf_seq* const* arrays, const char* const* names, int32_t n_arrays) {
  return guarded("wf_write_arrays", [&](Call& call) {
    require(path, "path");
    const FileFormat& its = format_of(given(format), path);
    if (!its.write) throw ArgumentError("format is \"" + std::string(its.name) + "\", which is only read; expected another format");
    if (n_arrays < 0 || (n_arrays != 1 && !its.has_names))
      throw ArgumentError("n_arrays is " + std::to_string(n_arrays) + "; expected " +
                          (its.has_names ? "a number that is not negative" : "1 for format " + std::string(its.name)));
    if (n_arrays > 0) require(arrays, "arrays");
    if (n_arrays > 0 && its.has_names) require(names, "names");
    std::vector<NodeRef> nodes;
    std::vector<ArrayToWrite> all;
    for (int32_t k = 0; k < n_arrays; k++) {
      all.push_back(array_to_write(call, arrays[k], ordinal(size_t(k), size_t(n_arrays), "array"), nodes));
      if (its.has_names) add_name(all, names, size_t(k), size_t(n_arrays));
    }
    force(nodes);
    for (size_t k = 0; k < all.size(); k++) add_elements(all[k], nodes[k]);
    const auto write = [&] { its.write(path, all); };
    if (nodes.empty()) return write();
    const Context& context = wf::context_of(*nodes[0]);
    on_all_processes(context, [&] {
      if (context.rank() == 0) write();  // for all
      if (context.communicator) context.communicator->agree();
    });
  });
}

int32_t wf_array_names(const char* path, char* buffer, int64_t capacity, int64_t* needed) {
  return guarded("wf_array_names", [&](Call&) {
    require(path, "path");
    std::string text;
    for (const std::string& name : npz_names(path)) text.append(name).append("\n");
    give_text(text, buffer, capacity, needed);
  });
}
