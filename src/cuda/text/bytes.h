// Sums of bytes under min and max, computed four elements to a word (skeletons/bytes.cuh): for texts, where a byte is read so fast
// that instructions bind. Each byte of a word holds a term's value modulo 256, which is all that sums, differences, choices and
// truths need of their operands; what is compared must be what its byte says, and what is scanned must lie in -128 .. 127.
#pragma once

#include "cuda/form.h"

namespace wf::cuda {

// Terms that the result needs; not what index an element is read at, which is the kernel's own.
std::vector<bool> computed_for(const Fn& fn, Id result);

// By the law, with prefixes of four bytes, and nothing else in the kernel.
bool fits_bytes(const Kernel& kernel, const Form& form);

}  // namespace wf::cuda
