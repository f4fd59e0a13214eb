#include "cuda/routines/sort_text.h"

#include <algorithm>

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

}  // namespace

SortText sort_text(const RoutineCall& call) {
  SortText sort;
  choose_tile(sort, struct_bytes(call.types));
  Kernel functions;  // of which the text needs the operations
  functions.body = call.fn;
  std::string text = includes_and_operations(functions, {"sort.cuh"}) + "\nstruct Args {\n";
  std::string row = "struct Row {\n", load = "    return {", store;
  for (size_t k = 0; k < call.types.size(); k++) {
    const std::string type = type_text(call.types[k]), n = std::to_string(k);
    text += "  const " + type + "* in" + n + ";\n";
    row += "  " + type + " c" + n + ";\n";
    load += (k ? ", a.in" : "a.in") + n + "[i]";
    store += "    a.out" + n + "[i] = x.c" + n + ";\n";
  }
  for (size_t k = 0; k < call.types.size(); k++) text += "  " + type_text(call.types[k]) + "* out" + std::to_string(k) + ";\n";
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
