// Scatter and histogram: each column by the loops for its type (column.h).
#include "cpu/program/columns.h"
#include "cpu/routines/routines.h"
#include "cpu/routines/scatter/tables.h"

namespace wf::cpu {

void scatter(const RoutineCall& call, Launch& launch, const std::shared_ptr<Pool>& pool) {
  auto input = [&](size_t k) {
    const InputBuffer& from = launch.inputs[k];
    return from.buffer->host() + from.offset * int64_t(size_of(launch.kernel->inputs[k].type));
  };
  const size_t columns = call.types.size();
  const int64_t n = launch.inputs[columns].length;
  const bool has_values = call.fn || call.routine.replaces;
  alignas(8) std::byte equal[indices_at_once * sizeof(Bits64)];
  if (call.one_value) {
    const auto bytes = int64_t(size_of(call.types[0]));
    fill_elements(equal, bytes, indices_at_once, launch.inputs[columns + 1].length > 0 ? read_bits(input(columns + 1), bytes) : 0);
  }
  FirstOutside first_outside(launch.kernel->inputs[columns].type, input(columns), n, launch.n);
  for (size_t k = 0; k < columns; k++) {
    const ScatterColumn column{call.types[k],
                               launch.kernel->inputs[columns].type,
                               input(k),
                               input(columns),
                               !has_values      ? nullptr
                               : call.one_value ? equal
                                                : input(columns + 1 + k),
                               launch.outputs[k]->host_for_writing(),
                               n,
                               launch.n,
                               call.one_value,
                               call.routine.checks && k == 0 ? &first_outside : nullptr};
    if (!has_values) count_elements(column, pool);
    else if (!call.fn) replace_elements(column, pool);
    else if (is_in(column.type, Float)) scatter_floats(*column_op(*call.fn, k), column, pool);
    else scatter_integers(*column_op(*call.fn, k), column, pool);
  }
}

}  // namespace wf::cpu
