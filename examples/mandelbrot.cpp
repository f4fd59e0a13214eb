// mandelbrot [WIDTH HEIGHT] > image.ppm: the Mandelbrot set. The colour is the number of steps until z = z^2 + c leaves the circle of radius 2.
#include <cstdio>
#include <cstdlib>

#include "warpfold/warpfold.hpp"

using namespace warpfold;

static constexpr int most_steps = 255;

struct Pixel {
  uint8_t red, green, blue;
};

// The number of steps until z leaves the circle, or most_steps. Each element has its own number of iterations.
template <class Real> static auto escape(Real c_re, Real c_im) {
  auto [re, im, steps] = loop(
      std::tuple(0.0f, 0.0f, 0), [](auto re, auto im, auto steps) { return re * re + im * im < 4 && steps < most_steps; },
      [&](auto re, auto im, auto steps) { return std::tuple(re * re - im * im + c_re, 2 * re * im + c_im, steps + 1); });
  return steps;
}

static Seq<Pixel> mandelbrot(int64_t width, int64_t height) {
  float scale = 3.0f / static_cast<float>(width);
  auto steps = tabulate(
      [=](auto i) {
        auto x = cast<float>(i % width), y = cast<float>(i / width);
        return escape(x * scale - 2.25f, (y - 0.5f * static_cast<float>(height)) * scale);
      },
      width * height);
  return map(
      [](auto steps) {
        auto level = where(steps == most_steps, 0, steps);
        return Expr<Pixel>(cast<uint8_t>(min(255, level * 9)), cast<uint8_t>(min(255, level * 4)), cast<uint8_t>(level));
      },
      steps);
}

int main(int argc, char** argv) try {
  int64_t width = argc > 1 ? std::atoll(argv[1]) : 1200, height = argc > 2 ? std::atoll(argv[2]) : 800;
  if (width < 1 || height < 1) return std::fprintf(stderr, "usage: mandelbrot [WIDTH HEIGHT] > image.ppm\n"), 2;
  auto pixels = mandelbrot(width, height).to_vector();
  std::printf("P6\n%lld %lld\n255\n", static_cast<long long>(width), static_cast<long long>(height));
  std::fwrite(pixels.data(), sizeof(Pixel), pixels.size(), stdout);
} catch (const Error& error) {
  std::fprintf(stderr, "mandelbrot: %s\n", error.what());
  return 2;
}
