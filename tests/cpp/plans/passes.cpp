// The number of passes of each function of the SEQUENCE signature, and of those next to it, when it reads a delayed map. docs/passes.md
// states them; `test_cpp_passes` prints the rows that differ.
#include <fstream>
#include <sstream>

#include "../common.h"

using namespace warpfold;

namespace {

constexpr int64_t n = 1000;

// "2: sort(1 key); filter(1)": the kernels and calls that a force would run, without the positions that the CPU engine selects.
template <class... S> std::string passes(const S&... s) {
  std::istringstream plan(explain(s...));
  std::string line, steps;
  int count = 0;
  while (std::getline(plan, line)) {
    if (!line.starts_with("kernel ") && !line.starts_with("call ")) continue;
    const size_t begin = line.find(": ") + 2;
    steps += (count++ ? "; " : "") + line.substr(begin, std::min(line.find(" at "), line.rfind("; ")) - begin);
  }
  return std::to_string(count) + " | " + steps;
}

// A delayed map, a new one for each row.
Seq<int> s() {
  return map([](auto x) { return x * 3 - 1; }, Seq(numbers(n)));
}
Seq<int> in_memory() { return Seq(numbers(n)); }
Seq<bool> flags() {
  return map([](auto x) { return x > 0; }, s());
}
Segments<int> segments() { return {s(), Seq<int64_t>({0, 10, 10, 600, n})}; }
const auto twice = [](auto x) { return x * 2; };
const auto positive = [](auto x) { return x > 0; };
const auto both = [](auto x, auto y) { return x * 31 + y; };
const auto less = [](auto x, auto y) { return x < y; };
const auto by_bits = [](auto x, auto y) { return (x & 15) < (y & 15); };

using Rows = std::vector<std::pair<std::string, std::string>>;

Rows elementwise() {
  return {
      {"tabulate", passes(tabulate([](auto i) { return i * i; }, n))},
      {"map", passes(map(twice, s()))},
      {"map_idx", passes(map_idx(both, s()))},
      {"zip, zip_shortest", passes(zip_shortest(s(), s()))},
      {"zip_with", passes(zip_with(both, s(), s()))},
      {"enumerate (enum)", passes(enumerate(s()))},
      {"fill", passes(map(twice, fill(3, n)))},
      {"nth", passes(nth(s(), 5))},
      {"subseq, take, drop", passes(subseq(s(), 10, 500))},
      {"rev", passes(rev(s()))},
      {"append", passes(append(s(), s()))},
      {"rotate", passes(rotate(s(), 7))},
      {"interleave", passes(interleave(s(), s()))},
      {"update", passes(update(s(), 5, 1))},
      {"split_head", passes(split_head(s())->first, split_head(s())->second)},
      {"gather", passes(gather(in_memory(), map([](auto x) { return abs(x); }, s())))},
      {"equal", passes(equal(s(), s()))},
      {"collate", passes(collate(s(), s()))},
      {"is_sorted", passes(is_sorted(s()))},
  };
}

Rows reductions() {
  const auto pair = scan(plus, 0, s());
  return {
      {"reduce, sum, product", passes(reduce(plus, 0, s()))},
      {"map_reduce", passes(map_reduce(twice, plus, 0, s()))},
      {"any, all", passes(any(positive, s()))},
      {"count", passes(count(positive, s()))},
      {"mean", passes(mean(s()))},
      {"minmax", passes(minmax(s()))},
      {"argmax, argmin", passes(argmax(s()))},
      {"find_index", passes(find_index(positive, s()))},
      {"scan", passes(pair.prefixes)},
      {"scan with its total", passes(pair.prefixes, pair.total)},
      {"scan_incl", passes(scan_incl(plus, 0, s()))},
      {"map_scan, map_scan_incl", passes(map_scan_incl(twice, plus, 0, s()))},
      {"reduce of a scan", passes(reduce(min, 0, scan_incl(plus, 0, s())))},
      {"iterate", passes(iterate(both, 0, s()))},
      {"iterate_prefixes, iterate_prefixes_incl", passes(iterate_prefixes_incl(both, 0, s()))},
  };
}

Rows filters() {
  const auto [yes, no] = partition(positive, s());
  return {
      {"filter", passes(filter(positive, s()))},
      {"filter_idx", passes(filter_idx(less, s()))},
      {"map_filter", passes(map_filter(twice, positive, s()))},
      {"map_filter_idx", passes(map_filter_idx(both, less, s()))},
      {"pack_index", passes(pack_index(flags()))},
      {"partition", passes(yes, no)},
      {"reduce of a map of a filter", passes(reduce(plus, 0, map(twice, filter(positive, s()))))},
      {"unique", passes(unique(s()))},
      {"runs", passes(runs(s()).offsets())},
      {"split", passes(split(positive, s()).values(), split(positive, s()).offsets())},
  };
}

Rows orders() {
  return {
      {"sort", passes(sort(s()))},
      {"sort by a function", passes(sort(by_bits, s()))},
      {"sort_by", passes(sort_by([](auto x) { return x % 7; }, s()))},
      {"unique of a sort", passes(unique(sort(s())))},
      {"top_k", passes(top_k(s(), 10))},
      {"merge", passes(merge(s(), s()))},
      {"map_merge", passes(map_merge(twice, less, s(), s()))},
      {"lower_bound, upper_bound", passes(lower_bound(s(), s()))},
      {"binary_search", passes(binary_search(s(), s()))},
      {"set_intersection", passes(set_intersection(s(), s()))},
      {"set_difference", passes(set_difference(s(), s()))},
      {"set_union", passes(set_union(in_memory(), in_memory()))},
      {"scatter, inject", passes(inject(s(), zip(map([](auto x) { return abs(x); }, s()), s())))},
      {"scatter by an operation", passes(scatter(plus, s(), map([](auto x) { return abs(x); }, s()), s()))},
      {"histogram", passes(histogram(map([](auto x) { return abs(x); }, s()), n))},
  };
}

Rows of_segments() {
  const auto scanned = scan(plus, 0, segments());
  return {
      {"Segments::of_lengths, its offsets", passes(Segments<int>::of_lengths(s(), fill(10, n / 10)).offsets())},
      {"flatten", passes(flatten(segments()))},
      {"nth of segments", passes(segments()[2])},
      {"map of segments", passes(map(twice, segments()).values())},
      {"reduce of segments", passes(reduce(plus, 0, segments()))},
      {"scan of segments", passes(scanned.prefixes.values())},
      {"filter of segments", passes(filter(positive, segments()).values(), filter(positive, segments()).offsets())},
      {"segment_ids", passes(segment_ids(segments()))},
      {"map_segments", passes(map_segments([](const auto& row) { return reduce(plus, 0, map(twice, row)); }, segments()))},
      {"reduce of chunks", passes(reduce(plus, 0, chunks(s(), 10)))},
      {"reduce of windows", passes(reduce(plus, 0, windows(s(), 10)))},
  };
}

std::string row(const std::pair<std::string, std::string>& fact) { return "| " + fact.first + " | " + fact.second + " |"; }

// The rows of the document: lines "| function | passes | steps |" other than the heads of tables.
std::vector<std::string> documented() {
  std::ifstream file(std::string(SOURCE_ROOT) + "/docs/passes.md");
  std::vector<std::string> rows;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("| ") && !line.starts_with("| function")) rows.push_back(line);
  return rows;
}

}  // namespace

TEST(the_document_states_the_passes_of_every_function) {
  std::vector<std::string> rows;
  for (const Rows& part : {elementwise(), reductions(), filters(), orders(), of_segments()})
    for (const auto& fact : part) rows.push_back(row(fact));
  const std::vector<std::string> stated = documented();
  CHECK_EQ(rows.size(), stated.size());
  for (size_t k = 0; k < rows.size(); k++) CHECK_EQ(rows[k], k < stated.size() ? stated[k] : "");
}
