#include "eval/context.h"

#include <string_view>

#include "cpu/engine.h"

namespace wf {

// "cuda:N" with a number N.
static bool is_cuda(std::string_view name) {
  constexpr std::string_view prefix = "cuda:";
  return name.starts_with(prefix) && name.size() > prefix.size() && name.size() < prefix.size() + 6 &&
         name.find_first_not_of("0123456789", prefix.size()) == name.npos;
}

std::shared_ptr<Context> make_context(const std::string& name) {
  if (is_cuda(name))
    throw DeviceError("\"" + name + "\" is not available: this build has no CUDA engine; \"cpu\" and \"auto\" would do");
  if (name != "cpu" && name != "auto")
    throw ContextError("\"" + name.substr(0, 40) + "\" names no engine: \"cpu\", \"cuda:N\" and \"auto\" are known");
  auto context = std::make_shared<Context>();
  context->name = "cpu";
  context->pool = std::make_shared<Pool>();
  context->engine = cpu::make_engine(context->pool);
  return context;
}

}  // namespace wf
