#include <algorithm>
#include <bit>

#include "cuda/routines/atomics.h"
#include "cuda/routines/full_groups.h"
#include "cuda/routines/routines.h"
#include "cuda/text/emitter.h"

namespace wf::cuda {
namespace {

constexpr int threads = 1024;
// A table with copies leaves shared memory for two blocks of a multiprocessor.
constexpr int64_t table_bytes = 96 << 10, copies_bytes = 64 << 10;
constexpr int most_log_copies = 5;
constexpr const char *scatter_name = "warpfold_scatter", *join_name = "warpfold_join";
constexpr const char *claim_name = "warpfold_claim", *replace_name = "warpfold_replace";

// The places that n values claim among m elements.
struct Places {
  Places(int64_t n, int64_t m)
      : is_table(n <= m / 8), count(is_table ? int64_t(std::bit_ceil(uint64_t(2 * n + 1))) : m), wide(n >= UINT32_MAX) {}
  const bool is_table;
  const int64_t count;
  const bool wide;
  size_t key_bytes() const { return is_table ? size_t(count) * sizeof(uint64_t) : 0; }
  size_t bytes() const { return key_bytes() + size_t(count) * (wide ? sizeof(uint64_t) : sizeof(uint32_t)); }
};

// The words on which the text of a kernel depends.
std::vector<uint64_t> text_key(std::optional<Op> op, Type type, Type index, bool checks, std::initializer_list<bool> more) {
  std::vector<uint64_t> words{op ? uint64_t(*op) + 1 : 0, uint64_t(type), uint64_t(index), checks};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Tables of bytes have words, for which the hardware has atomic operations. A table counts in 32 bits, which are enough for a block's part.
Type type_in_table(const std::optional<Op>& op, Type type) { return !op || size_of(type) == 1 ? Type::U32 : type; }

// Elements per load, of 16 bytes at most.
int pack_of(const std::optional<Op>& op, Type type, Type index) { return int(16 / std::max(size_of(index), op ? size_of(type) : 1)); }

// The common part of both programs: the types, the operation, and the values of a position and of a pack.
std::string program_text(std::optional<Op> op, Type type, Type index, Type element, Bits64 identity, bool in_range, bool checks) {
  const std::string out = type_text(type), e = type_text(element), pack = std::to_string(pack_of(op, type, index));
  std::string text = "struct Program {\n  using Args = wf::Args;\n  using Index = " + type_text(index) + ";\n  using Out = " + out +
                     ";\n  using Element = " + e + ";\n  static constexpr int pack = " + pack +
                     ";\n  static constexpr bool in_range = " + (in_range ? "true" : "false") +
                     ", checks = " + (checks ? "true" : "false") + ";\n";
  text += "  static WF_MEMBER " + e + " identity() { return " + literal_text(element, identity) + "; }\n";
  text += "  static WF_MEMBER " + e + " join(" + e + " x, " + e + " y) { return op_" + std::string(name(op.value_or(Op::add_))) + "<" + e +
          ">(x, y); }\n";
  text += "  static WF_MEMBER " + e + " value(const Args& a, int64_t i) { return " + (op ? e + "(load(a.values + i))" : "1") + "; }\n";
  return text + (op ? "  static WF_MEMBER Pack<" + out + ", pack> pack_of_values(const Args& a, int64_t i) {\n    Pack<" + out +
                          ", pack> values;\n    load_pack(a.values + i, values);\n    return values;\n  }\n"
                    : "  struct Ones {\n    " + e +
                          " at[pack];\n  };\n  static WF_MEMBER Ones pack_of_values(const Args&, int64_t) {\n    Ones ones;\n"
                          "    for (int p = 0; p < pack; p++) ones.at[p] = 1;\n    return ones;\n  }\n");
}

// The packs that n elements consist of, if indices and values are aligned to packs; otherwise 0.
int64_t whole_packs(std::optional<Op> op, Type type, Type index, int64_t n, uint64_t indices, uint64_t values) {
  const auto pack = size_t(pack_of(op, type, index));
  return indices % (pack * size_of(index)) == 0 && values % (pack * size_of(type)) == 0 ? n / int64_t(pack) : 0;
}

std::string kernel_text(const char* name, int most_threads, const char* function) {
  return std::string("extern \"C\" __global__ void __launch_bounds__(") + std::to_string(most_threads) + ") " + name +
         "(const __grid_constant__ wf::Args a) {\n  wf::" + function + "<wf::Program>(a);\n}\n";
}

}  // namespace

std::string scatter_text(std::optional<Op> op, Type type, Type index, bool in_table, bool in_range, bool checks, bool looks) {
  const Op operation = op.value_or(Op::add_);
  const Type element = in_table ? type_in_table(op, type) : type;
  std::string text = includes_and_operations({}, {"scatter.cuh"}, {operation}) + "\nstruct Args {\n  const " + type_text(index) +
                     "* indices;\n  const " + type_text(type) + "* values;\n  " + type_text(type) +
                     "* out;\n  int64_t n, m, packs, log_copies;\n  wf::Fault* fault;\n  wf::FullGroups full;\n};\n\n";
  text += program_text(op, type, index, element, *identity_bits(operation, element), in_range, checks);
  text += std::string("  static constexpr bool in_table = ") + (in_table ? "true" : "false") + ";\n";
  looks = looks && may_look(operation, type);
  text += std::string("  static constexpr bool looks = ") + (looks ? "true" : "false") + ";\n";
  text += (looks ? combine_looking_text(operation) : combine_out_text(operation, type)) + combine_text(operation, element);
  return text + "};\n\n}  // namespace wf\n\n" + kernel_text(scatter_name, threads, "scatter");
}

std::string scatter_floats_text(Op op, Type type, Type index, bool checks) {
  const std::string out = type_text(type);
  return includes_and_operations({}, {"scatter.cuh"}, {op}) + "\nstruct Args {\n  const " + type_text(index) + "* indices;\n  const " +
         out + "* values;\n  " + out + "* out;\n  const " + out + "* base;\n  double* tables;\n  int64_t n, m, packs, blocks;\n" +
         "  wf::Fault* fault;\n};\n\n" + program_text(op, type, index, Type::F64, neutral_bits(op, Type::F64), false, checks) +
         "};\n\n}  // namespace wf\n\n" + kernel_text(scatter_name, threads, "scatter_by_lanes") +
         kernel_text(join_name, 32, "join_tables");
}

std::string replace_text(Type type, Type index, bool wide, bool checks) {
  const std::string position = wide ? "unsigned long long" : "unsigned", value = type_text(type);
  return includes_and_operations({}, {"scatter.cuh"}, {}) + "\nstruct Args {\n  const " + type_text(index) + "* indices;\n  const " +
         value + "* values;\n  " + value + "* out;\n  const " + value + "* base;\n  unsigned long long* keys;\n  " + position +
         "* last;\n  int64_t n, m, mask;\n  wf::Fault* fault;\n};\n\n" +
         "struct Program {\n  using Args = wf::Args;\n  using Index = " + type_text(index) + ";\n  using Position = " + position +
         ";\n  static constexpr bool checks = " + (checks ? "true" : "false") + ";\n};\n\n}  // namespace wf\n\n" +
         kernel_text(claim_name, threads, "claim_places") + kernel_text(replace_name, threads, "replace_elements");
}

namespace {

class ScatterRun {
 public:
  ScatterRun(Routines& routines, const RoutineCall& call, Launch& launch)
      : device_(routines.device),
        routines_(routines),
        call_(call),
        run_(routines, launch),
        columns_(call.types.size()),
        n_(launch.inputs[columns_].length),
        m_(launch.n),
        index_(launch.kernel->inputs[columns_].type),
        indices_(run_.inputs()[columns_]) {}

  void execute() {
    const bool replaces = call_.routine.replaces, checks = call_.routine.checks;
    const bool has_floats = !replaces && std::ranges::any_of(call_.types, [](Type type) { return is_in(type, Float); });
    const uint64_t tables = has_floats ? run_.scratch(size_t(lane_blocks() * m_) * sizeof(double)) : 0;
    std::vector<uint64_t> bits(columns_);
    for (size_t k = 0; k < columns_; k++)
      if (const size_t bytes = bytes_of_bits(k)) bits[k] = run_.scratch(bytes);
    const uint64_t places = replaces ? run_.scratch(Places(n_, m_).bytes()) : 0;
    run_.begin(std::max(m_, n_) >= RoutineRun::few);
    fault_ = checks ? run_.fault() : 0;
    if (replaces) replace(places);
    for (size_t k = 0; k < columns_ && !replaces; k++) {
      if (is_in(call_.types[k], Float)) {
        scatter_floats(k, tables);
        continue;
      }
      run_.copy(run_.outputs()[k], run_.inputs()[k], size_t(m_) * size_of(call_.types[k]));
      if (n_ > 0) scatter_column(k, bits[k]);
    }
    if (checks) run_.throw_fault();
    run_.end();
  }

 private:
  // The operation of column k; none if elements are counted.
  std::optional<Op> op_of(size_t k) const { return call_.fn ? column_op(*call_.fn, k) : std::nullopt; }
  uint64_t values_of(size_t k) const { return run_.inputs()[columns_ + 1 + k]; }
  // The bytes of the bits of full groups that column k's values look at.
  size_t bytes_of_bits(size_t k) const {
    const std::optional<Op> op = op_of(k);
    return op ? bytes_of_full_groups(*op, call_.types[k], n_, m_) : 0;
  }
  // The most blocks of a scatter of floats.
  int64_t lane_blocks() const { return 2 * device_.multiprocessors(); }

  CUfunction with_shared(CUfunction function, int64_t bytes) const {
    check(device_.driver().cuFuncSetAttribute(function, function_max_dynamic_shared, int(bytes)), "reserving shared memory for a scatter");
    return function;
  }

  void replace(uint64_t memory) {
    const Places places(n_, m_);
    const uint64_t keys = places.is_table ? memory : 0, last = memory + places.key_bytes();
    run_.clear(memory, places.bytes());
    const auto blocks = [&](int64_t visited) {
      return std::clamp<int64_t>((visited + threads - 1) / threads, 1, 2 * device_.multiprocessors());
    };
    for (size_t k = 0; k < columns_; k++) {
      const Type type = call_.types[k];
      const uint64_t base = run_.inputs()[k], out = run_.outputs()[k];
      if (places.is_table) run_.copy(out, base, size_t(m_) * size_of(type));
      if (n_ == 0) continue;
      const bool checks = call_.routine.checks && k == 0;
      const std::vector<uint64_t> key = text_key(std::nullopt, type, index_, checks, {places.wide});
      const auto text = [&] { return replace_text(type, index_, places.wide, checks); };
      const std::vector<uint64_t> words{
          indices_, values_of(k), out, base, keys, last, uint64_t(n_), uint64_t(m_), uint64_t(places.count - 1), fault_};
      if (k == 0) run_.start(routines_.kernels.find(key, claim_name, text), blocks(n_), threads, words);
      run_.start(routines_.kernels.find(key, replace_name, text), blocks(places.is_table ? n_ : m_), threads, words);
    }
  }

  void scatter_column(size_t k, uint64_t bits) {
    const Type type = call_.types[k];
    const std::optional<Op> op = op_of(k);
    const uint64_t values = op ? values_of(k) : 0;
    const int64_t packs = whole_packs(op, type, index_, n_, indices_, values), work = packs + n_ % pack_of(op, type, index_);
    const int64_t resident = device_.multiprocessors() * int64_t(device_.threads_per_multiprocessor() / threads);
    const int64_t blocks = std::clamp<int64_t>((work + threads - 1) / threads, 1, resident);

    // Every block combines its table with the result, m atomic operations.
    const int64_t bytes = m_ * int64_t(size_of(type_in_table(op, type)));
    const int64_t most_bytes = int64_t(device_.shared_memory());
    const bool in_table = bytes <= std::min(table_bytes, most_bytes) && 2 * blocks * m_ <= n_ && n_ / blocks < int64_t(1) << 31;
    int log_copies = 0;
    while (log_copies < most_log_copies && bytes << (log_copies + 1) <= std::min(copies_bytes, most_bytes)) log_copies++;
    const int64_t shared_bytes = in_table ? bytes << log_copies : 0;

    const bool looks = op && may_look(*op, type) && !in_table && n_ >= fewest_per_looked_at * m_;
    const bool checks = call_.routine.checks, in_range = index_ == Type::U8 && m_ > UINT8_MAX;
    const CUfunction function = routines_.kernels.find(text_key(op, type, index_, checks, {in_table, in_range, looks}), scatter_name,
                                                       [&] { return scatter_text(op, type, index_, in_table, in_range, checks, looks); });
    if (shared_bytes > 48 << 10) with_shared(function, shared_bytes);
    const FullGroups full = bits ? find_full_groups(routines_, run_.queue(), *op, run_.outputs()[k], m_, bits) : FullGroups();
    run_.start(function, blocks, threads,
               {indices_, values, run_.outputs()[k], uint64_t(n_), uint64_t(m_), uint64_t(packs), uint64_t(log_copies), fault_, full[0],
                full[1], full[2]},
               size_t(shared_bytes));
  }

  void scatter_floats(size_t k, uint64_t tables) {
    if (m_ == 0) return;
    const Type type = call_.types[k];
    const Op op = *op_of(k);
    const uint64_t values = values_of(k);
    // Two blocks share a multiprocessor's shared memory.
    const int64_t warp_bytes = 32 * m_ * int64_t(sizeof(double)), half = int64_t(device_.shared_memory()) / 2;
    const int64_t warps = std::clamp<int64_t>(half / warp_bytes, 1, threads / 32);
    const int64_t packs = whole_packs(op, type, index_, n_, indices_, values), work = packs + n_ % pack_of(op, type, index_);
    const int64_t blocks = std::clamp<int64_t>((work + 32 * warps - 1) / (32 * warps), 1, lane_blocks());
    const std::vector<uint64_t> key = text_key(op, type, index_, call_.routine.checks, {});
    const auto text = [&] { return scatter_floats_text(op, type, index_, call_.routine.checks); };
    const CUfunction function = with_shared(routines_.kernels.find(key, scatter_name, text), warps * warp_bytes);
    const std::vector<uint64_t> words{indices_,     values,       run_.outputs()[k], run_.inputs()[k], tables,
                                      uint64_t(n_), uint64_t(m_), uint64_t(packs),   uint64_t(blocks), fault_};
    run_.start(function, blocks, int(32 * warps), words, size_t(warps * warp_bytes));
    run_.start(routines_.kernels.find(key, join_name, text), m_, 32, words);
  }

  Device& device_;
  Routines& routines_;
  const RoutineCall& call_;
  RoutineRun run_;
  const size_t columns_;
  const int64_t n_, m_;
  const Type index_;
  const uint64_t indices_;
  uint64_t fault_ = 0;
};

}  // namespace

void run_scatter(Routines& routines, const RoutineCall& call, Launch& launch) { ScatterRun(routines, call, launch).execute(); }

}  // namespace wf::cuda
