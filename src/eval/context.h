// A context: one engine with its memory. Every sequence keeps its own alive.
#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

#include "engine/engine.h"
#include "lazy/node.h"
#include "memory/buffer.h"

namespace wf {

struct ContextError : std::runtime_error {  // an unknown name, or a closed context
  using std::runtime_error::runtime_error;
};

struct Context : NodeContext {
  std::string name;
  std::shared_ptr<Pool> pool;
  std::unique_ptr<Engine> engine;
  std::atomic<bool> closed{false};
};

// Every node's context is one.
inline Context& context_of(const Node& node) { return static_cast<Context&>(*node.context()); }

// "cpu", "cuda:N" or "auto".
std::shared_ptr<Context> make_context(const std::string& name);

}  // namespace wf
