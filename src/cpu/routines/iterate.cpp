// Iteration: the function is evaluated for one element after another, term by term.
#include <cstring>

#include "cpu/program/finish.h"
#include "cpu/routines/routines.h"
#include "engine/cancellation.h"

namespace wf::cpu {

void iterate(const RoutineCall& call, Launch& launch) {
  const size_t states = call.types.size(), parameters = launch.inputs.size();
  std::vector<size_t> sizes;
  std::vector<const std::byte*> inputs;
  for (size_t k = 0; k < parameters; k++) {
    sizes.push_back(size_of(launch.kernel->inputs[k].type));
    inputs.push_back(launch.inputs[k].buffer->host() + size_t(launch.inputs[k].offset) * sizes[k]);
  }
  std::vector<std::byte*> outputs;
  for (const BufferRef& output : launch.outputs) outputs.push_back(output->host_for_writing());

  const ScalarFunction step(call.fn);
  std::vector<Bits64> values(parameters), next(states);  // of the state, then of the element
  RangeFault none;
  for (size_t k = 0; k < states; k++) std::memcpy(&values[k], inputs[k], sizes[k]);
  constexpr int64_t steps_between_looks = 4096;
  for (int64_t i = 0;; i++) {
    if (i % steps_between_looks == 0) stop_if_canceled();
    for (size_t k = 0; k < states; k++) std::memcpy(outputs[k] + size_t(i) * sizes[k], &values[k], sizes[k]);
    if (i + 1 == launch.n) return;
    for (size_t k = states; k < parameters; k++) std::memcpy(&values[k], inputs[k] + size_t(i) * sizes[k], sizes[k]);
    step(values, {}, next, none);
    std::copy(next.begin(), next.end(), values.begin());
  }
}

}  // namespace wf::cpu
