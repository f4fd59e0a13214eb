// Unsigned words in order, on all cores: Highway's vqsort on one run a core, then merges in pairs; or, by few bits, counting.
//
// vqsort: Bramas, "A novel hybrid quicksort algorithm vectorized using AVX-512" (2017); Wassenberg and others, "Vectorized and
// performance-portable quicksort" (2022). Merges are split by Odeh, Green, Mwassi, Shmueli and Birk, "Merge path" (2012).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "memory/buffer.h"

namespace wf::cpu {

using Wide = unsigned __int128;  // a key and an index of 64 bits

// Calls f(begin, end) on all cores for consecutive pieces of [0, n), a multiple of `grain` long each but the last.
void for_pieces(int64_t n, int64_t grain, const std::function<void(int64_t, int64_t)>& f);

// Memory for n words of a budget.
template <class Word> class Words {
 public:
  Words(const std::shared_ptr<Pool>& pool, int64_t n)
      : buffer_(Buffer::make(pool, size_t(n) * sizeof(Word))), begin_(reinterpret_cast<Word*>(buffer_->host_for_writing())) {}
  Word* begin() const { return begin_; }

 private:
  BufferRef buffer_;
  Word* begin_;
};

// Sorts words[0, n) on the calling thread.
void sort_run(uint32_t* words, int64_t n);
void sort_run(uint64_t* words, int64_t n);
void sort_run(Wide* words, int64_t n);

// Bits first, ..., first + count - 1 of words, by which they are to be ordered.
struct Digits {
  int first, count;
};

// Sorts words[0, n), whose bits below digits.first are in order already and above digits are 0. Returns the memory that holds the result, words
// or scratch.
template <class Word> Word* sort_words(Word* words, Word* scratch, int64_t n, Digits digits);

// Two runs of n and m elements are merged in pieces. splits[k] of the first k * piece outputs are from the first run; the first split is 0, the last
// one n. If the runs are not in order, the splits may not be either. Then this changes them, so that each element is in one piece.
void order_splits(std::span<int64_t> splits, int64_t n, int64_t m, int64_t piece);

// Merges the sorted a and b; equal words of a come first. In any order, the words of a and b.
template <class Word> void merge_words(const Word* a, int64_t n, const Word* b, int64_t m, Word* out);

}  // namespace wf::cpu
