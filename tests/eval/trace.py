"""WARPFOLD_TRACE writes the stages of a run: trace.py PROGRAM [ARGUMENT...]. The program runs kernels."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "trace.json"
    subprocess.run(sys.argv[1:], check=True, capture_output=True, env={**os.environ, "WARPFOLD_TRACE": str(path)})
    events = json.loads(path.read_text().rstrip(",\n") + "]")
by_stage = {stage: [event for event in events if event["name"] == stage] for stage in ("trace", "plan", "compile", "launch", "copy", "wait")}
assert sum(map(len, by_stage.values())) == len(events) and by_stage["trace"] and by_stage["plan"], events
assert all(event["ph"] == "X" and event["dur"] >= 0 and event["pid"] > 0 and event["tid"] > 0 for event in events), events
assert any("store(1), n = 400" in event["args"]["detail"] for event in by_stage["launch"]), by_stage["launch"]
assert min(event["ts"] for event in by_stage["plan"]) < min(event["ts"] for event in by_stage["launch"])
print("1 passed, 0 failed, 0 skipped")
