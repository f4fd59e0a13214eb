"""Runs programs as four processes of mpirun: the same values as on the CPU, and faults of one rank that are errors of all.

under_mpi.py PLUGIN PROGRAM...   (77: skipped)"""
import collections
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

RANKS = 4
TIMEOUT = 3  # seconds: WARPFOLD_TIMEOUT
ENVIRONMENT = dict(os.environ, WARPFOLD_THREADS="1", WARPFOLD_TIMEOUT=str(TIMEOUT), OMPI_ALLOW_RUN_AS_ROOT="1",
                   OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1")
failures = []


def expect(holds, text):
    if not holds:
        print("failed:", text)
        failures.append(text)


def is_open_mpi():
    return "Open MPI" in subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout


def mpirun(program, *arguments, options=(), **environment):
    command = ["timeout", "50", "mpirun", "-n", str(RANKS)] + (["--oversubscribe", "--bind-to", "none", *options] if is_open_mpi() else [])
    start = time.monotonic()
    run = subprocess.run(command + [program, *arguments], capture_output=True, text=True, env=ENVIRONMENT | environment)
    return run, time.monotonic() - start


def lines_by_rank(output):
    by_rank = collections.defaultdict(list)
    for line in output.splitlines():
        rank, colon, text = line.partition(": ")
        if colon and rank.isdigit():
            by_rank[int(rank)].append(text)
    return by_rank


def fault(faults, case, expected, options=(), ranks=range(RANKS), ends=True):
    """Each of these ranks prints lines that contain these texts, and the program ends in time."""
    run, seconds = mpirun(faults, case, options=options)
    found = lines_by_rank(run.stdout)
    for rank in ranks:
        is_expected = len(found[rank]) == len(expected) and all(text in line for text, line in zip(expected, found[rank]))
        is_expected &= not any(line.startswith("wrong: ") for line in found[rank])
        is_expected &= not any("after seconds" in line for line in found[rank][1:])  # once the context has failed, all fail at once
        expect(is_expected, f"{case}, rank {rank}: {found[rank]}, expected {expected}; {run.stderr[-2000:]}")
    expect(run.returncode == 0 or not ends, f"{case} ends with {run.returncode}: {run.stderr[-2000:]}")
    expect(seconds < TIMEOUT + 7, f"{case} took {seconds} s")


def check_values(programs):
    run, _ = mpirun(programs, "-few_messages", WARPFOLD_TEST_PARTS="mpi")
    expect(run.returncode == 0 and run.stdout.count(" 0 failed") == RANKS, f"values: {run.stdout[-3000:]} {run.stderr[-2000:]}")


def check_missing_plugin(faults, library):
    """The library alone, without the plugin next to it."""
    folder = pathlib.Path("alone")
    folder.mkdir(exist_ok=True)
    shutil.copy(library.with_name("libwarpfold.so.0"), folder)
    run = subprocess.run([faults, "index"], capture_output=True, text=True, env=ENVIRONMENT | {"LD_LIBRARY_PATH": str(folder.resolve())})
    expect("the plugin libwarpfold_mpi.so cannot be loaded" in run.stderr and "(libopenmpi-dev)" in run.stderr, f"no plugin: {run.stderr}")


def check_faults(faults):
    go_on = ["sum 150205070", "no error"]
    outside = "index 17007 at element 7000 is out of range for a sequence of length 10007"
    fault(faults, "index", [outside, outside] + go_on)
    fault(faults, "parts", ["rank 2: ", "wrong:"])
    fault(faults, "memory", ["memory fails on all 4"])
    other = "rank 3 forces another program: "
    fault(faults, "divergence", [other + "store(1); i < 10007; in $0 i64;", other, "rank 0 forces another program: all 10007 elements"] + go_on)
    fault(faults, "ended", ["rank 2 has ended its program"] * 2, ranks=[0, 1, 3])
    late = f"rank 1 has not answered for {TIMEOUT} s (WARPFOLD_TIMEOUT)"
    fault(faults, "stop", [late, late, late], ranks=[0, 2, 3], ends=False)
    if is_open_mpi():  # others end all ranks
        fault(faults, "kill", [late, late, late], ranks=[0, 2, 3], ends=False, options=["--enable-recovery"])
    run, seconds = mpirun(faults, "kill")
    expect(run.returncode != 0 and seconds < TIMEOUT + 7, f"mpirun after a kill: {run.returncode}, {seconds} s")


def check_example(path):
    points = pathlib.Path("points.csv")
    points.write_text("".join(f"{k % 7 * 10 + k % 3},{k % 5 * 10 - k % 2}\n" for k in range(1000)))
    command = [path] + {"heat": ["50", "30"], "k_means": [str(points), "6"], "word_count": [os.path.abspath(__file__)]}[pathlib.Path(path).name]
    cpu, parts = (subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT | {"WARPFOLD_CONTEXT": name}).stdout
                  for name in ("cpu", "parts:4"))
    run, _ = mpirun(*command, WARPFOLD_CONTEXT="mpi")
    expect(cpu and cpu == parts, f"{path}: {cpu} on the CPU, {parts} in parts")
    # The lines of ranks may mingle.
    expect(sorted(run.stdout) == sorted(cpu * RANKS), f"{path}: {cpu} on the CPU, {run.stdout} {run.stderr[-2000:]}")


def main():
    plugin, *programs = map(os.path.abspath, sys.argv[1:])
    if not shutil.which("mpirun") or not pathlib.Path(plugin).exists():
        print("skipped: mpirun or libwarpfold_mpi.so is missing; expected an MPI (Debian: openmpi-bin, libopenmpi-dev)")
        return 77
    checks = {"test_programs_in_parts": check_values, "test_faults_of_ranks": check_faults}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_missing_plugin(programs[1], pathlib.Path(plugin))
        for path in programs:
            checks.get(pathlib.Path(path).name, check_example)(path)
    print(f"{len(programs)} programs, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
