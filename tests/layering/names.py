"""Compares the public names of each language with names.txt, which has a line for each module, signature, list of packages and header.
names.py ROOT --write writes the list; a commit that removes a name says why."""
import pathlib
import re
import sys

KEPT = pathlib.Path(__file__).with_name("names.txt")
COMMENT = {".hpp": r"//[^\n]*|^#define(?:.*\\\n)*.*\n", ".h": r"/\*[\s\S]*?\*/", ".lisp": r";[^\n]*"}
IN_ML = r"\(\*[\s\S]*?\*\)"
CPP_INNER = re.compile(r"^namespace (?:detail|tracing) \{.*?^\}", re.M | re.S)
# A C++ name is that of a type or a function at the beginning of a line.
NAME = {
    ".hpp": r"^(?:template <[^\n]*> )?(?:class|struct|using|concept|(?!namespace|requires)[\w:]+[^\n=;({]*[ *&])"
            r" ?(operator[^\s\w(]+|\w+)(?=[ ({;])(?<!decltype)",
    ".h": r"\b(wf_\w+)\(",
    ".lisp": r"#:([^\s()]+)",
    ".mli": r"^\s*(?:val|external|module|exception)\s+(?:type of\s+)?(\w+\b|\(\s*\S+\s*\))(?!\s*:=)",
    ".sig": r"\b(?:val|structure|exception|signature)\s+([\w']+|[^\s\w]+)",
}
INTERNAL = {"call", "handle", "platform"}
KEYWORDS = {"bool", "class", "const", "decltype", "int", "int64_t", "public", "size_t", "struct", "uint8_t", "T", "R"}


def names(path):
    text = re.sub(COMMENT.get(path.suffix, IN_ML), "", path.read_text(), flags=re.M)
    found = set(re.findall(NAME[path.suffix], CPP_INNER.sub("", text), re.M))
    return sorted(found - KEYWORDS if path.suffix == ".hpp" else found)


def public_files(root):
    yield root / "capi/warpfold.h"
    yield root / "bindings/lisp/src/packages.lisp"
    for folder, suffix in ("include/warpfold", "hpp"), ("bindings/ocaml/src", "mli"), ("bindings/sml", "sig"):
        yield from sorted((root / folder).rglob("*." + suffix))


def listed(root):
    return [f"{path.relative_to(root).with_suffix('')}: {' '.join(names(path))}" for path in public_files(root)
            if path.stem not in INTERNAL and "_build" not in path.parts]


def places(lines):
    return {(line.split(": ")[0], name) for line in lines for name in line.split(": ")[1].split()}


def main(root, *options):
    lines = listed(root)
    if "--write" in options:
        KEPT.write_text("\n".join(lines) + "\n")
    found, kept = places(lines), places(KEPT.read_text().splitlines())
    for text, differences in ("is not in names.txt", found - kept), ("was public", kept - found):
        for place, name in sorted(differences):
            print(f"{place}: {name} {text}; names.py --write writes the list")
    return found != kept


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), *sys.argv[2:]))
