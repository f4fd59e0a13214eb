#include "plan/kernel.h"

namespace wf {

Kernel with_values(const Kernel& kernel, std::span<const Bits64> arguments) {
  Kernel bound = kernel;
  bound.body = with_values(kernel.body, arguments);
  bound.finish = with_values(kernel.finish, arguments);
  bound.arguments = 0;
  return bound;
}

}  // namespace wf
