// n_body [BODIES [STEPS]]: bodies that attract each other, each by each. Prints the energy before and after, which should stay nearly the same.
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

static constexpr float softening = 0.01f, time_step = 1e-3f;

struct Bodies {
  std::array<Seq<float>, 3> x, v;  // places and velocities
  float mass;                      // of each
};

// One over the distance between bodies i and j, softened; and the vector from i to j.
template <class I, class J> static auto between(const Bodies& b, const I& i, const J& j) {
  auto dx = b.x[0][j] - b.x[0][i], dy = b.x[1][j] - b.x[1][i], dz = b.x[2][j] - b.x[2][i];
  return std::tuple(rsqrt(dx * dx + dy * dy + dz * dz + softening), dx, dy, dz);
}

// The acceleration of each body: a sum over all bodies.
static auto accelerations(const Bodies& b) {
  const int64_t n = b.x[0].size();
  auto add = [](auto a, auto c) { return std::array{a[0] + c[0], a[1] + c[1], a[2] + c[2]}; };
  auto of_body = [&](auto i) {
    auto pull = [&](auto j) {
      auto [inverse, dx, dy, dz] = between(b, i, j);
      auto weight = b.mass * inverse * inverse * inverse;
      return std::array{dx * weight, dy * weight, dz * weight};
    };
    return reduce(add, {}, tabulate(pull, n));
  };
  return unzip(tabulate(of_body, n));
}

static Bodies after_step(const Bodies& b) {
  auto forward = [](auto s, auto change) { return s + change * time_step; };
  const auto [ax, ay, az] = accelerations(b);
  Bodies next{{}, {map(forward, b.v[0], ax), map(forward, b.v[1], ay), map(forward, b.v[2], az)}, b.mass};
  for (size_t d = 0; d < 3; d++) next.x[d] = map(forward, b.x[d], next.v[d]);
  force(next.x, next.v);
  return next;
}

static double energy(const Bodies& b) {
  const int64_t n = b.x[0].size();
  auto of_body = [&](auto i) { return sum(tabulate([&](auto j) { return where(j == i, 0, std::get<0>(between(b, i, j))); }, n)); };
  auto motion = map([](auto x, auto y, auto z) { return x * x + y * y + z * z; }, b.v[0], b.v[1], b.v[2]);
  return (b.mass * sum(motion).get() - b.mass * b.mass * sum(tabulate(of_body, n)).get()) / 2;
}

int main(int argc, char** argv) try {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 4096, steps = argc > 2 ? std::atoll(argv[2]) : 10;
  if (n < 1 || steps < 0) return std::cerr << "usage: n_body [BODIES [STEPS]]\n", 2;
  auto place = [&](float factor) { return tabulate([=](auto i) { return sin(cast<float>(i) * factor); }, n); };
  const auto at_rest = fill(0.0f, n);
  Bodies bodies{{place(1), place(1.7f), place(2.3f)}, {at_rest, at_rest, at_rest}, 1 / static_cast<float>(n)};
  const double before = energy(bodies);
  const Timing timing;
  for (int64_t k = 0; k < steps; k++) bodies = after_step(bodies);
  timing.report(static_cast<double>(n) * static_cast<double>(n * steps), "pairs");
  std::cout << "energy " << before << ", then " << energy(bodies) << "\n";
} catch (const Error& error) {
  std::cerr << "n_body: " << error.what() << "\n";
  return 2;
}
