"""Runs the examples on small input and checks every line that they print: examples.py PROGRAM..."""
import math
import os
import re
import subprocess
import sys
import tempfile

from pictures import grey_png, read_png

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
    with open("/dev/full", "w") as full:
        check("results that cannot be written", subprocess.run([programs["match_parens"], "good"], stdout=full, stderr=subprocess.DEVNULL).returncode, 2)
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
    status, _, _ = run("mandelbrot", "image.png", width, height)
    *shape, image = read_png("image.png")
    check("mandelbrot: header and size", (status, shape, len(image)), (0, [width, height, 3], 3 * width * height))
    differing = 0
    for k in range(width * height):
        x, y = k % width, k // width
        c, z, steps = complex(x * 3 / width - 2.25, (y - height / 2) * 3 / width), 0j, 0
        while abs(z) < 2 and steps < 255:
            z, steps = z * z + c, steps + 1
        differing += image[3 * k + 2] != (0 if steps == 255 else steps)
    check("mandelbrot: pixels, but for rounding at the edge", differing < 0.02 * width * height, True)
    check("mandelbrot: no such folder", run("mandelbrot", "missing/image.png", 4, 4)[0], 2)


def equalize():
    width, height = 301, 211
    pixels = [60 + (x * x + 3 * y) % 50 for y in range(height) for x in range(width)]
    write("in.png", grey_png(width, height, pixels))
    check("equalize: status", run("equalize", "in.png", "out.png")[0], 0)
    darkest = pixels.count(min(pixels))
    levels = {p: int((sum(q <= p for q in pixels) - darkest) / (len(pixels) - darkest) * 255 + 0.5) for p in set(pixels)}
    check("equalize: pixels", list(read_png("out.png")[3]) == [levels[p] for p in pixels], True)
    check("equalize: no picture", run("equalize", write("text", "no picture"), "out.png")[0], 2)


def autofuse():
    status, out, _ = run("autofuse", 100003)
    check("autofuse", (status, out.decode().splitlines()[-1].endswith("the same step by step")), (0, True))
    check("autofuse: one pass", out.decode().count("kernel"), 1)


def big_numbers():
    a, b = "9" * 700 + "12345", "8" * 333 + "0" * 50
    check("big_numbers", run("big_numbers", a, b)[1].decode().split(), [str(int(a) + int(b)), str(int(a) * int(b))])
    check("big_numbers: zero", run("big_numbers", 0, "000")[1], b"0\n0\n")
    check("big_numbers: no number", run("big_numbers", 1, "1e3")[0], 2)


def convex_hull():
    status, _, error = run("convex_hull", write("wrong", "0.5 1e3\n1 nan\n"))
    check("convex_hull of NaN", (status, "wrong, line 2: expected two numbers" in error), (2, True))
    points = [(x * x % 101 - 50, x * 37 % 97 - 48) for x in range(500)]
    corners = []  # by the monotone chain
    for side in (sorted(set(points)), sorted(set(points), reverse=True)):
        chain = []
        for p in side:
            while len(chain) > 1 and ((chain[-1][0] - chain[-2][0]) * (p[1] - chain[-2][1]) -
                                      (chain[-1][1] - chain[-2][1]) * (p[0] - chain[-2][0])) <= 0:
                chain.pop()
            chain.append(p)
        corners += chain[:-1]
    write("points", "".join(f"{x} {y}\n" for x, y in points))
    status, out, _ = run("convex_hull", "points")
    lines = out.decode().splitlines()
    found = [tuple(map(int, line.split())) for line in lines[1:]]
    check("convex_hull", (status, lines[0], sorted(found)), (0, f"{len(corners)} corners", sorted(corners)[:len(found)]))
    check("convex_hull of one point", run("convex_hull", write("one", "3 4\n"))[1], b"1 corners\n3 4\n")


def k_means():
    points = [(100 * (k % 3) + k % 7 * 0.25, 50 * (k % 3 == 1) - k % 5 * 0.5) for k in range(2100)]
    write("points.csv", "".join(f"{x},{y}\n" for x, y in points))
    status, out, _ = run("k_means", "points.csv", 3)
    right = [tuple(sum(p[d] for p in points[c::3]) / 700 for d in (0, 1)) for c in range(3)]
    found = [tuple(map(float, line.split(","))) for line in out.decode().splitlines()]
    close = len(found) == 3 and all(abs(a - b) < 1e-3 for p, q in zip(found, sorted(right)) for a, b in zip(p, q))
    check("k_means", (status, close), (0, True))
    check("k_means: no file", run("k_means", "missing", 3)[0], 2)
    if "mandelbrot" in programs:  # libpng is installed
        status = run("k_means", "points.csv", 3, "k_means.png")[0]
        width, height, channels, pixels = read_png("k_means.png")
        colours = {pixels[k:k + 3] for k in range(0, len(pixels), 3)}
        check("k_means: picture", (status, width, height, channels, len(colours), b"\xff\xff\xff" in colours), (0, 300, 300, 3, 4, True))


def moving_average():
    check("moving_average", run("moving_average", 3, 1, 2, 3, 4, 10)[1], b"<2,3,5.66667>\n")
    check("moving_average of few", run("moving_average", 6, 1, 2)[1], b"<>\n")


def n_body():
    status, out, _ = run("n_body", 300, 20)
    before, after = map(float, re.findall(r"-[\d.]+", out.decode()))
    sines = [[math.sin(i * f) for i in range(300)] for f in (1, 1.7, 2.3)]
    potential = sum(1 / math.sqrt(sum((s[i] - s[j]) ** 2 for s in sines) + 0.01) for i in range(300) for j in range(300) if i != j)
    check("n_body: energy", (status, abs(before + potential / 300 ** 2 / 2) < 1e-3, abs(after - before) < 1e-3), (0, True, True))


def nearest_neighbours():
    n = 500
    points = [((i * 7919 % 10007) / 10007, (i * 104729 % 9973) / 9973) for i in range(n)]
    status, out, _ = run("nearest_neighbours", 4, n)
    lines = out.decode().splitlines()
    order = sorted(range(n), key=lambda i: math.dist(points[i], (0.5, 0.5)))
    check("nearest_neighbours", (status, [int(line.split()[1].strip(",")) for line in lines[:4]]), (0, order[:4]))
    mean = sum(min(math.dist(points[i], points[j]) for j in range(n) if i != j) for i in range(n)) / n
    check("nearest_neighbours: the mean", abs(float(lines[4].split()[-1]) - mean) < 1e-5, True)


# The last line of the text is not a pair of numbers.
def refuses_line(program, text, *arguments):
    status, _, error = run(program, write("wrong", text), *arguments)
    expected = f"wrong, line {text.count(chr(10)) + 1}: expected two numbers from 0 to"
    check(f"{program} of {text!r}", (status, expected in error), (2, True))


def page_rank():
    for text in ("-1 0", "0 1\n1 2147483647", "0 1\ntext", "0 1 2", "0"):
        refuses_line("page_rank", text)
    links = [(0, 1), (0, 2), (1, 2), (2, 0), (3, 2), (4, 0), (4, 3)]
    rank = [1 / 6] * 6  # page 5 is linked from 3
    links.append((3, 5))
    for _ in range(50):
        out_links = [sum(a == p for a, _ in links) for p in range(6)]
        lost = sum(rank[p] for p in range(6) if out_links[p] == 0)
        rank = [0.15 / 6 + 0.85 * (sum(rank[a] / out_links[a] for a, b in links if b == p) + lost / 6) for p in range(6)]
    status, out, _ = run("page_rank", write("links", "".join(f"{a} {b}\n" for a, b in links)))
    found = [(int(line.split()[1].strip(":")), float(line.split()[2])) for line in out.decode().splitlines()]
    order = sorted(range(6), key=lambda p: -rank[p])[:5]
    check("page_rank", (status, [p for p, _ in found], all(abs(r - rank[p]) < 1e-5 for p, r in found)), (0, order, True))


def primes():
    sieve = [n for n in range(2, 20000) if all(n % p for p in range(2, int(n ** 0.5) + 1))]
    for n in (0, 2, 3, 4, 5, 25, 26, 10000, 20000):
        below = [p for p in sieve if p < n]
        text = f"{len(below)} primes below {n}" + (f"; the last is {below[-1]}\n" if below else "\n")
        check(f"primes {n}", run("primes", n)[1], text.encode())
    check("primes: a million", run("primes", 1000000)[1], b"78498 primes below 1000000; the last is 999983\n")


def run_length_coding():
    text = b"".join(bytes([65 + k % 3]) * (k * k % 700) for k in range(300))
    runs = len(re.findall(rb"(.)\1*", text))
    check("run_length_coding", run("run_length_coding", write("runs", text))[:2], (0, f"{len(text)} bytes, {runs} runs\n".encode()))
    check("run_length_coding of nothing", run("run_length_coding", write("empty", ""))[:2], (0, b"0 bytes, 0 runs\n"))


def sample_sort():
    check("sample_sort", run("sample_sort", 100003)[:2], (0, b"100003 numbers, sorted\n"))
    check("sample_sort of few", run("sample_sort", 3)[:2], (0, b"3 numbers, sorted\n"))


def breadth_first_search():
    edges = [(k * k % 997, (k * 31 + 7) % 1009) for k in range(2500)]
    write("edges", "".join(f"{u} {v}\n" for u, v in edges))
    frontier, seen, counts = {0}, {0}, []
    while frontier:
        counts.append(len(frontier))
        frontier = {v for u, v in edges if u in frontier} - seen
        seen |= frontier
    text = "<" + ",".join(map(str, counts)) + ">\n"
    check("breadth_first_search", run("breadth_first_search", "edges", 0)[:2], (0, text.encode()))
    for source in ("5000", "1009", "-1", "x", "0x"):
        status, _, error = run("breadth_first_search", "edges", source)
        check(f"breadth_first_search: no vertex {source}", (status, f"SOURCE is {source}, and the graph has 1009 vertices" in error), (2, True))
    check("breadth_first_search: lines end with CR LF or at the end", run("breadth_first_search", write("few", "\n0 1\r\n\r\n1\t2"), 0)[:2], (0, b"<1,1,1>\n"))
    for text in ("-1 0", "0 1\n1 99999999999999999999", "0 1\nx y", "0 1 2", "0", "0 1x", "0,1"):
        refuses_line("breadth_first_search", text, 0)


def word_frequencies():
    text = "".join(f"{'x' * (k % 5)}{'ab'[k % 2]}C{k % 13 * 'yz'} - {k}\n" for k in range(20000)) + "end"
    words = re.findall("[a-z]+", text.lower())
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    best = sorted(counts, key=lambda word: -counts[word])[:40]
    status, out, _ = run("word_frequencies", write("text", text), 40)
    check("word_frequencies", (status, out.decode().splitlines()), (0, [f"{word} {counts[word]}" for word in best]))
    check("word_frequencies of nothing", run("word_frequencies", write("empty", ""))[:2], (0, b""))


def numbers_of(text):
    return [float(x) for x in re.findall(r"-?\d+\.\d+", text)]


def ising():
    status, out, _ = run("ising", 128, 100)
    found, right = numbers_of(out.decode())
    check("ising", (status, right, abs(found - right) < 0.01), (0, 0.9736, True))
    check("ising: an odd size", run("ising", 3)[0], 2)


def metropolis():
    status, out, _ = run("metropolis", 20000, 100)
    mean, variance, accepted = numbers_of(out.decode())
    check("metropolis", (status, abs(mean - 3) < 0.08, abs(variance - 3) < 0.3, 30 < accepted < 70), (0, True, True, True))


def monte_carlo():
    status, out, _ = run("monte_carlo", 1000000)
    pi, pi_error, option, option_error, exact = numbers_of(out.decode())
    check("monte_carlo: pi", (status, abs(pi - math.pi) < 4 * pi_error, abs(pi_error - 0.001642) < 1e-5), (0, True, True))
    check("monte_carlo: an option", (exact, abs(option - exact) < 4 * option_error, option_error < 0.03), (10.69249, True, True))


def particle_filter():
    status, out, _ = run("particle_filter", 100000, 20)
    distance, deviation = numbers_of(out.decode())
    check("particle_filter", (status, distance < 0.01, abs(deviation - 0.4537) < 1e-3), (0, True, True))


def random_walk():
    status, out, _ = run("random_walk", 5000)
    head, stroke, *points = out.decode().split("\n")
    left, top, width, height = numbers_of(head)
    points = [tuple(map(float, p.split(","))) for p in [stroke.split("\"")[-1]] + points[:4999]]
    inside = all(left < x < left + width and top < y < top + height for x, y in points)
    square = sum((x - u) ** 2 for (x, _), (u, _) in zip(points, points[1:])) / 4999
    check("random_walk", (status, len(points), inside, abs(square - 1) < 0.1, out.endswith(b"\"/>\n</svg>\n")), (0, 5000, True, True, True))


def quicksort():
    check("quicksort", run("quicksort", 100003)[:2], (0, b"100003 numbers, sorted\n"))


def sparse_product():
    rows, start, y = 1000, 0, []
    for r in range(rows):
        y.append(sum((k * 7919 % rows) % 100 / (k % 10 + 1) for k in range(start, start + r % 7 + 1)))
        start += r % 7 + 1
    status, out, _ = run("sparse_product", rows)
    found = [float(x) for x in re.search("<(.*)>", out.decode()).group(1).split(",")]
    check("sparse_product", (status, out.decode().split()[0], all(abs(a - b) < 1e-2 for a, b in zip(found, y))), (0, str(start), True))


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
    for example in (ising, metropolis, monte_carlo, particle_filter, random_walk, match_parens, demo, autofuse, big_numbers, breadth_first_search, convex_hull, equalize, k_means, mandelbrot, map_reduce, mcss, moving_average, n_body,
                    nearest_neighbours, page_rank, primes, quicksort, run_length_coding, sample_sort, sparse_product, word_count,
                    word_frequencies):
        if example.__name__ in programs:  # those with pictures need libpng
            example()
    os.chdir("/")
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed else 0)
