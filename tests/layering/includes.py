"""Checks every #include and every forward declaration. A file may use its own folder and earlier folders in the order below; cpu
and cuda must not use each other; examples and benches may use only the public headers. A folder has at most 24 files. Files over
450 lines are reported, but pass."""
import os
import pathlib
import re
import sys

ORDER = ["ops", "expr", "memory", "lazy", "random", "prelude", "grad", "plan", "engine", "dist", "cpu", "cuda", "eval", "files", "capi"]
PUBLIC = re.compile(r"^(warpfold\.h|warpfold/.*)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
SUFFIXES = {".h", ".hpp", ".cpp", ".c", ".cu", ".cuh", ".def", ".inc"}
DECLARED = re.compile(r"^[ \t]*(?:friend[ \t]+)?(?:class|struct|union|enum(?:[ \t]+class)?)[ \t]+(\w+)(?:[ \t]*:[ \t]*[\w:]+)?;", re.M)
DEFINED = re.compile(r"^[ \t]*(?:class|struct|union|enum(?:[ \t]+class)?)[ \t]+(?:alignas\([^)]*\)[ \t]*)?(?:\w+::)*(\w+)(?:[ \t]+final)?[ \t\n]*(?::[^;{}]*)?\{", re.M)
LINES = 450
FILES = 24
TOP_FOLDERS = ["src", "capi", "include", "bindings", "examples", "tests", "bench", "docs"]
GENERATED = {"_build", "__pycache__"}


def files(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES)


def is_beside(path, include):
    """Returns true if the path is relative to the including file."""
    return (path.parent / include).exists()


def may_include(folder, other):
    if {folder, other} == {"cpu", "cuda"}:
        return False
    return ORDER.index(other) <= ORDER.index(folder)


def layer_files(root):
    for folder in ORDER:
        for path in files(root / "capi" if folder == "capi" else root / "src" / folder):
            yield folder, path


def broken_layers(root):
    for folder, path in layer_files(root):
        for include in INCLUDE.findall(path.read_text()):
            first = include.split("/")[0]
            if is_beside(path, include) and "/" not in include:
                continue
            if PUBLIC.match(include) or (root / "capi" / include).exists():
                first = "capi"
            if first not in ORDER:
                yield f"{path.relative_to(root)} includes \"{include}\", expected a file of {', '.join(ORDER)}"
            elif not may_include(folder, first):
                yield f"{path.relative_to(root)} includes \"{include}\", but {folder} must not use {first}"


def readers_of_the_environment(root):
    """docs/environment.md lists the variables that one file reads."""
    for _, path in layer_files(root):
        if path.name != "variables.cpp" and re.search(r"\b(secure_)?getenv\b", path.read_text()):
            yield f"{path.relative_to(root)} reads the environment, expected src/engine/variables.h"


def hidden_uses(root):
    """Names that are declared in one layer and defined only in layers that it must not use."""
    defined = {}
    for folder, path in layer_files(root):
        for name in DEFINED.findall(path.read_text()):
            defined.setdefault(name, set()).add(folder)
    for folder, path in layer_files(root):
        for name in DECLARED.findall(path.read_text()):
            others = defined.get(name, set())
            if others and not any(may_include(folder, other) for other in others):
                yield f"{path.relative_to(root)} declares {name}, which {', '.join(sorted(others))} defines, but {folder} must not use it"


def crowded_folders(root):
    for top in TOP_FOLDERS:
        for folder, folders, names in os.walk(root / top):
            folders[:] = sorted(name for name in folders if name not in GENERATED)
            if len(names) > FILES:
                yield f"{pathlib.Path(folder).relative_to(root)} has {len(names)} files, expected at most {FILES}"


def private_includes(root):
    for folder in ("examples", "bench", "include"):
        for path in files(root / folder):
            for include in INCLUDE.findall(path.read_text()):
                if not PUBLIC.match(include) and not is_beside(path, include) and not (root / folder / include).exists():
                    yield f"{path.relative_to(root)} includes \"{include}\", expected only public headers"


root = pathlib.Path(sys.argv[1])
unknown = [p.name for p in (root / "src").iterdir() if p.is_dir() and p.name not in ORDER]
faults = [*broken_layers(root), *readers_of_the_environment(root), *hidden_uses(root), *crowded_folders(root), *private_includes(root)]
faults += [f"src/{name} is not a known layer, expected one of {', '.join(ORDER)}" for name in unknown]
for folder in ("src", "capi", "include", "tests", "bench", "examples"):
    for path in files(root / folder):
        lines = path.read_text().count("\n")
        if lines > LINES:
            print(f"note: {path.relative_to(root)} has {lines} lines")
for fault in faults:
    print("FAILED", fault)
print(f"{0 if faults else 1} passed, {1 if faults else 0} failed, 0 skipped")
sys.exit(1 if faults else 0)
