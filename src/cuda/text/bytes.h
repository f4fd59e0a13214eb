// Sums of bytes under min and max as SWAR, four elements per word (skeletons/bytes.cuh). Such a reduction over a text is bound by
// instructions, not by bandwidth. Each byte of a word is a term's value modulo 256, which suffices for sums, differences, choices
// and truth values. Operands of comparisons must equal their byte, and scanned values must be in [-128, 127].
#pragma once

#include "cuda/form.h"

namespace wf::cuda {

// Returns the terms that the result needs, without the index terms of loads: those loads read at the kernel's own index.
std::vector<bool> computed_for(const Fn& fn, Id result);

// Returns true if the kernel only reduces prefixes of four-byte integers by the law, and its body can be computed byte by byte.
bool fits_bytes(const Kernel& kernel, const Form& form);

}  // namespace wf::cuda
