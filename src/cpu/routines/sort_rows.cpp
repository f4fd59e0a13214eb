// Rows of equal length, each sorted by its first column on its own: a row's keys and positions become words, as those of a whole sequence do
// (keys.cpp), which one core sorts in its caches.
#include <algorithm>
#include <bit>
#include <vector>

#include "cpu/routines/bracket.h"
#include "cpu/routines/rows.h"
#include "cpu/routines/words.h"
#include "cpu/threads/chunks.h"
#include "ops/order.h"

namespace wf::cpu {
namespace {

constexpr int64_t shared_row = 1 << 17;        // elements: all cores sort it faster than one, if there are few
constexpr int64_t elements_at_once = 1 << 14;  // of several rows
constexpr int64_t fewest_selected = 1 << 9;    // elements of a row: fewer are sorted
constexpr int64_t samples_of_row = 1 << 10, elements_of_sample = 16;

// The words at the positions, in order: a pointer to the first one, in words or scratch.
template <class Word> Word* select_words(Word* words, Word* scratch, int64_t n, Positions wanted) {
  if (n >= fewest_selected && wanted.count < n) {
    const int64_t m = std::min(samples_of_row, n / elements_of_sample);
    for (int64_t k = 0; k < m; k++) scratch[k] = words[sampled(k, m, n)];
    sort_run(scratch, m);
    const Bracket<Word> bracket = bracket_of(scratch, m, wanted, n);
    int64_t before = 0, count = 0;
    for (int64_t k = 0; k < n; k++) {
      scratch[count] = words[k];
      before += words[k] < bracket.low;
      count += words[k] >= bracket.low && words[k] <= bracket.high;
    }
    if (before <= wanted.first && wanted.first + wanted.count <= before + count) {
      sort_run(scratch, count);
      return scratch + (wanted.first - before);
    }
  }
  sort_run(words, n);
  return words + wanted.first;
}

class RowSort {
 public:
  RowSort(const RoutineCall& call, const Rows& rows, int64_t length, const std::shared_ptr<Pool>& pool)
      : call_(call),
        rows_(rows),
        pool_(pool),
        length_(length),
        number_bits_(rows.columns() == 1 ? 0 : int(std::bit_width(uint64_t(length - 1)))),
        wanted_(call.wanted) {
    if (wanted_.empty()) wanted_ = {{0, length}};
  }

  void run() const {
    visit(rows_.types[0], [&](auto tag) {
      using T = typename decltype(tag)::type;
      const int bits = int(8 * sizeof(T)) + number_bits_;
      if (bits <= 32) run_words<T, uint32_t>();
      else if (bits <= 64) run_words<T, uint64_t>();
      else run_words<T, Wide>();
    });
  }

 private:
  template <class T, class Word> void run_words() const {
    const int64_t at_once = std::max<int64_t>(elements_at_once / length_, 1);
    for_pieces(rows_.n / length_, at_once, [&](int64_t begin, int64_t end) {
      const Words<Word> words(pool_, length_), scratch(pool_, length_);
      for (int64_t row = begin; row < end; row++)
        for (const Positions& wanted : wanted_) {
          pack<T>(row, words.begin());
          unpack<T>(row, wanted, select_words(words.begin(), scratch.begin(), length_, wanted));
        }
    });
  }

  template <class T, class Word> void pack(int64_t row, Word* words) const {
    const std::byte* const keys = rows_.first[0] + row * length_ * int64_t(sizeof(T));
    const bool descending = call_.routine.descending;
    for (int64_t k = 0; k < length_; k++) {
      T x;
      std::memcpy(&x, keys + k * int64_t(sizeof x), sizeof x);
      words[k] = Word(Word(order_word(x, descending)) << number_bits_);
      if (number_bits_ > 0) words[k] = Word(words[k] | Word(k));
    }
  }

  template <class T, class Word> void unpack(int64_t row, Positions wanted, const Word* sorted) const {
    const int64_t first = row * length_ + wanted.first;
    const bool descending = call_.routine.descending;
    if (rows_.outputs[0]) {
      T* const out = reinterpret_cast<T*>(rows_.outputs[0]) + first;
      for (int64_t k = 0; k < wanted.count; k++) out[k] = from_order_word<T>(WordOf<T>(sorted[k] >> number_bits_), descending);
    }
    const Word mask = Word((Word(1) << number_bits_) - 1);
    for (int column = 1; column < rows_.columns(); column++)
      if (rows_.outputs[column])
        gather(rows_, column, first, first + wanted.count, [&](int64_t k) { return row * length_ + int64_t(sorted[k - first] & mask); });
  }

  const RoutineCall& call_;
  const Rows& rows_;
  const std::shared_ptr<Pool>& pool_;
  const int64_t length_;
  const int number_bits_;
  std::vector<Positions> wanted_;
};

// Row k of rows of this length.
Rows row_of(const Rows& rows, int64_t k, int64_t length) {
  Rows row = rows;
  row.n = row.split = length;
  for (size_t column = 0; column < rows.types.size(); column++) {
    const int64_t bytes = k * length * int64_t(size_of(rows.types[column]));
    row.first[column] += bytes;
    if (row.outputs[column]) row.outputs[column] += bytes;
  }
  return row;
}

}  // namespace

void sort_rows(const RoutineCall& call, const Rows& rows, const std::shared_ptr<Pool>& pool) {
  const auto length = from_bits<int64_t>(call.parameters[0]);
  const int64_t count = rows.n / length;
  if (length < shared_row || count >= 2 * worker_count()) return RowSort(call, rows, length, pool).run();
  RoutineCall whole = call;
  whole.parameters.clear();
  for (int64_t k = 0; k < count; k++) sort_by_keys(whole, row_of(rows, k, length), pool);
}

}  // namespace wf::cpu
