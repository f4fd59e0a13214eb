// Discrete Fourier transforms. A complex array has a last axis of 2 elements: real and imaginary parts.
#pragma once

#include "lazy/linear/matrix.h"

namespace wf {

// The transforms along the axis before the last: y[k] is the sum of exp(-+ 2 pi i j k / n) x[j], without a factor. op: Fourier or InverseFourier.
NodeRef fourier(LinearRoutine::Op op, const NodeRef& s);

// Of `axes` axes before the last. The inverse divides by the number of elements. The real ones take or make real arrays: of the last of these axes,
// n/2 + 1 of n elements are stored, and the others follow by symmetry. is_odd: the real result has an odd number of elements there.
NodeRef fft(const NodeRef& s, int axes);
NodeRef inverse_fft(const NodeRef& s, int axes);
NodeRef real_fft(const NodeRef& s, int axes);
NodeRef inverse_real_fft(const NodeRef& s, int axes, bool is_odd);

}  // namespace wf
