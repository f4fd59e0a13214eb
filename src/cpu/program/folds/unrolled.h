// Short folds as the operations of each of their positions, so that native code keeps their values in registers and reads the elements of
// neighbouring rows as vectors: the largest of each 16 neighbours, or the nearest of 16 points.
#pragma once

#include <memory>
#include <span>

#include "cpu/program/folds/fold_code.h"

namespace wf::cpu {

// f with the values of those folds that are short and that no loop over rows in memory folds faster, or null if there are none. codes: of those
// of f's folds that are computed, which are f's `terms`. Positions are combined in the order in which the other ways combine them, so the bits are the same.
FnRef unroll_short_folds(const Fn& f, std::span<const std::shared_ptr<const FoldCode>> codes, std::span<const Id> terms);

}  // namespace wf::cpu
