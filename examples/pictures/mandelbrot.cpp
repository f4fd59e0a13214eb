// mandelbrot FILE.png [WIDTH HEIGHT]: the Mandelbrot set. The colour is the number of steps until z = z^2 + c leaves the circle of radius 2.
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

static constexpr int most_steps = 255;

// The number of steps until z leaves the circle, or most_steps. Each element has its own number of iterations.
template <class Real> static auto escape(Real c_re, Real c_im) {
  auto [re, im, steps] = loop(
      std::tuple(0.0f, 0.0f, 0), [](auto re, auto im, auto steps) { return re * re + im * im < 4 && steps < most_steps; },
      [&](auto re, auto im, auto steps) { return std::tuple(re * re - im * im + c_re, 2 * re * im + c_im, steps + 1); });
  return steps;
}

// height x width x 3
static Array<uint8_t, 3> mandelbrot(int64_t width, int64_t height) {
  const float scale = 3.0f / static_cast<float>(width);
  const auto steps = array(
      [=](auto y, auto x) { return escape(cast<float>(x) * scale - 2.25f, (cast<float>(y) - 0.5f * static_cast<float>(height)) * scale); },
      height, width);
  const auto level = where(steps == most_steps, 0, steps).force();
  return cast<uint8_t>(min(insert_axis(level, 2) * Array{9, 4, 1}, 255));
}

int main(int argc, char** argv) try {
  const int64_t width = argc > 2 ? std::atoll(argv[2]) : 1200, height = argc > 3 ? std::atoll(argv[3]) : 800;
  if (argc < 2 || width < 1 || height < 1) return std::cerr << "usage: mandelbrot FILE.png [WIDTH HEIGHT]\n", 2;
  const Timing timing;
  const auto pixels = mandelbrot(width, height).force();
  timing.report(static_cast<double>(width * height), "pixels");
  write_png(argv[1], pixels);
} catch (const std::exception& error) {
  std::cerr << "mandelbrot: " << error.what() << "\n";
  return 2;
}
