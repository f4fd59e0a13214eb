"""compare.py OLD.json NEW.json: the rows of warpfold that became slower by more than the noise of both runs; status 1 if there are any. The noise of a row is
the range between the quartiles of its samples, and a tenth of its time where that is not known."""
import json
import sys


def rows(path):
    with open(path) as file:
        found = json.load(file)["rows"]
    return {(row["work"], row["type"], row["n"], row["engine"], row["peer"]): row for row in found if row["peer"].startswith("warpfold")}


def noise(row):
    return row["noise"] or row["ms"] / 10


old, new = (rows(path) for path in sys.argv[1:])
both = [key for key in old if key in new]
changed = [key for key in both if abs(new[key]["ms"] - old[key]["ms"]) > noise(old[key]) + noise(new[key])]
slower = [key for key in changed if new[key]["ms"] > old[key]["ms"]]
for key in slower:
    before, after = old[key], new[key]
    print(f"{key[0]}, {key[1]}, n = {key[2]}, {key[3]}, {key[4]}: {after['ms']:.4g} ms, {after['ms'] / before['ms']:.2f} of {before['ms']:.4g} ms; "
          f"noise {noise(before):.2g} and {noise(after):.2g} ms")
print(f"{len(both)} rows compared, {len(old) - len(both)} of the old ones not measured: {len(slower)} slower, {len(changed) - len(slower)} faster")
sys.exit(1 if slower or not both else 0)
