"""Runs the examples on small input and checks every line that they print: examples.py PROGRAM..."""
import os
import re
import subprocess
import sys
import tempfile

programs = {os.path.basename(path): path for path in sys.argv[1:]}
passed = failed = 0


def run(name, *arguments):
    done = subprocess.run([programs[name], *map(str, arguments)], capture_output=True, timeout=300)
    return done.returncode, done.stdout, done.stderr.decode()


def check(what, got, expected):
    global passed, failed
    if got == expected:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}\n  got      {got!r}\n  expected {expected!r}")


def write(name, text):
    with open(name, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return name


def verdict(text):
    """The exit status and the output of match_parens for a file with this text."""
    status, out, _ = run("match_parens", write("text", text))
    return status, out.decode().splitlines()[0].removeprefix("text: ")


def match_parens():
    check("balanced", verdict("(a [b]\n  {c})\n"), (0, "balanced; depth 2 at 1:4"))
    check("nested later", verdict("()\n[\n ([{}])]"), (0, "balanced; depth 4 at 3:4"))
    check("no brackets", verdict("plain\n"), (0, "balanced; depth 0"))
    check("empty", verdict(""), (0, "balanced; depth 0"))
    check("one open", verdict("((x)\n"), (1, "NOT balanced: 1 bracket left open; depth 2 at 1:2"))
    check("two open", verdict("[{"), (1, "NOT balanced: 2 brackets left open; depth 2 at 1:2"))
    check("surplus", verdict("()\n ab )(\n"), (1, "NOT balanced: a closing bracket too many at 2:5; depth 1 at 1:1"))
    check("surplus first", verdict("}"), (1, "NOT balanced: a closing bracket too many at 1:1; depth 0"))
    check("bytes above 127", verdict(b"\xff(\xfe)\x80"), (0, "balanced; depth 1 at 1:2"))
    deep = "(" * 100000 + "\n" * 1000 + ")" * 100000
    check("deep", verdict(deep), (0, "balanced; depth 100000 at 1:100000"))

    # A sparse file of several pieces: brackets and line ends far apart.
    size = 80 << 20
    with open("large", "wb") as file:
        for offset, text in ((0, b"(\n"), (40 << 20, b"\n["), (size - 3, b"]))")):
            file.seek(offset)
            file.write(text)
    status, out, _ = run("match_parens", "large")
    column = size - ((40 << 20) + 1)
    check("pieces", (status, out.decode().splitlines()[0]),
          (1, f"large: NOT balanced: a closing bracket too many at 3:{column}; depth 2 at 3:1"))
    check("total", bool(re.fullmatch(rf"1 file, {size} bytes, 1 not balanced, 0 errors; [\d.]+ s, [\d.]+ GB/s",
                                     out.decode().splitlines()[-1])), True)
    os.remove("large")

    write("good", "()")
    status, out, err = run("match_parens", "good", "missing", ".", "good")
    check("errors: the others go on", (status, out.decode().count("good: balanced")), (2, 2))
    check("errors: two lines", [bool(re.match(f"match_parens: {re.escape(name)}: ", line))
                                for name, line in zip(["missing", "."], err.splitlines())], [True, True])
    status, out, _ = run("match_parens", "--explain", "--context", "cpu", "good")
    check("explain", (status, out.decode().splitlines()[0]), (0, "1 kernel"))
    check("explain: one pass over the bytes", "2 B read, 0 B written" in out.decode(), True)
    check("help", run("match_parens", "--help")[0], 0)
    check("no files", run("match_parens")[0], 2)
    check("unknown option", run("match_parens", "--fast")[0], 2)
    check("unknown context", run("match_parens", "--context", "abacus", "good")[0], 2)


def demo():
    write("one", "(a\n[b]\n)")
    write("two", "}\n")
    status, out, _ = run("demo", "--context", "cpu", "--size", 3, "one", "two")
    lines = out.decode().splitlines()
    check("demo: the files", (status, lines[0]), (0, "2 files, 10 bytes; the deepest bracket is 2 deep, at one:2:1"))
    check("demo: the plan", (lines[1].split(":")[0], lines[1].endswith("; 3146 kB read, 0 B written")), ("1 kernel", True))
    check("demo: the size", lines[2], "3 MiB of them in memory; all results are equal:")
    check("demo: the rates", [bool(re.fullmatch(r"  .* +[\d.]+ billion characters a second", line)) for line in lines[3:]], [True] * 3)
    check("demo: the contenders", [re.split("[,0-9]", line)[0].strip() for line in lines[3:]], ["plain loop", "std::par", "warpfold"])
    status, out, err = run("demo", "--context", "cpu", "missing")
    check("demo: errors", (status, err.startswith("demo: ")), (2, True))
    check("demo: no files", run("demo", "--context", "cpu")[0], 2)


def mcss():
    check("mcss", run("mcss", -2, 1, -3, 4, -1, 2, 1, -5, 4)[1], b"6\n")
    check("mcss of negatives", run("mcss", -2, -1)[1], b"0\n")
    check("mcss of nothing", run("mcss")[1], b"0\n")


def mandelbrot():
    width, height = 60, 40
    status, image, _ = run("mandelbrot", width, height)
    head = b"P6\n60 40\n255\n"
    check("mandelbrot: header and size", (status, image[:len(head)], len(image)), (0, head, len(head) + 3 * width * height))
    differing = 0
    for k in range(width * height):
        x, y = k % width, k // width
        c, z, steps = complex(x * 3 / width - 2.25, (y - height / 2) * 3 / width), 0j, 0
        while abs(z) < 2 and steps < 255:
            z, steps = z * z + c, steps + 1
        differing += image[len(head) + 3 * k + 2] != (0 if steps == 255 else steps)
    check("mandelbrot: pixels, but for rounding at the edge", differing < 0.02 * width * height, True)


def map_reduce():
    status, out, _ = run("map_reduce", 1, 2, 3, 4, 10)
    lines = out.decode().splitlines()
    check("map_reduce", (status, lines[0], lines[-1]), (0, "1 kernel", "mean 4, deviation 3.16228, from 1 to 10"))


def word_count():
    write("words", "one two\n three\t4\n\n five")
    check("word_count", run("word_count", "words")[1], b"3 5 23 words\n")
    write("empty", "")
    check("word_count of nothing", run("word_count", "empty")[1], b"0 0 0 empty\n")
    check("word_count of no file", run("word_count", "missing")[0], 2)


programs = {name: os.path.abspath(path) for name, path in programs.items()}
with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    for example in (match_parens, demo, mcss, mandelbrot, map_reduce, word_count):
        example()
    os.chdir("/")
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed else 0)
