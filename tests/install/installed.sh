#!/usr/bin/env bash
# Tests that programs outside the checkout can use an installed copy, which is not in the system's folders. `installed.sh CHECKOUT BUILD` installs
# it into a staged root and builds the README's first program with the flags of pkg-config, by CMake and with plain flags, and one in C by CMake.
set -euo pipefail
checkout=$1 build=$2 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LIBRARY_PATH LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH CPATH

command -v cmake >/dev/null || { echo "not run: cmake is not installed"; exit 77; }
fail() { echo "$*" >&2; exit 1; }

meson install -C "$build" --no-rebuild --destdir "$work/root" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
installed=$(dirname "$(find "$work/root" -name include -type d | head -n 1)")
library=$(dirname "$(find "$installed" -name libwarpfold.so)")
export LD_LIBRARY_PATH=$library

awk '/^```cpp$/ {inside = 1; next} /^```$/ {if (inside) exit} inside' "$checkout/README.md" >"$work/parens.cpp"
cat >"$work/version.c" <<'C'
#include <stdio.h>
#include <warpfold.h>
int main(void) { return puts(wf_version()) < 0; }
C

echo "pkg-config"
sed -i "s,^prefix=.*,prefix=$installed," "$library/pkgconfig/warpfold.pc"
flags=$(PKG_CONFIG_PATH=$library/pkgconfig pkg-config --cflags --libs warpfold)
# shellcheck disable=SC2086
c++ -std=c++20 "$work/parens.cpp" $flags -o "$work/parens"
[ "$("$work/parens")" = "they match" ] || fail "the program of pkg-config prints something else"

echo "plain flags"
c++ -std=c++20 "$work/parens.cpp" -I"$installed/include" -L"$library" -lwarpfold -o "$work/plain"
[ "$("$work/plain")" = "they match" ] || fail "the program of plain flags prints something else"

echo "CMake"
cat >"$work/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(outside LANGUAGES ${languages})
find_package(warpfold 0.1 REQUIRED)
if("CXX" IN_LIST languages)
  add_executable(parens parens.cpp)
  target_link_libraries(parens PRIVATE warpfold::warpfold)
endif()
add_executable(version version.c)
target_link_libraries(version PRIVATE warpfold::warpfold)
CMAKE
for languages in "C" "C;CXX"; do
  folder=$work/of_${#languages}
  cmake -S "$work" -B "$folder" -Dlanguages="$languages" -DCMAKE_PREFIX_PATH="$installed" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  cmake --build "$folder" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  "$folder/version" | grep -q '^[0-9.]*$' || fail "the C program of CMake prints something else"
done
[ "$("$folder/parens")" = "they match" ] || fail "the program of CMake prints something else"

echo "warpfold-info"
"$installed/bin/warpfold-info" | grep -q '^  cpu  *[0-9]* threads, ' || fail "warpfold-info does not describe the CPU"
for page in README.md LICENSE CHANGELOG.md docs/operations.md; do
  [ -e "$installed/share/doc/warpfold/$page" ] || fail "share/doc/warpfold/$page is not installed"
done
echo "1 passed, 0 failed, 0 skipped"
