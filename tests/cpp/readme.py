"""The C++ snippets of README.md: readme.py ROOT LIBRARY COMPILER. They compile, and those that need no GPU run."""
import pathlib
import re
import subprocess
import sys
import tempfile

root, library, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]

# The variables that the snippets read.
PRELUDE = """
#include <iostream>
#include <vector>
#include "warpfold/warpfold.hpp"
using namespace warpfold;
static const int64_t m = 3, n = 4;
static const std::vector<float> numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static const Seq<float> b(numbers);
static const Seq<int> s{1, 2, 2, 1}, text{3, 1, 3}, pixels{0, 0, 0};
static const Seq<int64_t> lengths{5, 7};
static const Seq<std::pair<int64_t, int>> updates{{1, 7}};
static const random::Key key(1);
"""
# The variables of each snippet, and the values that it must have if it runs.
LOCALS = ["const Seq<float> a(numbers);", "const Seq<float> values(numbers);", "", "", "const std::vector<float> values = numbers;"]
CHECKS = [
    "if (d != 650) throw d; if (!pal.get()) throw 0; if (sums.to_vector() != std::vector<float>{6, 15, 24, 33}) throw 1;",
    "if (counts.to_vector() != std::vector<int64_t>{1, 2}) throw 2; if (totals.to_vector() != std::vector<float>{15, 63}) throw 3;"
    "if (colored.to_vector() != std::vector<int>{0, 7, 0} || squares.size() != n) throw 4;",
    "if (first != 3 || table.extent(0) != 2 || blur(1, 1).get() != 4.5f) throw 5; if (odd(1, 1).get() != 6) throw 6;",
    "for (float w : weights) if (w < 0.999f || w > 1.001f) throw 7;",
]
CHECK_OF_STRUCTS = "const Body<float> last = farthest(turn({{1, 2}, {3, 4}, {5, -8}})); if (last.x != 5 || last.v != 2.5f) throw 8;"


def built(folder, name, source):
    path = folder / f"{name}.cpp"
    path.write_text(source)
    flags = ["-std=c++20", "-Wall", "-Wno-unused-variable", "-Wno-misleading-indentation", "-I", root / "include", "-I", root / "capi", path, "-o", folder / name]
    subprocess.run([compiler, *flags, library, f"-Wl,-rpath,{library.parent}"], check=True)
    return folder / name


snippets = re.findall(r"```cpp\n(.*?)```", (root / "README.md").read_text(), re.S)
assert len(snippets) == 7, len(snippets)
structs = snippets.pop(3)
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    printed = subprocess.run([built(folder, "first", snippets[0])], check=True, capture_output=True, text=True).stdout
    assert printed == "they match\n", printed

    (folder / "table.csv").write_text("x,y\n1,2\n3,4\n")
    parts = zip(LOCALS, snippets[1:], CHECKS + [""])
    functions = [f"void snippet{k}() {{\n{local}\n{text}\n{check}\n}}\n" for k, (local, text, check) in enumerate(parts)]
    program = PRELUDE + structs + "".join(functions) + f"int main() {{ {CHECK_OF_STRUCTS} snippet0(); snippet1(); snippet2(); snippet3(); }}\n"
    subprocess.run([built(folder, "others", program)], check=True, cwd=folder, stdout=subprocess.DEVNULL)
print("7 passed, 0 failed, 0 skipped")
