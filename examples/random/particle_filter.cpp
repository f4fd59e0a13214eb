// particle_filter [PARTICLES [STEPS]]: the position of a point, which moves at random and is observed with errors, estimated by particles (N. Gordon
// and others, 1993). They are resampled by a scan of the weights and a search in it. The model is linear, so Kalman's filter computes the
// exact mean; the program prints how far the estimates are from it.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

constexpr double decay = 0.9, noise = 1.0, error = 0.5;  // x' = decay x + noise z, observed as x' + error z'

// Weights by how well the particles explain the observation, their mean, and a particle for each of n equal parts of the sum of the weights.
static double step(Seq<double>& particles, const random::Key& key, double observed) {
  const int64_t n = particles.size();
  const auto moved = map([](auto x, auto z) { return decay * x + noise * z; }, particles, random::gaussian<double>(key.split(0), n));
  const auto weights = map([=](auto x) { return exp(-0.5 * ((observed - x) / error) * ((observed - x) / error)); }, moved);
  const auto sums = scan_incl(plus, 0.0, weights);
  const auto weighted = reduce(plus, 0.0, map([](auto w, auto x) { return w * x; }, weights, moved));
  force(moved, sums, weighted);
  const Scalar<double> total = nth(sums, n - 1), offset = nth(random::uniform<double>(key.split(1), 1), 0);
  const auto places = tabulate([=](auto i) { return (cast<double>(i) + offset) / double(n) * total; }, n);
  particles = map([=](auto k) { return moved[min(k, n - 1)]; }, lower_bound(sums, places));
  force(particles);
  return weighted / total;
}

int main(int argc, char** argv) try {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 1'000'000, steps = argc > 2 ? std::atoll(argv[2]) : 50;
  if (n < 1 || steps < 1) return std::cerr << "usage: particle_filter [PARTICLES [STEPS]], both at least 1\n", 2;
  const random::Key key(2026), of_truth = key.split(0), of_filter = key.split(1);
  const auto moves = random::gaussian<double>(of_truth.split(0), steps).to_vector();
  const auto errors = random::gaussian<double>(of_truth.split(1), steps).to_vector();
  Seq<double> particles = random::gaussian<double>(of_filter.split(0), n);
  double x = 0, mean = 0, variance = 1, squares = 0;  // the mean and the variance are Kalman's
  const Timing timing;
  for (int64_t t = 0; t < steps; t++) {
    x = decay * x + noise * moves[size_t(t)];
    const double observed = x + error * errors[size_t(t)], predicted = decay * decay * variance + noise * noise;
    const double gain = predicted / (predicted + error * error);
    mean = decay * mean + gain * (observed - decay * mean);
    variance = (1 - gain) * predicted;
    const double estimate = step(particles, of_filter.split(t + 1), observed);
    squares += (estimate - mean) * (estimate - mean);
  }
  timing.report(double(n) * double(steps), "particles");
  std::printf("distance from Kalman's filter %.6f, deviation of the position %.6f\n", std::sqrt(squares / double(steps)),
              std::sqrt(variance));
} catch (const Error& error) {
  std::cerr << "particle_filter: " << error.what() << "\n";
  return 2;
}
