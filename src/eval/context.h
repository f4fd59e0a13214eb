// A context: one engine and its memory. Every sequence keeps its context alive.
#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

#include "dist/communicator.h"
#include "engine/cancellation.h"
#include "engine/engine.h"
#include "lazy/node.h"
#include "memory/buffer.h"

namespace wf {

struct ContextError : std::runtime_error {  // an unknown name or environment variable, or a closed context
  using std::runtime_error::runtime_error;
};

struct Context : NodeContext {
  std::string name;
  std::shared_ptr<Pool> pool;
  std::unique_ptr<Engine> engine;
  std::shared_ptr<Communicator> communicator;                           // null: the context has no parts
  int rank() const { return communicator ? communicator->rank() : 0; }  // of this process
  int ranks() const { return communicator ? int(communicator->processes().size()) : 1; }
  bool has_processes() const { return ranks() > 1; }
  std::atomic<bool> closed{false};
  Cancellations cancellations;
  bool scans_along(const ScanAxis& axis, int64_t elements, const Fn& combine) const override {
    return engine->scans_along(axis, elements, combine);
  }
  bool sorts_rows(std::span<const Type> types, int64_t n) const override { return engine->sorts_rows(types, n); }
  bool scatters_in_order() const override { return engine->scatters_in_order(); }
};

// The context of a node as this type: every node is made in one.
inline Context& context_of(const Node& node) { return static_cast<Context&>(*node.context()); }

// run(), a computation of the context: if it fails on some of its processes, it fails on all (Communicator::together).
template <class F> void on_all_processes(const Context& context, const F& run) {
  if (!context.has_processes()) return run();
  context.communicator->together({0, [] { return std::string("a plan"); }}, run);
}

// "cpu", "cuda:N", "opencl:N", "parts:N" (N parts on the CPU, in this process), "mpi" (a part for each process) or "auto", never OpenCL. Throws
// ContextError, also if an environment variable has an unknown value (engine/variables.h).
std::shared_ptr<Context> make_context(const std::string& name);

}  // namespace wf
