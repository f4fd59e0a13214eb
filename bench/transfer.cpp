// to_engine, to_host: a sequence made from host memory, and its elements copied back. 4 bytes an element are read and 4 written.

#include <cstring>

#include "harness.h"
#include "warpfold/warpfold.hpp"
#include "works.h"

namespace bench {

using warpfold::Seq;

void transfer(Bench& bench, int64_t n) {
  Array<float> input(n, [](int64_t i) { return random_float(uint64_t(i), -1, 1); }), out(n);
  warpfold::Context context(bench.options().context);
  Seq<float> s(input.view(), context);
  size_t bytes = size_t(n) * sizeof(float);
  auto right = [&] { return std::memcmp(out.data(), input.data(), bytes) == 0; };

  Race in(bench, {"to_engine", "f32", n, 8 * n, copy_limit(input.data(), out.data(), 4 * n)});
  in.enter_warpfold([&] { s = Seq<float>(input.view(), context); },
                    [&] { return std::memcmp(s.data(), input.data(), bytes) == 0; });
  in.enter("memcpy", [&] { std::memcpy(out.data(), input.data(), bytes); }, right);
  in.finish();

  Race back(bench, {"to_host", "f32", n, 8 * n, copy_limit(input.data(), out.data(), 4 * n)});
  back.enter_warpfold([&] { wf_to_host(s.raw(), 0, 0, n, out.data(), WF_F32, 1); }, right);
  back.enter("memcpy", [&] { std::memcpy(out.data(), input.data(), bytes); }, right);
  back.finish();
}

}  // namespace bench
