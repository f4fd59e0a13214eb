// The peers that warpfold is compared with, each at its best: compiled with -O3 for the processor it runs on, with contraction and
// vectorised reductions allowed. Inputs and outputs use huge pages.
//
//   loop      plain loops, one thread, one loop for the whole work
//   threads   the same loops on all cores
//   standard  the parallel algorithms of C++17, std::execution::par on oneTBB, fused if possible
//   eigen     one Eigen expression, on one thread and on all cores
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace bench {

using Ints = std::span<const int32_t>;
using Floats = std::span<const float>;
using Bytes = std::span<const uint8_t>;

struct Moments {
  double sum, squares;
  float least, greatest;
};
struct Largest {
  float value;
  int64_t index;  // of the first of several; -1: there are no elements
};
using Counts = std::array<int64_t, 8>;  // of the elements 0 to 7

// The sum and the lowest prefix sum, which decide if parentheses match.
struct Depth {
  int32_t total, lowest;
  bool matched() const { return total == 0 && lowest >= 0; }
};

namespace loop {
Depth depth(Ints s);
Depth depth(Bytes text);
float sum(Floats s);
std::vector<float> map(Floats s);         // x * 1.0001 + 0.5
float map_sum(Floats s, int maps);        // maps times x * 1.0001 + 0.5, then the sum
void exp_chain(Floats s, float* out);     // exp(-x * x) * tanh(x)
int32_t scan(Ints s, int32_t* prefixes);  // inclusive
float scan(Floats s, float* prefixes);
uint32_t prefix_square_sum(Ints s);     // of the squares of inclusive prefixes, modulo 2^32
float largest_sum(Floats s);            // of a contiguous subsequence; 0 of an empty one
int64_t filter(Ints s, int32_t* kept);  // keeps the even ones and returns their number; kept has space for s.size() + 1
uint32_t filter_map_sum(Ints s);        // of the even ones: the sum of 3 x + 1, modulo 2^32
}  // namespace loop

namespace threads {
Depth depth(Ints s);
Depth depth(Bytes text);
float sum(Floats s);
float map_sum(Floats s, int maps);
float polynomial_sum(Floats s);  // of degree 8: 1 + x / 2 + x^2 / 3 + ... + x^8 / 9
Moments moments(Floats s);
Largest largest(Floats s);
Counts counts(Bytes s);
float largest_sum(Floats s);  // as loop's
void gather(Floats s, Ints indices, float* out);
// The steps until z = z^2 + c leaves the circle of radius 2, at most 255, for each pixel of a picture of this width, in rows.
void mandelbrot(int64_t width, std::span<int32_t> steps);
void exp_chain(Floats s, float* out);
void scan(Ints s, int32_t* prefixes);
void scan(Floats s, float* prefixes);
int64_t filter(Ints s, int32_t* kept);
uint32_t filter_map_sum(Ints s);
}  // namespace threads

namespace standard {
Depth depth(Ints s, int32_t* prefixes);             // inclusive_scan, then reduce(min)
Depth depth_sequential(Ints s, int32_t* prefixes);  // the same without a policy
Depth depth(Bytes text, int32_t* prefixes);         // transform_inclusive_scan, then reduce(min)
float map_sum(Floats s, int maps);                  // transform_reduce
void exp_chain(Floats s, float* out);               // transform
void scan(Ints s, int32_t* prefixes);               // inclusive_scan
void scan(Floats s, float* prefixes);
int32_t sum(Ints s);  // reduce, modulo 2^32
float sum(Floats s);
uint32_t prefix_square_sum(Ints s, int32_t* prefixes);  // inclusive_scan, then transform_reduce
int64_t filter(Ints s, int32_t* kept);                  // copy_if
uint32_t filter_map_sum(Ints s);                        // transform_reduce of 0 or 3 x + 1
}  // namespace standard

namespace eigen {
float map8_sum(Floats s);
float map8_sum_threads(Floats s);
void exp_chain(Floats s, float* out);
void exp_chain_threads(Floats s, float* out);
}  // namespace eigen

}  // namespace bench
