// Displaced arrays: r[i_0, ...] = s[i_0 - d_0, ...]. The row-major indices of an element in r and in s differ by one number, whatever the rank, so
// that the function of the node is
//
//     where(inside, s[i - (d_0 m_0 + d_1 m_1 + ...)], outside)        m_k: the number of elements of one position of axis k
//
// with one comparison for each axis that moves. Along axis 0 it compares i itself.
#include <algorithm>
#include <array>
#include <functional>

#include "lazy/arrays/arrays.h"
#include "lazy/arrays/view.h"
#include "lazy/check.h"
#include "lazy/inline.h"

namespace wf {
namespace {

// Returns true if no element of s remains in the result: a distance reaches the other border.
bool leaves_nothing(std::span<const int64_t> extents, std::span<const int64_t> distances) {
  for (size_t k = 0; k < extents.size(); k++)
    if (distances[k] <= -extents[k] || distances[k] >= extents[k]) return true;
  return false;
}

// Each distance is less than its extent.
FnRef moved(std::span<const int64_t> extents, std::span<const int64_t> distances, std::span<const Type> types,
            std::span<const Bits64> outside) {
  Builder b;
  const Id i = b.param(Type::I64, "i");
  std::vector<Id> tests;
  int64_t inner = 1, distance = 0;
  for (size_t k = extents.size(); k-- > 0; inner *= extents[k]) {
    if (distances[k] == 0) continue;
    distance += distances[k] * inner;
    Id position = inner == 1 || k == 0 ? i : b.apply(Op::div_, {i, b.constant(inner)});
    if (k > 0) position = b.apply(Op::rem_, {position, b.constant(extents[k])});
    const int64_t unit = k == 0 ? inner : 1;
    tests.push_back(distances[k] > 0 ? b.apply(Op::ge_, {position, b.constant(distances[k] * unit)})
                                     : b.apply(Op::lt_, {position, b.constant((extents[k] + distances[k]) * unit)}));
  }
  Id inside = tests[0];
  for (size_t k = 1; k < tests.size(); k++) inside = b.apply(Op::and_, {inside, tests[k]});
  std::vector<Id> results = read(b, 0, types, b.apply(Op::sub_, {i, b.constant(distance)}));
  for (size_t k = 0; k < results.size(); k++) results[k] = b.apply(Op::where_, {inside, results[k], b.literal(types[k], outside[k])});
  return b.finish(results);
}

FnRef equal_elements(std::span<const Type> types, std::span<const Bits64> values) {
  Builder b;
  b.param(Type::I64, "i");
  std::vector<Id> results;
  for (size_t k = 0; k < types.size(); k++) results.push_back(b.literal(types[k], values[k]));
  return b.finish(results);
}

}  // namespace

NodeRef translate(const NodeRef& s, std::span<const int64_t> distances, std::span<const Bits64> outside) {
  const Shape shape = s->shape();
  const std::span<const int64_t> extents = shape.extents();
  if (distances.size() != extents.size())
    throw SizeError("distances has " + count(distances.size(), "element") + ", but s has " + describe_length(*s) + "; expected " +
                    std::to_string(extents.size()) + ", one per axis");
  if (shape.length() == 0 || std::ranges::count(distances, 0) == int64_t(distances.size())) return s;
  const std::vector<Type>& types = s->types();
  if (leaves_nothing(extents, distances)) return pull(s->context(), {shape, {}}, equal_elements(types, outside), {}, 0);
  static const char place = 0;
  constexpr size_t few = 24;
  const size_t words = 2 + 2 * (extents.size() + types.size());
  std::array<uint64_t, few> in_few;
  std::vector<uint64_t> in_many(words > few ? words : 0);
  uint64_t *const key = in_many.empty() ? in_few.data() : in_many.data(), *next = key;
  *next++ = reinterpret_cast<uintptr_t>(&place);
  *next++ = extents.size();
  for (int64_t extent : extents) *next++ = uint64_t(extent);
  for (int64_t distance : distances) *next++ = uint64_t(distance);
  for (Type type : types) *next++ = uint64_t(type);
  for (Bits64 bits : outside) *next++ = bits;
  const auto make = [&] { return moved(extents, distances, types, outside); };
  FnRef fn = remembered({key, words}, nullptr, std::ref(make));  // a reference, for which std::function needs no memory
  return pull(s->context(), {shape, {}}, std::move(fn), {s}, 1);
}

}  // namespace wf
