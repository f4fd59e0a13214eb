// A reduction that selects an element (cpu/reductions/selection.h) as one native function: the selected element stays in registers.
#pragma once

#include "cpu/native/group.h"

namespace wf::cpu::native {

// A program whose parameters are the index and the m columns of the selected element, and whose results are: may element i replace it, a cheap
// test that is true wherever the next one is; does it replace it; the m columns of element i.
bool covers_search(const BlockProgram::Impl& program, Isa isa);

// Adds a function that examines `count` elements, a multiple of `tile`, in order. Memory::lanes: Examined, then each column of the selected
// element, which it replaces.
void add_search(ModuleText& module, const std::string& name, const BlockProgram::Impl& program);

struct Examined {
  int64_t elements;
  int64_t replaced;  // the number of elements that have replaced the selected one; the function ends when this is most_replaced
};
constexpr int64_t most_replaced = 16;

}  // namespace wf::cpu::native
