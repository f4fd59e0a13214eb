"""The code blocks of pages give the results that the pages state: blocks.py LANGUAGE ROOT LIBRARY PAGE... A comment "=> result" states what its line
prints, or the value that a toplevel prints for it. A block of text states what the block of C++ before it prints."""
import pathlib
import re
import subprocess
import sys

STATED = {"cpp": r"// => (.*)", "sml": r"\(\* => (.*) \*\)", "ocaml": r"\(\* => (.*) \*\)", "lisp": r"; => (.*)"}
MARK = {"sml": 'print "\\n@@\\n";', "ocaml": 'print_string "\\n@@\\n";;', "lisp": '(format t "~%@@~%")'}


def blocks(page):
    """The languages and texts of the blocks."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S)


def stated(language, page):
    results, last = [], None
    for name, text in blocks(page):
        if name == language:
            results += re.findall(STATED[language], text)
        elif name == "text" and (last, language) == ("cpp", "cpp"):
            results += text.splitlines()
        last = name
    return results


def run(command, text):
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}\nFAILED {' '.join(command)}: status {done.returncode}\n0 passed, 1 failed, 0 skipped")
    return done.stdout


def of_programs(texts, command):
    """Blocks that include a header are whole programs; the others are one function."""
    whole = [text for text in texts if text.startswith("#include")]
    rest = "".join(text for text in texts if text not in whole)
    program = "#include <iostream>\n#include <vector>\n#include <warpfold/warpfold.hpp>\nusing namespace warpfold;\nint main() {\n" + rest + "}\n"
    return "".join(run(command, text) for text in whole + [program]).splitlines()


def of_session(language, texts, command):
    session = re.sub(r"^(?:#|use ).*\n", "", "".join(texts), flags=re.M)  # the command loads the library
    marked = re.sub(f"({STATED[language]})", lambda m: m[1] + "\n" + MARK[language], session)
    parts = re.split(r"^@@$", run(command, MARK[language] + "\n" + marked), flags=re.M)
    return [value_of(language, part) for part in parts[1:-1]]


def value_of(language, part):
    """The last value in the output of a toplevel, or the text that was printed if there is no value."""
    if language == "lisp":
        return ", ".join([answer for answer in re.split(r"^\* ", part, flags=re.M) if answer.strip()][-1].split("\n")).strip(", ")
    text = re.sub(r"^(?:[>#] )*(?:val it = \(\): unit|- : unit = \(\))?", "", part, flags=re.M)
    found = re.findall(r"^val it = (.*):[^:]*$" if language == "sml" else r"^- : [^=]*? =\s(.*)$", text, re.M | (re.S if language == "ocaml" else 0))
    return found[-1] if found else text.strip()


def main(language, root, library, *pages):
    text = "".join((pathlib.Path(root) / page).read_text() for page in pages)
    texts = [block for name, block in blocks(text) if name == language]
    command = [str(pathlib.Path(__file__).with_name("run")), language, root, library]
    found = of_programs(texts, command) if language == "cpp" else of_session(language, texts, command)
    found, expected = ([" ".join(result.split()) for result in results] for results in (found, stated(language, text)))
    faults = [pair for pair in zip(found, expected) if pair[0] != pair[1]]
    for result, statement in faults:
        print(f"FAILED {', '.join(pages)} in {language}\n  found    {result}\n  expected {statement}")
    missing = len(expected) - len(found)
    if missing or not expected:
        print(f"FAILED {', '.join(pages)} in {language}: {len(found)} results, expected {len(expected)}")
    failed = len(faults) + abs(missing) + (not expected)
    print(f"{len(expected) - len(faults)} passed, {failed} failed, 0 skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
