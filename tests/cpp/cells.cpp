// Cells: the values after an update, whoever else holds the old ones, and the memory that updates need.
#include "common.h"

using namespace warpfold;

namespace {

const std::vector<int64_t> sizes = {0, 1, 2, 63, 64, 65, 2047, (1 << 20) + 7};
constexpr int64_t large = (1 << 20) + 7;

// a i + b for all i
std::vector<int> linear(int64_t n, int a, int b) {
  std::vector<int> values(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; i++) values[i] = a * static_cast<int>(i) + b;
  return values;
}
Seq<int> counted(int64_t n) {
  return tabulate([](auto i) { return cast<int>(i); }, n);
}
bool is_cpu() { return default_context().name() == "cpu"; }
int64_t live() { return default_context().memory().live; }

}  // namespace

TEST(updates_of_sequences) {
  for (int64_t n : sizes) {
    Cell cell(counted(n));
    static_assert(std::is_same_v<decltype(cell), Cell<Seq<int>>>);
    CHECK_EQ(cell.get().to_vector(), linear(n, 1, 0));
    const int64_t before = live();
    for (int k = 0; k < 5; k++) cell.update([](auto x) { return 2 * x + 1; });
    if (is_cpu()) CHECK_EQ(live(), before);
    CHECK_EQ(cell.get().to_vector(), linear(n, 32, 31));
    cell.update([](auto x, auto y, auto z) { return x - y + z; }, counted(n), Seq<int>(linear(n, 3, -31)));
    CHECK_EQ(cell.get().to_vector(), linear(n, 34, 0));
  }
}

TEST(few_elements_are_replaced_in_place) {
  if (!is_cpu()) SKIP("a GPU copies");
  Cell cell(tabulate([](auto i) { return cast<int>(i); }, 100003));
  const int* memory = cell.get().data();
  const Seq<std::pair<int64_t, int>> updates{{5, -1}, {70000, -2}, {5, -3}};
  auto next = inject(cell.get(), updates);
  cell.set(std::move(next));
  CHECK(cell.get().data() == memory);
  CHECK_EQ(cell.get()[5].get(), -3);
  CHECK_EQ(cell.get()[70000].get(), -2);
  CHECK_EQ(cell.get()[6].get(), 6);
  auto add_to_the_seventh = [&] {
    auto added = scatter(plus, cell.get(), Seq<int64_t>{6, 6}, Seq<int>{1, 1});
    cell.set(std::move(added));
  };
  add_to_the_seventh();
  CHECK(cell.get().data() == memory);
  const Seq<int> old = cell.get();
  add_to_the_seventh();
  CHECK(cell.get().data() != memory);
  CHECK_EQ(old[6].get(), 8);
  CHECK_EQ(cell.get()[6].get(), 10);
}

TEST(updates_in_place_use_the_same_memory) {
  if (!is_cpu()) SKIP("a GPU copies");
  Cell cell(counted(large));
  const int* memory = cell.get().data();
  cell.update([](auto x) { return x + 1; });
  CHECK(cell.get().data() == memory);
  {
    const Seq<int> held = cell.get();
    cell.update([](auto x) { return x + 1; });
    CHECK(cell.get().data() != memory);
    CHECK_EQ(held.to_vector(), linear(large, 1, 1));
  }
  memory = cell.get().data();
  auto sum = reduce(plus, 0, cell.get());  // delayed
  cell.update([](auto x) { return x * 0 + 1; });
  CHECK(cell.get().data() != memory);
  CHECK_EQ(sum.get(), static_cast<int>(static_cast<uint32_t>(large * (large - 1) / 2 + 2 * large)));
  CHECK_EQ(reduce(plus, 0, cell.get()).get(), large);
}

TEST(a_captured_cell_is_read_before_the_update) {
  Cell cell(counted(large));
  for (int k = 0; k < 3; k++) {
    const Seq<int> old = cell.get();
    cell.set(tabulate([&](auto i) { return old[i] + old[large - 1 - i]; }, large));
  }
  CHECK_EQ(cell.get().to_vector(), linear(large, 0, 4 * (large - 1)));
  cell.set(counted(large));
  cell.update([&](auto x) { return x + cell.get()[5]; });
  CHECK_EQ(cell.get().to_vector(), linear(large, 1, 5));
  cell.update([](auto x, auto y) { return x + y; }, cell.get());
  CHECK_EQ(cell.get().to_vector(), linear(large, 2, 10));
  cell.update([](auto x, auto y) { return x + y; }, rev(cell.get()));
  CHECK_EQ(cell.get().to_vector(), linear(large, 0, 2 * (large - 1) + 20));
}

TEST(cells_of_pairs) {
  Cell cell(zip(counted(large), map([](auto x) { return cast<float>(x); }, counted(large))));
  cell.update([](auto x, auto y) { return std::pair(x + 1, y * 2); });
  const auto [first, second] = unzip(cell.get());
  CHECK_EQ(first.to_vector(), linear(large, 1, 1));
  CHECK_EQ(second[large - 1].get(), 2.f * (large - 1));
}

TEST(cells_of_arrays) {
  for (int64_t m : {0, 1, 2, 17, 257}) {
    for (int64_t n : {0, 1, 3, 64, 1025}) {
      Cell cell(reshape(counted(m * n), m, n));
      static_assert(std::is_same_v<decltype(cell), Cell<Array<int, 2>>>);
      const int64_t before = live();
      cell.update([](auto x) { return x * 2; });
      if (is_cpu()) CHECK_EQ(live(), before);
      cell.update([](auto x, auto row) { return x + row; }, iota<int>(n));  // broadcast along the rows
      cell.update([](auto x, auto column) { return x + 100 * column; }, reshape(counted(m), m, 1));
      std::vector<int> right;
      for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) right.push_back(2 * (i * static_cast<int>(n) + j) + j + 100 * i);
      CHECK_EQ(cell.get().to_vector(), right);
      CHECK_EQ(cell.get().shape(), (Shape<2>{m, n}));
    }
  }
  Cell square(reshape(counted(600 * 600), 600, 600));
  square.update([](auto x, auto y) { return x + y; }, t(square.get()));
  for (int i : {0, 1, 299, 599}) CHECK_EQ(square.get()(i, 7).get(), 601 * (i + 7));
  Cell row(Array{{1, 2, 3}});
  CHECK_THROWS(SizeError, row.update([](auto x, auto y) { return x + y; }, Array{{1, 1, 1}, {2, 2, 2}}));
  CHECK_THROWS(SizeError, row.update([](auto x, auto y) { return x + y; }, Array{{1, 1}}));
  CHECK_EQ(row.get().to_vector(), (std::vector<int>{1, 2, 3}));
}

TEST(an_error_leaves_the_old_value) {
  Cell cell(counted(large));
  const Seq<int> table = counted(large - 1);
  CHECK_THROWS(RangeError, cell.update([&](auto x) { return table[x] * 2; }));
  CHECK_EQ(cell.get().to_vector(), linear(large, 1, 0));
  CHECK_THROWS(SizeError, cell.update([](auto x, auto y) { return x + y; }, table));
  CHECK_THROWS(RangeError, cell.set(map([&](auto x) { return table[x]; }, cell.get())));
  CHECK_EQ(cell.get().to_vector(), linear(large, 1, 0));
}

TEST(copies_of_cells_are_independent) {
  Cell a(counted(1000));
  Cell b = a;
  a.update([](auto x) { return x + 1; });
  b.update([](auto x) { return x * 2; });
  CHECK_EQ(a.get().to_vector(), linear(1000, 1, 1));
  CHECK_EQ(b.get().to_vector(), linear(1000, 2, 0));
  Cell c = std::move(a);
  a = b;
  c.set(a.get());
  c.update([](auto x) { return x + 7; });
  CHECK_EQ(a.get().to_vector(), linear(1000, 2, 0));
  CHECK_EQ(c.get().to_vector(), linear(1000, 2, 7));
}

TEST(adopted_vectors_and_filters) {
  std::vector<int> values = linear(5000, 1, 0);
  Cell cell(Seq<int>::borrow(values));
  cell.update([](auto x) { return -x; });
  CHECK_EQ(values, linear(5000, 1, 0));
  cell.set(filter([](auto x) { return x % 2 == 0; }, cell.get()));
  cell.update([](auto x) { return x / 2; });
  CHECK_EQ(cell.get().to_vector(), linear(2500, -1, 0));
}
