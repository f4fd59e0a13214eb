// sparse_product [ROWS]: a sparse matrix in compressed rows (CSR) times a vector. Row r has r % 7 + 1 entries.
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

struct SparseMatrix {
  Seq<int64_t> starts;  // of the rows, and the number of entries at the end
  Seq<int> columns;
  Seq<float> values;
  int64_t rows() const { return starts.size() - 1; }
};

static Seq<float> product(const SparseMatrix& a, const Seq<float>& x) {
  return tabulate(
      [&](auto r) { return sum(map([&](auto k) { return a.values[k] * x[a.columns[k]]; }, range(a.starts[r], a.starts[r + 1]))); },
      a.rows());
}

static SparseMatrix example(int64_t rows) {
  const auto lengths = tabulate([=](auto r) { return where(r < rows, r % 7 + 1, 0); }, rows + 1);
  const auto [starts, entries] = scan(plus, 0, lengths);
  const int64_t n = entries.get();
  const auto columns = tabulate([=](auto k) { return cast<int>(k * 7919 % rows); }, n);
  const auto values = tabulate([](auto k) { return 1 / cast<float>(k % 10 + 1); }, n);
  force(starts, columns, values);
  return {starts, columns, values};
}

int main(int argc, char** argv) try {
  const int64_t rows = argc > 1 ? std::atoll(argv[1]) : 1000000;
  if (rows < 1) return std::cerr << "usage: sparse_product [ROWS]\n", 2;
  const SparseMatrix a = example(rows);
  const auto x = tabulate([](auto i) { return cast<float>(i % 100); }, rows);
  force(x);
  const Timing timing;
  const auto y = product(a, x);
  force(y);
  timing.report(static_cast<double>(a.values.size()), "entries");
  std::cout << a.values.size() << " entries; the first elements are " << take(y, std::min<int64_t>(rows, 5)) << "\n";
} catch (const Error& error) {
  std::cerr << "sparse_product: " << error.what() << "\n";
  return 2;
}
