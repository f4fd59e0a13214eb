// Guards: an index under a `where` has to be in range only if its branch is chosen.
#pragma once

#include "expr/fn.h"

namespace wf {

// f with every Check's guard narrowed to the conditions of the `where`s around it. In a loop's body the next values are chosen if the loop
// goes on, that is, if its first result holds.
FnRef guard(FnRef f, bool is_loop_body);

// f with the count of each fold replaced by 0 if the fold is not chosen, as under a `where`. Then it makes no step.
FnRef choose_folds(FnRef f);

// For each term: true if its value matters elsewhere than in guards.
std::vector<bool> used_outside_guards(const Fn& f);

// When the results of f are computed, not counting guards. In a loop's body, the first result is computed, and the others in some steps.
enum class Evaluated : uint8_t { Never, Sometimes, Always };
std::vector<Evaluated> evaluated_terms(const Fn& f, bool is_loop_body);

// Returns true if f, or the body of one of its loops, checks an index.
bool has_checks(const Fn& f);

}  // namespace wf
