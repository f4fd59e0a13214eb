// Shared by the engine's tests: handwritten kernels, run on vectors.
#pragma once

#include <cstring>
#include <initializer_list>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cpu/engine.h"
#include "cpu/threads/chunks.h"
#include "expr/fn.h"

namespace wf::cpu {

// A run of one kernel: inputs and outputs by type, then the resulting scalars and counts.
struct Job {
  Kernel kernel;
  std::vector<InputBuffer> inputs;
  std::vector<BufferRef> outputs;
  std::vector<Bits64> scalars;
  std::vector<int64_t> counts;

  template <class T> void input(const std::vector<T>& x) {
    kernel.inputs.push_back({type_of<T>});
    BufferRef buffer = Buffer::make(pool(), x.size() * sizeof(T));
    if (!x.empty()) std::memcpy(buffer->host_for_writing(), x.data(), x.size() * sizeof(T));
    inputs.push_back({buffer, int64_t(x.size())});
  }
  template <class T> uint32_t output(int64_t n) {
    kernel.outputs.push_back(type_of<T>);
    outputs.push_back(Buffer::make(pool(), size_t(n) * sizeof(T)));
    return uint32_t(outputs.size() - 1);
  }
  template <class T> std::vector<T> values(uint32_t output, int64_t n) const {
    auto* data = reinterpret_cast<const T*>(outputs[output]->host());
    return std::vector<T>(data, data + n);
  }
  template <class T> T scalar(size_t k) const { return from_bits<T>(scalars[k]); }

  // Every scalar of the kernel is returned unchanged.
  void finish_with(std::initializer_list<Type> types) { kernel.finish = identity_fn(std::vector<Type>(types)); }
  void run(int64_t n) {
    Launch launch{&kernel, n, inputs, outputs, {}, {}};
    engine().run(launch);
    scalars.assign(launch.scalars.begin(), launch.scalars.end());
    counts = launch.counts;
  }

  static const std::shared_ptr<Pool>& pool() {
    static const auto one = std::make_shared<Pool>();
    return one;
  }
  static Engine& engine() {
    static const std::unique_ptr<Engine> one = make_engine(pool());
    return *one;
  }
};

// Sets the worker count for its lifetime.
struct Workers {
  explicit Workers(int count) { limit_workers(count); }
  ~Workers() { limit_workers(0); }
};

// A body over inputs: parameter `i`, then the terms that the caller builds with it.
struct Body {
  Builder b;
  Id i = b.param(Type::I64, "i");
  template <class T> Id at(uint32_t slot) { return b.at(slot, 0, type_of<T>, i); }
};

template <class T> std::vector<T> random_values(int64_t n, unsigned seed, int low, int high) {
  std::mt19937 random(seed);
  std::vector<T> x(static_cast<size_t>(n));
  for (T& value : x) value = T(low + int(random() % unsigned(high - low + 1)));
  return x;
}

// Lengths around a block, around a chunk, and of several chunks.
inline const std::vector<int64_t> lengths = {0, 1, 63, 64, 65, 1000, 4095, 4096, 4097, 32768, 32769, 100003, 1000007};

}  // namespace wf::cpu
