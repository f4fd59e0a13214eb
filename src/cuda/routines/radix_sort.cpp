#include "cuda/routines/radix_sort.h"

#include "cuda/device/plugin.h"
#include "cuda/routines/routines.h"

namespace wf::cuda {

RadixSortFunction find_radix_sort(const std::string& path) noexcept try {
  return reinterpret_cast<RadixSortFunction>(load_plugin(path).find(RadixSort::name));
} catch (const UnsupportedError&) { return nullptr; }

bool run_radix_sort(Routines& routines, const RoutineCall& call, Launch& launch) {
  if (!routines.device.is_of_cuda()) return false;
  static const RadixSortFunction radix_sort = find_radix_sort(plugin_path());
  if (!radix_sort || launch.n > RadixSort::most_elements) return false;
  RoutineRun run(routines, launch);
  std::vector<RadixSort::Column> columns;
  for (size_t k = 0; k < call.types.size(); k++) {
    const Type type = call.types[k];
    const bool is_signed = type == Type::I32 || type == Type::I64;
    columns.push_back({reinterpret_cast<const void*>(run.inputs()[k]), reinterpret_cast<void*>(run.outputs()[k]), int32_t(size_of(type)),
                       is_in(type, Float) ? RadixSort::Float
                       : is_signed        ? RadixSort::Signed
                                          : RadixSort::Unsigned});
  }
  const RadixSort sort{columns.data(), int32_t(columns.size()), call.routine.keys, launch.n, call.routine.descending, run.queue().stream};
  size_t bytes = 0;
  if (radix_sort(sort, nullptr, bytes)) return false;
  void* const memory = reinterpret_cast<void*>(run.scratch(bytes));
  run.begin();
  if (const char* error = radix_sort(sort, memory, bytes)) throw DeviceError("sorting failed: " + std::string(error));
  run.end();
  return true;
}

}  // namespace wf::cuda
