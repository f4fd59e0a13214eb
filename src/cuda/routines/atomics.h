// Atomic operations of scatters as text (skeletons/scatter.cuh).
#pragma once

#include <string>

#include "ops/ops.h"

namespace wf::cuda {

// Bools per element from which most stores find their value there (bench/results/programs.md).
constexpr int64_t fewest_per_looked_at = 4;

// combine(at, x): the element becomes op of itself and x.
std::string combine_text(Op op, Type type);
// combine_out(at, x): the same in global memory.
std::string combine_out_text(Op op, Type type);
// combine_out(at, x) of bools that looks at the element before it stores. Loads are faster than stores, so this saves time if most elements have
// their value already. op: `or` or `and`.
std::string combine_looking_text(Op op);
inline bool may_look(Op op, Type type) { return type == Type::Bool && (op == Op::or_ || op == Op::and_); }
// may_look, and `last`: the value that bools do not lose.
std::string looks_text(Op op, Type type);

}  // namespace wf::cuda
