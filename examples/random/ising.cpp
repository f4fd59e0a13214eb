// ising [SIZE [SWEEPS]]: the magnetization of the Ising model on a square of even size with wrapped edges, at the inverse temperature 0.6. Half of
// the spins, those of one colour of a chess board, do not depend on each other, and are drawn at once from their neighbours (heat bath).
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

constexpr double beta = 0.6;

// New spins where row + column has this parity. A spin is 1 or -1.
static Seq<int32_t> drawn(const Seq<int32_t>& spins, int64_t size, int64_t parity, const random::Key& key) {
  auto spin = [&](auto i) {
    auto row = i / size * size, column = i % size;
    auto up = (row + size * (size - 1)) % (size * size) + column, down = (row + size) % (size * size) + column;
    auto left = row + (column + size - 1) % size, right = row + (column + 1) % size;
    auto field = cast<float>(spins[up] + spins[down] + spins[left] + spins[right]);
    auto chosen = where(random::uniform<float>(key, i) * (1.0f + exp(-2 * beta * field)) < 1.0f, 1, -1);
    return where((i / size + column) % 2 == parity, chosen, spins[i]);
  };
  return tabulate(spin, size * size);
}

int main(int argc, char** argv) try {
  const int64_t size = argc > 1 ? std::atoll(argv[1]) : 1000, sweeps = argc > 2 ? std::atoll(argv[2]) : 100;
  if (size < 2 || size % 2 || sweeps < 1) return std::cerr << "usage: ising [SIZE [SWEEPS]], with an even SIZE\n", 2;
  const random::Key key(2026);
  Seq<int32_t> spins = tabulate([](auto) { return 1; }, size * size);
  const Timing timing;
  for (int64_t t = 0; t < 2 * sweeps; t++) {
    spins = drawn(spins, size, t % 2, key.split(t));
    force(spins);
  }
  timing.report(double(size) * double(size) * double(sweeps), "spins");
  const int64_t sum = reduce(plus, int64_t(0), map([](auto s) { return cast<int64_t>(s); }, spins));
  // L. Onsager, C. N. Yang: (1 - sinh(2 beta)^-4)^(1/8), for an infinite square.
  std::printf("magnetization %.4f, of an infinite square %.4f\n", double(sum) / double(size * size),
              std::pow(1 - std::pow(std::sinh(2 * beta), -4), 0.125));
} catch (const Error& error) {
  std::cerr << "ising: " << error.what() << "\n";
  return 2;
}
