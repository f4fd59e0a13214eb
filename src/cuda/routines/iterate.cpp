#include "cuda/routines/routines.h"
#include "cuda/text/emitter.h"

namespace wf::cuda {
namespace {

constexpr size_t tile_bytes = 47 << 10;  // static shared memory of a block, with something left for the compiler

std::string member(const char* prefix, size_t k) { return prefix + std::to_string(k); }

std::string structure(const std::string& name, const std::vector<Type>& types) {
  std::string text = "struct " + name + " {\n";
  for (size_t k = 0; k < types.size(); k++) text += "  " + type_text(types[k]) + " c" + std::to_string(k) + ";\n";
  return text + "};\n";
}

// {a.prefix0[at], a.prefix1[at], ...}
std::string read(const char* prefix, size_t columns, const std::string& at) {
  std::string text = "{";
  for (size_t k = 0; k < columns; k++) text += (k ? ", a." : "a.") + member(prefix, k) + "[" + at + "]";
  return text + "}";
}

std::string step(const RoutineCall& call, size_t element_columns) {
  const Site site = site_in_text(*call.fn);
  Environment environment{.site = &site, .params = {}, .loaded = {}};
  for (size_t k = 0; k < call.types.size(); k++) environment.params.push_back(member("s.c", k));
  for (size_t k = 0; k < element_columns; k++) environment.params.push_back(member("x.c", k));
  Statements s("    ");
  const std::vector<std::string> results = s.call(environment);
  std::string next;
  for (const std::string& result : results) next += (next.empty() ? "" : ", ") + result;
  s.line("return {" + next + "};");
  return s.text();
}

}  // namespace

IterateText iterate_text(const RoutineCall& call, const std::vector<Type>& element) {
  const size_t bytes = 8 * (call.types.size() + element.size());
  int tile = 256;
  while (tile > 1 && size_t(tile) * bytes > tile_bytes) tile /= 2;
  if (size_t(tile) * bytes > tile_bytes)
    throw UnsupportedError("iterating with a state and an element of " + std::to_string(bytes) + " bytes on a GPU; expected at most " +
                           std::to_string(tile_bytes));
  Kernel functions;  // of which the text needs the operations
  functions.body = call.fn;
  std::string text =
      includes_and_operations(functions, {"routines.cuh"}) + "\n" + structure("State", call.types) + structure("Element", element);
  text += "struct Args {\n";
  for (size_t k = 0; k < call.types.size(); k++) text += "  const " + type_text(call.types[k]) + "* " + member("initial", k) + ";\n";
  for (size_t k = 0; k < element.size(); k++) text += "  const " + type_text(element[k]) + "* " + member("in", k) + ";\n";
  std::string store;
  for (size_t k = 0; k < call.types.size(); k++) {
    text += "  " + type_text(call.types[k]) + "* " + member("out", k) + ";\n";
    store += "    a." + member("out", k) + "[i] = s." + member("c", k) + ";\n";
  }
  text += "  int64_t n;\n};\n\nstruct Program {\n  using Args = wf::Args;\n  using State = wf::State;\n  using Element = wf::Element;\n";
  text += "  static constexpr int tile = " + std::to_string(tile) + ";\n";
  text += "  static WF_MEMBER State initial(const Args& a) { return " + read("initial", call.types.size(), "0") + "; }\n";
  text += "  static WF_MEMBER Element load(const Args& a, int64_t i) { return " + read("in", element.size(), "i") + "; }\n";
  text += "  static WF_MEMBER void store(const Args& a, int64_t i, const State& s) {\n" + store + "  }\n";
  text += "  static WF_MEMBER State next(const Args& a, const State& s, const Element& x) {\n" + step(call, element.size()) +
          "  }\n};\n\n}  // namespace wf\n\n";
  text += "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(tile) +
          ") warpfold_iterate(const __grid_constant__ wf::Args a) {\n  wf::iterate<wf::Program>(a);\n}\n";
  return {std::move(text), tile};
}

void run_iterate(Routines& routines, const RoutineCall& call, Launch& launch) {
  std::vector<Type> element;
  for (size_t k = call.types.size(); k < launch.inputs.size(); k++) element.push_back(launch.kernel->inputs[k].type);
  const IterateText iterate = iterate_text(call, element);
  const CUfunction function = routines.kernels.find(iterate.text, "warpfold_iterate");
  RoutineRun run(routines, launch);
  std::vector<uint64_t> words = run.inputs();
  words.insert(words.end(), run.outputs().begin(), run.outputs().end());
  words.push_back(uint64_t(launch.n - 1));
  run.begin();
  run.start(function, 1, iterate.tile, std::move(words));
  run.end();
}

}  // namespace wf::cuda
