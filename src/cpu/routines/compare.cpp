// Sorting and merging by a function. If the function compares keys of the elements, the keys are computed and sorted. Otherwise, a merge
// sort evaluates the function for many merges at once.
//
// One merge takes one comparison after another, and the function is cheap only for whole blocks. So each pass cuts its output into
// segments (split by merge path, as in words.h), and a worker advances the merges of many segments together: one block of comparisons
// moves each of them by one element. All columns move along, so that memory is read and written in streams. A function that is not an order leads
// to splits that are not in order; once they are (order_splits), each element is in one segment, so the result is a permutation.
#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "cpu/native/merging.h"
#include "cpu/program/columns.h"
#include "cpu/routines/comparison.h"
#include "cpu/routines/key_function.h"
#include "cpu/routines/rows.h"
#include "cpu/routines/words.h"
#include "cpu/threads/chunks.h"

namespace wf::cpu {
namespace {

constexpr int64_t most_lanes = 64;                          // merges that a worker advances together
constexpr int64_t native_lanes = 16;                        // the same with native code
constexpr int64_t pairs_at_once = 1 << 15;                  // elements of short pairs that a worker merges at a time
constexpr int64_t least_segment = 64, most_segment = 4096;  // elements. Finding a short one's begin would be most of its work

using Columns = std::vector<std::byte*>;

// A pass merges runs of a with the runs of b beside them. For a sort, both are the same columns.
struct Pass {
  const std::vector<const std::byte*>&a, &b;
  const Columns& to;
  int64_t n;          // elements in all
  int64_t run, pair;  // elements of a pair's first run, and of both
  int64_t b_offset;   // of b's element 0 in the numbers of all elements
};

// A part of the output, and the two runs from which it is merged. Elements are numbered in a and b.
struct Segment {
  int64_t a_begin, a_size, b_begin, b_size;
  int64_t at;          // of its first element in the merged run
  int64_t begin, end;  // in the output
  int64_t* split;  // the number of a's elements before the segment; the next one is that before its end. Null: the segment is a whole pair
};

// One worker's comparisons. A lane is one segment in progress.
class Lanes {
 public:
  Lanes(const RoutineCall& call, const std::shared_ptr<const BlockProgram>& program, const Pass& pass)
      : types_(call.types),
        pass_(pass),
        capacity_(std::min(most_lanes, program->block())),
        frame_(program),
        a_(call.types, capacity_),
        b_(call.types, capacity_) {
    if (program->native()) merger_.emplace(*program, pass.a, pass.b, pass.to);
    frame_.bind_inputs({});
    for (size_t k = 0; k < types_.size(); k++) {
      frame_.bind_param(uint32_t(k), b_.at(int(k)));
      frame_.bind_param(uint32_t(types_.size() + k), a_.at(int(k)));
    }
  }

  int64_t capacity() const { return capacity_; }

  void merge(const std::vector<Segment>& segments) {
    lanes_.clear();
    for (const Segment& s : segments) {
      const int64_t from = s.split ? s.split[0] : 0, to = s.split ? s.split[1] : s.a_size, stop = s.at + s.end - s.begin;
      lanes_.push_back({s.a_begin + from, s.b_begin + s.at - from, s.a_begin + to, s.b_begin + stop - to, s.begin, s.end});
    }
    if (merger_) {
      std::erase_if(lanes_, [this](const Lane& lane) { return copies_rest(lane); });
      return merge_natively();
    }
    load_first_elements();
    moves_.resize(lanes_.size());
    while (!lanes_.empty()) {
      const uint8_t* b_first = compare(lanes_.size());
      for (size_t k = 0; k < lanes_.size(); k++) moves_[k] = choose(lanes_[k], b_first[k]);
      for (size_t column = 0; column < types_.size(); column++)
        visit_size(size_of(types_[column]), [&](auto size) { move<decltype(size)::value>(column); });
      for (size_t k = lanes_.size(); k-- > 0;)
        if (lanes_[k].out == lanes_[k].out_end) remove(k);
    }
  }

  // Finds how many elements of a precede each segment, by bisection in all lanes at once.
  void find_splits(const std::vector<Segment>& segments) {
    const size_t count = segments.size();
    low_.resize(count), high_.resize(count);
    for (size_t k = 0; k < count; k++) {
      low_[k] = std::max<int64_t>(0, segments[k].at - segments[k].b_size);
      high_[k] = std::min(segments[k].at, segments[k].a_size);
    }
    for (;;) {
      bool open = false;
      for (size_t k = 0; k < count; k++) {
        if (low_[k] >= high_[k]) continue;
        open = true;
        const int64_t middle = (low_[k] + high_[k]) / 2;
        load(a_, pass_.a, k, segments[k].a_begin + middle);
        load(b_, pass_.b, k, segments[k].b_begin + segments[k].at - 1 - middle);
      }
      if (!open) break;
      const uint8_t* b_first = compare(count);
      for (size_t k = 0; k < count; k++) {
        if (low_[k] >= high_[k]) continue;
        const int64_t middle = (low_[k] + high_[k]) / 2;
        if (b_first[k]) high_[k] = middle;
        else low_[k] = middle + 1;
      }
    }
    for (size_t k = 0; k < count; k++) *segments[k].split = low_[k];
  }

  // Merges the runs of whole pairs, with native code. `begin` is where a pair begins, and `end` where one ends.
  void merge_pairs(int64_t begin, int64_t end) {
    lanes_.clear();
    for (; begin < end; begin += pass_.pair) {
      const int64_t middle = std::min(begin + pass_.run, end), stop = std::min(begin + pass_.pair, end);
      const Lane lane{begin, middle, middle, stop, begin, stop};
      if (!copies_rest(lane)) lanes_.push_back(lane);
      if (lanes_.size() == size_t(native::merges_at_once)) merge_natively();
    }
    merge_natively();
  }

 private:
  using Lane = native::MergeLane;  // without native code, the values of the next elements are in the blocks
  // The next element of a lane: written to `to`, and replaced in its block by the element `next` of its run.
  struct Move {
    bool from_b;
    int64_t to, next;
  };

  void load(ColumnBlock& block, const std::vector<const std::byte*>& from, size_t lane, int64_t element) {
    for (size_t k = 0; k < types_.size(); k++) {
      const int64_t size = block.size(int(k));
      std::memcpy(block.at(int(k), int64_t(lane)), from[k] + element * size, size_t(size));
    }
  }

  // For each of `count` lanes: true if b's element comes before a's.
  const uint8_t* compare(size_t count) {
    frame_.run(0, 0, int64_t(count));
    return static_cast<const uint8_t*>(frame_.result(0));
  }

  void load_first_elements() {
    for (size_t k = 0; k < lanes_.size(); k++) {
      if (lanes_[k].a < lanes_[k].a_end) load(a_, pass_.a, k, lanes_[k].a);
      if (lanes_[k].b < lanes_[k].b_end) load(b_, pass_.b, k, lanes_[k].b);
    }
  }

  // Takes the lanes from the last to the first.
  void merge_natively() {
    while (!lanes_.empty()) {
      const size_t at_once = lanes_.size() >= size_t(native::merges_at_once) ? native::merges_at_once : 1;
      const std::span<Lane> last = std::span(lanes_).last(at_once);
      int64_t steps = INT64_MAX;
      for (const Lane& lane : last) steps = std::min(steps, lane.out_end - lane.out);
      merger_->run(last, steps);
      for (size_t k = lanes_.size(), first = k - at_once; k-- > first;)
        if (lanes_[k].out == lanes_[k].out_end) lanes_[k] = lanes_.back(), lanes_.pop_back();
    }
  }

  // Copies the rest of a lane, and returns true, if a run has no more elements.
  bool copies_rest(const Lane& lane) const {
    const bool from_a = lane.a < lane.a_end;
    if (from_a && lane.b < lane.b_end) return false;
    for (size_t k = 0; k < types_.size(); k++) {
      const auto size = int64_t(size_of(types_[k]));
      const std::byte* from = from_a ? pass_.a[k] + lane.a * size : pass_.b[k] + lane.b * size;
      std::memcpy(pass_.to[k] + lane.out * size, from, size_t((lane.out_end - lane.out) * size));
    }
    return true;
  }

  static Move choose(Lane& lane, bool b_first) {
    const bool from_b = lane.b < lane.b_end && (lane.a >= lane.a_end || b_first);
    int64_t& taken = from_b ? lane.b : lane.a;
    const int64_t end = from_b ? lane.b_end : lane.a_end;
    taken++;
    return {from_b, lane.out++, std::min(taken, end - 1)};
  }

  template <size_t bytes> void move(size_t column) {
    using Word = std::conditional_t<bytes == 1, uint8_t, std::conditional_t<bytes == 4, uint32_t, uint64_t>>;
    auto* a = reinterpret_cast<Word*>(a_.at(int(column)));
    auto* b = reinterpret_cast<Word*>(b_.at(int(column)));
    const auto* from_a = reinterpret_cast<const Word*>(pass_.a[column]);
    const auto* from_b = reinterpret_cast<const Word*>(pass_.b[column]);
    auto* to = reinterpret_cast<Word*>(pass_.to[column]);
    for (size_t k = 0; k < lanes_.size(); k++) {
      const Move& m = moves_[k];
      Word& value = m.from_b ? b[k] : a[k];
      to[m.to] = value;
      value = (m.from_b ? from_b : from_a)[m.next];
    }
  }

  // The last lane takes the place of lane k.
  void remove(size_t k) {
    const int64_t last = int64_t(lanes_.size()) - 1;
    lanes_[k] = lanes_.back();
    for (size_t column = 0; column < types_.size(); column++)
      for (ColumnBlock* block : {&a_, &b_}) block->set(int(column), int64_t(k), block->get(int(column), last));
    lanes_.pop_back();
  }

  const std::vector<Type>& types_;
  const Pass& pass_;
  int64_t capacity_;
  Frame frame_;
  std::optional<native::Merger> merger_;  // of native code
  ColumnBlock a_, b_;                     // the next element of each lane's runs
  std::vector<Lane> lanes_;
  std::vector<Move> moves_;
  std::vector<int64_t> low_, high_;
};

class FunctionSort {
 public:
  FunctionSort(const RoutineCall& call, int64_t n) : call_(call), n_(n), comparison_(find_comparison(call)) {}

  void run(const Pass& pass) const {
    const auto began = std::chrono::steady_clock::now();
    merge_all(pass);
    native::Tier& tier = comparison_->tier;
    if (!tier.waits()) return;
    tier.add(std::chrono::nanoseconds(std::chrono::steady_clock::now() - began).count());
    if (tier.take_due([&] { return comparison_->price_of_native(); }))
      native::in_background([comparison = comparison_] { comparison->compile_native(); });
  }

 private:
  void merge_all(const Pass& pass) const {
    if (n_ == 0) return;
    // A power of 2, so that no short pair is cut: then native code takes the same segments.
    const int64_t segment = int64_t(std::bit_floor(uint64_t(std::clamp(n_ / (4 * most_lanes), least_segment, most_segment))));
    const bool sorts = &pass.a == &pass.b, is_native = comparison_->program->native() != nullptr;
    if (sorts && is_native && pass.pair <= segment)
      return for_pieces(n_, pairs_at_once,
                        [&](int64_t begin, int64_t end) { Lanes(call_, comparison_->program, pass).merge_pairs(begin, end); });
    std::vector<int64_t> splits;  // of each pair; none if segments are whole pairs
    std::vector<std::unique_ptr<Lanes>> lanes_of(static_cast<size_t>(worker_count()));
    const int64_t in_pair = (pass.pair + segment - 1) / segment, pairs = (n_ + pass.pair - 1) / pass.pair;
    const int64_t piece = segment * (is_native ? native_lanes : most_lanes);
    // Calls use(a worker's lanes, some segments) until all have been used.
    auto for_segments = [&](const auto& use) {
      Chunks chunks((n_ + piece - 1) / piece, worker_count());
      for_chunks(chunks, worker_count(), [&](int worker) {
        std::unique_ptr<Lanes>& lanes = lanes_of[size_t(worker)];
        std::vector<Segment> segments;
        for (int64_t chunk = chunks.next(worker); chunk >= 0; chunk = chunks.next(worker))
          for (int64_t begin = chunk * piece, end = std::min(n_, begin + piece); begin < end;) {
            if (!lanes) lanes = std::make_unique<Lanes>(call_, comparison_->program, pass);
            const int64_t pair = begin / pass.pair;
            segments.push_back(segment_at(pass, pair * pass.pair, begin, std::min(end, begin + segment)));
            Segment& s = segments.back();
            if (!splits.empty()) s.split = splits.data() + pair * (in_pair + 1) + s.at / segment;
            begin = s.end;
            if (int64_t(segments.size()) < lanes->capacity() && begin < end) continue;
            use(*lanes, segments);
            segments.clear();
          }
      });
    };
    if (in_pair > 1) {
      splits.resize(size_t(pairs * (in_pair + 1)));
      for_segments([](Lanes& lanes, const std::vector<Segment>& segments) { lanes.find_splits(segments); });
      for (int64_t k = 0; k < pairs; k++) {
        const Segment first = segment_at(pass, k * pass.pair, k * pass.pair, n_);
        const int64_t count = (first.a_size + first.b_size + segment - 1) / segment;
        const std::span<int64_t> of_pair(splits.data() + k * (in_pair + 1), size_t(count + 1));
        of_pair.back() = first.a_size;
        order_splits(of_pair, first.a_size, first.b_size, segment);
      }
    }
    for_segments([](Lanes& lanes, const std::vector<Segment>& segments) { lanes.merge(segments); });
  }

  // The segment that begins at `begin`, in the pair that begins at `first`, and ends with the pair or before it at `end`.
  Segment segment_at(const Pass& pass, int64_t first, int64_t begin, int64_t end) const {
    const int64_t a_size = std::min(pass.run, n_ - first), b_size = std::min(pass.pair - pass.run, n_ - first - a_size);
    const int64_t stop = std::min(end, first + a_size + b_size);
    return {first, a_size, first + a_size - pass.b_offset, b_size, begin - first, begin, stop, nullptr};
  }

  const RoutineCall& call_;
  const int64_t n_;
  const std::shared_ptr<const Comparison> comparison_;
};

// Memory for every column of n elements.
class Scratch {
 public:
  Scratch(const std::shared_ptr<Pool>& pool, const std::vector<Type>& types, int64_t n) {
    for (Type type : types) {
      buffers_.push_back(Buffer::make(pool, size_t(n) * size_of(type)));
      columns_.push_back(buffers_.back()->host_for_writing());
    }
  }
  const Columns& columns() const { return columns_; }

 private:
  std::vector<BufferRef> buffers_;
  Columns columns_;
};

// Computes keys[k][at, at + n) of the n elements whose columns begin at `from`.
void compute_keys(const Fn& fn, const std::vector<Type>& types, const std::vector<const std::byte*>& from, int64_t n, const Columns& keys,
                  int64_t at) {
  constexpr int64_t grain = 1 << 14;
  const std::shared_ptr<const BlockProgram> program = BlockProgram::compile(fn, {}, false);
  const std::vector<Type> key_types = fn.result_types();
  for_pieces(n, grain, [&](int64_t begin, int64_t end) {
    Frame frame(program);
    frame.bind_inputs({});
    const int64_t block = std::min(program->block(), grain);
    const ColumnBlock elements(types, block);
    for (size_t k = 0; k < types.size(); k++) frame.bind_param(uint32_t(k), elements.at(int(k)));
    for (; begin < end; begin += block) {
      const int64_t count = std::min(block, end - begin);
      for (size_t k = 0; k < types.size(); k++) {
        const int64_t size = elements.size(int(k));
        std::memcpy(elements.at(int(k)), from[k] + begin * size, size_t(count * size));
      }
      frame.run(1, 0, count);
      for (size_t k = 0; k < key_types.size(); k++) {
        const int64_t size = int64_t(size_of(key_types[k]));
        std::memcpy(keys[k] + (at + begin) * size, frame.result(uint32_t(k)), size_t(count * size));
      }
    }
  });
}

// Sorts the elements with their keys as first columns.
void sort_by_key_function(const RoutineCall& call, const KeyFunction& f, const Rows& rows, const std::shared_ptr<Pool>& pool) {
  const std::vector<Type> types = f.keys->result_types();
  const Scratch scratch(pool, types, rows.n);
  const Columns& keys = scratch.columns();
  compute_keys(*f.keys, rows.types, rows.first, rows.split, keys, 0);
  if (rows.split < rows.n) compute_keys(*f.keys, rows.types, rows.second, rows.n - rows.split, keys, rows.split);
  Rows keyed = rows;
  keyed.types.insert(keyed.types.begin(), types.begin(), types.end());
  keyed.outputs.insert(keyed.outputs.begin(), types.size(), nullptr);
  keyed.first.insert(keyed.first.begin(), keys.begin(), keys.end());
  for (size_t k = types.size(); !rows.second.empty() && k-- > 0;)
    keyed.second.insert(keyed.second.begin(), keys[k] + rows.split * int64_t(size_of(types[k])));
  RoutineCall by_keys = call;
  by_keys.routine.keys = uint16_t(types.size());
  by_keys.routine.descending = f.descending;
  sort_by_keys(by_keys, keyed, pool);
}

}  // namespace

void sort_by_function(const RoutineCall& call, const Rows& rows, const std::shared_ptr<Pool>& pool) {
  if (const auto keys = key_function(*call.fn)) return sort_by_key_function(call, *keys, rows, pool);
  const int64_t n = rows.n;
  const FunctionSort sort(call, n);
  if (call.routine.kind == Routine::Merge) return sort.run({rows.first, rows.second, rows.outputs, n, rows.split, n, rows.split});
  const Scratch scratch(pool, call.types, n);
  // The last of the passes writes the outputs. One element takes one pass too, which copies it.
  const int passes = n > 1 ? std::bit_width(uint64_t(n - 1)) : 1;
  const Columns* to = passes % 2 ? &rows.outputs : &scratch.columns();
  std::vector<const std::byte*> from = rows.first;
  for (int pass = 0; pass < passes; pass++) {
    const int64_t run = int64_t(1) << pass;
    sort.run({from, from, *to, n, run, 2 * run, 0});
    from.assign(to->begin(), to->end());
    to = to == &rows.outputs ? &scratch.columns() : &rows.outputs;
  }
}

}  // namespace wf::cpu
