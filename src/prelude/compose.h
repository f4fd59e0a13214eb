// The notation of the prelude: maps by functions in the written form, and reductions along axes.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "lazy/node.h"

namespace wf::prelude {

// Element by element, the function of this text, in which T is the type. Inputs are repeated to the shape of the first one.
NodeRef mapped(std::string_view text, Type type, std::initializer_list<NodeRef> inputs);
NodeRef as_type(Type type, const NodeRef& s);
// One value, of rank 0.
NodeRef number(const NodeRef& like, Type type, double value);

// The floats of an array: f32 if its elements are, else f64. Throws TypeError unless it has one column of numbers.
Type float_of(const NodeRef& a);
// A number that is an integer.
int64_t integer(double number, const char* what);
Type type_of(double number);

// The axes of a reduction, and whether they stay, with extent 1.
struct Axes {
  Axes(const NodeRef& a, std::span<const double> numbers, bool keep);
  Axes kept() const { return Axes(axes, true); }
  // All elements along the axes combined by op.
  NodeRef reduce(Op op, const NodeRef& a) const;
  // The number of them, an i64 of rank 0.
  NodeRef count(const NodeRef& a) const;
  // a without the axes, whose extents are 1; a itself if they stay.
  NodeRef dropped(const NodeRef& a) const;

  std::vector<int32_t> axes;
  bool keep;

 private:
  Axes(std::vector<int32_t> axes, bool keep) : axes(std::move(axes)), keep(keep) {}
};

}  // namespace wf::prelude
