"""Checks that the shared library exports exactly the functions that warpfold.h declares, that their names begin with wf_, and that the header
only grows: abi.txt has a line for each of its declarations. exports.py LIBRARY HEADER --write adds the new ones."""
import pathlib
import re
import subprocess
import sys

library, header = sys.argv[1], pathlib.Path(sys.argv[2]).read_text()
KEPT = pathlib.Path(__file__).with_name("abi.txt")


def declarations():
    """Functions, types and constants, each as one line of one spelling."""
    text = re.sub(r"/\*.*?\*/|^#.*?$", "", header, flags=re.M | re.S)
    text = re.sub(r'extern "C" \{|^\}$', "", text, flags=re.M)
    whole = re.findall(r"(?:[^;{}]|\{[^}]*\})+;", text)
    lines = [re.sub(r"\s+", " ", declaration).strip() for declaration in whole]
    return [line for d in lines for line in (re.findall(r"WF_\w+ = \w+", d) if d.startswith("enum") else [d])]


declared_now = declarations()
if "--write" in sys.argv:
    kept = KEPT.read_text().splitlines() if KEPT.exists() else []
    KEPT.write_text("".join(line + "\n" for line in kept + [line for line in declared_now if line not in kept]))
symbols = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
exported = {line.split()[-1].split("@")[0] for line in symbols.splitlines()}
declared = set(re.findall(r"^WF_API [^;(]*?\b(wf_\w+)\(", header, re.M))
faults = [f"{name} is exported, expected only wf_*" for name in sorted(exported) if not name.startswith("wf_")]
faults += [f"{name} is declared but not defined" for name in sorted(declared - exported)]
faults += [f"{name} is exported but not declared" for name in sorted(exported - declared) if name.startswith("wf_")]
kept = KEPT.read_text().splitlines()
faults += [f"the header no longer has: {line}; expected that it only grows" for line in kept if line not in declared_now]
faults += [f"abi.txt does not have: {line}; expected that --write adds it" for line in declared_now if line not in kept]
for fault in faults:
    print("FAILED", fault)
print(f"{0 if faults else 1} passed, {1 if faults else 0} failed, 0 skipped")
sys.exit(1 if faults else 0)
