// Discrete Fourier transforms by Eigen's mixed radices. A length with a large prime factor is a convolution (Bluestein, "A linear
// filtering approach to the computation of discrete Fourier transform", 1970), so the work is n log n for every length.
#pragma once

#include "lazy/linear/routine.h"

namespace wf::cpu {

// out: the transforms of the routine's sequences, as pairs of numbers. Transforms share the cores; one transform has one thread.
template <class T> void transform(const LinearRoutine& routine, const T* a, T* out);

}  // namespace wf::cpu
