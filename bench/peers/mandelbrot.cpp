// Compiled without contraction: the only multiply-add is that of warpfold's function, so that all pixels are equal.
#include <cmath>

#include <tbb/parallel_for.h>

#include "peers.h"

namespace bench::threads {

namespace {

constexpr int lanes = 16, most_steps = 255;

// Sixteen neighbours in lanes, until all of them have left the circle.
void escape(const float* c_re, float c_im, int32_t* steps) {
  float re[lanes] = {}, im[lanes] = {};
  int32_t count[lanes] = {}, inside = 1;
  for (int step = 0; step < most_steps && inside > 0; ++step) {
    inside = 0;
#pragma omp simd reduction(+ : inside)
    for (int k = 0; k < lanes; ++k) {
      const float re2 = re[k] * re[k], im2 = im[k] * im[k], next = 2 * re[k];
      const int32_t is_inside = re2 + im2 < 4 ? 1 : 0;
      im[k] = is_inside ? next * im[k] + c_im : im[k];
      re[k] = is_inside ? re2 - im2 + c_re[k] : re[k];
      count[k] += is_inside;
      inside += is_inside;
    }
  }
  for (int k = 0; k < lanes; ++k) steps[k] = count[k];
}

}  // namespace

void mandelbrot(int64_t width, std::span<int32_t> steps) {
  const int64_t height = int64_t(steps.size()) / width;
  const float scale = 3.0f / float(width);
  tbb::parallel_for(int64_t(0), height, [&](int64_t y) {
    const float c_im = (float(y) - 0.5f * float(height)) * scale;
    for (int64_t x = 0; x < width; x += lanes) {
      float c_re[lanes];
      for (int k = 0; k < lanes; ++k) c_re[k] = std::fma(float(x + k), scale, -2.25f);
      escape(c_re, c_im, &steps[size_t(y * width + x)]);
    }
  });
}

}  // namespace bench::threads
