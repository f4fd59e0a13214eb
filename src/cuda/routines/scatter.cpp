#include "cuda/routines/scatter.h"

#include <algorithm>
#include <functional>

#include "cuda/compile.h"
#include "cuda/text/emitter.h"

namespace wf::cuda {
namespace {

constexpr int64_t table_bytes = 32 << 10;  // of a block's table
constexpr unsigned threads = 512;

// The atomic function of the hardware for an operation, if it has one, with the type that it takes.
struct Atomic {
  std::string function, type;
};
std::optional<Atomic> atomic_of(Op op, Type type) {
  if (size_of(type) == 1) return std::nullopt;
  const bool wide = size_of(type) == 8;
  const std::string bits = wide ? "unsigned long long" : "unsigned";
  const std::string number = type == Type::I32 ? "int" : type == Type::I64 ? "long long" : bits;
  switch (op) {
    case Op::add_: return Atomic{"atomicAdd", bits};
    case Op::min_: return Atomic{"atomicMin", number};
    case Op::max_: return Atomic{"atomicMax", number};
    case Op::and_: return Atomic{"atomicAnd", bits};
    case Op::or_: return Atomic{"atomicOr", bits};
    case Op::xor_: return Atomic{"atomicXor", bits};
    default: return std::nullopt;
  }
}

std::string combine_text(Op op, Type type) {
  if (const std::optional<Atomic> atomic = atomic_of(op, type))
    return atomic->function + "(reinterpret_cast<" + atomic->type + "*>(at), static_cast<" + atomic->type + ">(x));";
  const std::string element = type_text(type);
  return "update_atomically(at, [&](" + element + " y) { return op_" + std::string(name(op)) + "<" + element + ">(y, x); });";
}

}  // namespace

// A table counts in 32 bits, which are enough for a block's part, and faster.
std::string scatter_text(std::optional<Op> op, Type type, Type index, bool in_table) {
  const Op operation = op.value_or(Op::add_);
  const Type element = op ? type : in_table ? Type::U32 : type;
  const std::string result = type_text(type);
  std::string text = includes_and_operations({}, {"scatter.cuh"}, {operation}) + "\nstruct Args {\n  const " + type_text(index) +
                     "* indices;\n  const " + result + "* values;\n  " + result + "* out;\n  int64_t n, m;\n};\n\n";
  text += "struct Program {\n  using Args = wf::Args;\n  using Element = " + type_text(element) + ";\n";
  text += std::string("  static constexpr bool in_table = ") + (in_table ? "true" : "false") + ";\n";
  text += "  static WF_MEMBER Element identity() { return " + literal_text(element, *identity_bits(operation, element)) + "; }\n";
  text += "  static WF_MEMBER Element value(const Args& a, int64_t i) { return " + std::string(op ? "load(a.values + i)" : "1") + "; }\n";
  text += "  static WF_MEMBER void combine(Element* at, Element x) { " + combine_text(operation, element) + " }\n";
  text += "  static WF_MEMBER void flush(const Args& a, int64_t k, Element element) {\n    " + result +
          "* const at = a.out + k;\n    const " + result + " x = " + result + "(element);\n    " + combine_text(operation, type) +
          "\n  }\n};\n\n}  // namespace wf\n\n";
  return text + "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(threads) +
         ") warpfold_scatter(const __grid_constant__ wf::Args a) {\n  wf::scatter<wf::Program>(a);\n}\n";
}

CUfunction Scatterer::kernel(const std::string& text) {
  const uint64_t hash = std::hash<std::string>()(text);
  if (auto known = kernels_.find(hash, text)) return *known;
  const std::string code = machine_code(text, device_.architecture());
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  check(driver().cuModuleLoadData(&module, code.data()), "loading the kernel of a scatter");
  check(driver().cuModuleGetFunction(&function, module, "warpfold_scatter"), "finding the kernel of a scatter");
  kernels_.keep(hash, text, function);
  return function;
}

void Scatterer::run(const RoutineCall& call, Launch& launch) {
  const size_t columns = call.types.size();
  const int64_t n = launch.inputs[columns].length, m = launch.n;
  const Type index = launch.kernel->inputs[columns].type;
  Queue& queue = device_.queue();
  std::vector<Buffer::Lease> leases;
  std::vector<uint64_t> inputs, outputs;
  for (size_t k = 0; k < launch.inputs.size(); k++) {
    leases.push_back(Buffer::device(launch.inputs[k].buffer, pool_));
    inputs.push_back(reinterpret_cast<uint64_t>(leases.back().address()) +
                     uint64_t(launch.inputs[k].offset) * size_of(launch.kernel->inputs[k].type));
  }
  for (const BufferRef& buffer : launch.outputs) {
    leases.push_back(Buffer::device_for_writing(buffer, pool_));
    outputs.push_back(reinterpret_cast<uint64_t>(leases.back().address()));
  }
  std::lock_guard lock(queue.mutex);
  auto timing = std::make_shared<Timing>(device_, queue);
  for (size_t k = 0; k < columns; k++) {
    if (m > 0)
      check(driver().cuMemcpyDtoDAsync(outputs[k], inputs[k], size_t(m) * size_of(call.types[k]), queue.stream), "copying a column");
    if (n == 0) continue;
    const std::optional<Op> op = call.fn ? column_op(*call.fn, k) : std::nullopt;
    const size_t table = (size_t(m) * (call.fn ? size_of(call.types[k]) : 4) + 3) / 4 * 4;  // bytes are updated by words
    const bool in_table = int64_t(table) <= table_bytes && 4 * m <= n && n < int64_t(1) << 40;
    const CUfunction function = kernel(scatter_text(op, call.types[k], index, in_table));
    uint64_t words[] = {inputs[columns], call.fn ? inputs[columns + 1 + k] : 0, outputs[k], uint64_t(n), uint64_t(m)};
    void* parameters[] = {words};
    const int64_t resident = device_.multiprocessors() * device_.threads_per_multiprocessor() / threads;
    const int64_t blocks = std::clamp<int64_t>((n + threads - 1) / threads, 1, resident);
    check(driver().cuLaunchKernel(function, unsigned(blocks), 1, 1, threads, 1, 1, in_table ? unsigned(table) : 0, queue.stream, parameters,
                                  nullptr),
          "launching the kernel of a scatter");
  }
  timing->stop(queue);
  launch.elapsed = [timing] { return timing->seconds(); };
}

}  // namespace wf::cuda
