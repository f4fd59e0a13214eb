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

#include "warpfold/apply.hpp"
#include "warpfold/context.hpp"
#include "warpfold/error.hpp"
#include "warpfold/expr.hpp"
#include "warpfold/function.hpp"
#include "warpfold/fused.hpp"
#include "warpfold/groups.hpp"
#include "warpfold/import.hpp"
#include "warpfold/indexing.hpp"
#include "warpfold/inner.hpp"
#include "warpfold/loop.hpp"
#include "warpfold/named.hpp"
#include "warpfold/nested.hpp"
#include "warpfold/operations.hpp"
#include "warpfold/ordering.hpp"
#include "warpfold/primitives.hpp"
#include "warpfold/print.hpp"
#include "warpfold/random.hpp"
#include "warpfold/reductions.hpp"
#include "warpfold/scalar.hpp"
#include "warpfold/scattering.hpp"
#include "warpfold/searching.hpp"
#include "warpfold/segments.hpp"
#include "warpfold/seq.hpp"
#include "warpfold/sorting.hpp"
#include "warpfold/statistics.hpp"
#include "warpfold/tuples.hpp"
#include "warpfold/types.hpp"
