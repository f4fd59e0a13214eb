#include "cuda/routines/sort_text.h"

#include <algorithm>
#include <bit>

#include "cuda/text/emitter.h"
#include "engine/engine.h"

namespace wf::cuda {
namespace {

constexpr size_t shared_bytes = 47 << 10;  // static shared memory of a block, with something left for the compiler

// Large tiles save passes over all rows, but tiles of more threads are slower (bench/results/gpu_sorts.md). Odd numbers of rows per thread
// avoid conflicts of shared memory's banks.
void choose_tile(SortText& sort, size_t row) {
  sort.items = row <= 8 ? 17 : row <= 16 ? 7 : row <= 32 ? 5 : row <= 64 ? 3 : 1;
  for (sort.threads = 256; sort.threads > 32 && size_t(sort.tile()) * row > shared_bytes; sort.threads /= 2) continue;
  if (size_t(sort.tile()) * row > shared_bytes)
    throw UnsupportedError("sorting rows of " + std::to_string(row) + " bytes on a GPU; expected rows of at most " +
                           std::to_string(shared_bytes / 32) + " bytes");
}

std::string column(const char* prefix, size_t k) { return prefix + std::to_string(k); }

// A row's words are its keys, with the positions below them if there are further columns.
struct RowWords {
  explicit RowWords(std::span<const Type> types)
      : key_bytes(size_of(types[0])), carries(types.size() > 1), bytes(key_bytes == 8 || (carries && key_bytes == 4) ? 8 : 4) {}
  const size_t key_bytes;
  const bool carries;
  const size_t bytes;
  bool exist() const { return !carries || key_bytes < 8; }
  int position_bits() const { return carries ? int(8 * (bytes - key_bytes)) : 0; }
  int64_t longest() const { return bytes == 4 ? 8192 : 4096; }  // so that a block's words fit in its static shared memory
};

std::string by_keys(const RoutineCall& call) {
  std::string text;
  const std::string descending = call.routine.descending ? ", true)" : ", false)";
  for (size_t k = 0; k < call.routine.keys; k++) {
    const std::string c = column(".c", k), n = std::to_string(k);
    text += "    const auto x" + n + " = order_word(x" + c + descending + ", y" + n + " = order_word(y" + c + descending + ";\n";
    if (k + 1 < call.routine.keys) text += "    if (x" + n + " != y" + n + ") return x" + n + " < y" + n + ";\n";
    else text += "    return x" + n + " < y" + n + ";\n";
  }
  return text;
}

std::string by_function(const RoutineCall& call) {
  const Site site = site_in_text(*call.fn);
  Environment environment{.site = &site, .params = {}, .loaded = {}};
  for (const char* row : {"x.c", "y.c"})
    for (size_t k = 0; k < call.types.size(); k++) environment.params.push_back(column(row, k));
  Statements s("    ");
  const std::vector<std::string> results = s.call(environment);
  s.line("return " + results[0] + ";");
  return s.text();
}

// The members in<k>, out<k> of Args.
std::string columns_text(const std::vector<Type>& types) {
  std::string in, out;
  for (size_t k = 0; k < types.size(); k++) {
    in += "  const " + type_text(types[k]) + "* " + column("in", k) + ";\n";
    out += "  " + type_text(types[k]) + "* " + column("out", k) + ";\n";
  }
  return in + out;
}

}  // namespace

bool sorts_rows(std::span<const Type> types, int64_t n) {
  const RowWords words(types);
  return words.exist() && n <= words.longest();
}

SortRowsText sort_rows_text(const RoutineCall& call, int64_t n) {
  const RowWords words(call.types);
  const int64_t padded = int64_t(std::bit_ceil(uint64_t(n))), items = std::clamp<int64_t>(padded / 8, 1, 16), lanes = padded / items;
  SortRowsText sort;
  sort.threads = int(std::max<int64_t>(lanes, 256));
  sort.rows = sort.threads / lanes;
  const std::string descending = call.routine.descending ? "true" : "false", bits = std::to_string(words.position_bits());
  std::string text =
      includes_and_operations({}, {"sort.cuh"}) + "\nstruct Args {\n" + columns_text(call.types) + "  int64_t rows, length;\n};\n\n";
  text += "struct Program {\n  using Args = wf::Args;\n  using Word = " + type_text(words.bytes == 8 ? Type::U64 : Type::U32) + ";\n";
  text += "  static constexpr int threads = " + std::to_string(sort.threads) + ", items = " + std::to_string(items) +
          ", lanes = " + std::to_string(lanes) + ";\n";
  text += "  static WF_MEMBER Word word(const Args& a, int64_t i, int position) {\n    const Word key = order_word(a.in0[i], " +
          descending + ");\n    return " + (words.carries ? "key << " + bits + " | Word(position)" : "key") + ";\n  }\n";
  text +=
      "  static WF_MEMBER void store(const Args& a, int64_t row, int position, Word word) {\n    a.out0[row + position] = "
      "from_order_word<" +
      type_text(call.types[0]) + ">(WordOf<" + type_text(call.types[0]) + ">(word >> " + bits + "), " + descending + ");\n";
  if (words.carries) text += "    const int64_t from = row + int64_t(word & ((Word(1) << " + bits + ") - 1));\n";
  for (size_t k = 1; k < call.types.size(); k++)
    text += "    a." + column("out", k) + "[row + position] = a." + column("in", k) + "[from];\n";
  sort.text = text + "  }\n};\n\n}  // namespace wf\n\nextern \"C\" __global__ void __launch_bounds__(" + std::to_string(sort.threads) +
              ") warpfold_sort_rows(const __grid_constant__ wf::Args a) {\n  wf::sort_rows<wf::Program>(a);\n}\n";
  return sort;
}

SortText sort_text(const RoutineCall& call) {
  SortText sort;
  choose_tile(sort, struct_bytes(call.types));
  Kernel functions;  // of which the text needs the operations
  functions.body = call.fn;
  std::string text = includes_and_operations(functions, {"sort.cuh"}) + "\nstruct Args {\n" + columns_text(call.types);
  std::string row = "struct Row {\n", load = "    return {", store;
  for (size_t k = 0; k < call.types.size(); k++) {
    const std::string n = std::to_string(k);
    row += "  " + type_text(call.types[k]) + " c" + n + ";\n";
    load += (k ? ", a.in" : "a.in") + n + "[i]";
    store += "    a.out" + n + "[i] = x.c" + n + ";\n";
  }
  text += "  int64_t n, run, pair;\n  int64_t* begins;\n  wf::Counters* counters;\n};\n\n" + row +
          "};\n\nstruct Program {\n  using Args = wf::Args;\n  using Row = wf::Row;\n";
  text += "  static constexpr int threads = " + std::to_string(sort.threads) + ", items = " + std::to_string(sort.items) + ";\n";
  text += "  static WF_MEMBER Row load(const Args& a, int64_t i) {\n" + load + "};\n  }\n";
  text += "  static WF_MEMBER void store(const Args& a, int64_t i, const Row& x) {\n" + store + "  }\n";
  text += "  static WF_MEMBER bool less(const Args& a, const Row& x, const Row& y) {\n" + (call.fn ? by_function(call) : by_keys(call)) +
          "  }\n};\n\n}  // namespace wf\n\n";
  for (const char* name : {"sort_tiles", "find_begins", "merge_tiles"})
    text += "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(sort.threads) + ") warpfold_" + name +
            "(const __grid_constant__ wf::Args a) {\n  wf::" + name + "<wf::Program>(a);\n}\n";
  sort.text = std::move(text);
  return sort;
}

}  // namespace wf::cuda
