"""programs.py LANGUAGE FOLDER: prints what the example programs print, for the tests of this binding: per call a line of its words, separated by tabs,
and the line that is expected, of lines separated by " | ". "..." stands for any text. FOLDER has the files that they read.

The programs do the same in every language; a list of languages marks those that few have. The random numbers are the same everywhere."""
import pathlib
import sys

language, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def file(name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def npy(name, rows):
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    return file(name, b"\x93NUMPY\1\0\x76\0" + header.ljust(117).encode() + b"\n" + b"".join(map(bytes, rows)))


def brackets(name, text, report):
    path = file(name, text)
    balanced = report.startswith("balanced")
    count = f"1 file, {len(text)} bytes, {0 if balanced else 1} not balanced, 0 errors; ...{'' if balanced else ' (status 1)'}"
    return "match_parens", path, f"{path}: {report} | {count}"


def run_length_code(text):
    code, start = "", 0
    for i in range(1, len(text) + 1):
        if i == len(text) or text[i] != text[start]:
            code, start = f"{code}{i - start}{text[start]}", i
    return code


runs = "".join("a" if i * i % 1013 < 700 else "b" for i in range(5000))
words = " , ".join("a" * (1 + i * i % 7) for i in range(5000))
chain = "".join(f"{v} {(v + 25000) % 100000}\n" for v in range(100000))
few_edges = file("few_edges", "0 1\n0 2\n1 3\n2 3\n3 4\n3 0\n5 6\n")
table = "x,y,z\n" + "".join(f"{i},{i * i},{7 + 2 * i - 3 * i * i}\n" for i in range(20))
# A vertical edge of height 255: the greatest slope of the blurred edge is 255 * 4 * (6 + 4) / 16.
edge = npy("edge.npy", [[0 if j < 20 else 255 for j in range(40)]] * 30)
points = "0.5,-1\n10,12.25\n1.5,1\n-2,0\n12,11.75\n-20.125,3\n"
gray = bytes(100 + i * i % 17 for i in range(601))
rank = lambda c: sum(d <= c for d in gray) * 255 // 601
nines = "9" * 4000

CALLS = [
    ("primes", "2", "0 primes below 2, the last ones <>"),
    ("primes", "3", "1 primes below 3, the last ones <2>"),
    ("primes", "122", "30 primes below 122, the last ones <107,109,113>"),
    ("primes", "1000003", "78498 primes below 1000003, the last ones <999961,999979,999983>"),
    ("word_counts", file("words", words), "1429 aa | 1428 aaaaa | 1428 aaa | 715 a"),
    ("word_counts", file("it", "It is what it is, is IT?"), "3 it | 3 is | 1 what"),
    ("word_counts", file("none", "12, 3."), ""),
    ("word_counts", str(folder / "missing"), " (status 2)"),
    *(("quicksort", n, "quicksort: sorted | samplesort: sorted") for n in ("0", "1", "100007")),
    ("sparse_product", "3000", "3000 rows, 24496 entries, sum 36832, last 1"),
    ("n_body", "300", "20", "energy -0.903184, after 20 steps -0.903212"),
    ("run_length", runs, f"{run_length_code(runs)} | {runs}"),
    ("run_length", "", ""),
    ("moving_average", "2", "1", "2", "4", "-4", "<1.500,3.000,0.000> | <1.500,3.000,0.000>"),
    ("moving_average", "4", "1", "2", "4", "-3", "<1.000> | <1.000>"),
    ("moving_average", "3", "1", "2", "<> | <>"),
    ("moving_average", "x", " (status 2)"),
    ("big_sum", "9" * 5000, "1", "1" + "0" * 5000),
    ("big_sum", "0", "000", "0"),
    ("big_sum", "123456789", "987654321", "1111111110"),
    ("big_sum", nines, nines, "1" + nines[1:] + "8"),
    ("big_sum", "12", "x", " (status 2)"),
    ("bfs", file("chain", chain), "7", "1 1 1 1"),
    ("bfs", few_edges, "1 2 1 1"),
    ("bfs", few_edges, "5", "1 1"),
    ("page_rank", "500", "sum 1.000000 | page 0: 0.056578 | page 1: 0.039020 | page 3: 0.027827"),
    ("nearest", "4", "400", "point 7, distance 0.040387 | point 386, distance 0.043545 | point 31, distance 0.050163 | point 17, distance 0.051711"
     " | mean distance to the nearest 0.030827"),
    ("nearest", "5", "4", " (status 2)"),
    ("mcss", "1", "-2", "3", "4", "-1", "5", "-9", "11"),
    ("mcss", "-1", "-2", "0"),
    ("map_reduce", "1", "2", "3", "4", "1 kernel | ... | mean 2.500000, deviation 1.118034, from 1.000000 to 4.000000"),
    ("map_reduce", "x", " (status 2)"),
    ("mandelbrot", str(folder / "set.npy"), "60", "40", "61... of 2400 pixels are black"),
    brackets("empty", "", "balanced; depth 0"),
    brackets("even", "(a [b]\n {c} )", "balanced; depth 2 at 1:4"),
    brackets("surplus", "()\n )(", "NOT balanced: a closing bracket too many at 2:2; depth 1 at 1:1"),
    brackets("open", "(\n\n  ((", "NOT balanced: 3 brackets left open; depth 3 at 3:4"),
    brackets("one", "{", "NOT balanced: 1 bracket left open; depth 1 at 1:1"),
    ("match_parens", "--explain", "--context", "cpu", str(folder / "even"), "1 kernel | ...: balanced; depth 2 at 1:4 | 1 file, 13 bytes..."),
    ("match_parens", "--", str(folder / "even"), str(folder / "missing"), "...: balanced; depth 2 at 1:4 | 2 files, 13 bytes, 0 not balanced, 1 error; ... (status 2)"),
    ("match_parens", "--what", " (status 2)"),
    ("match_parens", " (status 2)"),
    ("match_parens", "--help", "usage: match_parens [--context NAME] [--explain] FILE... | ..."),
    ("life", "65", "50", "64 cells live"),
    ("life", "5", "0", "..... | ..... | ...## | ..##. | ...#. | 5 cells live"),
    ("heat", "33", "100", "in the middle 0.679794, expected 0.679794"),
    ("jacobi", "57", "11 steps, solved"),
    ("sobel", edge, str(folder / "edges.npy"), "the strongest edge has 637.5, the mean is 60.0000"),
    ("sobel", "the strongest edge has 668.1, the mean is 3.2528"),
    ("digits", str(folder / "digits.npy"), "2000 of 2000 are right"),
    ("regression", file("table.csv", table), "7.0000 2.0000 -3.0000 with an error of 0.0000"),
    ("regression", "1.0001 2.0000 -2.9998 with an error of 0.1000"),
    ("pca", "10000", "20", "99.78 % of the variance in a plane; points are 0.0475 from it in each coordinate"),
    ("logistic", "20000", "100", "loss 0.6931 to 0.4326, weights 0.98 -1.97 0.50 -0.00, bias 0.23"),
    ("monte_carlo", "1000000", "pi 3.142828, error 0.001641 | call option 10.67364, error 0.02002; by Black and Scholes 10.69249"),
    ("particle_filter", "100000", "20", "distance from Kalman's filter 0.001680, deviation of the position 0.453746"),
    ("metropolis", "20000", "100", "mean 3.0037, variance 2.9711, 55.3% of the moves accepted"),
    ("ising", "128", "100", "magnetization 0.9796, of an infinite square 0.9736"),
    ("random_walk", "5000", '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-30.803 -8.916 93.929 113.551"> | <polyline fill="none" stroke="black" stroke-width="0.218" points="'
     "1.655,1.704 | 1.137,2.682 | ... | -2.479,94.037 | -2.153,93.388 | \"/> | </svg>"),
    (["ocaml"], "gaussian_process", "100", "80", "length 0.644, amplitude 1.167, noise 0.092; loss -0.684; the mean is off by 0.085 at most"),
    (["lisp"], "network", "100", "loss 0.05...; right: 100.0% of the digits learnt, ...% of others"),
    (["lisp"], "k_maps", "8", "1", "2", "4", "1 kernel | ..."),
    (["sml"], "autofuse", "1000", "1 kernel | ... | 128000 both ways"),
    (["sml"], "convex_hull", "100007", "127 corners | -0.9993 0.0241 | -0.9966 0.0805 | -0.9907 0.1360"),
    (["sml"], "k_means", file("points", points), "2", "-5.031,0.750 | 11.000,12.000"),
    (["sml"], "hmm", "40", "likelihood -1.316 to -0.712, stays 0.914 and 0.840, means -1.011 and 1.975"),
    (["sml"], "equalize", file("gray", b"P5\n601 1\n255\n" + gray), str(folder / "equalized"), f"the mean is {sum(map(rank, gray)) / 601:.4f}"),
    (["sml"], "equalize", file("text", "P6"), str(folder / "equalized"), " (status 2)"),
]

for languages, *call, expected in ([[language]] * isinstance(call[0], str) + list(call) for call in CALLS):
    if language in languages:
        print("\t".join(call) + "\n" + expected)
