// The interpreter for prefixes and compactions of many elements: scan.cuh's Program. Elements are not loaded through shared memory, which
// the registers fill.
#pragma once

#include "interpreter.cuh"
#include "scan.cuh"

namespace wf::interpreter {

template <int most> struct TiledInterpreter : Interpreter<most> {
  using Base = Interpreter<most>;
  using Args = Arguments;
  using Sums = typename Base::Columns;
  using Local = Sums;
  using Carry = Sums;
  using Row = typename Base::Row;
  using Out = typename Base::Out;
  using Stage = typename Base::Stage;
  using Kept = typename Base::Kept;
  struct Form {
    const int threads = int(blockDim.x), pack, rows;
    const bool ordered;
    WF_MEMBER explicit Form(const Args& a) : pack(int(a.pack)), rows(int(a.rows)), ordered(a.ordered) {}
  };
  static constexpr int rows = most_rows;
  static constexpr bool rolled = true, per_tile = true;
  static WF_MEMBER bool has_sums(const Args&) { return true; }

  // Not inlined, since they are called in many places.
  static __device__ __noinline__ Sums join(const Args& a, const Sums& x, const Sums& y) { return Base::join(a, x, y); }
  static __device__ __noinline__ Local combine(const Args& a, const Local& x, const Local& y) { return Base::combine(a, x, y); }
  static WF_MEMBER Carry carry_identity(const Args& a) { return Base::local_identity(a); }
  static WF_MEMBER Carry advance(const Args& a, const Carry& x, const Local& y) { return combine(a, x, y); }
  static WF_MEMBER Carry append(const Args& a, const Carry& x, const Carry& y) { return combine(a, x, y); }
  static WF_MEMBER Local early(const Args& a, int64_t i, const Row&, int, Checks& checks) {
    return a.locals > 0 ? Base::early(a, i, checks) : Local{};
  }
  static WF_MEMBER void late(const Args& a, int64_t i, const Row&, int, const Carry& before, const Carry& after, int, const Local&, Stage&,
                             Kept&, Out&, Sums& sums) {
    const Sums one = Base::visit(a, i, before, after);
    if (a.sums > 0) sums = join(a, sums, one);
  }
};

}  // namespace wf::interpreter

extern "C" __global__ void __launch_bounds__(wf::interpreter::most_threads, 2)
    warpfold(const __grid_constant__ wf::interpreter::Arguments a) {
  using namespace wf::interpreter;
  start(a);
  wf::scan<TiledInterpreter<WF_COLUMNS>>(a);
}
