// Arguments that functions of several files of the C API have in common.
#pragma once

#include "checks/guard.h"

namespace wf::capi {

// Runs the filters whose lengths this call has to compare. Sequences over the result of one filter have equal lengths, so that
// they need no run.
void settle_lengths(std::span<const NodeRef> nodes);
// A sequence whose length must be known: runs the filter that decides it, if any.
NodeRef measured(Call& call, const wf_seq* s, const char* argument = "s");
// The value of an argument that is a truth.
bool flag(int32_t value, const char* argument);
// The identity that `text` states; without a text, f's identity in the table of operations.
Few<Bits64> identity_of(const Fn& f, const char* text, const std::vector<Type>& types);

}  // namespace wf::capi
