#include "cuda/routines/scatter.h"

#include <algorithm>
#include <bit>

#include "cuda/routines/atomics.h"
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

void Scatterer::run(const RoutineCall& call, Launch& launch) {
  RoutineRun run(device_, pool_, launch);
  const bool has_floats = !call.routine.replaces && std::ranges::any_of(call.types, [](Type type) { return is_in(type, Float); });
  const uint64_t tables = has_floats ? run.scratch(size_t(lane_blocks() * launch.n) * sizeof(double)) : 0;
  std::vector<uint64_t> bits(call.types.size());
  for (size_t k = 0; k < bits.size(); k++)
    if (const size_t bytes = bytes_of_bits(call, launch, k)) bits[k] = run.scratch(bytes);
  const int64_t updates = launch.inputs[call.types.size()].length;
  const uint64_t places = call.routine.replaces ? run.scratch(Places(updates, launch.n).bytes()) : 0;
  run.begin(std::max(launch.n, updates) >= RoutineRun::few);
  const bool checks = call.routine.checks;
  const uint64_t fault = checks ? run.fault() : 0;
  if (places) replace(call, launch, run, places, fault);
  for (size_t k = 0; k < call.types.size() && !places; k++) {
    if (is_in(call.types[k], Float)) {
      scatter_floats(call, launch, run, k, tables, fault);
      continue;
    }
    run.copy(run.outputs()[k], run.inputs()[k], size_t(launch.n) * size_of(call.types[k]));
    if (launch.inputs[call.types.size()].length > 0) scatter_column(call, launch, run, k, bits[k], fault);
  }
  if (checks) run.throw_fault();
  run.end();
}

void Scatterer::replace(const RoutineCall& call, const Launch& launch, RoutineRun& run, uint64_t memory, uint64_t fault) {
  const size_t columns = call.types.size();
  const int64_t n = launch.inputs[columns].length, m = launch.n;
  const Type index = launch.kernel->inputs[columns].type;
  const Places places(n, m);
  const uint64_t keys = places.is_table ? memory : 0, last = memory + places.key_bytes();
  run.clear(memory, places.bytes());
  const auto blocks = [&](int64_t visited) {
    return std::clamp<int64_t>((visited + threads - 1) / threads, 1, 2 * device_.multiprocessors());
  };
  for (size_t k = 0; k < columns; k++) {
    const uint64_t base = run.inputs()[k], values = run.inputs()[columns + 1 + k], out = run.outputs()[k];
    if (places.is_table) run.copy(out, base, size_t(m) * size_of(call.types[k]));
    if (n == 0) continue;
    const bool checks = call.routine.checks && k == 0;
    const std::vector<uint64_t> key = text_key(std::nullopt, call.types[k], index, checks, {places.wide});
    const auto text = [&] { return replace_text(call.types[k], index, places.wide, checks); };
    const std::vector<uint64_t> words{run.inputs()[columns],      values, out, base, keys, last, uint64_t(n), uint64_t(m),
                                      uint64_t(places.count - 1), fault};
    if (k == 0) run.start(kernels_.find(key, claim_name, text), blocks(n), threads, words);
    run.start(kernels_.find(key, replace_name, text), blocks(places.is_table ? n : m), threads, words);
  }
}

size_t Scatterer::bytes_of_bits(const RoutineCall& call, const Launch& launch, size_t k) {
  const std::optional<Op> op = call.fn ? column_op(*call.fn, k) : std::nullopt;
  return op ? FullGroupFinder::bytes(*op, call.types[k], launch.inputs[call.types.size()].length, launch.n) : 0;
}

void Scatterer::scatter_column(const RoutineCall& call, const Launch& launch, RoutineRun& run, size_t k, uint64_t bits, uint64_t fault) {
  const size_t columns = call.types.size();
  const int64_t n = launch.inputs[columns].length, m = launch.n;
  const Type index = launch.kernel->inputs[columns].type, type = call.types[k];
  const std::optional<Op> op = call.fn ? column_op(*call.fn, k) : std::nullopt;
  const uint64_t indices = run.inputs()[columns], values = op ? run.inputs()[columns + 1 + k] : 0;

  const int64_t packs = whole_packs(op, type, index, n, indices, values), work = packs + n % pack_of(op, type, index);
  const int64_t resident = device_.multiprocessors() * int64_t(device_.threads_per_multiprocessor() / threads);
  const int64_t blocks = std::clamp<int64_t>((work + threads - 1) / threads, 1, resident);

  // Every block combines its table with the result, m atomic operations.
  const int64_t bytes = m * int64_t(size_of(type_in_table(op, type)));
  const int64_t most_bytes = int64_t(device_.shared_memory());
  const bool in_table = bytes <= std::min(table_bytes, most_bytes) && 2 * blocks * m <= n && n / blocks < int64_t(1) << 31;
  int log_copies = 0;
  while (log_copies < most_log_copies && bytes << (log_copies + 1) <= std::min(copies_bytes, most_bytes)) log_copies++;
  const int64_t shared_bytes = in_table ? bytes << log_copies : 0;

  const bool looks = op && may_look(*op, type) && !in_table && n >= fewest_per_looked_at * m;
  const bool checks = call.routine.checks, in_range = index == Type::U8 && m > UINT8_MAX;
  const CUfunction function = kernels_.find(text_key(op, type, index, checks, {in_table, in_range, looks}), scatter_name,
                                            [&] { return scatter_text(op, type, index, in_table, in_range, checks, looks); });
  if (shared_bytes > 48 << 10)
    check(device_.driver().cuFuncSetAttribute(function, function_max_dynamic_shared, int(shared_bytes)),
          "reserving shared memory for a scatter");
  const FullGroups full = bits ? full_groups_.find(run.queue(), *op, run.outputs()[k], m, bits) : FullGroups();
  run.start(function, blocks, threads,
            {indices, values, run.outputs()[k], uint64_t(n), uint64_t(m), uint64_t(packs), uint64_t(log_copies), fault, full[0], full[1],
             full[2]},
            size_t(shared_bytes));
}

int64_t Scatterer::lane_blocks() const { return 2 * device_.multiprocessors(); }

void Scatterer::scatter_floats(const RoutineCall& call, const Launch& launch, RoutineRun& run, size_t k, uint64_t tables, uint64_t fault) {
  const size_t columns = call.types.size();
  const int64_t n = launch.inputs[columns].length, m = launch.n;
  if (m == 0) return;
  const Type index = launch.kernel->inputs[columns].type, type = call.types[k];
  const Op op = *column_op(*call.fn, k);
  const uint64_t indices = run.inputs()[columns], values = run.inputs()[columns + 1 + k];

  // Two blocks share a multiprocessor's shared memory.
  const int64_t warp_bytes = 32 * m * int64_t(sizeof(double)), half = int64_t(device_.shared_memory()) / 2;
  const int64_t warps = std::clamp<int64_t>(half / warp_bytes, 1, threads / 32);
  const int64_t packs = whole_packs(op, type, index, n, indices, values), work = packs + n % pack_of(op, type, index);
  const int64_t blocks = std::clamp<int64_t>((work + 32 * warps - 1) / (32 * warps), 1, lane_blocks());

  const std::vector<uint64_t> key = text_key(op, type, index, call.routine.checks, {});
  const auto text = [&] { return scatter_floats_text(op, type, index, call.routine.checks); };
  const CUfunction function = kernels_.find(key, scatter_name, text);
  check(device_.driver().cuFuncSetAttribute(function, function_max_dynamic_shared, int(warps * warp_bytes)),
        "reserving shared memory for a scatter");
  const std::vector<uint64_t> words{indices,     values,      run.outputs()[k], run.inputs()[k],  tables,
                                    uint64_t(n), uint64_t(m), uint64_t(packs),  uint64_t(blocks), fault};
  run.start(function, blocks, int(32 * warps), words, size_t(warps * warp_bytes));
  run.start(kernels_.find(key, join_name, text), m, 32, words);
}

}  // namespace wf::cuda
