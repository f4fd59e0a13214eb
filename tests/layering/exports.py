"""Checks that the shared library exports exactly the functions that warpfold.h declares, and that their names begin with wf_."""
import pathlib
import re
import subprocess
import sys

library, header = sys.argv[1], pathlib.Path(sys.argv[2]).read_text()
symbols = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
exported = {line.split()[-1].split("@")[0] for line in symbols.splitlines()}
declared = set(re.findall(r"^WF_API [^;(]*?\b(wf_\w+)\(", header, re.M))
faults = [f"{name} is exported, expected only wf_*" for name in sorted(exported) if not name.startswith("wf_")]
faults += [f"{name} is declared but not defined" for name in sorted(declared - exported)]
faults += [f"{name} is exported but not declared" for name in sorted(exported - declared) if name.startswith("wf_")]
for fault in faults:
    print("FAILED", fault)
print(f"{0 if faults else 1} passed, {1 if faults else 0} failed, 0 skipped")
sys.exit(1 if faults else 0)
