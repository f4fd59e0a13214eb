"""format.py ROOT: checks that clang-format would not change any C or C++ file, and that lines have at most 160 characters. Without
clang-format 14, whose format the files have, only the lines are checked."""
import pathlib
import shutil
import subprocess
import sys

FOLDERS = ["src", "capi", "include", "tests", "bench", "examples", "bindings"]
SUFFIXES = {".h", ".hpp", ".cpp", ".c", ".cu", ".cuh"}
LENGTH = 160

root = pathlib.Path(sys.argv[1])
paths = sorted(p for folder in FOLDERS for p in (root / folder).rglob("*") if p.suffix in SUFFIXES and "_build" not in p.parts)
faults = [
    f"{path.relative_to(root)}:{number} has {len(line)} characters, expected at most {LENGTH}"
    for path in paths
    for number, line in enumerate(path.read_text().splitlines(), 1)
    if len(line) > LENGTH
]
program = shutil.which("clang-format-14") or shutil.which("clang-format")
if program and " 14." not in subprocess.run([program, "--version"], capture_output=True, text=True).stdout:
    program = None
if program:
    run = subprocess.run([program, "--dry-run", "-Werror", "--style=file", *map(str, paths)], capture_output=True, text=True)
    faults += [line for line in run.stderr.splitlines() if "error:" in line]
for fault in faults:
    print("FAILED", fault)
print(f"{0 if faults else 1} passed, {1 if faults else 0} failed, {0 if program else 1} skipped")
sys.exit(1 if faults else 0 if program else 77)
