#include "cpu/routines/words.h"

#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "cpu/threads/chunks.h"
#include "expr/of_thread.h"

namespace wf::cpu {
namespace {

constexpr int64_t merge_piece = 1 << 15;  // outputs that one worker merges at a time
constexpr int64_t few_words = 1 << 14;    // words that one core sorts alone
constexpr int64_t short_run = 24;         // words that insertion sorts faster than vqsort
constexpr int most_counted_bits = 32;     // with more, comparisons are faster
constexpr int counted_bits = 8;           // at a time: a core writes to 256 places

constinit thread_local OfThread<hwy::Sorter> sorter;  // has working memory, which takes longer to allocate than short runs to sort

template <class Word> void sort_alone(Word* words, int64_t n) {
  if (n <= short_run) {
    for (int64_t k = 1; k < n; k++) {
      const Word word = words[k];
      int64_t at = k;
      for (; at > 0 && word < words[at - 1]; at--) words[at] = words[at - 1];
      words[at] = word;
    }
  } else if constexpr (sizeof(Word) == 16) {
    sorter.get()(reinterpret_cast<hwy::uint128_t*>(words), size_t(n), hwy::SortAscending());
  } else {
    sorter.get()(words, size_t(n), hwy::SortAscending());
  }
}

// How many of the first `at` words of the merged sequence come from a.
template <class Word> int64_t split(const Word* a, int64_t n, const Word* b, int64_t m, int64_t at) {
  int64_t low = std::max<int64_t>(0, at - m), high = std::min(at, n);
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (b[at - 1 - middle] < a[middle]) high = middle;
    else low = middle + 1;
  }
  return low;
}

template <class Word> void merge_piece_of(const Word* a, int64_t n, const Word* b, int64_t m, Word* out) {
  const Word *a_end = a + n, *b_end = b + m;
  while (a < a_end && b < b_end) {
    const bool from_b = *b < *a;
    *out++ = from_b ? *b : *a;
    b += from_b;
    a += !from_b;
  }
  out = std::copy(a, a_end, out);
  std::copy(b, b_end, out);
}

// Pairs of runs of `run` words, merged.
template <class Word> void merge_runs(const Word* from, Word* to, int64_t n, int64_t run) {
  for_pieces(n, merge_piece, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t first = begin / (2 * run) * (2 * run);
      const int64_t a_size = std::min(run, n - first), b_size = std::min(run, n - first - a_size);
      const int64_t stop = std::min(end, first + a_size + b_size);
      const Word *a = from + first, *b = a + a_size;
      const int64_t a_begin = split(a, a_size, b, b_size, begin - first), a_end = split(a, a_size, b, b_size, stop - first);
      const int64_t b_begin = begin - first - a_begin, b_end = stop - first - a_end;
      merge_piece_of(a + a_begin, a_end - a_begin, b + b_begin, b_end - b_begin, to + begin);
      begin = stop;
    }
  });
}

// Returns true if the places have so few sets of a cache of 4 KiB per way that words which are stored there push each other out of it: those of
// numbers that are all different, of which every bin has as many.
template <class Word> bool share_sets(const int64_t* places, int64_t bins) {
  constexpr int64_t sets = 64, line = 64, most_ways = 16;
  uint64_t used = 0;
  for (int64_t b = 0; b < bins; b++) used |= uint64_t(1) << (places[b] * int64_t(sizeof(Word)) / line % sets);
  return std::popcount(used) * most_ways < bins;
}

// Stores words at the places of their bins, a line at a time.
template <class Word, class Bin>
void store_lines(const Word* begin, const Word* end, Word* to, int64_t* next, int64_t bins, const Bin& bin) {
  constexpr int64_t line = 64 / int64_t(sizeof(Word));
  alignas(64) Word lines[int64_t(1) << counted_bits][line];
  const std::vector<int64_t> first(next, next + bins);
  const auto store = [&](int64_t b, int64_t last) {  // the line of place `last` up to it
    const int64_t at = std::max(first[size_t(b)], last / line * line);
    std::copy(lines[b] + at % line, lines[b] + last % line + 1, to + at);
  };
  for (const Word* word = begin; word < end; word++) {
    const int64_t b = bin(*word), at = next[b]++;
    lines[b][at % line] = *word;
    if (at % line == line - 1) store(b, at);
  }
  for (int64_t b = 0; b < bins; b++)
    if (next[b] > first[size_t(b)] && next[b] % line != 0) store(b, next[b] - 1);
}

// Words in the order of these bits; words that are equal there keep their order.
template <class Word> void count_words(const Word* from, Word* to, int64_t n, Digits digits) {
  const int64_t bins = int64_t(1) << digits.count;
  const int64_t piece = std::max(few_words, (n + worker_count() - 1) / worker_count()), pieces = (n + piece - 1) / piece;
  std::vector<int64_t> places(size_t(pieces * bins));
  auto bin = [&](Word word) { return int64_t(word >> digits.first) & (bins - 1); };
  for_pieces(n, piece, [&](int64_t begin, int64_t end) {
    int64_t* const counts = places.data() + begin / piece * bins;
    for (int64_t k = begin; k < end; k++) counts[bin(from[k])]++;
  });
  int64_t place = 0;
  for (int64_t b = 0; b < bins; b++)
    for (int64_t p = 0; p < pieces; p++) place += std::exchange(places[size_t(p * bins + b)], place);
  for_pieces(n, piece, [&](int64_t begin, int64_t end) {
    int64_t* const next = places.data() + begin / piece * bins;
    if (share_sets<Word>(next, bins)) return store_lines(from + begin, from + end, to, next, bins, bin);
    for (int64_t k = begin; k < end; k++) to[next[bin(from[k])]++] = from[k];
  });
}

}  // namespace

void sort_run(uint32_t* words, int64_t n) { sort_alone(words, n); }
void sort_run(uint64_t* words, int64_t n) { sort_alone(words, n); }
void sort_run(Wide* words, int64_t n) { sort_alone(words, n); }

void for_pieces(int64_t n, int64_t grain, const std::function<void(int64_t, int64_t)>& f) {
  Chunks chunks((n + grain - 1) / grain, worker_count());
  for_chunks(chunks, worker_count(), [&](int worker) {
    for (int64_t piece = chunks.next(worker); piece >= 0; piece = chunks.next(worker)) f(piece * grain, std::min(n, (piece + 1) * grain));
  });
}

void order_splits(std::span<int64_t> splits, int64_t n, int64_t m, int64_t piece) {
  for (size_t k = 1; k + 1 < splits.size(); k++) {
    const int64_t least = std::max(splits[k - 1], int64_t(k) * piece - m), most = std::min(splits[k - 1] + piece, n);
    splits[k] = std::clamp(splits[k], least, most);
  }
}

template <class Word> Word* sort_words(Word* words, Word* scratch, int64_t n, Digits digits) {
  if (n > few_words && digits.count <= most_counted_bits) {
    const int rounds = (digits.count + counted_bits - 1) / counted_bits;
    for (int round = 0; round < rounds; round++) {
      const int begin = digits.count * round / rounds, end = digits.count * (round + 1) / rounds;
      count_words(words, scratch, n, {digits.first + begin, end - begin});
      std::swap(words, scratch);
    }
    return words;
  }
  const int64_t runs = n <= few_words ? 1 : int64_t(std::bit_ceil(unsigned(worker_count())));
  const int64_t run = std::max<int64_t>(1, (n + runs - 1) / runs);
  for_pieces(n, run, [&](int64_t begin, int64_t end) { sort_run(words + begin, end - begin); });
  for (int64_t size = run; size < n; size *= 2) {
    merge_runs(words, scratch, n, size);
    std::swap(words, scratch);
  }
  return words;
}

template <class Word> void merge_words(const Word* a, int64_t n, const Word* b, int64_t m, Word* out) {
  constexpr int64_t splits_at_once = 16;
  std::vector<int64_t> splits(size_t((n + m + merge_piece - 1) / merge_piece) + 1, n);
  for_pieces(int64_t(splits.size()) - 1, splits_at_once, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; k++) splits[size_t(k)] = split(a, n, b, m, k * merge_piece);
  });
  order_splits(splits, n, m, merge_piece);
  for_pieces(n + m, merge_piece, [&](int64_t begin, int64_t end) {
    const int64_t from = splits[size_t(begin / merge_piece)], to = splits[size_t(begin / merge_piece) + 1];
    merge_piece_of(a + from, to - from, b + (begin - from), (end - to) - (begin - from), out + begin);
  });
}

template uint32_t* sort_words(uint32_t*, uint32_t*, int64_t, Digits);
template uint64_t* sort_words(uint64_t*, uint64_t*, int64_t, Digits);
template Wide* sort_words(Wide*, Wide*, int64_t, Digits);
template void merge_words(const uint32_t*, int64_t, const uint32_t*, int64_t, uint32_t*);
template void merge_words(const uint64_t*, int64_t, const uint64_t*, int64_t, uint64_t*);
template void merge_words(const Wide*, int64_t, const Wide*, int64_t, Wide*);

}  // namespace wf::cpu
