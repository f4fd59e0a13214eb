#include "cpu/routines/scatter/buckets.h"

#include <bit>
#include <type_traits>
#include <utility>
#include <vector>

#include "cpu/routines/words.h"
#include "cpu/threads/chunks.h"

namespace wf::cpu {
namespace {

constexpr int most_log_buckets = 7, least_log_range = 10;
constexpr int64_t most_buckets = 1 << most_log_buckets;          // the lines to which a worker writes are in its L1 cache
constexpr int64_t least_round = 1 << 21, least_piece = 1 << 14;  // updates
constexpr int64_t pieces_per_worker = 4;
constexpr int64_t tested_together = 8;  // updates, for one common bucket

struct Nothing {};
template <class V> constexpr bool has_value = !std::is_same_v<V, Nothing>;

// The numbers of the buckets, and of the updates, depend on the lengths alone, so that floats have the same bits with any number of workers.
class Bucketing {
 public:
  Bucketing(const ScatterColumn& c, const std::shared_ptr<Pool>& pool, int64_t scratch_bytes)
      : c_(c),
        log_range_(std::max(int(std::bit_width(uint64_t(c.m) - 1)) - most_log_buckets, least_log_range)),
        buckets_(((c.m - 1) >> log_range_) + 1),
        round_(std::min(c.n, std::max(least_round, c.m))),
        piece_(std::max(least_piece, (round_ - 1) / (pieces_per_worker * worker_count()) + 1)),
        value_bytes_(c.values && !c.one_value ? int64_t(size_of(c.type)) : 0),
        scratch_bytes_(scratch_bytes << log_range_),
        places_(size_t(((round_ - 1) / piece_ + 1) * buckets_ + 1)),
        memory_(Buffer::make(pool, size_t(worker_count() * scratch_bytes_ + round_ * value_bytes_ + (round_ + 1) / 2 * 8))) {
    scratch_ = memory_->host_for_writing();
    at_ = reinterpret_cast<uint32_t*>(scratch_ + worker_count() * scratch_bytes_);
    values_ = reinterpret_cast<std::byte*>(at_ + (round_ + 1) / 2 * 2);
  }

  void run(CombineBucket* combine) {
    if (round_ < c_.n) check_indices(c_);
    for (int64_t first = 0; first < c_.n; first += round_) {
      const int64_t end = std::min(c_.n, first + round_);
      if (size_of(c_.index_type) == 1) sort<uint8_t>(first, end);
      else if (size_of(c_.index_type) == 4) sort<uint32_t>(first, end);
      else sort<uint64_t>(first, end);
      combine_all(combine, first == 0);
    }
  }

 private:
  template <class I> void sort(int64_t first, int64_t end) {
    if (value_bytes_ == 0) sort_round<I, Nothing>(first, end);
    else if (value_bytes_ == 1) sort_round<I, uint8_t>(first, end);
    else if (value_bytes_ == 4) sort_round<I, uint32_t>(first, end);
    else sort_round<I, uint64_t>(first, end);
  }

  template <class I, class V> void sort_round(int64_t first, int64_t end) {
    const int64_t pieces = (end - first - 1) / piece_ + 1;
    auto places_of = [&](int64_t begin) { return places_.data() + begin / piece_ * buckets_; };
    FirstOutside* const unchecked = round_ < c_.n ? nullptr : c_.unchecked;
    for_pieces(end - first, piece_, [&](int64_t begin, int64_t stop) {
      if (!unchecked || !unchecked->look(first + begin, first + stop)) count<I>(first + begin, first + stop, places_of(begin));
    });
    if (unchecked) unchecked->require_none();
    int64_t place = 0;
    for (int64_t b = 0; b < buckets_; b++)
      for (int64_t p = 0; p < pieces; p++) place += std::exchange(places_[size_t(p * buckets_ + b)], place);
    // Afterwards, the last piece's places are the buckets' ends.
    for_pieces(end - first, piece_, [&](int64_t begin, int64_t stop) { copy<I, V>(first + begin, first + stop, places_of(begin)); });
    ends_ = places_.data() + (pieces - 1) * buckets_;
  }

  // Calls one(k, bucket) for each update, or all(k, bucket) for the first of tested_together in one bucket.
  template <class I, class One, class All> void for_each(int64_t begin, int64_t end, const One& one, const All& all) const {
    const I* const indices = reinterpret_cast<const I*>(c_.indices);
    const int log_range = log_range_;
    auto bucket = [=](int64_t k) { return uint64_t(indices[k]) >> log_range; };
    int64_t k = begin;
    for (; k + tested_together <= end; k += tested_together) {
      uint64_t different = 0;
      for (int64_t j = 1; j < tested_together; j++) different |= bucket(k) ^ bucket(k + j);
      if (different == 0) all(k, bucket(k));
      else
        for (int64_t j = k; j < k + tested_together; j++) one(j, bucket(j));
    }
    for (; k < end; k++) one(k, bucket(k));
  }

  template <class I> void count(int64_t begin, int64_t end, int64_t* counts) const {
    std::fill_n(counts, buckets_, 0);
    for_each<I>(
        begin, end, [=](int64_t, uint64_t b) { counts[b]++; }, [=](int64_t, uint64_t b) { counts[b] += tested_together; });
  }

  template <class I, class V> void copy(int64_t begin, int64_t end, int64_t* places) const {
    constexpr int64_t line = 64 / sizeof(uint32_t);  // elements: a bucket's next one is fetched early, since stores wait in order
    const I* const indices = reinterpret_cast<const I*>(c_.indices);
    const V* const from = reinterpret_cast<const V*>(c_.values);
    V* const values = reinterpret_cast<V*>(values_);
    uint32_t* const at = at_;
    const uint64_t within = (uint64_t(1) << log_range_) - 1;
    auto put = [=](int64_t k, int64_t place) {
      at[place] = uint32_t(indices[k] & within);
      if constexpr (has_value<V>) values[place] = from[k];
    };
    auto fetch = [=](int64_t place) {
      __builtin_prefetch(at + place + line, 1);
      if constexpr (has_value<V>) __builtin_prefetch(values + place + line, 1);
    };
    for_each<I>(
        begin, end,
        [=](int64_t k, uint64_t b) {
          const int64_t place = places[b]++;
          put(k, place), fetch(place);
        },
        [=](int64_t k, uint64_t b) {
          const int64_t place = places[b];
          for (int64_t j = 0; j < tested_together; j++) put(k + j, place + j);
          places[b] += tested_together;
          fetch(place + tested_together);
        });
  }

  void combine_all(CombineBucket* combine, bool is_first) const {
    Chunks chunks(buckets_, worker_count());
    for_chunks(chunks, worker_count(), [&](int w) {
      for (int64_t b = chunks.next(w); b >= 0; b = chunks.next(w)) {
        const int64_t begin = b << log_range_, end = std::min(c_.m, (b + 1) << log_range_), first = b == 0 ? 0 : ends_[b - 1];
        if (is_first) c_.begin_with_base(begin, end);
        const std::byte* const values = value_bytes_ == 0 ? c_.values : values_ + first * value_bytes_;
        combine({begin, end, ends_[b] - first, at_ + first, values, c_.one_value}, c_.out + begin * int64_t(size_of(c_.type)),
                scratch_ + w * scratch_bytes_);
      }
    });
  }

  const ScatterColumn& c_;
  const int log_range_;
  const int64_t buckets_, round_, piece_, value_bytes_, scratch_bytes_;  // of a worker's scratch
  std::vector<int64_t> places_;                                          // of each piece's next update of each bucket
  const int64_t* ends_ = nullptr;                                        // of the buckets in a round's updates
  const BufferRef memory_;
  std::byte *scratch_, *values_;
  uint32_t* at_;
};

}  // namespace

bool has_buckets(int64_t m) { return m > int64_t(1) << least_log_range && m <= most_buckets << 32; }

void combine_buckets(const ScatterColumn& c, const std::shared_ptr<Pool>& pool, CombineBucket* combine, int64_t scratch_bytes) {
  Bucketing(c, pool, scratch_bytes).run(combine);
}

}  // namespace wf::cpu
