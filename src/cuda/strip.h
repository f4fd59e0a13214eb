// A pack of a neighbourhood map's elements, computed row by row from the top of a strip to its bottom.
//
// Rows of elements below each other read nearly the same rows of the inputs, and share sums of them. So each term is computed as soon as the
// last row that it reads is loaded, for the element of a row above that one, and kept until the later rows need it. Equal terms of different rows
// become one term of different ages: nothing is loaded or computed twice, and a sum over rows is kept as its partial sums. This is the retiming of
// systolic circuits (Leiserson and Saxe, 1983).
#pragma once

#include <optional>
#include <vector>

#include "expr/indices/pack.h"

namespace wf::cuda {

struct Strip {
  // From a column, the newest row y and the kept values to the results of the elements of row y - lag, and the kept values for row y + 1.
  // The reads that depend on the row have known planes.
  FnRef step;
  int64_t lag;
  int64_t depth;  // the first `depth` steps of a strip only fill the kept values
};

// The strip of a function from a column and a row to results, if it reads at planes alone.
std::optional<Strip> strip_of(const Fn& pack);

}  // namespace wf::cuda
