// Selection: the elements at some positions of a stable sort by keys.
//
// A sample brackets the first keys of these elements. One pass counts the elements before the bracket and finds blocks with elements in it; those
// elements alone are sorted. Work n, of which all but a few percent is comparing keys with the two bounds.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

#include "cpu/routines/bracket.h"
#include "cpu/routines/rows.h"
#include "cpu/routines/words.h"
#include "ops/order.h"

namespace wf::cpu {
namespace {

constexpr int64_t fewest_selected_of = 1 << 14;  // elements: fewer are sorted by one core
constexpr int64_t most_samples = 1 << 14, elements_per_sample = 64;
constexpr int64_t block_length = 512, blocks_at_once = 64;
constexpr int64_t least_part = 4;  // sorting more than this part of the elements is not faster than sorting all

class Selection {
 public:
  Selection(const RoutineCall& call, const Rows& rows, const std::shared_ptr<Pool>& pool) : call_(call), rows_(rows), pool_(pool) {}

  bool run(Positions wanted) {
    bool done = false;
    visit(rows_.types[0], [&](auto tag) {
      using T = typename decltype(tag)::type;
      auto bracket = sampled_bracket<T>(wanted);
      Candidates found = find<T>(bracket);
      const bool is_low = found.before <= wanted.first, is_high = wanted.first + wanted.count <= found.before + found.count;
      if (!is_low) bracket.low = 0;
      if (!is_high) bracket.high = Bracket<WordOf<T>>().high;
      if (!is_low || !is_high) found = find<T>(bracket);
      if (found.count > rows_.n / least_part) return;
      const Words<int64_t> candidates(pool_, found.count), sorted(pool_, found.count);
      collect<T>(bracket, found, candidates.begin());
      sort_candidates(candidates.begin(), found.count, sorted.begin());
      write<T>(wanted, sorted.begin() - found.before);
      done = true;
    });
    return done;
  }

 private:
  // The elements whose first keys are in a bracket.
  struct Candidates {
    int64_t before = 0, count = 0;   // elements before the bracket, and in it
    std::vector<uint16_t> of_block;  // the number in each block
  };

  template <class T> T key(int64_t k) const {
    T x;
    std::memcpy(&x, rows_.first[0] + k * int64_t(sizeof x), sizeof x);
    return x;
  }
  template <class T> WordOf<T> word(int64_t k) const { return order_word(key<T>(k), call_.routine.descending); }

  template <class T> Bracket<WordOf<T>> sampled_bracket(Positions wanted) const {
    const int64_t m = std::min(most_samples, rows_.n / elements_per_sample);
    std::vector<uint64_t> sample(static_cast<size_t>(m));
    for (int64_t k = 0; k < m; k++) sample[size_t(k)] = word<T>(sampled(k, m, rows_.n));
    sort_run(sample.data(), m);
    const Bracket<uint64_t> bracket = bracket_of(sample.data(), m, wanted, rows_.n);
    return {WordOf<T>(bracket.low), WordOf<T>(bracket.high)};
  }

  template <class T> Candidates find(Bracket<WordOf<T>> bracket) const {
    using Word = WordOf<T>;
    Candidates found;
    found.of_block.resize(size_t((rows_.n + block_length - 1) / block_length));
    std::atomic<int64_t> before{0}, count{0};
    constexpr int64_t step = sizeof(T) == 1 ? 128 : block_length;  // of which a word counts each element
    for_pieces(rows_.n, block_length * blocks_at_once, [&](int64_t begin, int64_t end) {
      int64_t before_here = 0, count_here = 0;
      for (int64_t at = begin; at < end; at += block_length) {
        const int64_t stop = std::min(at + block_length, end);
        int64_t in_block = 0;
        for (int64_t k = at; k < stop; k += step) {
          Word smaller = 0, inside = 0;
          for (int64_t j = k; j < std::min(k + step, stop); j++) {
            const Word w = word<T>(j);
            smaller = Word(smaller + (w < bracket.low));
            inside = Word(inside + (Word(w - bracket.low) <= Word(bracket.high - bracket.low)));
          }
          before_here += int64_t(smaller), in_block += int64_t(inside);
        }
        found.of_block[size_t(at / block_length)] = uint16_t(in_block);
        count_here += in_block;
      }
      before.fetch_add(before_here, std::memory_order_relaxed);
      count.fetch_add(count_here, std::memory_order_relaxed);
    });
    found.before = before, found.count = count;
    return found;
  }

  // The numbers of the candidates, in order.
  template <class T> void collect(Bracket<WordOf<T>> bracket, const Candidates& found, int64_t* numbers) const {
    using Word = WordOf<T>;
    std::vector<int64_t> places(found.of_block.size());
    std::exclusive_scan(found.of_block.begin(), found.of_block.end(), places.begin(), int64_t(0));
    for_pieces(rows_.n, block_length * blocks_at_once, [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end; at += block_length) {
        const size_t block = size_t(at / block_length);
        if (found.of_block[block] == 0) continue;
        int64_t numbers_here[block_length], count = 0;
        for (int64_t k = at; k < std::min(at + block_length, end); k++) {
          numbers_here[count] = k;
          count += Word(word<T>(k) - bracket.low) <= Word(bracket.high - bracket.low);
        }
        std::copy_n(numbers_here, count, numbers + places[block]);
      }
    });
  }

  // Sorts candidates by all keys; of equal ones the first in `numbers` stays first.
  void sort_candidates(int64_t* numbers, int64_t count, int64_t* sorted) const {
    Rows part = rows_;
    part.n = part.split = count;
    part.second.clear();
    const size_t keys = call_.routine.keys;
    part.types.resize(keys), part.first.resize(keys), part.outputs.assign(keys, nullptr);
    std::vector<Words<std::byte>> columns;
    for (size_t column = 0; column < keys; column++) {
      const size_t size = size_of(part.types[column]);
      std::byte* const out = columns.emplace_back(pool_, count * int64_t(size)).begin();
      part.first[column] = out;
      Rows gathered = rows_;
      gathered.outputs[column] = out;
      for_pieces(count, block_length,
                 [&](int64_t begin, int64_t end) { gather(gathered, int(column), begin, end, [&](int64_t k) { return numbers[k]; }); });
    }
    part.types.push_back(Type::I64);
    part.first.push_back(reinterpret_cast<const std::byte*>(numbers));
    part.outputs.push_back(reinterpret_cast<std::byte*>(sorted));
    sort_whole(call_, part, pool_);
  }

  // numbers[k] is the number of the element at position k.
  template <class T> void write(Positions wanted, const int64_t* numbers) const {
    for (int column = 0; column < rows_.columns(); column++) {
      if (!rows_.outputs[column]) continue;
      for_pieces(wanted.count, block_length, [&](int64_t begin, int64_t end) {
        gather(rows_, column, wanted.first + begin, wanted.first + end, [&](int64_t k) { return numbers[k]; });
      });
    }
    // One key alone is made from its word, which makes all NaNs one.
    T* const keys = reinterpret_cast<T*>(rows_.outputs[0]);
    if (call_.routine.keys > 1 || !keys) return;
    for (int64_t k = wanted.first; k < wanted.first + wanted.count; k++)
      keys[k] = from_order_word<T>(order_word(keys[k], call_.routine.descending), call_.routine.descending);
  }

  const RoutineCall& call_;
  const Rows& rows_;
  const std::shared_ptr<Pool>& pool_;
};

}  // namespace

bool select_by_keys(const RoutineCall& call, const Rows& rows, const std::shared_ptr<Pool>& pool) {
  if (rows.n < fewest_selected_of) return false;
  return std::ranges::all_of(call.wanted, [&](Positions wanted) { return Selection(call, rows, pool).run(wanted); });
}

}  // namespace wf::cpu
