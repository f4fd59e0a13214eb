// A pass over the keys finds the number of each element's key, counts the elements of each key in each piece, and so the place of each element; a second
// pass stores the other columns there, a column at a time. Pieces are in order, so that the sort is stable. A key alone is stored as often as it was counted.
//
// If the keys' range is small, or that of elements that are their keys is smaller than their number, a key is its number. Otherwise each worker keeps the
// keys that it has found in a table by hash (open addressing), and gives up as soon as they are too many: a sample says before whether they may be few.
#include "cpu/routines/few_keys.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cpu/routines/words.h"
#include "cpu/threads/chunks.h"
#include "ops/order.h"

namespace wf::cpu {
namespace {

constexpr int64_t fewest_counted = 1 << 15;  // fewer are sorted in a cache
constexpr int most_key_bits = 12;            // of keys that are their own numbers
constexpr int most_bits_alone = 18;          // the same, of elements that are their keys: counters in a core's cache
constexpr int64_t fewest_of_each = 4;        // elements per counter, if the keys have more than most_key_bits
constexpr size_t most_keys = 1 << 11;        // in a table
constexpr int64_t key_block = 1 << 10;       // elements whose words are in L1
constexpr int64_t largest_piece = 1 << 30;   // whose counts are numbers of 32 bits

using KeyNumber = uint16_t;  // of a key

// The different keys found so far, and their numbers in the order in which they were found.
class KeyTable {
 public:
  KeyTable() : slots_(4 * most_keys) {}
  // most_keys if there are too many.
  size_t number_of(uint64_t key) {
    size_t at = size_t(key * 0x9e3779b97f4a7c15 >> (64 - slot_bits));
    while (slots_[at].number != 0) {
      if (slots_[at].key == key) return slots_[at].number - 1u;
      at = (at + 1) % slots_.size();
    }
    if (keys_.size() == most_keys) return most_keys;
    keys_.push_back(key);
    slots_[at] = {key, uint32_t(keys_.size())};
    return keys_.size() - 1;
  }
  const std::vector<uint64_t>& keys() const { return keys_; }

 private:
  static constexpr int slot_bits = 13;
  static_assert(4 * most_keys == size_t(1) << slot_bits);
  struct Slot {
    uint64_t key = 0;
    uint32_t number = 0;  // plus 1; 0: free
  };
  std::vector<Slot> slots_;
  std::vector<uint64_t> keys_;
};

class FewKeySort {
 public:
  FewKeySort(const Rows& rows, std::span<const KeyRange> ranges, bool descending, const std::shared_ptr<Pool>& pool)
      : rows_(rows),
        ranges_(ranges),
        pool_(pool),
        descending_(descending),
        is_key_alone_(ranges.size() == 1),
        piece_(std::min((rows.n + worker_count() - 1) / worker_count(), largest_piece)),
        pieces_(size_t((rows.n + piece_ - 1) / piece_)) {
    for (const KeyRange& range : ranges) bits_ += range.bits;
    if (rows.columns() > int(is_key_alone_)) numbers_ = Buffer::make(pool, size_t(rows.n) * sizeof(KeyNumber));
  }

  bool run() {
    if (are_small()) count_small();
    else if (!seem_few() || !count_by_table()) return false;
    find_places();
    if (is_key_alone_ && rows_.outputs[0]) store_keys();
    for (int column = is_key_alone_; column < rows_.columns(); column++)
      if (rows_.outputs[column]) store_column(column);
    return true;
  }

 private:
  struct Piece {
    std::vector<uint64_t> keys;             // by number; none if they are their own numbers
    std::optional<Words<uint32_t>> counts;  // the elements of each key
    std::vector<int64_t> places;            // of the first ones, if there are other columns
  };
  using Block = std::array<uint64_t, size_t(key_block)>;

  // Returns true if the keys are their own numbers.
  bool are_small() const { return bits_ <= most_key_bits || (!numbers_ && bits_ <= most_bits_alone && fewest_of_each << bits_ <= rows_.n); }

  KeyNumber* numbers() const { return numbers_ ? reinterpret_cast<KeyNumber*>(numbers_->host_for_writing()) : nullptr; }

  // The keys of `count` elements from `begin` on, the columns side by side.
  template <class Stride> void read_keys(int64_t begin, int64_t count, Stride stride, Block& words) const {
    for (size_t column = 0; column < ranges_.size(); column++)
      visit(rows_.types[column], [&](auto tag) {
        using T = typename decltype(tag)::type;
        const auto [least, bits] = ranges_[column];
        const int shift = column == 0 ? 0 : bits;
        const std::byte* const elements = rows_.first[column];
        for (int64_t k = 0; k < count; k++) {
          T x;
          std::memcpy(&x, elements + (begin + k * stride) * int64_t(sizeof x), sizeof x);
          const uint64_t before = column == 0 ? 0 : words[size_t(k)];
          words[size_t(k)] = before << shift | (uint64_t(order_word(x, descending_)) - least);
        }
      });
  }

  template <class F> void for_blocks(int64_t begin, int64_t end, const F& f) const {
    Block words;
    for (int64_t first = begin; first < end; first += key_block) {
      const int64_t count = std::min(key_block, end - first);
      read_keys(first, count, std::integral_constant<int64_t, 1>(), words);
      if (!f(first, std::span<const uint64_t>(words.data(), size_t(count)))) return;
    }
  }

  void count_small() {
    const size_t keys = size_t(1) << bits_, turns = bits_ <= most_key_bits ? 2 : 1;  // neighbours that are equal do not wait for each other
    for_pieces(rows_.n, piece_, [&](int64_t begin, int64_t end) {
      Words<uint32_t> table(pool_, int64_t(turns * keys));
      uint32_t* const counts = table.begin();
      std::fill_n(counts, turns * keys, 0);
      auto count = [&](int64_t k, uint64_t word) { counts[(size_t(k) & (turns - 1)) * keys + word]++; };
      if (KeyNumber* const to = numbers()) {
        for_blocks(begin, end, [&](int64_t first, std::span<const uint64_t> words) {
          for (size_t k = 0; k < words.size(); k++) to[first + int64_t(k)] = KeyNumber(words[k]), count(int64_t(k), words[k]);
          return true;
        });
      } else {
        visit(rows_.types[0], [&](auto tag) {
          using T = typename decltype(tag)::type;
          const auto least = WordOf<T>(ranges_[0].least);
          T x;
          for (int64_t k = begin; k < end; k++) {
            std::memcpy(&x, rows_.first[0] + k * int64_t(sizeof x), sizeof x);
            count(k, WordOf<T>(order_word(x, descending_) - least));
          }
        });
      }
      for (size_t k = 0; turns > 1 && k < keys; k++) counts[k] += counts[keys + k];
      pieces_[size_t(begin / piece_)] = {{}, std::move(table), {}};
    });
  }

  // Returns true if a sample has few different keys.
  bool seem_few() const {
    if (bits_ > 64) return false;
    KeyTable found;
    const int64_t stride = rows_.n / (4 * key_block);
    for (int64_t k = 0; k < 4; k++) {
      Block words;
      read_keys(k * key_block * stride, key_block, stride, words);
      for (uint64_t word : words) found.number_of(word);
    }
    return found.keys().size() < most_keys;
  }

  bool count_by_table() {
    std::atomic<bool> too_many = false;
    for_pieces(rows_.n, piece_, [&](int64_t begin, int64_t end) {
      KeyTable table;
      Words<uint32_t> counts(pool_, int64_t(most_keys));
      std::fill_n(counts.begin(), most_keys, 0);
      for_blocks(begin, end, [&](int64_t first, std::span<const uint64_t> words) {
        KeyNumber* const to = numbers();
        for (size_t k = 0; k < words.size(); k++) {
          const size_t number = table.number_of(words[k]);
          if (number == most_keys) too_many = true;
          if (too_many.load(std::memory_order_relaxed)) return false;
          if (to) to[first + int64_t(k)] = KeyNumber(number);
          counts.begin()[number]++;
        }
        return true;
      });
      pieces_[size_t(begin / piece_)] = {table.keys(), std::move(counts), {}};
    });
    return !too_many;
  }

  // The keys of all pieces in order, the place of the first element of each, and the same in each piece.
  void find_places() {
    for (const Piece& piece : pieces_) keys_.insert(keys_.end(), piece.keys.begin(), piece.keys.end());
    std::ranges::sort(keys_);
    keys_.erase(std::ranges::unique(keys_).begin(), keys_.end());
    const size_t keys = are_small() ? size_t(1) << bits_ : keys_.size();
    Words<int64_t> memory(pool_, int64_t(keys));
    starts_ = {memory.begin(), keys};
    std::ranges::fill(starts_, 0);
    const auto for_each = [&](Piece& piece, const auto& f) {
      for (size_t k = 0; k < (are_small() ? keys : piece.keys.size()); k++) {
        const size_t key = are_small() ? k : size_t(std::ranges::lower_bound(keys_, piece.keys[k]) - keys_.begin());
        f(starts_[key], int64_t(piece.counts->begin()[k]));
      }
    };
    for (Piece& piece : pieces_) for_each(piece, [](int64_t& all, int64_t of_piece) { all += of_piece; });
    int64_t place = 0;
    for (int64_t& start : starts_) place += std::exchange(start, place);
    starts_memory_ = std::move(memory);
    if (!numbers_) return;
    const std::vector<int64_t> starts(starts_.begin(), starts_.end());
    for (Piece& piece : pieces_)
      for_each(piece, [&](int64_t& next, int64_t of_piece) { piece.places.push_back(std::exchange(next, next + of_piece)); });
    std::ranges::copy(starts, starts_.begin());
  }

  void store_keys() const {
    constexpr int64_t grain = 1 << 14, at_once = 8;
    visit(rows_.types[0], [&](auto tag) {
      using T = typename decltype(tag)::type;
      T* const out = reinterpret_cast<T*>(rows_.outputs[0]);
      for_pieces(rows_.n, grain, [&](int64_t begin, int64_t end) {
        size_t key = size_t(std::ranges::upper_bound(starts_, begin) - starts_.begin()) - 1;
        while (begin < end) {
          const int64_t stop = key + 1 < starts_.size() ? std::min(end, starts_[key + 1]) : end;
          const uint64_t word = are_small() ? key : keys_[key];
          const T value = from_order_word<T>(WordOf<T>(word + ranges_[0].least), descending_);
          // Short runs are overwritten by the next ones.
          if (begin + at_once <= end) std::fill_n(out + begin, at_once, value);
          if (begin + at_once > end || begin + at_once < stop) std::fill(out + begin, out + stop, value);
          begin = stop, key++;
        }
      });
    });
  }

  void store_column(int column) const {
    visit_size(size_of(rows_.types[column]), [&](auto size) {
      constexpr size_t bytes = decltype(size)::value;
      for_pieces(rows_.n, piece_, [&](int64_t begin, int64_t end) {
        std::vector<int64_t> next = pieces_[size_t(begin / piece_)].places;
        const KeyNumber* const number = numbers();
        const std::byte* const elements = rows_.first[column];
        std::byte* const out = rows_.outputs[column];
        for (int64_t k = begin; k < end; k++) std::memcpy(out + next[number[k]]++ * int64_t(bytes), elements + k * int64_t(bytes), bytes);
      });
    });
  }

  const Rows& rows_;
  const std::span<const KeyRange> ranges_;
  const std::shared_ptr<Pool>& pool_;
  const bool descending_, is_key_alone_;
  const int64_t piece_;  // elements of a piece
  int bits_ = 0;         // of all keys of an element
  BufferRef numbers_;    // of the elements' keys, in their piece
  std::vector<Piece> pieces_;
  std::vector<uint64_t> keys_;  // none if they are their own numbers
  std::optional<Words<int64_t>> starts_memory_;
  std::span<int64_t> starts_;
};

}  // namespace

bool sort_few_keys(const Rows& rows, std::span<const KeyRange> ranges, bool descending, const std::shared_ptr<Pool>& pool) {
  if (rows.n < fewest_counted) return false;
  return FewKeySort(rows, ranges, descending, pool).run();
}

}  // namespace wf::cpu
