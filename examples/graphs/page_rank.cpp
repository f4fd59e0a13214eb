// page_rank [FILE]: the ranks of the pages of a web, from lines "FROM TO" of page numbers; without a file, of a web made up here.
#include <algorithm>
#include <fstream>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

static constexpr double damping = 0.85;

struct Web {
  int64_t pages = 0;
  std::vector<int> from, to;
};

static Web read_web(std::istream& file) {
  Web web;
  for (int from, to; file >> from >> to;) {
    if (from < 0 || to < 0) throw ArgumentError("a page has a negative number");
    web.from.push_back(from), web.to.push_back(to);
    web.pages = std::max<int64_t>(web.pages, std::max(from, to) + 1);
  }
  return web;
}
static Web made_up(int pages) {
  Web web{pages, {}, {}};
  for (int page = 0; page < pages; page++)
    for (int k = 1; k <= page % 5; k++) web.from.push_back(page), web.to.push_back(page / (k + 1));
  return web;
}

// One round: a page gives its rank in equal parts to the pages that it links to; one without links, to all.
static Seq<double> ranks(const Web& web, int rounds) {
  const auto n = static_cast<double>(web.pages);
  const auto links = sort(zip(Seq(web.to), Seq(web.from)));
  const auto [to, from] = unzip(links);
  const auto out = histogram(from, web.pages);
  const auto starts = scan(plus, 0, append(histogram(to, web.pages), Seq<int64_t>{0})).prefixes;
  auto rank = tabulate([=](auto) { return 1 / n; }, web.pages);
  force(out, starts, from);
  for (int k = 0; k < rounds; k++) {
    const auto given = map([](auto r, auto links) { return r / cast<double>(max(links, 1)); }, rank, out);
    const auto lost = sum(map([](auto r, auto links) { return where(links == 0, r, 0.0); }, rank, out));
    force(given, lost);
    rank = tabulate(
        [&](auto page) {
          const auto received = sum(map([&](auto link) { return given[from[link]]; }, range(starts[page], starts[page + 1])));
          return (1 - damping) / n + damping * (received + lost / n);
        },
        web.pages);
    force(rank);
  }
  return rank;
}

int main(int argc, char** argv) try {
  std::ifstream file(argc > 1 ? argv[1] : "");
  if (argc > 1 && !file) return std::cerr << "page_rank: " << argv[1] << " cannot be read\n", 2;
  const Web web = argc > 1 ? read_web(file) : made_up(100000);
  constexpr int rounds = 50;
  const Timing timing;
  const auto rank = ranks(web, rounds);
  const auto best = sort_by([](auto, auto r) { return r; }, enumerate(rank), descending).to_vector();
  timing.report(static_cast<double>(web.to.size()) * rounds, "links");
  for (size_t k = 0; k < std::min<size_t>(best.size(), 5); k++) std::cout << "page " << best[k].first << ": " << best[k].second << "\n";
} catch (const Error& error) {
  std::cerr << "page_rank: " << error.what() << "\n";
  return 2;
}
