// Random programs, engine against oracle. On a failure RapidCheck prints the smallest program that it found and the setting that
// runs it again (RC_PARAMS="reproduce=..."). The programs are the same in every run; RC_PARAMS="seed=N max_success=1000" runs
// others, ten times as many. max_success=1 suits an engine that compiles each new kernel: it runs a hundredth of the small
// programs, which still have every step. WARPFOLD_TEST_THREADS=4 runs four programs at a time, each on a thread of its own.
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "check.h"
#include "properties/program.h"

namespace rc {

template <> struct Arbitrary<properties::Step> {
  static Gen<properties::Step> arbitrary() {
    using properties::Step;
    return gen::build<Step>(gen::set(&Step::action, gen::resize(100, gen::arbitrary<uint8_t>())),
                            gen::set(&Step::first, gen::resize(100, gen::arbitrary<uint8_t>())),
                            gen::set(&Step::second, gen::resize(100, gen::arbitrary<uint8_t>())),
                            gen::set(&Step::size, gen::inRange<uint8_t>(0, 50)),
                            gen::set(&Step::seed, gen::resize(100, gen::arbitrary<uint32_t>())));
  }
};

}  // namespace rc

namespace properties {

void showValue(const Step& step, std::ostream& out) {
  out << "{" << int(step.action) << ", " << int(step.first) << ", " << int(step.second) << ", " << int(step.size) << ", " << step.seed
      << "}";
}

constexpr int few_levels = 12;

namespace {

// One random program and its outcome.
struct Case {
  std::array<int64_t, 3> lengths;
  std::vector<Step> steps;
  std::string wrong;
  int runs = 0, with_errors = 0;

  void run(int levels, bool is_traced) {
    for (const int64_t n : lengths) {
      Program program(n, levels, is_traced);
      wrong = program.run(steps);
      runs++, with_errors += program.errors() > 0;
      if (!wrong.empty()) wrong = "n = " + std::to_string(n) + "\n" + wrong;
      if (!wrong.empty()) return;
    }
  }
};

// Programs of up to `most` steps over sequences of a length among `lengths`, with stacks of up to `levels` scans and filters, and at
// least one stack if `levels` is large. Each program runs three times, since plans are cached: over another length in between, and
// over the same length again.
bool hold(const std::string& what, int most, const std::vector<int64_t>& lengths, int programs, int levels = few_levels,
          bool is_traced = false) {
  setenv("RC_PARAMS", "seed=15210", 0);
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = std::max(1, params.maxSuccess * programs / 100);
  rc::detail::TestMetadata metadata{what, what};
  const char* given = std::getenv("WARPFOLD_TEST_THREADS");
  const size_t threads = given ? size_t(std::max(1, std::atoi(given))) : 1;
  int runs = 0, with_errors = 0;
  const auto result = rc::detail::checkTestable(
      [&] {
        std::vector<Case> cases(threads);
        for (Case& one : cases) {
          for (int64_t& n : one.lengths) n = *rc::gen::elementOf(lengths);
          one.lengths[2] = one.lengths[0];
          const auto size = *rc::gen::inRange(1, most + 1);
          one.steps = *rc::gen::container<std::vector<Step>>(size_t(size), rc::gen::arbitrary<Step>());
          if (levels > few_levels) one.steps.insert(one.steps.begin() + 1, Program::stack_on_last(*rc::gen::arbitrary<uint32_t>()));
        }
        {
          std::vector<std::jthread> others;
          for (size_t k = 1; k < threads; k++) others.emplace_back([&, k] { cases[k].run(levels, is_traced); });
          cases[0].run(levels, is_traced);
        }
        for (const Case& one : cases) {
          runs += one.runs, with_errors += one.with_errors;
          if (one.wrong.empty()) continue;
          std::cerr << one.wrong << "\n";  // RapidCheck prints it for the smallest program alone
          RC_FAIL(one.wrong);
        }
      },
      metadata, params);
  std::cerr << what << ": " << with_errors << " of " << runs << " runs have errors\n";
  const bool is_mixed = runs < 3000 || programs < 1000 || (50 * with_errors > runs && 3 * with_errors < runs);  // most programs test values
  if (result.is<rc::detail::SuccessResult>()) return is_mixed;
  rc::detail::printResultMessage(result, std::cerr);
  return false;
}

}  // namespace
}  // namespace properties

using properties::few_levels;
using properties::hold;

TEST(programs_over_small_sequences) { CHECK(hold("small", 20, {0, 1, 2, 63, 64, 65, 100}, 10000)); }
TEST(programs_around_the_size_of_a_block) {
  CHECK(hold("blocks", 16, {127, 128, 129, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097}, 1000));
}
TEST(programs_of_a_hundred_levels) { CHECK(hold("levels", 8, {10, 65, 1000, 5000, 40009}, 40, 120)); }
TEST(programs_over_several_chunks) { CHECK(hold("chunks", 10, {20000, 65536, 65537, 100003}, 40)); }
TEST(traced_programs_over_small_sequences) { CHECK(hold("traced, small", 20, {0, 1, 2, 63, 64, 65, 100}, 2000, few_levels, true)); }
TEST(traced_programs_around_the_size_of_a_block) { CHECK(hold("traced, blocks", 16, {127, 129, 1000, 1025, 4097}, 300, few_levels, true)); }
TEST(traced_programs_of_a_hundred_levels) { CHECK(hold("traced, levels", 8, {10, 65, 5000, 40009}, 20, 120, true)); }
TEST(traced_programs_over_several_chunks) { CHECK(hold("traced, chunks", 10, {65537, 100003}, 20, few_levels, true)); }
TEST(programs_over_a_million) { CHECK(hold("million", 6, {1000007}, 5)); }
