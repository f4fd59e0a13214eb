"""bench/compare.py and bench/report.py on made results: compare.py ROOT."""
import json
import pathlib
import subprocess
import sys
import tempfile

bench = pathlib.Path(sys.argv[1]) / "bench"


def results(folder, name, *times):
    rows = [{"work": "reduce", "n": n, "type": "f32", "engine": "cpu", "peer": peer, "ms": ms, "noise": noise, "gbps": 2 / ms, "limit_gbps": 4.0}
            for peer, n, ms, noise in times]
    path = pathlib.Path(folder) / name
    path.write_text(json.dumps({"date": "2026-01-01", "processor": "P", "threads": 2, "version": "0", "compiler": "12", "peers": "E", "rows": rows}))
    return path


def run(script, *paths):
    done = subprocess.run([sys.executable, bench / script, *paths], capture_output=True, text=True)
    return done.returncode, done.stdout


with tempfile.TemporaryDirectory() as folder:
    old = results(folder, "old", ("warpfold", 10, 1, 0.1), ("warpfold", 20, 1, 0.1), ("loop", 20, 1, 0.1), ("warpfold", 30, 2, 0))
    new = results(folder, "new", ("warpfold", 10, 1.15, 0.1), ("warpfold", 20, 0.7, 0.1), ("loop", 20, 9, 0.1), ("warpfold", 30, 2.5, 0))
    status, text = run("compare.py", old, new)
    assert status == 1 and "n = 30, cpu, warpfold: 2.5 ms, 1.25 of 2 ms" in text and "3 rows compared, 0 of the old ones not measured: 1 slower, 1 faster" in text, text
    assert run("compare.py", new, new)[0] == 0 and run("compare.py", old, results(folder, "none"))[0] == 1
    status, text = run("report.py", results(folder, "lost", *[(peer, n, ms, 0.1) for n in (1024, 2048) for peer, ms in (("warpfold", 2), ("loop", 3000 / n))]))
    assert status == 0 and text.count("<polyline") == 2 and "| reduce, f32 | 2^10 | **warpfold** | 2 | 0.1 | 1 | 0.25 of 4 |" in text, text
    assert "| reduce, f32 | 2^11 | 2 | loop | 1.46 | 1.37 |" in text.split("a peer wins")[1] and "2^10" not in text.split("a peer wins")[1], text
print("1 passed, 0 failed, 0 skipped")
