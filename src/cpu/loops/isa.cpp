#include "cpu/loops/isa.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "cpu/loops/loops.h"

namespace wf::cpu {
namespace {

Isa best_of_this_processor() {
  __builtin_cpu_init();
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
              __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  if (!avx2) return Isa::baseline;
  bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  return avx512 ? Isa::avx512 : Isa::avx2;
}

Isa chosen() {
  const char* text = std::getenv("WARPFOLD_ISA");
  std::string_view asked = text ? text : "";
  Isa limit = asked == "baseline" ? Isa::baseline : asked == "avx2" ? Isa::avx2 : Isa::avx512;
  return std::min(limit, best_of_this_processor());
}

}  // namespace

Isa isa() {
  static const Isa answer = chosen();
  return answer;
}

const Loops& loops() {
  switch (isa()) {
    case Isa::avx512: return loops_avx512;
    case Isa::avx2: return loops_avx2;
    default: return loops_baseline;
  }
}

}  // namespace wf::cpu
