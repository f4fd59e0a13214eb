"""The tables of names: names.py ROOT. Every name in a column of a language of docs/coming-from is declared in that language's public files."""
import importlib.util
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
spec = importlib.util.spec_from_file_location("public", root / "tests/layering/names.py")
public = importlib.util.module_from_spec(spec)
spec.loader.exec_module(public)

LANGUAGES = {"C++": ".hpp", "Standard ML": ".sig", "OCaml": ".mli", "Lisp": ".lisp"}
# What the public names lack: functions in classes, names that a macro defines, constants, constructors.
MORE = {".hpp": r"\b[A-Z_1-3]+\((\w+)[,)]|\b(\w+)\(|\b(?:class|struct|constexpr \w+) (\w+)", ".mli": r"\| (\w+)|module (\w+)", ".sig": r"\| (\w+)|(?:val|structure) (\w+)", ".lisp": r"#:(\S+)"}
# Names that are neither: types and structures of the languages, instances of MonoTensor, forms of Common Lisp.
WORDS = {".hpp": "float double MatrixXf", ".mli": "Infix", ".sig": "RealTensor Keep Seq Tensor Exp",
         ".lisp": "reduce length elt aref map if do loop append subseq reverse wf.op"}


def known(suffix):
    found = set(WORDS[suffix].split())
    paths = [path for path in public.public_files(root) if path.suffix == suffix]
    for path in paths + (list((root / "include").rglob("*.def")) if suffix == ".hpp" else []):
        found |= set(public.names(path)) if path in paths else set()
        found |= {name for groups in re.findall(MORE[suffix], path.read_text()) for name in ([groups] if isinstance(groups, str) else groups)}
        found |= {path.stem.capitalize(), "".join(part.capitalize() for part in path.stem.split("_"))}
    return found


def cells(page):
    """The column's title and the text of each cell of the page's tables."""
    titles = None
    for line in page.splitlines():
        row = [cell.strip() for cell in line.strip()[1:-1].split("|")] if line.startswith("| ") else None
        if row and titles:
            assert len(row) == len(titles), line
            yield from zip(titles, row)
        elif not line.startswith("|---"):
            titles = row


def names_of(title, code):
    """In C++ what is called, and words alone; in the MLs the parts of a path; in Lisp the whole word."""
    if title == "C++":
        return re.findall(r"[A-Za-z_]\w+(?=[(<]|$)", "" if "/" in code else code)
    return [name for name in ([code] if title == "Lisp" else code.split(".")) if re.match(r"[A-Za-z]", name)]


failures, checked = set(), 0
public_names = {language: known(suffix) for language, suffix in LANGUAGES.items()}
for path in sorted((root / "docs/coming-from").glob("*.md")):
    for title, cell in cells(path.read_text()):
        for name in [name for code in re.findall(r"`([^`]+)`", cell) for name in names_of(title, code)] if title in LANGUAGES else []:
            checked += 1
            if name not in public_names[title]:
                failures.add(f"FAILED {path.relative_to(root)}: {title} has no {name}")
for failure in sorted(failures):
    print(failure)
print(f"{checked - len(failures)} passed, {len(failures)} failed, 0 skipped")
sys.exit(1 if failures or checked < 500 else 0)
