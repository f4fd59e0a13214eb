// n_body [BODIES [STEPS]]: bodies that attract each other, each by each. Prints the energy before and after, which should stay nearly the same.
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

static constexpr float softening = 0.01f, time_step = 1e-3f;

struct Bodies {
  Seq<float> x, y, z, vx, vy, vz;
  float mass;  // of each
};

// The acceleration of each body: a sum over all bodies.
static auto accelerations(const Bodies& b) {
  const int64_t n = b.x.size();
  return unzip(tabulate(
      [&](auto i) {
        auto pull = [&](auto j) {
          auto dx = b.x[j] - b.x[i], dy = b.y[j] - b.y[i], dz = b.z[j] - b.z[i];
          auto inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening), weight = b.mass * inverse * inverse * inverse;
          return std::tuple(dx * weight, dy * weight, dz * weight);
        };
        auto add = [](auto a, auto c) {
          return std::tuple(std::get<0>(a) + std::get<0>(c), std::get<1>(a) + std::get<1>(c), std::get<2>(a) + std::get<2>(c));
        };
        return reduce(add, {0, 0, 0}, tabulate(pull, n));
      },
      n));
}

static Bodies after_step(const Bodies& b) {
  auto [ax, ay, az] = accelerations(b);
  auto forward = [](auto s, auto velocity) { return s + velocity * time_step; };
  Bodies next{{}, {}, {}, map(forward, b.vx, ax), map(forward, b.vy, ay), map(forward, b.vz, az), b.mass};
  next.x = map(forward, b.x, next.vx), next.y = map(forward, b.y, next.vy), next.z = map(forward, b.z, next.vz);
  force(next.x, next.y, next.z, next.vx, next.vy, next.vz);
  return next;
}

static double energy(const Bodies& b) {
  const int64_t n = b.x.size();
  auto potential = tabulate(
      [&](auto i) {
        return sum(tabulate(
            [&](auto j) {
              auto dx = b.x[j] - b.x[i], dy = b.y[j] - b.y[i], dz = b.z[j] - b.z[i];
              return where(j == i, 0, rsqrt(dx * dx + dy * dy + dz * dz + softening));
            },
            n));
      },
      n);
  auto motion = map([](auto x, auto y, auto z) { return x * x + y * y + z * z; }, b.vx, b.vy, b.vz);
  return (b.mass * sum(motion).get() - b.mass * b.mass * sum(potential).get()) / 2;
}

int main(int argc, char** argv) try {
  const int64_t n = argc > 1 ? std::atoll(argv[1]) : 4096, steps = argc > 2 ? std::atoll(argv[2]) : 10;
  if (n < 1 || steps < 0) return std::cerr << "usage: n_body [BODIES [STEPS]]\n", 2;
  auto place = [&](float factor) { return tabulate([=](auto i) { return sin(cast<float>(i) * factor); }, n); };
  const auto at_rest = tabulate([](auto) { return 0.0f; }, n);
  Bodies bodies{place(1), place(1.7f), place(2.3f), at_rest, at_rest, at_rest, 1 / static_cast<float>(n)};
  const double before = energy(bodies);
  const Timing timing;
  for (int64_t k = 0; k < steps; k++) bodies = after_step(bodies);
  timing.report(static_cast<double>(n) * static_cast<double>(n * steps), "pairs");
  std::cout << "energy " << before << ", then " << energy(bodies) << "\n";
} catch (const Error& error) {
  std::cerr << "n_body: " << error.what() << "\n";
  return 2;
}
