// The parts that the functions of this folder share: extents of matrices, checks, and calls of the routine.
#pragma once

#include <functional>
#include <string>

#include "lazy/arrays/view.h"
#include "lazy/check.h"
#include "lazy/linear/routine.h"

namespace wf {

using ExtentList = std::vector<int64_t>;

// An array as matrices.
struct Matrices {
  NodeRef node;
  ExtentList batches;  // extents before the last two
  int64_t rows, columns;
  int64_t count() const;  // of matrices
};

// Throws unless s, called `argument`, has one column and rank 2 or more. `floats`: of floats.
Matrices matrices(const NodeRef& s, const std::string& argument, bool floats = true);
// The same for one column of any numbers.
Matrices images(const NodeRef& s, const std::string& argument);
Matrices square(const NodeRef& s, const std::string& argument, bool floats = true);

ExtentList extents_of(const NodeRef& s);
// "3 x 4"
std::string shape_text(const NodeRef& s);
// batches, then more
ExtentList joined(const ExtentList& batches, std::initializer_list<int64_t> more);
// NumPy's broadcast of two lists of extents. Throws SizeError, which names both shapes and the axis.
ExtentList common_batches(const NodeRef& a, const ExtentList& left, const NodeRef& b, const ExtentList& right);

// The input that a routine reads for these matrices, and where: a view of memory is read in place if its strides allow.
struct MatrixInput {
  NodeRef node;
  MatrixOperand operand;
};
MatrixInput input_of(const Matrices& m);
// The operand of matrices by rows, one after another.
inline MatrixOperand plain(int64_t rows, int64_t columns) { return {0, rows * columns, columns, 1}; }

// Throws TypeError unless a and b have equal types, and SizeError unless axis_a of a and axis_b of b, with these extents, are equal.
void require_fit(const NodeRef& a, int axis_a, int64_t left, const NodeRef& b, int axis_b, int64_t right);

// The result of the routine, of the given extents.
NodeRef call_linear(const LinearRoutine& routine, std::initializer_list<NodeRef> inputs, std::span<const int64_t> extents);

// r[i_0, ..., row, column] = element(builder, row-major index, row, column) of a matrix for each of `batches`.
using ElementOf = std::function<Id(Builder& b, Id index, Id row, Id column)>;
FnRef function_of_element(const ExtentList& extents, const ElementOf& element);
NodeRef by_element(const NodeRef& like, const ExtentList& extents, std::initializer_list<NodeRef> inputs, uint32_t viewed,
                   const ElementOf& element);

// The matrices with rows and columns exchanged, as a view.
NodeRef transposed(const NodeRef& s);
// Elements above (or below, with upper) the diagonal become 0; unit: those on it 1.
NodeRef triangle(const NodeRef& s, bool upper, bool unit = false);
// The n x n identity matrix for each of `batches`, of one type.
NodeRef identity(const NodeRef& like, const ExtentList& batches, int64_t n);

// The sum over j < count of value(builder, j, free...) within a function.
Id sum_of(Builder& b, Type type, Id count, std::span<const Id> free, const std::function<Id(Builder&, Id, std::span<const Id>)>& value);

}  // namespace wf
