// edges IN.png OUT.png: the edges of a picture: a Gaussian blur of 5 x 5 pixels, and the magnitude of its gradient by Sobel's masks.
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

using Image = Array<float, 2>;

// The sum of weights[k] * a(i, j + k - middle). The pixels at the border continue outside.
template <size_t n> static Image along_rows(const Image& a, const std::array<float, n>& weights) {
  const auto [height, width] = a.shape();
  return array(
      [&](auto i, auto j) {
        Expr<float> sum = 0.0f;
        for (size_t k = 0; k < n; k++) sum += weights[k] * a(i, max(min(j + static_cast<int64_t>(k) - int64_t{n / 2}, width - 1), 0));
        return sum;
      },
      height, width);
}
template <size_t n> static Image along_columns(const Image& a, const std::array<float, n>& weights) { return t(along_rows(t(a), weights)); }

static Image edges(const Image& picture) {
  const std::array bell{1 / 16.0f, 4 / 16.0f, 6 / 16.0f, 4 / 16.0f, 1 / 16.0f};
  const std::array smooth{1.0f, 2.0f, 1.0f}, slope{-1.0f, 0.0f, 1.0f};
  const Image blurred = along_columns(along_rows(picture, bell), bell);
  return hypot(along_columns(along_rows(blurred, slope), smooth), along_columns(along_rows(blurred, smooth), slope));
}

int main(int argc, char** argv) try {
  if (argc != 3) return std::cerr << "usage: edges IN.png OUT.png (gray pictures)\n", 2;
  const Image picture = cast<float>(read_png<2>(argv[1])).force();
  const Timing timing;
  const auto strength = cast<uint8_t>(min(round(edges(picture)), 255)).force();
  timing.report(static_cast<double>(picture.size()), "pixels");
  write_png(argv[2], strength);
} catch (const std::exception& error) {
  std::cerr << "edges: " << error.what() << "\n";
  return 2;
}
