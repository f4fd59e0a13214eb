// What each rank of `mpirun -n 4` does in under_mpi.py: faults of one rank, which are errors on all. faults CASE prints lines "RANK: TEXT".
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "warpfold/warpfold.hpp"

using namespace warpfold;

namespace {

constexpr int64_t n = 10007;

int rank_of_process() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"})
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return 0;
}
const int rank_number = rank_of_process();

void say(const std::string& text) {
  std::printf("%d: %s\n", rank_number, text.c_str());
  std::fflush(stdout);
}

// Prints the error of the work, and the seconds that it took if there were many.
void report(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  std::string text = "no error";
  try {
    work();
  } catch (const std::exception& e) { text = e.what(); }
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
  say(text + (waited.count() > 0.5 ? " after seconds" : ""));
}

Seq<int64_t> computed(int64_t add) {
  std::vector<int64_t> values(n);
  std::iota(values.begin(), values.end(), 0);
  Seq<int64_t> s = map([=](auto x) { return x * 3 + add; }, Seq(values));
  force(s);
  return s;
}
int64_t sum(const Seq<int64_t>& s) { return reduce(plus, int64_t(0), s).get(); }

// The ranks are usable afterwards.
void go_on() {
  report([] { say("sum " + std::to_string(sum(computed(1)))); });
}

void index_error() {
  const auto s = computed(0);
  report([&] { force(map([&](auto i) { return s[where(i == 7000 || i == 9000, i + n, i)]; }, iota(n))); });
  report([&] { force(scan_incl(plus, int64_t(0), map([&](auto i) { return s[where(i == 7000 || i == 9000, i + n, i)]; }, iota(n)))); });
  go_on();
}

// Rank 1 lacks memory at each allocation in turn, until the program succeeds.
void memory(const Context& context) {
  const auto s = computed(0);
  const auto expected = [] {
    const ContextScope scope{Context("cpu")};
    return scan_incl(plus, int64_t(0), filter([](auto x) { return x % 2 == 0; }, computed(0))).to_vector();
  }();
  int64_t failures = 0;
  for (int64_t k = 1;; k++) {
    const auto sums = scan_incl(plus, int64_t(0), filter([](auto x) { return x % 2 == 0; }, s));
    if (rank_number == 1) wf_context_fail_allocation(context.raw(), k);
    std::string error;
    std::vector<int64_t> found;
    try {
      found = sums.to_vector();
    } catch (const MemoryError& e) { error = e.what(); }
    if (rank_number == 1) wf_context_fail_allocation(context.raw(), 0);
    if (sums.to_vector() != expected) say("wrong values");
    if (error.empty()) break;
    if (error.find("rank 1: ") == error.npos) say(error);
    failures++;
  }
  say("memory fails on all " + std::to_string(failures > 3 ? 4 : failures));
}

void divergence() {
  const auto s = computed(0);
  const auto square = [](auto x) { return x * x; };
  report([&] { force(rank_number == 3 ? s - int64_t(1) : map(square, s)); });  // other functions
  report([&] { force(s + int64_t(rank_number == 3 ? 8 : 7)); });               // other numbers
  report([&] { rank_number == 0 ? s.to_vector().size() : size_t(sum(s)); });   // elements are read on one rank alone
  go_on();
}

void ended() {
  const auto s = computed(0);
  if (rank_number == 2) std::exit(0);
  report([&] { sum(s); });
  report([&] { sum(s + int64_t(1)); });
}

void missing(int signal) {
  const auto s = computed(0);
  if (rank_number == 1) raise(signal);
  report([&] { sum(s); });
  report([&] { sum(s + int64_t(1)); });
  report([&] { s.to_vector(); });
  std::this_thread::sleep_for(std::chrono::seconds(1));  // others report, too, before mpirun ends all
  std::_Exit(0);
}

// Each rank gives elements of its own, rank 1 none.
void parts_of_ranks(const Context& context) {
  const int64_t own = rank_number == 1 ? 0 : 1000 + rank_number, before[] = {0, 1000, 1000, 2002}, all = 3005;
  std::vector<int32_t> values(static_cast<size_t>(own));
  std::iota(values.begin(), values.end(), int32_t(before[rank_number]));
  const Seq<int32_t> given = from_part(std::span<const int32_t>(values));
  std::vector<int32_t> expected(all);
  std::iota(expected.begin(), expected.end(), 0);
  const Context local("cpu");
  std::string wrong;
  const auto check = [&](bool holds, const char* text) { wrong += holds ? "" : std::string(" ") + text; };
  check(context.rank() == rank_number && context.ranks() == 4, "ranks");
  check(part(given, local).begin == before[rank_number] && part(given, local).elements.to_vector() == values, "part");
  check(given.size() == all && sum(map([](auto x) { return cast<int64_t>(x); }, given)) == all * (all - 1) / 2, "sum");
  // A view whose parts begin elsewhere, of pairs.
  const auto pairs = zip(drop(given, 500), take(map([](auto x) { return x + 1; }, given), all - 500));
  const auto [begin, elements] = part(pairs, local);
  const auto firsts = map([](auto p) { return p.first; }, elements).to_vector(),
             seconds = map([](auto p) { return p.second; }, elements).to_vector();
  for (size_t k = 0; k < firsts.size(); k++) check(firsts[k] == 500 + begin + int64_t(k) && seconds[k] == 1 + begin + int64_t(k), "pairs");
  check(replicate(given).to_vector() == expected, "replicate");
  const auto whole = part(Seq(expected), local);
  check(whole.begin == all * rank_number / 4 && whole.elements.size() == all * (rank_number + 1) / 4 - whole.begin,
        "a part of what all have");
  report([&] { from_part(std::span<const int32_t>(values.data(), rank_number == 2 ? size_t(1) << 61 : values.size())); });
  say("wrong:" + wrong);
}

}  // namespace

int main(int, char** arguments) {
  const std::string name = arguments[1];
  const Context context("mpi");
  const ContextScope scope(context);
  if (name == "index") index_error();
  if (name == "memory") memory(context);
  if (name == "parts") parts_of_ranks(context);
  if (name == "divergence") divergence();
  if (name == "ended") ended();
  if (name == "stop") missing(SIGSTOP);
  if (name == "kill") missing(SIGKILL);
}
