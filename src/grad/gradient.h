// Gradients of sequences: definitions in, definitions out.
//
// The pass follows the definitions of the values back to the variables, in reverse topological order, and makes ordinary nodes: they fuse with
// the values, are computed when they are asked for, and can be differentiated again. Nothing runs, except that a filter runs whose length a
// rule needs. Rules (docs/gradients.md states the values at corners):
//   functions     src/expr/derivative; a fold becomes a sequence of its values and a reduction of rows (lift.h)
//   reads         transposed by their index: see reads.h
//   reductions    add: broadcast; min and max: to the first element that is the result; mul: by the product of the others; any other: by exclusive
//                 prefixes and suffixes
//   scans         add: a scan from the end; any other: a scan from the end of pairs (matrix, cotangent), q[i] = ybar[i] + J(i)T q[i + 1]
//   filters, scatters, sorts, iterations, linear algebra: the files of these names
// The rules for reductions and scans are those of Schenck and others, AD for an array language with nested parallelism (SC 2022).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "lazy/node.h"

namespace wf {

// The length of a sequence; runs the filter that decides it.
using Measure = std::function<int64_t(const NodeRef& s)>;

// The elements of s, tracked: gradients with respect to the result can be taken of all that is made from it.
NodeRef variable(const NodeRef& s);

// The elements of value, which is a function of x, with the gradients xbar of x. They are made of x and of the parameters y and ybar, which are like
// the value: y is the value's place in them, and ybar that of its cotangent. The value is a constant otherwise.
NodeRef with_derivative(const NodeRef& value, const NodeRef& y, const NodeRef& ybar, std::span<const NodeRef> x,
                        std::span<const NodeRef> xbar);
// The elements of values, which are made from x. Their gradient computes what is between them again, when it is needed, so that it is not kept. Throws
// ArgumentError for a value that depends on a variable in another way. x have known lengths, and no domains.
std::vector<NodeRef> recomputed(std::span<const NodeRef> values, std::span<const NodeRef> x);

// For each variable, the gradient of the sum of values[k] times seeds[k]: its shape and columns. 0 where values do not depend on it. Seeds have
// the values' shapes; a column of integers is not read. Throws ArgumentError for what is not a variable and a value that was computed
// without history, TypeError for columns that are not floats, NoDerivative.
std::vector<NodeRef> gradient(std::span<const NodeRef> values, std::span<const NodeRef> seeds, std::span<const NodeRef> variables,
                              const Measure& measure);
// For each value, its derivative in the direction in which variables[k] changes by tangents[k]. The transpose of the gradient, which is linear in
// the seeds.
std::vector<NodeRef> tangent(std::span<const NodeRef> values, std::span<const NodeRef> variables, std::span<const NodeRef> tangents,
                             const Measure& measure);

}  // namespace wf
