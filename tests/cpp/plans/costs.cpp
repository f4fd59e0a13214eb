// The passes and the memory traffic of ordinary programs, which docs/costs.md states; `test_cpp_plans_costs` prints the rows that differ.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "../common.h"

using namespace warpfold;

namespace {

constexpr int64_t n = 1 << 20, rows = 1 << 10, columns = n / rows;

// "4194 kB" in bytes.
double bytes(const std::string& number, const std::string& unit) {
  const size_t power = std::string("BkMGT").find(unit[0]);
  return std::stod(number) * std::pow(1000, double(power));
}

// "1 | 8": the kernels and calls that a force would run, and the bytes that they read and write for each of n elements.
template <class... S> std::string costs(const S&... s) {
  std::istringstream plan(explain(s...));
  int passes = 0;
  double moved = 0;
  for (std::string line; std::getline(plan, line);) {
    passes += line.starts_with("kernel ") || line.starts_with("call ");
    std::istringstream words(line);
    std::string word, number, unit;
    if (!(words >> word) || word != "moves") continue;
    while (words >> number >> unit >> word) {
      if (number == "at") words >> unit >> word, number = unit, unit = word, words >> word;
      moved += bytes(number, unit);
    }
  }
  char text[32];
  std::snprintf(text, sizeof text, "%d | %.3g", passes, moved / double(n));
  return text;
}

const Seq<int>& ints() {
  static const Seq<int>& all = *new Seq<int>(numbers(n));
  return all;
}
const Array<float, 2>& matrix() {
  static const auto& all = *new Array<float, 2>(reshape(Seq(numbers<float>(n)), rows, columns));
  return all;
}
std::vector<Seq<int>> pieces() {
  constexpr int64_t count = 4096;
  std::vector<Seq<int>> all;
  for (int64_t k = 0; k < count; k++) all.emplace_back(numbers(n / count));
  return all;
}

const auto square = [](auto x) { return x * x; };
const auto positive = [](auto x) { return x > 0; };

using Rows = std::vector<std::pair<std::string, std::string>>;

Rows of_sequences() {
  const Seq<int>& s = ints();
  return {
      {"map(f, s)", costs(map(square, s))},
      {"sum(map(f, s))", costs(sum(map(square, s)))},
      {"scan(plus, 0, map(f, s)).prefixes", costs(scan(plus, 0, map(square, s)).prefixes)},
      {"filter(p, s)", costs(filter(positive, s))},
      {"sum(filter(p, s))", costs(sum(filter(positive, s)))},
      {"rev(s)", costs(rev(s))},
      {"tabulate([=](auto i) { return s[min(i + d, n - 1)] - s[i]; }, n)",
       costs(tabulate([=](auto i) { return s[min(i + 5, n - 1)] - s[i]; }, n))},
      {"find_index(p, s), any(p, s)", costs(find_index(positive, s))},
  };
}

Rows of_pieces() {
  const Seq<int>& s = ints();
  const Seq<int64_t> places({5, 7, 5});
  return {
      {"append(s, s)", costs(append(s, s))},
      {"append(pieces)", costs(append(pieces()))},
      {"sum(append(pieces))", costs(sum(append(pieces())))},
      {"map(f, append(pieces))", costs(map(square, append(pieces())))},
      {"flatten(Segments(pieces))", costs(flatten(Segments<int>(pieces())))},
      {"scatter(s, places, values) of 3 updates", costs(scatter(s, places, Seq<int>({1, 2, 3})))},
      {"scatter(plus, s, places, values) of 3 updates", costs(scatter(plus, s, places, Seq<int>({1, 2, 3})))},
  };
}

Rows of_orders() {
  const Seq<int>& s = ints();
  return {
      {"sort(s)", costs(sort(s))},
      {"take(sort(s), 10), top_k(s, 10)", costs(take(sort(s), 10))},
      {"sort(s)[n / 2]", costs(nth(sort(s), n / 2))},
      {"unique(sort(s))", costs(unique(sort(s)))},
  };
}

Rows of_arrays() {
  const Array<float, 2>& a = matrix();
  const Array<float, 1> u = a.row(0), v = a.row(1);
  return {
      {"a - outer(u, v)", costs(a - outer(u, v))},
      {"t(a) + a", costs(t(a) + a)},
      {"sum(a, 0)", costs(sum(a, 0))},
      {"argmax(a, 1)", costs(argmax(a, 1))},
      {"cumulative_sum(a, 0)", costs(cumulative_sum(a, 0))},
      {"sort(a, 1)", costs(sort(a, 1))},
      {"matmul(a, a)", costs(matmul(a, a))},
  };
}

std::string row_of(const std::pair<std::string, std::string>& fact) { return "| `" + fact.first + "` | " + fact.second + " |"; }

// The rows of the document: lines "| `program` | passes | bytes |".
std::vector<std::string> stated_rows() {
  std::ifstream file(std::string(SOURCE_ROOT) + "/docs/costs.md");
  std::vector<std::string> all;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("| `")) all.push_back(line);
  return all;
}

}  // namespace

TEST(the_document_states_the_traffic_of_ordinary_programs) {
  needs_cpu();
  std::vector<std::string> found;
  for (const Rows& part : {of_sequences(), of_pieces(), of_orders(), of_arrays()})
    for (const auto& fact : part) found.push_back(row_of(fact));
  const std::vector<std::string> stated = stated_rows();
  CHECK_EQ(found.size(), stated.size());
  for (size_t k = 0; k < found.size(); k++) CHECK_EQ(found[k], k < stated.size() ? stated[k] : "");
}

// A sequence that is asked for again is stored by the second computation, and the third reads it.
TEST(what_is_asked_for_again_is_kept) {
  needs_cpu();
  const Seq<float> s = map([](auto x) { return exp(sin(x)) * cos(x); }, Seq(numbers<float>(n)));
  CHECK_EQ(explain(sum(s)).find("kept: computed before"), std::string::npos);
  sum(s).get();
  CHECK(explain(max(s)).find("kept: computed before") != std::string::npos);
  max(s).get();
  CHECK_EQ(costs(min(s)), "1 | 4");
}
