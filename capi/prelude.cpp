// Composed functions by name. src/prelude has them.
#include "prelude/prelude.h"

#include "checks/arguments.h"

using namespace wf;
using namespace wf::capi;

int32_t wf_call(const char* function, wf_seq* const* arrays, int32_t n_arrays, const double* numbers, int32_t n_numbers, wf_seq** out) {
  return making("wf_call", out, [&](Call& call) {
    require(function, "function");
    if (n_numbers < 0) throw ArgumentError("n_numbers is " + std::to_string(n_numbers) + "; expected a number that is not negative");
    if (n_numbers > 0) require(numbers, "numbers");
    const Few<NodeRef> nodes = sequences(call, arrays, n_arrays, "arrays");
    const prelude::Entry& entry = prelude::find(function, nodes.size(), size_t(n_numbers));
    if (entry.measures)
      for (int32_t k = 0; k < n_arrays; k++) measured(call, arrays[k], "arrays");
    return entry.make({nodes, {numbers, size_t(n_numbers)}});
  });
}
