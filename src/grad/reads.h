// Transposed reads. If y[i] reads x[index(i)] and c[i] is the contribution of that read, the cotangent of x is
//     xbar[j] = the sum of c[i] over all i with index(i) = j.
// An index that is an affine sum of digits of i is a view of x: then xbar is a view of c, or a guarded view, or a fold over those digits that
// do not determine the element (broadcast axes, windows). An element of row i at a place that depends on data, as that of a label, is found by
// comparing places. Any other is a scatter by add.
#pragma once

#include <optional>

#include "lazy/arrays/view.h"
#include "lazy/node.h"

namespace wf {

// offset + the sum of digit k of i times strides[k], for i in [0, n); the digits count to extents, of which the product is at least n.
struct IndexView {
  View view;
  std::vector<int64_t> extents;
  // The index does not depend on i, or i itself.
  bool is_fixed() const;
  bool is_own() const { return extents.size() == 1 && view.strides[0] == 1 && view.offset == 0; }
};

// The index term, of parameter 0 in [0, n), as a view. n = -1, not known: only an index that is fixed or i itself is one.
std::optional<IndexView> index_view(const Fn& f, Id index, int64_t n);

// C, if the index is i C + k with k in [0, C), so that each i reads an element of its own row of C.
std::optional<int64_t> row_length(const Fn& f, Id index, int64_t n);

// xbar, in the shape of x, which has a known length, from c, one column of n elements.
NodeRef transposed_view(const IndexView& index, const NodeRef& c, const NodeRef& x);

}  // namespace wf
