#include "cuda/routines/routines.h"
#include "cuda/routines/sort_text.h"

namespace wf::cuda {
namespace {

using Columns = std::vector<uint64_t>;  // the addresses of columns in device memory

// The launches of one merge sort or merge.
class Merges {
 public:
  Merges(RoutineKernels& kernels, RoutineRun& run, const SortText& text, int64_t n)
      : sort_tiles_(kernels.find(text.text, "warpfold_sort_tiles")),
        find_begins_(kernels.find(text.text, "warpfold_find_begins")),
        merge_tiles_(kernels.find(text.text, "warpfold_merge_tiles")),
        run_(run),
        threads_(text.threads),
        n_(n),
        tiles_((n + text.tile() - 1) / text.tile()),
        begins_(run.scratch(8 * size_t(tiles_ + 1))) {}

  void sort_tiles(const Columns& from, const Columns& to) { start(sort_tiles_, tiles_, from, to, 0, 0); }

  void merge(const Columns& from, const Columns& to, int64_t run, int64_t pair) {
    start(find_begins_, (tiles_ + threads_ - 1) / threads_, from, to, run, pair);
    start(merge_tiles_, tiles_, from, to, run, pair);
  }

 private:
  void start(CUfunction function, int64_t blocks, const Columns& from, const Columns& to, int64_t run, int64_t pair) {
    Columns words = from;
    words.insert(words.end(), to.begin(), to.end());
    for (int64_t word : {n_, run, pair}) words.push_back(uint64_t(word));
    if (counters_ == 0) counters_ = run_.queue().zeros(16);
    words.insert(words.end(), {begins_, counters_});
    run_.start(function, blocks, threads_, std::move(words));
  }

  const CUfunction sort_tiles_, find_begins_, merge_tiles_;
  RoutineRun& run_;
  const int threads_;
  const int64_t n_, tiles_;
  const uint64_t begins_;
  uint64_t counters_ = 0;
};

void run_rows(Routines& routines, const RoutineCall& call, Launch& launch) {
  const auto length = from_bits<int64_t>(call.parameters[0]);
  const SortRowsText text = sort_rows_text(call, length);
  const CUfunction sort = routines.kernels.find(text.text, "warpfold_sort_rows");
  const int64_t rows = launch.n / length;
  RoutineRun run(routines, launch);
  Columns words = run.inputs();
  words.insert(words.end(), run.outputs().begin(), run.outputs().end());
  words.insert(words.end(), {uint64_t(rows), uint64_t(length)});
  run.begin();
  run.start(sort, (rows + text.rows - 1) / text.rows, text.threads, std::move(words));
  run.end();
}

void run_merges(Routines& routines, const RoutineCall& call, Launch& launch) {
  const int64_t n = launch.n;
  const SortText text = sort_text(call);
  RoutineRun run(routines, launch);
  Merges merges(routines.kernels, run, text, n);
  Columns output = run.outputs(), scratch;
  for (Type type : call.types) scratch.push_back(run.scratch(size_t(n) * size_of(type)));
  run.begin();
  if (call.routine.kind == Routine::Merge) {
    // The two inputs are copied into one set of columns, one after the other.
    const int64_t split = launch.inputs[0].length;
    for (size_t k = 0; k < call.types.size(); k++) {
      const size_t size = size_of(call.types[k]), bytes = size_t(split) * size;
      run.copy(scratch[k], run.inputs()[k], bytes);
      run.copy(scratch[k] + bytes, run.inputs()[call.types.size() + k], size_t(n - split) * size);
    }
    merges.merge(scratch, output, split, n);
  } else {
    int passes = 0;
    for (int64_t length = text.tile(); length < n; length *= 2) passes++;
    Columns *from = passes % 2 ? &scratch : &output, *to = passes % 2 ? &output : &scratch;
    merges.sort_tiles(run.inputs(), *from);
    for (int64_t length = text.tile(); length < n; length *= 2) {
      merges.merge(*from, *to, length, 2 * length);
      std::swap(from, to);
    }
  }
  run.end();
}

}  // namespace

void run_sort(Routines& routines, const RoutineCall& call, Launch& launch) {
  if (launch.n == 0) return;
  if (call.routine.kind == Routine::Sort && !call.parameters.empty()) return run_rows(routines, call, launch);
  const bool by_keys = call.routine.kind == Routine::Sort && !call.fn;
  if (!by_keys || !run_radix_sort(routines, call, launch)) run_merges(routines, call, launch);
}

}  // namespace wf::cuda
