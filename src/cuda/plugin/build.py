"""build.py NVCC OUTPUT DEPFILE SOURCE INCLUDE ARCHITECTURE...: compiles the plugin for the architectures that nvcc knows. If it knows none, or
the source does not compile with its CUB, the output is empty, and the library runs without a plugin."""
import pathlib
import subprocess
import sys

nvcc, output, depfile, source, include, *architectures = sys.argv[1:]


def codes():
    known = subprocess.run([nvcc, "--list-gpu-code"], capture_output=True, text=True).stdout.split()
    return [f"-gencode=arch=compute_{a},code=sm_{a}" for a in architectures if f"sm_{a}" in known]


def compile_plugin(codes):
    command = [nvcc, "-O3", "-std=c++17", "-shared", "--cudart=static", "-Xcompiler=-fPIC,-fvisibility=hidden", "-Xlinker=--exclude-libs=ALL,-s",
               "-DCCCL_DISABLE_NVTX", "--threads=0", *codes, "-I", include, "-MMD", "-MF", depfile, "-MT", output, source, "-o", output]
    run = subprocess.run(command, capture_output=True, text=True)
    return run.stdout + run.stderr if run.returncode else ""


codes = codes()
fault = compile_plugin(codes) if codes else f"nvcc compiles for none of the architectures {', '.join(architectures)}"
if fault:
    print(f"built without a plugin for GPUs; keys are sorted by merging: {fault}", file=sys.stderr)
    pathlib.Path(output).write_bytes(b"")
    pathlib.Path(depfile).write_text(f"{output}: {source}\n")
