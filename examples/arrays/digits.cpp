// digits PICTURE.png: draws noisy digits, writes them as a picture, reads it, and recognizes them by a network of two layers: layer 1 finds the
// segments of a display that are lit, layer 2 compares them with those of each numeral.
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

using Matrix = Array<float, 2>;

// The outputs x w^T of a layer, for rows x of inputs and rows w of weights.
static Matrix layer(const Matrix& x, const Matrix& w) { return sum(insert_axis(x, 1) * w, 2); }

// Row k is the pixels of segment k of a display of 7 x 5 pixels.
static Matrix segments() {
  const Seq<char> display(std::string(".000.1...21...2.333.4...54...5.666."));
  return array([&](auto k, auto pixel) { return cast<float>(display[pixel] == cast<char>(k + '0')); }, 7, 35);
}
// Row k is the segments of numeral k.
static Matrix numerals() {
  return {{1, 1, 1, 0, 1, 1, 1}, {0, 0, 1, 0, 0, 1, 0}, {1, 0, 1, 1, 1, 0, 1}, {1, 0, 1, 1, 0, 1, 1}, {0, 1, 1, 1, 0, 1, 0},
          {1, 1, 0, 1, 0, 1, 1}, {1, 1, 0, 1, 1, 1, 1}, {1, 0, 1, 0, 0, 1, 0}, {1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 0, 1, 1}};
}

// The numerals 0, 1, ..., 9, 0, 1, ... side by side, with noise: 7 x 5 n bytes.
static Array<uint8_t, 2> drawn(int64_t n) {
  const auto shapes = reshape(layer(numerals(), t(segments())), 10, 7, 5);
  const auto ink = array([&](auto y, auto x) { return shapes(x / 5 % 10, y, x % 5); }, 7, 5 * n);
  return cast<uint8_t>(150 * ink + 100 * reshape(random::uniform<float>(random::Key(7), 35 * n), 7, 5 * n));
}

int main(int argc, char** argv) try {
  if (argc != 2) return std::cerr << "usage: digits PICTURE.png\n", 2;
  const int64_t n = 2000;
  write_png(argv[1], drawn(n));
  const Matrix picture = cast<float>(read_png<2>(argv[1])) / 255;
  const Matrix pixels = reshape(permute(reshape(picture, 7, n, 5), 1, 0, 2), n, 35), masks = segments();
  const Timing timing;
  const Matrix lit = sign(layer(pixels, masks / sum(masks, 1, keep)) - 0.5f);
  const auto found = argmax(layer(lit, 2 * numerals() - 1), 1).force();
  timing.report(static_cast<double>(n), "digits");
  std::cout << found << "\n" << count(found == array([](auto k) { return k % 10; }, n)) << " of " << n << " are right\n";
} catch (const std::exception& error) {
  std::cerr << "digits: " << error.what() << "\n";
  return 2;
}
