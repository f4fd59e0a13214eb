// Guards: an index under a `where` must be in range only where its branch is chosen.
#pragma once

#include "expr/fn.h"

namespace wf {

// f with every Check's guard narrowed to those conditions of `where`s around it under which its element is chosen. In a
// loop's body the next values are chosen where the loop goes on, that is, where its first result holds.
FnRef guard(FnRef f, bool is_loop_body);

// The terms whose value matters elsewhere than in guards.
std::vector<bool> used_outside_guards(const Fn& f);

// Returns true if f, or the body of one of its loops, checks an index.
bool has_checks(const Fn& f);

}  // namespace wf
