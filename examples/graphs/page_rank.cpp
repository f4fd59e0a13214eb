// page_rank [FILE]: the ranks of the pages of a web, from lines "FROM TO" of page numbers; without a file, of a web made up here.
#include <algorithm>
#include <climits>
#include <iostream>

#include "../pairs.h"
#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

static constexpr double damping = 0.85;

struct Web {
  int pages = 0;
  std::vector<std::pair<int, int>> links;  // to, from
};

static Web read_web(const char* name) {
  Web web;
  for (const auto& [from, to] : read_pairs<int>(name, 0, INT_MAX - 1)) {
    web.links.emplace_back(to, from);
    web.pages = std::max({web.pages, from + 1, to + 1});
  }
  return web;
}
static Web made_up(int pages) {
  Web web{pages, {}};
  for (int page = 0; page < pages; page++)
    for (int k = 1; k <= page % 5; k++) web.links.emplace_back(page / (k + 1), page);
  return web;
}

// One round: a page gives its rank in equal parts to the pages that it links to; one without links, to all.
static Seq<double> ranks(const Web& web, int rounds) {
  const double n = web.pages;
  const auto [to, from] = unzip(sort(Seq(web.links)));
  const auto out = histogram(from, web.pages);
  const auto links = Segments<int>::of_lengths(from, histogram(to, web.pages));
  auto rank = tabulate([=](auto) { return 1 / n; }, web.pages);
  force(out, from, links.offsets());
  for (int k = 0; k < rounds; k++) {
    const auto given = map([](auto r, auto count) { return r / cast<double>(max(count, 1)); }, rank, out);
    const auto lost = sum(map([](auto r, auto count) { return where(count == 0, r, 0.0); }, rank, out));
    force(given, lost);
    const auto received = reduce(plus, 0.0, map([&](auto from) { return given[from]; }, links));
    rank = map([&](auto r) { return (1 - damping) / n + damping * (r + lost / n); }, received);
    force(rank);
  }
  return rank;
}

int main(int argc, char** argv) try {
  const Web web = argc > 1 ? read_web(argv[1]) : made_up(100000);
  constexpr int rounds = 50;
  const Timing timing;
  const auto rank = ranks(web, rounds);
  const auto best = sort_by([](auto, auto r) { return r; }, enumerate(rank), descending).to_vector();
  timing.report(static_cast<double>(web.links.size()) * rounds, "links");
  for (size_t k = 0; k < std::min<size_t>(best.size(), 5); k++) std::cout << "page " << best[k].first << ": " << best[k].second << "\n";
} catch (const Error& error) {
  std::cerr << "page_rank: " << error.what() << "\n";
  return 2;
}
