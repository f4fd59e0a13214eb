#include "prelude/compose.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "expr/lift.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"
#include "lazy/arrays/view.h"
#include "lazy/check.h"

namespace wf::prelude {
namespace {

// The text with the type's name for each word T.
std::string with_type(std::string_view text, Type type) {
  std::string out;
  for (size_t k = 0; k < text.size(); k++) {
    const bool is_word = text[k] == 'T' && (text[k - 1] == ' ' || text[k - 1] == ':');
    out += is_word ? name(type) : text.substr(k, 1);
  }
  return out;
}

NodeRef repeated(const NodeRef& s, const NodeRef& like) {
  return s->rank() == like->rank() && (s->rank() == 1 ? s->length() == like->length() : s->shape() == like->shape())
             ? s
             : broadcast(s, like->shape().extents());
}

}  // namespace

NodeRef mapped(std::string_view text, Type type, std::initializer_list<NodeRef> inputs) {
  std::vector<NodeRef> all;
  for (const NodeRef& s : inputs) all.push_back(repeated(s, *inputs.begin()));
  const Lifted f = parse_cached(with_type(text, type), {});
  return map({f.fn, {}, f.arguments}, all);
}

NodeRef as_type(Type type, const NodeRef& s) {
  return s->types()[0] == type ? s : mapped("(fn ((x " + std::string(name(s->types()[0])) + ")) (cast T x))", type, {s});
}

NodeRef number(const NodeRef& like, Type type, double value) {
  return constant(like->context(), type, type == Type::F32 ? to_bits(float(value)) : to_bits(value));
}

Type float_of(const NodeRef& a) {
  if (a->types().size() != 1) throw TypeError("the array has columns " + list(a->types()) + "; expected one column");
  return a->types()[0] == Type::F32 ? Type::F32 : Type::F64;
}

int64_t integer(double number, const char* what) {
  if (!(std::abs(number) <= INT32_MAX) || std::trunc(number) != number)
    throw ArgumentError(std::string(what) + " is " + std::to_string(number) + "; expected an integer below 2^31");
  return int64_t(number);
}

Type type_of(double number) {
  const int64_t code = integer(number, "type");
  if (code < 0 || code > int64_t(Type::F64)) throw ArgumentError("type is " + std::to_string(code) + "; expected the code of a type");
  return Type(code);
}

Axes::Axes(const NodeRef& a, std::span<const double> numbers, bool keep) : keep(keep) {
  for (double k : numbers) axes.push_back(axis_of(*a, int32_t(integer(k, "axis"))));
}

NodeRef Axes::reduce(Op op, const NodeRef& a) const {
  const Type type = a->types()[0];
  const Closure f{op_fn(op, type), {}, {}};
  const Bits64 identity = *identity_bits(op, type);
  if (a->rank() != 1 || axes.empty()) return reduce_axes(f, {identity}, a, axes, keep);
  const NodeRef all = wf::reduce(f, {identity}, a);
  return keep ? reshape(all, std::array<int64_t, 1>{1}) : all;
}

NodeRef Axes::count(const NodeRef& a) const {
  if (a->rank() == 1 && !axes.empty()) return length(a);
  int64_t n = 1;
  for (int32_t k : axes) n *= a->shape().extents()[size_t(k)];
  return constant(a->context(), Type::I64, to_bits(n));
}

NodeRef Axes::dropped(const NodeRef& a) const {
  if (keep) return a;
  const Shape shape = a->shape();
  std::vector<int64_t> extents;
  for (int32_t k = 0; k < a->rank(); k++)
    if (std::ranges::find(axes, k) == axes.end()) extents.push_back(shape.extents()[size_t(k)]);
  return reshape(a, extents);
}

}  // namespace wf::prelude
