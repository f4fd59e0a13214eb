"""Runs the examples of arrays on small input and checks their output: arrays_examples.py PROGRAM..."""
import math
import os
import re
import subprocess
import sys
import tempfile

from pictures import grey_png, read_png

programs = {os.path.basename(path): os.path.abspath(path) for path in sys.argv[1:]}
passed = failed = 0


def check(name, found, expected=True):
    global passed, failed
    if found == expected:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {name}\n  found    {found!r}\n  expected {expected!r}")


def run(name, *arguments):
    done = subprocess.run([programs[name], *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def numbers_of(text):
    return [float(x) for x in re.findall(r"-?\d+\.?\d*(?:e[-+]\d+)?", text)]


def life():
    counts, boards = [], []
    for steps in range(3):
        status, out, err = run("life", 8, steps)
        *rows, last = out.splitlines()
        boards.append([[int(x) for x in re.findall(r"\d", row)] for row in rows])
        counts.append(int(last.split()[0]))
        check(f"life: {steps} steps", (status, bool(re.search(r"cells/s", err)), counts[-1]), (0, True, sum(map(sum, boards[-1]))))
    for before, after in zip(boards, boards[1:]):
        around = [[sum(before[(i + di) % 8][(j + dj) % 8] for di in (-1, 0, 1) for dj in (-1, 0, 1) if di or dj) for j in range(8)]
                  for i in range(8)]
        check("life: a step", after, [[int(around[i][j] == 3 or around[i][j] == 2 and before[i][j]) for j in range(8)] for i in range(8)])
    check("life: no cells", run("life", 0)[0], 2)


def edges():
    width, height = 31, 17
    pixels = [(x * x * 3 + y * 7 + 90 * (x > 15)) % 200 for y in range(height) for x in range(width)]
    with open("in.png", "wb") as file:
        file.write(grey_png(width, height, pixels))
    check("edges: status", run("edges", "in.png", "out.png")[0], 0)
    image = [[pixels[y * width + x] for x in range(width)] for y in range(height)]

    def along_rows(a, weights):
        middle = len(weights) // 2
        return [[sum(w * row[max(0, min(len(row) - 1, j + k - middle))] for k, w in enumerate(weights)) for j in range(len(row))] for row in a]

    def along_columns(a, weights):
        return [list(row) for row in zip(*along_rows([list(row) for row in zip(*a)], weights))]

    bell = [w / 16 for w in (1, 4, 6, 4, 1)]
    blurred = along_columns(along_rows(image, bell), bell)
    dx, dy = along_columns(along_rows(blurred, [-1, 0, 1]), [1, 2, 1]), along_columns(along_rows(blurred, [1, 2, 1]), [-1, 0, 1])
    right = [min(255, math.hypot(dx[y][x], dy[y][x])) for y in range(height) for x in range(width)]
    found = read_png("out.png")
    check("edges: size", found[:3], (width, height, 1))
    check("edges: pixels", max(abs(a - b) for a, b in zip(found[3], right)) < 0.51)
    check("edges: no picture", run("edges", "missing.png", "out.png")[0], 2)


def heat():
    n, steps = 12, 30
    inside = range(n // 4, n - n // 4)
    u = [[100.0 * (i in inside and j in inside) for j in range(n)] for i in range(n)]
    for _ in range(steps):
        at = lambda i, j: u[i][j] if 0 <= i < n and 0 <= j < n else 0
        u = [[u[i][j] + 0.2 * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - 4 * u[i][j]) for j in range(n)] for i in range(n)]
    status, out, _ = run("heat", n, steps, *["heat.png"] * ("edges" in programs))
    right = [sum(map(sum, u)) / n ** 2, max(map(max, u)), u[n // 2][n // 2]]
    check("heat", (status, all(abs(a - b) < 1e-2 for a, b in zip(numbers_of(out), right))), (0, True))
    if "edges" in programs:  # libpng is installed
        pixels = read_png("heat.png")[3]
        wrong = [k for k in range(3 * n * n) if abs(pixels[k] - min(max(7.65 * u[k // 3 // n][k // 3 % n] - 255 * (k % 3), 0), 255)) > 1.01]
        check("heat: picture", wrong, [])


def jacobi():
    for n in (1, 2, 50):
        status, out, _ = run("jacobi", n)
        steps, residual = numbers_of(out.splitlines()[0])
        check(f"jacobi {n}", (status, 1 < steps < 60, residual < 1e-8), (0, True, True))
    a = [[2 * 2 if i == j else math.sin(i * 2 + j) for j in range(2)] for i in range(2)]
    determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0]
    right = [(a[1][1] - 2 * a[0][1]) / determinant, (2 * a[0][0] - a[1][0]) / determinant]
    found = numbers_of(run("jacobi", 2)[1].splitlines()[1])
    check("jacobi: the solution", all(abs(x - y) < 1e-5 for x, y in zip(found, right)))


def regression():
    rows = [(x * 0.5, x * x % 17, 0) for x in range(200)]
    with open("table.csv", "w") as file:
        file.write("a,b,y\n" + "".join(f"{a},{b},{3 - 2 * a + 0.25 * b + (-1) ** k * 1e-3}\n" for k, (a, b, _) in enumerate(rows)))
    status, out, _ = run("regression", "table.csv")
    found = [float(x) for x in re.findall(r"(?<= )-?\d[\d.e-]*", out)]
    check("regression", (status, all(abs(a - b) < 1e-3 for a, b in zip(found, [3, -2, 0.25, 1]))), (0, True))
    with open("singular.csv", "w") as file:
        file.write("".join(f"0,{k}\n" for k in range(9)))
    check("regression: a column of zeros", run("regression", "singular.csv")[0], 2)


def logistic():
    """The same steps in ordinary numbers."""
    rows = [(math.sin(k), math.cos(3 * k), 1 if math.sin(k) + 0.5 * math.cos(3 * k) + 0.8 * math.sin(7 * k) > 0 else 0) for k in range(200)]
    with open("labels.csv", "w") as file:
        file.write("".join(f"{a!r},{b!r},{y}\n" for a, b, y in rows))
    status, out, _ = run("logistic", "labels.csv", 50)
    w, loss = [0.0, 0.0, 0.0], []
    for _ in range(50):
        scores = [w[0] + w[1] * a + w[2] * b for a, b, _ in rows]
        loss.append(sum(math.log1p(math.exp(p)) - y * p for p, (_, _, y) in zip(scores, rows)) / 200)
        errors = [1 / (1 + math.exp(-p)) - y for p, (_, _, y) in zip(scores, rows)]
        slopes = [sum(e * x for e, x in zip(errors, xs)) / 200 for xs in ([1] * 200, [r[0] for r in rows], [r[1] for r in rows])]
        w = [v - s for v, s in zip(w, slopes)]
    right = sum((w[0] + w[1] * a + w[2] * b > 0) == (y > 0.5) for a, b, y in rows)
    found = numbers_of(out)
    check("logistic", (status, abs(found[0] - loss[0]) < 1e-4, abs(found[1] - loss[-1]) < 1e-4, found[2:]), (0, True, True, [50, right, 200]))
    check("logistic: no labels", run("logistic", "singular.csv", "x")[0], 2)


def pca():
    with open("table.csv", "w") as file:
        file.write("".join(f"{3 * math.sin(k) + 7},{4 * math.sin(k) - 5 + 0.01 * math.cos(5 * k)}\n" for k in range(1000)))
    status, out, _ = run("pca", "table.csv", 1)
    lines = out.splitlines()
    share, (x,), (y,) = numbers_of(lines[0])[0], numbers_of(lines[2]), numbers_of(lines[3])
    check("pca", (status, share > 0.9999, abs(abs(x) - 0.6) < 1e-3, abs(abs(y) - 0.8) < 1e-3, x * y > 0), (0, True, True, True, True))
    check("pca: too many components", run("pca", "table.csv", 3)[0], 2)


def digits():
    status, out, _ = run("digits", "digits.png")
    check("digits", (status, out.splitlines()), (0, ["[0 1 2 3 ... 6 7 8 9]", "2000 of 2000 are right"]))
    check("digits: the picture", read_png("digits.png")[:3], (10000, 7, 1))


with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    for example in (life, edges, heat, jacobi, regression, logistic, pca, digits):
        if example.__name__ in programs:  # those with pictures need libpng
            example()
    os.chdir("/")
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed else 0)
