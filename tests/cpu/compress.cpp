// Compaction, streaming copies and the splitting of pairs.
#include <algorithm>
#include <cstring>

#include "check.h"
#include "tables.h"

namespace wf::cpu {
namespace {

template <class T> void check_compress(const Tables& table, int64_t n, unsigned density) {
  std::mt19937 random(unsigned(n) + density);
  std::vector<T> x(n), expected;
  std::vector<uint8_t> mask(n);
  for (int64_t i = 0; i < n; i++) {
    x[i] = T(random());
    mask[i] = random() % 100 < density;
    if (mask[i]) expected.push_back(x[i]);
  }
  const size_t room = (n * sizeof(T) + 63) / 64 * 64;
  std::vector<char> to(room + 64, char(0x5a));
  int64_t kept = table.compresses.of_size(sizeof(T))(x.data(), mask.data(), n, to.data());
  CHECK_EQ(kept, int64_t(expected.size()));
  CHECK_EQ(table.compresses.count(mask.data(), n), kept);
  CHECK(expected.empty() || std::memcmp(to.data(), expected.data(), expected.size() * sizeof(T)) == 0);
  for (size_t k = room; k < to.size(); k++) CHECK(to[k] == char(0x5a));
}

TEST(compress_keeps_what_the_mask_holds_in_order) {
  for (const Tables& table : all_tables())
    for (int64_t n : {0, 1, 15, 16, 31, 32, 63, 64, 65, 128, 1000, 20011})
      for (unsigned density : {0, 3, 50, 97, 100}) {
        check_compress<uint8_t>(table, n, density);
        check_compress<uint32_t>(table, n, density);
        check_compress<uint64_t>(table, n, density);
      }
}

TEST(streaming_copies_any_range_to_any_place) {
  std::vector<char> from(1000), to(1000 + 128);
  for (size_t k = 0; k < from.size(); k++) from[k] = char(k * 7);
  for (const Tables& table : all_tables())
    for (int64_t start : {0, 1, 63})
      for (int64_t place : {0, 1, 17, 64})
        for (int64_t bytes : {0, 1, 63, 64, 65, 500, 900}) {
          std::fill(to.begin(), to.end(), char(99));
          table.streams.copy(from.data() + start, to.data() + place, bytes);
          table.streams.fence();
          CHECK(std::memcmp(to.data() + place, from.data() + start, bytes) == 0);
          CHECK(to[place + bytes] == 99 && (place == 0 || to[place - 1] == 99));
        }
}

template <class T> void check_pairs(const Tables& table, int64_t pairs) {
  std::vector<T> x(2 * pairs), even(pairs), odd(pairs), back(2 * pairs);
  for (size_t i = 0; i < x.size(); i++) x[i] = T(i * 3 + 1);
  table.streams.split(sizeof(T), x.data(), pairs, even.data(), odd.data());
  for (int64_t i = 0; i < pairs; i++) CHECK(even[i] == x[2 * i] && odd[i] == x[2 * i + 1]);
  table.streams.join(sizeof(T), even.data(), odd.data(), pairs, back.data());
  CHECK(back == x);
}

TEST(pairs_are_split_and_joined) {
  for (const Tables& table : all_tables())
    for (int64_t pairs : {0, 1, 5, 16, 63, 64, 65, 200}) {
      check_pairs<uint8_t>(table, pairs);
      check_pairs<uint32_t>(table, pairs);
      check_pairs<uint64_t>(table, pairs);
    }
}

}  // namespace
}  // namespace wf::cpu
