// Sorting and merging by keys: the keys and the number of an element become one unsigned word, and words are sorted.
//
// Words that differ in their lowest bits, the number, are never equal, so that any sort of words is a stable sort of elements. Keys
// that do not fit into a word beside the number are sorted group by group, the last group first. Keys of a small range take as many bits as
// the range, and keys of few bits are counted instead of compared; few different keys are not made into words at all (few_keys.h).
#include <algorithm>
#include <atomic>
#include <bit>
#include <mutex>
#include <optional>

#include "cpu/program/columns.h"
#include "cpu/routines/few_keys.h"
#include "cpu/routines/rows.h"
#include "cpu/routines/words.h"
#include "ops/order.h"

namespace wf::cpu {
namespace {

constexpr int64_t key_grain = 1 << 14;  // elements that a worker packs or unpacks at a time
constexpr int64_t samples = 1 << 10;    // of a column, which tell whether its range may be small
constexpr int least_saving = 8;         // bits that a small range must save: finding it reads the column once more

constexpr int64_t order_block = 1 << 8;  // elements whose order is tested at once

int bits_of(Type type) { return int(8 * size_of(type)); }

template <class T> T read(const std::byte* element) {
  T x;
  std::memcpy(&x, element, sizeof x);
  return x;
}

// f(elements, count) for pieces of a column that are in one input each, on all cores.
template <class F> void for_spans(const Rows& rows, int column, const F& f) {
  for_pieces(rows.n, key_grain, [&](int64_t begin, int64_t end) {
    const int64_t border = std::clamp(rows.split, begin, end);
    if (begin < border) f(rows.at(column, begin), border - begin);
    if (border < end) f(rows.at(column, border), end - border);
  });
}

// The least or largest of integers.
template <class T> T extreme_of(Op op, Type type, const std::byte* elements, int64_t count) {
  const simd::FoldTable& folds = simd_tables().folds;
  const int by = int(*monoid_of(op));
  alignas(64) T lanes[simd::fold_bytes / sizeof(T)];
  std::ranges::fill(lanes, from_bits<T>(*identity_bits(op, type)));
  folds.fold[by][int(type)](elements, count, lanes);
  return from_bits<T>(folds.join[by][int(type)](lanes));
}

KeyRange key_range(const Rows& rows, int column, bool descending) {
  KeyRange range{0, bits_of(rows.types[column])};
  visit(rows.types[column], [&](auto tag) {
    using T = typename decltype(tag)::type;
    struct Extremes {
      WordOf<T> least = WordOf<T>(~WordOf<T>(0)), most = 0;
      void add(WordOf<T> low, WordOf<T> high) { least = std::min(least, low), most = std::max(most, high); }
      int bits() const { return std::max(1, int(std::bit_width(uint64_t(most - least)))); }
    };
    Extremes sampled;
    for (int64_t k = 0; k < rows.n; k += std::max<int64_t>(1, rows.n / samples)) {
      const WordOf<T> word = order_word(read<T>(rows.at(column, k)), descending);
      sampled.add(word, word);
    }
    if (rows.n < samples || sampled.bits() + least_saving > range.bits) return;
    Extremes all;
    std::mutex mutex;
    for_spans(rows, column, [&](const std::byte* elements, int64_t count) {
      Extremes part;
      auto add = [&](T x) { part.add(order_word(x, descending), order_word(x, descending)); };
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        for (Op op : {Op::min_, Op::max_}) add(extreme_of<T>(op, rows.types[column], elements, count));
      else
        for (int64_t k = 0; k < count; k++) add(read<T>(elements + k * int64_t(sizeof(T))));
      std::lock_guard lock(mutex);
      all.add(part.least, part.most);
    });
    if (all.bits() + least_saving <= range.bits) range = {all.least, all.bits()};
  });
  return range;
}

// Returns true if the rows are in the order of their first column already. Elements that are in no order show that soon.
bool are_in_order(const Rows& rows, bool descending) {
  return visit(rows.types[0], [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::atomic<bool> in_order = true;
    for_pieces(rows.n, key_grain, [&](int64_t begin, int64_t end) {
      const std::byte* const elements = rows.first[0];
      auto element = [&](int64_t k) { return read<T>(elements + k * int64_t(sizeof(T))); };
      // Vectors compare numbers, but not order words. Zeros of both signs, and NaNs, seem to descend.
      auto seems_to_descend = [&](T x, T y) { return !((descending ? y < x : x < y) | (ValueBits<T>{x}.word == ValueBits<T>{y}.word)); };
      auto descends_in = [&](int64_t first, int64_t last, const auto& test) {
        bool descends = false;
        for (int64_t k = std::max<int64_t>(first, 1); k < last; k++) descends |= test(element(k - 1), element(k));
        return descends;
      };
      for (; begin < end && in_order.load(std::memory_order_relaxed); begin += order_block) {
        const int64_t last = std::min(end, begin + order_block);
        const bool descends = descends_in(begin, last, seems_to_descend) &&
                              descends_in(begin, last, [&](T x, T y) { return order_word(y, descending) < order_word(x, descending); });
        if (descends) in_order = false;
      }
    });
    return in_order.load();
  });
}

class KeySort {
 public:
  KeySort(const RoutineCall& call, const Rows& rows, const std::shared_ptr<Pool>& pool)
      : routine_(call.routine), rows_(rows), pool_(pool), number_bits_(rows.n > 1 ? int(std::bit_width(uint64_t(rows.n - 1))) : 1) {}

  void run() {
    if (routine_.kind == Routine::Sort && routine_.keys == 1 && are_in_order(rows_, routine_.descending)) return copy();
    for (int k = 0; k < routine_.keys; k++) ranges_.push_back(key_range(rows_, k, routine_.descending));
    if (routine_.kind == Routine::Sort && sort_few_keys(rows_, ranges_, routine_.descending, pool_)) return;
    if (routine_.keys == 1 && rows_.columns() == 1) {
      number_bits_ = 0;  // elements with equal keys are equal
      last_group({0, 1});
      return;
    }
    int end = routine_.keys;
    while (group_before(end).begin > 0) {
      const Group group = group_before(end);
      order_by(group);
      end = group.begin;
    }
    last_group({0, end});
  }

 private:
  struct Group {  // key columns [begin, end)
    int begin, end;
  };

  int key_bits(Group group) const {
    int bits = 0;
    for (int k = group.begin; k < group.end; k++) bits += ranges_[k].bits;
    return bits;
  }

  void copy() const {
    for_pieces(rows_.n, key_grain, [&](int64_t begin, int64_t end) {
      for (int column = 0; column < rows_.columns(); column++) {
        const auto size = int64_t(size_of(rows_.types[column]));
        if (rows_.outputs[column]) std::memcpy(rows_.outputs[column] + begin * size, rows_.at(column, begin), size_t((end - begin) * size));
      }
    });
  }

  // The longest group that ends there and fits into a word.
  Group group_before(int end) const {
    int begin = end - 1;
    while (begin > 0 && key_bits({begin - 1, end}) + number_bits_ <= 128) begin--;
    return {begin, end};
  }

  template <class F> void with_word(Group group, const F& f) const {
    const int bits = key_bits(group) + number_bits_;
    if (bits <= 32) f(uint32_t());
    else if (bits <= 64) f(uint64_t());
    else f(Wide());
  }

  int64_t row_at(int64_t k) const { return order_ ? order_->begin()[k] : k; }

  // words[k] = keys of the k-th element in the order so far, then k.
  template <class Word> void pack(Group group, Word* words) {
    const int64_t* order = order_ ? order_->begin() : nullptr;
    for_pieces(rows_.n, key_grain, [&](int64_t begin, int64_t end) {
      for (int column = group.begin; column < group.end; column++)
        visit(rows_.types[column], [&](auto tag) {
          using T = typename decltype(tag)::type;
          const KeyRange range = ranges_[column];
          for (int64_t k = begin; k < end; k++) {
            T x;
            std::memcpy(&x, rows_.at(column, order ? order[k] : k), sizeof x);
            const Word before = column == group.begin ? Word(0) : Word(words[k] << (range.bits % int(8 * sizeof(Word))));
            words[k] = before | Word(order_word(x, routine_.descending) - range.least);
          }
        });
      if (number_bits_ > 0)
        for (int64_t k = begin; k < end; k++) words[k] = Word(words[k] << number_bits_) | Word(k);
    });
  }

  // The words of the group, in order.
  template <class Word> Word* in_order(Group group, Words<Word>& words, Words<Word>& scratch) {
    Word *from = words.begin(), *to = scratch.begin();
    pack(group, from);
    const bool is_merge = routine_.kind == Routine::Merge && !order_ && group.begin == 0;
    if (!is_merge) return sort_words(from, to, rows_.n, {number_bits_, key_bits(group)});
    merge_words(from, rows_.split, from + rows_.split, rows_.n - rows_.split, to);
    return to;
  }

  template <class Word> Word number_mask() const { return Word((Word(1) << number_bits_) - 1); }

  void order_by(Group group) {
    with_word(group, [&](auto word) {
      using Word = decltype(word);
      Words<Word> words(pool_, rows_.n), scratch(pool_, rows_.n);
      const Word* sorted = in_order(group, words, scratch);
      Words<int64_t> order(pool_, rows_.n);
      int64_t* next = order.begin();
      for_pieces(rows_.n, key_grain, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; k++) next[k] = row_at(int64_t(sorted[k] & number_mask<Word>()));
      });
      order_ = std::move(order);
    });
  }

  void last_group(Group group) {
    with_word(group, [&](auto word) {
      using Word = decltype(word);
      Words<Word> words(pool_, rows_.n), scratch(pool_, rows_.n);
      const Word* sorted = in_order(group, words, scratch);
      for_pieces(rows_.n, key_grain, [&](int64_t begin, int64_t end) {
        const bool is_key_alone = group.end == 1;
        if (is_key_alone && rows_.outputs[0]) unpack(sorted, begin, end);
        for (int column = is_key_alone; column < rows_.columns(); column++)
          if (rows_.outputs[column])
            gather(rows_, column, begin, end, [&](int64_t k) { return row_at(int64_t(sorted[k] & number_mask<Word>())); });
      });
    });
  }

  // Column 0 from words that hold no other key.
  template <class Word> void unpack(const Word* sorted, int64_t begin, int64_t end) {
    visit(rows_.types[0], [&](auto tag) {
      using T = typename decltype(tag)::type;
      T* out = reinterpret_cast<T*>(rows_.outputs[0]);
      for (int64_t k = begin; k < end; k++)
        out[k] = from_order_word<T>(WordOf<T>(WordOf<T>(sorted[k] >> number_bits_) + ranges_[0].least), routine_.descending);
    });
  }

  const Routine routine_;
  const Rows& rows_;
  const std::shared_ptr<Pool>& pool_;
  int number_bits_;
  std::vector<KeyRange> ranges_;         // of the key columns
  std::optional<Words<int64_t>> order_;  // by the groups so far; none: the order of the inputs
};

}  // namespace

void sort_whole(const RoutineCall& call, const Rows& rows, const std::shared_ptr<Pool>& pool) { KeySort(call, rows, pool).run(); }

void sort_by_keys(const RoutineCall& call, const Rows& rows, const std::shared_ptr<Pool>& pool) {
  if (call.routine.kind == Routine::Sort && !call.parameters.empty()) return sort_rows(call, rows, pool);
  if (call.wanted.empty() || !select_by_keys(call, rows, pool)) sort_whole(call, rows, pool);
}

}  // namespace wf::cpu
