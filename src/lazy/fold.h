// Fold start values other than the identity.
#pragma once

#include "lazy/check.h"

namespace wf {

// The identity of a fold, and the function that combines the start once with a result of it.
struct FoldStart {
  Few<Bits64> identity;
  Closure combined;
  NodeRef of(const NodeRef& result) const { return map(combined, {&result, 1}); }
  ScanResult of(const ScanResult& results) const { return {of(results.prefixes), of(results.total)}; }
};

// Nothing if `start` takes part in the fold: it is neutral, or changes nothing when it is combined again, or the function's identity is not
// known.
std::optional<FoldStart> fold_start(const FnRef& combine, std::span<const Bits64> start);

// neutral_start of each column.
Few<Bits64> neutral_starts(const Fn& combine, std::span<const Bits64> identity);

}  // namespace wf
