// The skeletons compile alone, with handwritten functions.
#include "check.h"
#include "cuda/compile.h"
#include "cuda/device/driver.h"
#include "engine/engine.h"

namespace {

constexpr const char* arguments = R"(
namespace wf {
struct Args {
  int64_t n;
  const int* in;
  int* out;
  uint64_t* results;
  Counters* counters;
  void *partials, *tile_values, *group_values, *total;
  uint64_t *tile_words, *group_words;
};
template <class Program> struct Adding : Defaults<Program, Args> {
  using Args = wf::Args;
  static constexpr int threads = 256, pack = 4, rows = 4;
  static WF_MEMBER bool has_sums(const Args&) { return true; }
  static WF_MEMBER bool has_finish(const Args&) { return true; }
  struct Row { Pack<int, pack> x; };
  struct Out { Pack<int, pack> y; };
  struct Sums { int sum; };
  static WF_MEMBER void turn(Row& row) { row.x.turn(); }
  static WF_MEMBER void turn(Out& out) { out.y.turn(); }
  static WF_MEMBER Sums none(const Args&) { return {0}; }
  static WF_MEMBER Sums join(const Args&, const Sums& x, const Sums& y) { return {x.sum + y.sum}; }
  static WF_MEMBER void store(const Args& a, int64_t i, const Out& out) { store_pack(a.out + i, out.y); }
  static WF_MEMBER void store_one(const Args& a, int64_t i, const Out& out, int p) { a.out[i] = out.y.at[p]; }
};
}
)";

// y[i] = 2 x[i], and the sum of x.
constexpr const char* doubling = R"(
namespace wf {
struct Doubling : Adding<Doubling> {
  static WF_MEMBER void fetch(const Args& a, int64_t i, Row& row) { load_pack(a.in + i, row.x); }
  static WF_MEMBER void fetch_one(const Args& a, int64_t i, Row& row) { row.x.at[0] = load(a.in + i); }
  static WF_MEMBER void visit(const Args&, int64_t, const Row& row, int p, Out& out, Sums& sums, Checks&) {
    out.y.at[p] = 2 * row.x.at[p];
    sums.sum += row.x.at[p];
  }
  static WF_MEMBER void finish(const Args& a, const Sums& sums) { a.results[0] = bits_of(sums.sum); }
};
}
extern "C" __global__ void doubled(const __grid_constant__ wf::Args a) { wf::map<wf::Doubling>(a); }
extern "C" __global__ void doubled_and_summed(const __grid_constant__ wf::Args a) { wf::reduce<wf::Doubling>(a); }
)";

// y[i] = x[0] + ... + x[i], and the sum of the prefixes.
constexpr const char* prefixes = R"(
namespace wf {
struct Prefixes : Adding<Prefixes> {
  static constexpr bool bulk = true, exact = true;
  struct Local { int c; };
  using Carry = Local;
  struct alignas(128) Stage { int x[threads * pack * rows]; };
  static WF_MEMBER Local local_identity(const Args&) { return {0}; }
  static WF_MEMBER Carry carry_identity(const Args&) { return {0}; }
  static WF_MEMBER Local combine(const Args&, const Local& x, const Local& y) { return {x.c + y.c}; }
  static WF_MEMBER Carry advance(const Args&, const Carry& x, const Local& y) { return {x.c + y.c}; }
  static WF_MEMBER Carry append(const Args&, const Carry& x, const Carry& y) { return {x.c + y.c}; }
  static WF_MEMBER void fetch(const Stage& stage, int at, Row& row) { copy_pack(stage.x + at, row.x); }
  static WF_MEMBER void copy_one(const Args& a, int64_t i, Stage& stage, int p) { stage.x[p] = load(a.in + i); }
  static WF_MEMBER unsigned bulk_bytes(int count) { return count * 4u & ~15u; }
  static WF_MEMBER void copy_bulk(const Args& a, int64_t i, int count, Stage& stage, uint64_t* barrier) {
    bulk_copy(stage.x, a.in + i, bulk_bytes(count), barrier);
  }
  static WF_MEMBER void copy_rest(const Args& a, int64_t i, int count, Stage& stage) {
    for (int p = bulk_bytes(count) / 4 + lane_of_thread(); p < count; p += 32) stage.x[p] = load(a.in + i + p);
  }
  static WF_MEMBER Local early(const Args&, int64_t, const Row& row, int p, Checks&) { return {row.x.at[p]}; }
  static WF_MEMBER void late(const Args&, int64_t, const Row&, int p, const Carry&, const Carry& after, int, const Local&, Stage&,
                               Kept&, Out& out, Sums& sums) {
    out.y.at[p] = after.c;
    sums.sum += after.c;
  }
  static WF_MEMBER void finish(const Args& a, const Sums& sums, const Carry&) { a.results[0] = bits_of(sums.sum); }
};
}
extern "C" __global__ void prefixes(const __grid_constant__ wf::Args a) { wf::scan<wf::Prefixes>(a); }
)";

// The indices i of those x[i] that differ from x[i - 1].
constexpr const char* changes = R"(
namespace wf {
struct Changes : Adding<Changes> {
  struct Local { uint32_t n0; };
  struct Carry { int64_t n0; };
  struct Row { Window<int, pack, 1, 0> x; };
  static constexpr bool compacts = true, counts = true, exact = true;
  static WF_MEMBER Local local_identity(const Args&) { return {0}; }
  static WF_MEMBER Carry carry_identity(const Args&) { return {0}; }
  static WF_MEMBER Local combine(const Args&, const Local& x, const Local& y) { return {x.n0 + y.n0}; }
  static WF_MEMBER Carry advance(const Args&, const Carry& x, const Local& y) { return {x.n0 + y.n0}; }
  static WF_MEMBER Carry append(const Args&, const Carry& x, const Carry& y) { return {x.n0 + y.n0}; }
  static WF_MEMBER IndexRange inner(const Args& a) { return {1, a.n - 1}; }
  static WF_MEMBER void fetch(const Args& a, int64_t i, Row& row) { fetch_window<false>(a.in + i, row.x); }
  static WF_MEMBER bool is_kept(const Args&, int64_t, const Row& row, int p) { return row.x.all[p] != row.x.all[p + 1]; }
  static WF_MEMBER bool is_kept_at_edge(const Args& a, int64_t i) { return i == 0 || load(a.in + i - 1) != load(a.in + i); }
  static WF_MEMBER void keep(const Args& a, int64_t i, int64_t to) { a.out[to] = int(i); }
  static WF_MEMBER void finish(const Args& a, const Sums&, const Carry& total) { a.results[0] = total.n0; }
};
}
extern "C" __global__ void changes(const __grid_constant__ wf::Args a) { wf::filter<wf::Changes>(a); }
)";

void compiles(const std::string& text, std::initializer_list<const char*> architectures = {"sm_75", "sm_80", "sm_90"}) {
  try {
    wf::cuda::nvrtc();
  } catch (const wf::DeviceError& e) { SKIP(e.what()); }
  for (const char* architecture : architectures) CHECK(!wf::cuda::compile(text, architecture).empty());
}

}  // namespace

TEST(map_and_reduce) { compiles(std::string("#include \"reduce.cuh\"\n") + arguments + doubling); }
TEST(scan) { compiles(std::string("#include \"scan.cuh\"\n") + arguments + prefixes); }
TEST(filter) { compiles(std::string("#include \"filter.cuh\"\n") + arguments + changes); }
// The library contains an interpreter for each architecture that the build requests. This test compiles one in every build.
TEST(interpreter) {
  for (const char* skeleton : {"strided", "tiled"})
    compiles(std::string("#define WF_COLUMNS 1\n#include \"interpreter_") + skeleton + ".cuh\"\n", {"sm_90"});
}
TEST(errors_come_whole) {
  std::string log;
  try {
    compiles("__global__ void f() { this_is_no_name(); }");
  } catch (const wf::CompileError& e) { log = e.what(); }
  CHECK(log.find("this_is_no_name") != log.npos);
}
