"""The C++ in docs/arrays.md compiles: arrays_page.py ROOT COMPILER. Every code span that is an expression or a statement, and the block."""
import pathlib
import re
import subprocess
import sys
import tempfile

root, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]

# The variables that the page names.
PRELUDE = """
#include <Eigen/Core>
#include <array>
#include <iostream>
#include <vector>
#include "warpfold/warpfold.hpp"
using namespace warpfold;
using T = float;
constexpr int R = 2;
struct Span {  // as std::mdspan
  using element_type = float;
  static constexpr size_t rank() { return 2; }
  int64_t extent(size_t) const { return 2; }
  int64_t stride(size_t k) const { return k == 0 ? 2 : 1; }
  float* data_handle() const { static float data[4]; return data; }
};
struct Tensor {  // as that of <dlpack/dlpack.h>
  struct { int32_t ndim; struct { uint8_t code, bits; uint16_t lanes; } dtype; } dl_tensor;
  void (*deleter)(Tensor*);
} *tensor = nullptr;
using DLManagedTensor = Tensor;
const int64_t m = 2, n = 2, i = 0, j = 1, k = 1, s0 = 2, s1 = 1, dy = 1, dx = -1, offset = 0;
const int axis = 1;
const float x = 7, rate = 0.5f;
const char *path = "file", *name = "array";
float data[4] = {1, 2, 3, 4};
const auto done = [] {};
const auto f = [](auto p, auto q) { return p + q; };
const std::vector<float> vector{1, 2, 3, 4};
const std::vector<int64_t> counts{1, 1};
const std::array<int64_t, 2> shape{2, 2}, strides{2, 1};
const Seq<float> seq(vector), v{1.f, 2.f};
const Eigen::MatrixXf eigen = Eigen::MatrixXf::Ones(2, 2);
const Span mdspan;
Array<float, 2> a{{1.f, 2.f}, {3.f, 4.f}};
const Array<float, 2> b = a, gradient = fill(0.5f, 512, 512);
const Array<float, 3> deep = fill(1.f, 2, 2, 2);
"""
# Spans that need other variables, or their surroundings.
AS = {
    "adopt(data, {m, n}, {s0, s1}, done)": "Array<T, 2>::adopt(data, {m, n}, {s0, s1}, done)",
    "array([&](auto i, auto j) { ... }, m, n)": "array([&](auto i, auto j) { return i + j; }, m, n)",
    "for (float x : a)": "for (float x : a) (void)x",
    "permute(a, 2, 0, 1)": "permute(deep, 2, 0, 1)",
    "sum(a, {0, 2})": "sum(deep, {0, 2})",
    "Array(eigen)": "(void)Array(eigen)",
    "eigen(a)": "arrays::eigen(a)",
    "Array(mdspan)": "(void)Array(mdspan)",
    "reduce(f, b, a, axis)": "const float b = 0; (void)reduce(f, b, a, axis)",
    "scan(f, b, a, axis)": "const float b = 0; (void)scan(f, b, a, axis)",
}

page = (root / "docs/arrays.md").read_text()
blocks = re.findall(r"```cpp\n(.*?)```", page, re.S)
assert len(blocks) == 1, len(blocks)
spans = [s for s in re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", page, flags=re.S)) if re.search(r"[(\[{]|\w [-+*<]=? \w", s) and s != "get()"]
assert len(spans) > 60 and set(AS) <= set(spans), (len(spans), set(AS) - set(spans))
scopes = [f"  {{ {AS.get(span, span)}; }}\n" for span in dict.fromkeys(spans)]
with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder) / "page.cpp"
    source.write_text(PRELUDE + "int main() {\n" + "".join(scopes + [f"{{\n{block}}}\n" for block in blocks]) + "}\n")
    flags = ["-std=c++20", "-fsyntax-only", "-I", root / "include", "-I", root / "capi", "-isystem", "/usr/include/eigen3"]
    subprocess.run([compiler, *flags, source], check=True)
print(f"{len(scopes) + len(blocks)} passed, 0 failed, 0 skipped")
