// warpfold: lazily fused parallel sequences. This header includes all of the C++ layer, which calls the C API, warpfold.h.
//
//     #include <warpfold/warpfold.hpp>
//     using namespace warpfold;
//
//     bool match_parens(const Seq<int>& s) {                        // +1 for '(', -1 for ')'
//       auto [prefix, last] = scan_incl_total(plus, 0, s);
//       return (last == 0 && reduce(min, 0, prefix) >= 0).get();    // one kernel, one pass over s
//     }
#pragma once

#if __cplusplus < 202002L
#error "warpfold needs C++20: compile with -std=c++20"
#include <warpfold needs -std=c++20>  // no such file: the compiler stops here
#endif

#include "warpfold/arrays/arrays.hpp"
#include "warpfold/cell.hpp"
#include "warpfold/complex.hpp"
#include "warpfold/context.hpp"
#include "warpfold/dlpack.hpp"
#include "warpfold/error.hpp"
#include "warpfold/expressions/apply.hpp"
#include "warpfold/expressions/expr.hpp"
#include "warpfold/expressions/function.hpp"
#include "warpfold/expressions/inner.hpp"
#include "warpfold/expressions/loop.hpp"
#include "warpfold/expressions/named.hpp"
#include "warpfold/expressions/nested.hpp"
#include "warpfold/expressions/operations.hpp"
#include "warpfold/expressions/ordering.hpp"
#include "warpfold/files.hpp"
#include "warpfold/gradient.hpp"
#include "warpfold/import.hpp"
#include "warpfold/jit.hpp"
#include "warpfold/linear.hpp"
#include "warpfold/primitives.hpp"
#include "warpfold/print.hpp"
#include "warpfold/random.hpp"
#include "warpfold/random_matrices.hpp"
#include "warpfold/scalar.hpp"
#include "warpfold/seq.hpp"
#include "warpfold/sequences/fused.hpp"
#include "warpfold/sequences/groups.hpp"
#include "warpfold/sequences/indexing.hpp"
#include "warpfold/sequences/reductions.hpp"
#include "warpfold/sequences/scattering.hpp"
#include "warpfold/sequences/searching.hpp"
#include "warpfold/sequences/segments.hpp"
#include "warpfold/sequences/sorting.hpp"
#include "warpfold/sequences/statistics.hpp"
#include "warpfold/tuples.hpp"
#include "warpfold/types.hpp"
