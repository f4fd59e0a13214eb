// SLEEF's vector functions (libsleef-dev), of the accuracy that the library's own ones have, on all threads.
#pragma once

#include <cstdint>
#include <string_view>

namespace bench {

// out[i] = f(x[i]), or f(x[i], y[i]).
template <class T> using VectorFunction = void (*)(const T* x, const T* y, T* out, int64_t n);

// Null if the program was built without SLEEF, or SLEEF has no such function.
VectorFunction<float> sleef_f32(std::string_view name);
VectorFunction<double> sleef_f64(std::string_view name);

}  // namespace bench
