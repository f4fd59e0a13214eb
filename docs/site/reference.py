"""The pages of the references, made from the comments of the public headers, interfaces and signatures, and from Lisp's docstrings.

A file is split into items: a comment and the declarations after it, up to a blank line or the next comment. Bodies of functions are left out."""
import os
import re
import subprocess

FENCES = {".h": "c", ".hpp": "cpp", ".mli": "ocaml", ".sig": "sml"}
# Parts of a file that are for the library alone.
INTERNAL = re.compile(r"^namespace (detail|tracing|jits|derivatives|core|std) \{.*?^\}  // namespace \1$", re.M | re.S)


def prose(text):
    """Text of a comment as Markdown: indented lines are code, and lines after a dash a list."""
    lines, code = [], False
    for line in text.splitlines():
        if line.startswith("    "):
            lines += ([] if code else ["", ""]) + [line]
            code = True
        else:
            starts_item = re.match(r"\s*- ", line) and lines and not re.match(r"\s*- |^$", lines[-1])
            lines += [""] * bool(starts_item or code) + [re.sub(r"([*_`\[\]<>#|])", r"\\\1", line)]
            code = False
    return "\n".join(lines).strip()


def without_body(code):
    """The declarations, without the bodies of functions."""
    kept, depth = [], 0
    for line in code.splitlines():
        if depth == 0:
            is_function = not re.match(r"\s*(?:template <.*?> )?(?:enum|struct|class|typedef|union|namespace|\{)", line)
            head = re.sub(r"(?<=[)>\w]) \{(?:.*\})?$", ";", line) if is_function else line
            kept.append(re.sub(r"^(\s+(?:explicit )?[\w~]+\(.*?\)) : .*", r"\1;", head))
            depth = max(0, line.count("{") - line.count("}")) if is_function else 0
        else:
            depth += line.count("{") - line.count("}")
    return "\n".join(line for line in kept if not re.match(r"(namespace|\} *// namespace|\}$|#|using namespace)", line)).strip("\n")


def expanded(text):
    """The text with the uses of macros that declare functions of a name replaced by these declarations."""
    bodies = {}

    def remove(match):
        if match[2] == "name" and match[1] != "WARPFOLD_REJECTED":
            bodies[match[1]] = re.sub(r"[ \t]*\\\n", "\n", match[3]).strip("\n")
        return ""

    def use(match):
        body = bodies.get(match[1], "")
        return re.sub(r"^  ", "", re.sub(r"(?<![#\w])name\b", match[2], body), flags=re.M)

    text = re.sub(r"^#define (\w+)\((\w+)[^)]*\)((?:.*\\\n)*.*\n)", remove, text, flags=re.M)
    return re.sub(r"^(WARPFOLD_\w+)\((\w+).*\)$", use, text, flags=re.M)


def of_braces(text):
    """The introduction and the items of a header: pairs of comments and code."""
    text = INTERNAL.sub("", expanded(text))
    text = re.sub(r"^ (?:private|protected):.*?(?=^\};)", "", text, flags=re.M | re.S)
    text = re.sub(r"/\*(.*?)\*/[ \t]*$", lambda m: "\n".join("// " + re.sub(r"^ ?\*? ?", "", line) for line in m[1].strip().split("\n")) + " " if "\n" in m[1] or
                  text[text.rfind("\n", 0, m.start()) + 1:m.start()].strip() == "" else m[0], text, flags=re.M | re.S)
    items = []
    for block in re.split(r"\n\s*\n", text):
        comment, code = [], []
        for line in block.splitlines():
            if line.startswith("//"):
                if code:
                    items.append(("\n".join(comment), "\n".join(code)))
                    comment, code = [], []
                comment.append(re.sub(r"^// ?", "", line))
            else:
                code.append(line)
        items.append(("\n".join(comment), "\n".join(code)))
    items = [(comment, without_body(code)) for comment, code in items]
    return [(comment, code) for comment, code in items if comment or code.strip()]


def of_ml(text):
    """The same of an interface or a signature."""
    text = re.sub(r"^type needed.*\n|^module \w+ := .*\n|^signature .*\n|^sig\n|^end\n", "", text, flags=re.M)
    text = re.sub(r"\(\* Printed types name .*?\*\)", "", text, flags=re.S)
    items, comment = [], ""
    for part in re.split(r"(\(\*.*?\*\))", text, flags=re.S):
        if part.startswith("(*"):
            if comment:
                items.append((comment, ""))
            comment = "\n".join(line.strip() if not line.startswith("        ") else line[4:] for line in re.sub(r"^\(\*+ ?|\s*\*\)$", "", part).split("\n"))
        else:
            for k, code in enumerate(re.split(r"\n\s*\n", part)):
                code = re.sub(r"^  ", "", code.strip("\n"), flags=re.M) if text.lstrip().startswith("(*") else code.strip("\n")
                if code.strip():
                    items.append((comment, code.rstrip()))
                    comment = ""
    return items + ([(comment, "")] if comment else [])


def ocaml_prose(text):
    """A comment of odoc: [code], {!references}, tags."""
    text = re.sub(r"\{!(?:\w+:)?([^}]*)\}", r"[\1]", text)
    text = re.sub(r"\{b ([^}]*)\}|\{i ([^}]*)\}", lambda m: m[1] or m[2], text)
    parts = re.split(r"(?<!\w)\[((?:[^\[\]]|\[[^\]]*\])*)\]", text)
    marked = "".join(f"`{' '.join(part.split())}`" if k % 2 else re.sub(r"([*_<>#|])", r"\\\1", part) for k, part in enumerate(parts))
    marked = re.sub(r"\\?@raise (\S+)", r"Raises \1", marked)
    return re.sub(r"(?<=\S)\n- ", "\n\n- ", marked)


DECLARED = {
    "c": r"\b(wf_\w+)\(|typedef .*?(\w+);|^enum \{ ?(\w+)|#define (\w+)|^  (WF_\w+) =",
    "cpp": r"^(?:template <.*?> )?(?:class|struct|using|enum class) (\w+)|(?:^|[\s*&])(operator\W+?|\w+)\((?!\*)",
    "ocaml": r"^\s*(?:val|external|exception|module|type)(?: nonrec)? (?:\([^)]*\) |'\w+ )?(\( \S+ \)|\w+)",
    "sml": r"^\s*(?:val|exception|structure|datatype|type|eqtype)(?: \([^)]*\)| '\w+)? (\S+)",
}
NOT_NAMES = {"requires", "tracing", "detail", "decltype", "requires_", "auto", "if", "explicit", "sizeof", "noexcept"}


def names_in(code, language):
    found = []
    lines = code.splitlines()
    if language == "cpp":  # a declaration may have several lines
        lines = [" ".join(re.sub(r"^requires .*$", "", each, flags=re.M).split()) for each in re.split(r"(?<=[;{])\n(?!\s)", code)]
    for line in lines:
        match = re.search(DECLARED[language], line)
        name = next((group for group in match.groups() if group), "") if match else ""
        if name and name not in NOT_NAMES and name not in found:
            found.append(name.strip())
    return found


def file_text(path, title):
    """A file as a section of a page, below its title."""
    text, language = path.read_text(), FENCES[path.suffix]
    items = of_braces(text) if language in ("c", "cpp") else of_ml(text)
    lines, opened = [f"## {title}", ""], False
    for comment, code in items:
        section = re.match(r"-{2,} (.*?) -{2,}\s*", comment) or re.match(r"\{1 (.*)\}\s*$", comment)
        if section:
            lines += [f"### {section[1][0].upper()}{section[1][1:]}", ""]
            comment = comment[section.end():]
        names = names_in(code, language)
        if names:
            lines += ["#### `` " + ", ".join(names[:6]) + (", ..." if len(names) > 6 else "") + " ``", ""]
        if code.strip() and (names or comment):
            lines += [f"```{language}", code.strip("\n"), "```", ""]
        if comment.strip():
            lines += [ocaml_prose(comment) if language == "ocaml" else prose(comment), ""]
    return "\n".join(lines)


def lisp(root, library):
    """The docstrings of the exported names."""
    run = f'. ./sbcl.sh; lisp warpfold "(load \\"{root}/docs/site/docstrings.lisp\\")"'
    done = subprocess.run(["bash", "-c", run, f"{root}/bindings/lisp/sbcl.sh"], cwd=root / "bindings/lisp",
                          env={**os.environ, "WARPFOLD_LIBRARY": str(library)}, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    lines = []
    for item in re.split(r"^@(?=package|function|macro|variable|type )", done.stdout, flags=re.M)[1:]:
        kind, name = item.split("\n")[0].split()
        if kind == "package":
            lines += [f"## {name}", "", prose(item.partition("\n")[2]), ""]
        else:
            arguments, _, text = item.partition("\n")[2].partition("@text\n")
            call = f"({name}{' ' + arguments.strip()[1:-1] if arguments.strip() not in ('', 'NIL', 'nil', '()') else ''})" if kind in ("function", "macro") else name
            lines += [f"#### `{name}`", "", "```lisp", call + ("" if kind == "function" else f"  ; {kind}"), "```", "", prose(text), ""]
    return "# Common Lisp\n\nThe exported names and their docstrings.\n\n" + "\n".join(lines)


GROUPS = {
    "C++": ("reference/cpp-{}.md", "include/warpfold", "hpp"),
    "OCaml": ("reference/ocaml-{}.md", "bindings/ocaml/src", "mli"),
    "Standard ML": ("reference/sml-{}.md", "bindings/sml/lib", "sig"),
}
INTERNAL_FILES = {"call", "handle", "of_thread", "tuples", "types", "import", "writer", "trace", "apply", "fixed", "nested", "inner", "loop", "named", "ordering", "expr"}


def pages(root, library):
    """The texts of all pages, the page and anchor of each file, and the navigation."""
    texts, places, navigation = {}, {}, []
    header = root / "capi/warpfold.h"
    texts["reference/c.md"] = "# C\n\n" + file_text(header, "warpfold.h")
    places["capi/warpfold.h"] = "reference/c.md"
    navigation.append(("C", "reference/c.md"))
    for language, (pattern, folder, suffix) in GROUPS.items():
        groups = {}
        for path in sorted((root / folder).rglob("*." + suffix)):
            if not (path.stem in INTERNAL_FILES and suffix == "hpp") and path.stem not in {"call", "handle"}:
                part = path.relative_to(root / folder).parts
                groups.setdefault(part[0] if len(part) > 1 else "core", []).append(path)
        links = []
        for group, paths in groups.items():
            name = pattern.format(group)
            texts[name] = f"# {language}: {group}\n\n" + "\n".join(file_text(path, path.name) for path in paths)
            places |= {str(path.relative_to(root)): f"{name}#{re.sub(r'[^a-z0-9_-]', '', path.name.lower())}" for path in paths}
            links.append((group, name))
        navigation.append((language, links))
    texts["reference/lisp.md"] = lisp(root, library)
    navigation.append(("Common Lisp", "reference/lisp.md"))
    return texts, places, navigation
