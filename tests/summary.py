"""Reads the JSON logs of `meson test`, shows every failure in full, and ends with `N passed, N failed, N skipped`,
summed over the test cases of all programs. A program that does not count its cases counts as one case."""
import json
import re
import sys

PLAIN = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)
CRITERION = re.compile(r"Synthesis: Tested: (\d+) \| Passing: (\d+) \| Failing: (\d+) \| Crashing: (\d+)")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def counts(output, result):
    """Passed, failed and skipped cases of one program."""
    passed = failed = skipped = 0
    plain, criterion = PLAIN.findall(output), CRITERION.findall(output)
    if plain:
        passed, failed, skipped = map(int, plain[-1])
    elif criterion:
        _, passed, failing, crashing = map(int, criterion[-1])
        failed = failing + crashing
    elif result in ("OK", "EXPECTEDFAIL"):
        passed = 1
    elif result == "SKIP":
        skipped = 1
    if result not in ("OK", "EXPECTEDFAIL", "SKIP"):
        failed = max(failed, 1)
    return passed, failed, skipped


total = [0, 0, 0]
for log in sys.argv[1:]:
    for line in open(log, encoding="utf-8"):
        test = json.loads(line)
        output = COLOUR.sub("", test.get("stdout", "") + test.get("stderr", ""))
        these = counts(output, test["result"])
        total = [a + b for a, b in zip(total, these)]
        if these[1]:
            print(f"\n==== {test['name']}: {test['result']} (exit status {test['returncode']}), {test['duration']:.1f} s")
            print(" ".join(test["command"]))
            print(output.rstrip())
print("\n%d passed, %d failed, %d skipped" % tuple(total) if total[1] else "%d passed, %d failed, %d skipped" % tuple(total))
sys.exit(1 if total[1] or not sum(total) else 0)
