// The bounded table of recent results against a map: chains of equal and of neighbouring hashes, eviction, replacement.
#include "expr/recent.h"

#include <map>
#include <memory>
#include <random>

#include "check.h"

using namespace wf;

namespace {

constexpr size_t most = 24;

// Few hashes for many keys, so that chains have several entries of one hash and of several.
uint64_t hash_of(int key) { return uint64_t(key % 7) << 40 | uint64_t(key % 3); }

}  // namespace

TEST(values_are_those_of_the_last_keep) {
  std::mt19937 random(1);
  Recent<int, std::shared_ptr<int>> table(most);
  std::map<int, std::weak_ptr<int>> kept;
  int found = 0;
  for (int step = 0; step < 100000; step++) {
    const int key = int(random() % 60);
    if (random() % 2) {
      auto value = std::make_shared<int>(step);
      table.keep(hash_of(key), key, value);
      kept[key] = value;
      CHECK(table.find(hash_of(key), key) == value);
    }
    // A value lives as long as the table has it.
    const auto value = table.find(hash_of(key), key);
    CHECK(value.has_value() == !kept[key].expired());
    if (value) CHECK(*value == kept[key].lock());
    found += value.has_value();
    if (step % 1000) continue;
    size_t alive = 0;
    for (const auto& [k, v] : kept) alive += !v.expired();
    CHECK(alive <= most);
  }
  CHECK(found > 50000);
}

TEST(a_key_in_use_is_not_evicted) {
  Recent<int, int> table(most);
  table.keep(0, -1, 100);
  for (int key = 0; key < 1000; key++) {
    table.keep(hash_of(key), key, key);
    if (key % 8 == 0) CHECK(table.find(0, -1) == 100);
  }
  CHECK(table.find(0, -1) == 100);
  CHECK(!table.find(hash_of(3), 3));
}

TEST(a_table_of_one_entry) {
  Recent<int, int> table(1);
  CHECK(!table.find(5, 5));
  table.keep(5, 5, 50);
  table.keep(5, 5, 51);
  CHECK(table.find(5, 5) == 51);
  table.keep(6, 6, 60);
  CHECK(!table.find(5, 5));
  CHECK(table.find(6, 6) == 60);
}
