// equalize IN.png OUT.png: histogram equalization. A grey level becomes the share of the pixels that are not brighter, so that every level is
// about as frequent in the result.
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

static Array<uint8_t, 2> equalized(const Array<uint8_t, 2>& pixels) {
  const auto n = static_cast<double>(pixels.size());
  const auto not_brighter = scan_incl(plus, 0, histogram(pixels.flat(), 256));
  const auto darkest = not_brighter[min(pixels)];
  const auto level = map(
      [&](auto count) {
        auto share = cast<double>(count - darkest) / max(n - cast<double>(darkest), 1.0);
        return cast<uint8_t>(round(max(share, 0.0) * 255));
      },
      not_brighter);
  force(level);
  return map([&](auto pixel) { return level[pixel]; }, pixels);
}

int main(int argc, char** argv) try {
  if (argc != 3) return std::cerr << "usage: equalize IN.png OUT.png (gray pictures)\n", 2;
  const auto picture = read_png<2>(argv[1]);
  const Timing timing;
  const auto pixels = equalized(picture).force();
  timing.report(static_cast<double>(pixels.size()), "pixels");
  write_png(argv[2], pixels);
} catch (const std::exception& error) {
  std::cerr << "equalize: " << error.what() << "\n";
  return 2;
}
