"""Prints what functions return, for the tests of all bindings: per function its name and its results for each of LENGTHS or of SHAPES.

The arguments of functions of sequences are S, n pseudorandom integers, and T, 3 - x for n / 2 + 3 of them; those of arrays A, m x n integers,
and B, their row-major indices. More than 12 integers are written as their number and a digest, floats as integers, in thousandths."""
import bisect
import functools
import itertools
import math

LENGTHS = 0, 1, 7, 100007
SHAPES = (0, 3), (3, 0), (1, 1), (2, 3), (17, 31), (64, 129)


def noise(n):
    return [(i * 7919 + i * i % 1013) % 2003 - 1001 for i in range(n)]


def text(values):
    """Integers; a tuple stands for several results, whose texts are joined."""
    if isinstance(values, tuple):
        return " & ".join(map(text, values))
    if not isinstance(values, list):
        return str(int(values)) if isinstance(values, (int, bool)) else values
    if len(values) <= 12:
        return " ".join(str(int(x)) for x in values)
    return f"#{len(values)} {functools.reduce(lambda h, x: (h * 31 + x) % 65521, values, 0)}"


def columns(rows):
    return tuple(list(column) for column in zip(*rows)) or ([], [])


def nested(lists):
    return [len(part) for part in lists], list(itertools.chain(*lists))


def keyed(groups):
    return ([key for key, _ in groups],) + nested([part for _, part in groups])


def remainder(x, y):
    return x % y if x >= 0 else -(-x % y)


def prefixes(f, b, values):
    """The states before each value, and the last one."""
    *before, last = itertools.accumulate(values, f, initial=b)
    return before, last


def inclusive(f, b, values):
    return list(itertools.accumulate(values, f, initial=b))[1:]


def scattered(f, base, places, values):
    result = list(base)
    for i, x in zip(places, values):
        result[i] = f(result[i], x)
    return result


def split(f, values):
    parts = [[]]
    for x in values:
        parts.append([]) if f(x) else parts[-1].append(x)
    return parts


def runs(together, values):
    parts = []
    for x in values:
        parts[-1].append(x) if parts and together(parts[-1][-1], x) else parts.append([x])
    return parts


def grouped(key, pairs, reverse=False):
    """The first key and the values of the pairs whose keys have the same key, in order."""
    parts = itertools.groupby(sorted(pairs, key=lambda p: key(p[0]), reverse=reverse), key=lambda p: key(p[0]))
    return [(part[0][0], [x for _, x in part]) for part in (list(pairs) for _, pairs in parts)]


def results(n):
    s, t = noise(n), [3 - x for x in noise(n // 2 + 3)]
    add, square, odd = lambda a, b: a + b, lambda x: (x & 63) ** 2, lambda x: x & 1
    low = lambda x: x & 7
    last = s[:-1] + [5000]
    u, v = sorted(set(s)), sorted(set(t))
    third, half, most_low = n // 3, n // 2, max(map(low, s), default=0)
    pairs = [(x & 15, i) for i, x in enumerate(s)]
    base, places = [i * i - 40 for i in range(17)], [(x + 1001) % 17 for x in s]
    squares = [square(x) for x in s]
    z = split(lambda x: low(x) == 0, s)
    some = lambda f: f() if n else "-"
    first = lambda f: next((i for i, x in enumerate(s) if f(x)), -1)
    affine = lambda f, g: (f[0] * g[0] % 1009, (f[1] * g[0] + g[1]) % 1009)
    step = lambda x, y: remainder(x * 5 + y, 1009)
    tagged = lambda tag, values: sorted(((x & 7, tag) for x in values), key=lambda p: p[0])
    limits = -1002, 0, 995, 1001
    compare = lambda a, b: (a > b) - (a < b)
    chunks = lambda k: [s[i:i + k] for i in range(0, n, k)]
    windows = lambda k: [s[i:i + k] for i in range(n - k + 1)]
    # Sums of windows by differences of prefixes.
    sums = prefixes(add, 0, s)[0] + [sum(s)]
    yield "map", [x * x + 1 for x in s]
    yield "map of two", [x - y for x, y in zip(s, reversed(s))]
    yield "map of three", [x * y - i for i, (x, y) in enumerate(zip(s, reversed(s)))]
    yield "map to the shorter", [x - y for x, y in zip(s, t)]
    yield "zip to the shorter", columns(zip(s, t))
    yield "indexed map", [i - x for i, x in enumerate(s)]
    yield "tabulate", (list(range(0, 3 * n, 3)), list(range(n)))
    yield "enumerate", columns(enumerate(s))
    yield "filter", [x for x in s if odd(x)]
    yield "filter of pairs", columns((i, x) for i, x in enumerate(s) if x > i & 511)
    yield "indexed filter", [x for i, x in enumerate(s) if i + x & 3 == 0]
    yield "reduce", max(s, default=-1002)
    yield "reduce, in order", list(functools.reduce(affine, [((x & 3) + 1, x & 1023) for x in s], (1, 0)))
    yield "scan", prefixes(add, 0, s)
    yield "inclusive scan", inclusive(max, -1002, s)
    yield "inclusive scan, total", (inclusive(max, -1002, s), max(s, default=-1002))
    yield "count", sum(map(odd, s))
    yield "take", s[:third]
    yield "drop", s[third:]
    yield "part", s[third:third + half]
    yield "reverse", s[::-1]
    yield "append", (s + t, s + t + s)
    yield "sum", sum(s)
    yield "product", (-1) ** sum(map(odd, s))
    yield "dot", sum(x * low(x) for x in s)
    yield "count if", sum(x > 3 for x in s)
    yield "extremes", some(lambda: ([min(s), max(s)], min(s), max(s)))
    yield "mean", some(lambda: f"{sum(s) / n:.6f}")
    yield "any and all", [test(x > k for x in s) for k in limits for test in (any, all)]
    yield "find", [next((x for x in s if x > k), -5000) for k in limits[1:]]
    yield "position", [first(lambda x: x > k) for k in limits[1:]]
    yield "positions", [i for i, x in enumerate(s) if x % 3 == 0]
    yield "partition", ([x for x in s if x > 0], [x for x in s if x <= 0])
    yield "argmax", some(lambda: (s.index(max(s)), s.index(min(s))))
    yield "argmax in an order", some(lambda: (first(lambda x: low(x) == most_low), s.index(min(s))))
    yield "map, reduce", sum(squares)
    yield "map, scan", prefixes(add, 0, squares)
    yield "map, inclusive scan", inclusive(add, 0, squares)
    yield "map, filter", [x for x in squares if odd(x)]
    yield "map, filter, indexed", [i - x for i, x in enumerate(s) if i + i - x & 3 == 0]
    yield "map, merge", sorted(x + 1 for x in s + s)
    yield "iterate", prefixes(step, 7, s)[1]
    yield "iterated prefixes", prefixes(step, 7, s)
    yield "iterated inclusive prefixes", inclusive(step, 7, s)
    yield "equal", [True, False] + [False] * bool(n)
    yield "compare", [0, -1, 1] + [-1, 1, 1] * bool(n)
    yield "sort", (sorted(s), sorted(s, reverse=True))
    yield "sort in an order", sorted(s, key=low)
    yield "sort by a key", (sorted(s, key=low), sorted(s, key=lambda x: -low(x)))
    yield "sort of pairs", columns(sorted(pairs)) + columns(sorted(pairs, key=lambda p: -p[0])) * 2
    yield "merge", (sorted(s + t), sorted(s + t, reverse=True))
    yield "merge in an order", columns(sorted(tagged(1, s) + tagged(2, t), key=lambda p: p[0]))
    yield "sorted", [True, len(u) < 2, s == sorted(s)]
    yield "unique", u
    yield "union", sorted({*u, *v})
    yield "intersection", sorted({*u} & {*v})
    yield "difference", sorted({*u} - {*v})
    yield "binary search", ([bisect.bisect_left(u, x) for x in t],) * 2
    yield "top", tuple(sorted(s, reverse=True)[:k] for k in (0, 10, n + 1))
    yield "scatter", scattered(lambda a, b: b, base, places, s)
    yield "scatter by add", scattered(add, base, places, s)
    yield "scatter by min", scattered(min, base, places, s)
    yield "scatter of pairs", (scattered(add, base, places, s), scattered(max, base, places, s))
    yield "inject", scattered(lambda a, b: b, base, places, s)
    yield "histogram", [places.count(k) for k in range(17)]
    yield "update", some(lambda: (s[:-1] + [5], [3] + list(range(1, n)), [4] + s[1:]))
    yield "rotate", tuple(s[k:] + s[:k] for k in ((3 % n, -1 % n) if n else (0, 0)))
    yield "interleave", [y for x in s for y in (x, -x)]
    yield "run lengths", columns((part[0], len(part)) for part in runs(int.__eq__, [x & 1 for x in s]))
    yield "values by key", columns((key, max(part)) for key, part in grouped(int, pairs))
    yield "lengths", nested(z)[0]
    yield "fields", nested(z)
    yield "tokens", nested([part for part in z if part])
    yield "split before", nested(runs(lambda x, y: low(y), s))
    yield "chunks", nested(chunks(3)) + nested(chunks(1000))
    yield "windows", nested(windows(3)) + ([sums[i + 1000] - sums[i] for i in range(n - 999)],)
    yield "runs", nested(runs(lambda x, y: odd(x) == odd(y), s))
    yield "map of segments", nested([[2 * x for x in part] for part in z])
    yield "filter of segments", nested([[x for x in part if odd(x)] for part in z])
    yield "reduce of segments", ([max(part, default=-5000) for part in z], [sum(part) for part in z])
    yield "scan of segments", nested([prefixes(add, 0, part)[0] for part in z]) + ([sum(part) for part in z],)
    yield "inclusive scan of segments", nested([inclusive(add, 0, part) for part in z])
    yield "sort of segments", nested([sorted(part) for part in z])
    yield "collect", keyed(grouped(int, pairs))
    yield "collect in an order", keyed(grouped(lambda k: k // 4, pairs, reverse=True))
    yield "group by", keyed(grouped(int, [(x & 15, x) for x in s]))
    yield "segments of lengths", nested(z) * 2
    yield "a segment", z[len(z) // 2]
    yield "segment ids", [k for k, part in enumerate(z) for _ in part]
    yield "indexed map of segments", nested([[k - x for x in part] for k, part in enumerate(z)])
    yield "reduce of segments of pairs", ([sum(part) for part in z], [k if part else -1 for k, part in enumerate(z)])


# The operands of operations.
INTEGERS, OTHERS, COUNTS = [7, -7, 0, 1, -1, 12, 1000], [3, 3, 5, -2, -1, -5, 0], [3, 3, 5, 2, 1, 5, 0]
REALS, MORE = [0.5, -0.75, 2.0, -3.5, 0.375, -2.5, 40.0], [2.0, 0.5, -1.0, 3.0, -2.5, 0.25, -0.75]


def millionths(f, *operands):
    def one(*xs):
        try:
            return round(max(-2e9, min(2e9, f(*xs) * 1e6)))
        except (ValueError, ZeroDivisionError):  # not a number
            return -2 * 10**9
    return list(map(one, *operands))


def philox(key, number, stream):
    """Philox 4x32 with 10 rounds: the four words of a block."""
    low, high = lambda x: x & 0xffffffff, lambda x: x >> 32 & 0xffffffff
    x, k = (low(number), high(number), low(stream), high(stream)), (low(key), high(key))
    for _ in range(10):
        even, odd = 0xd2511f53 * x[0], 0xcd9e8d57 * x[2]
        x, k = (high(odd) ^ x[1] ^ k[0], low(odd), high(even) ^ x[3] ^ k[1], low(even)), (low(k[0] + 0x9e3779b9), low(k[1] + 0xbb67ae85))
    return x


def operations():
    """Of integers, of REALS in millionths, and special functions at one point."""
    quotient = lambda x, y: (abs(x) // abs(y) * (1 if x * y >= 0 else -1)) if y else 0
    cube = lambda x: math.copysign(abs(x) ** (1 / 3), x)
    away = lambda x: math.copysign(math.floor(abs(x) + 0.5), x)
    words = [philox(0x123456789abcdef0, n >> 2, 3)[n & 3] >> 1 for n in range(8)]
    pairs = [philox(0x123456789abcdef0, n >> 1, 3 | 1 << 63)[2 * (n & 1):][:2] for n in range(8)]
    unary = {"neg": lambda x: -x, "abs": abs, "sign": lambda x: (x > 0) - (x < 0), "not": lambda x: ~x, "pos": lambda x: x,
             "popcount": lambda x: bin(x % 2**64).count("1"), "clz": lambda x: 64 - (x % 2**64).bit_length(), "rectify": lambda x: max(x, 0)}
    binary = {"add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": quotient,
              "rem": lambda x, y: x - y * quotient(x, y) if y else 0, "min": min, "max": max, "and": lambda x, y: x & y, "or": lambda x, y: x | y,
              "xor": lambda x, y: x ^ y, "eq": lambda x, y: x == y, "ne": lambda x, y: x != y, "lt": lambda x, y: x < y,
              "le": lambda x, y: x <= y, "gt": lambda x, y: x > y, "ge": lambda x, y: x >= y, "where": lambda x, y: x + 1 if x < y else y}
    real = {"sqrt": math.sqrt, "rsqrt": lambda x: 1 / math.sqrt(x), "cbrt": cube, "exp2": lambda x: 2 ** x, "log2": math.log2, "ceil": math.ceil, "round": away}
    real |= {name: getattr(math, name) for name in "exp expm1 log log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc floor trunc".split()}
    for name, f in unary.items():
        yield name, list(map(f, INTEGERS))
    for name, f in binary.items():
        yield name, list(map(f, INTEGERS, OTHERS))
    yield "shl", [x << n for x, n in zip(INTEGERS, COUNTS)]
    yield "shr", [x >> n for x, n in zip(INTEGERS, COUNTS)]
    for name, f in real.items():
        yield name, millionths(f, REALS)
    for name, f in ("pow", math.pow), ("hypot", math.hypot), ("atan2", math.atan2), ("copysign", math.copysign), ("fma", lambda x, y: x * y + y):
        yield name, millionths(f, REALS, MORE)
    # Values of 1, infinity and NaN
    yield from (("isnan", [0, 0, 1]), ("isinf", [0, 1, 0]), ("isfinite", [1, 0, 0]))
    yield "philox32", words
    yield "philox64", [high >> 1 for _, high in pairs]
    special = """exp10 2.371374 sinpi 0.923880 cospi 0.382683 sigmoid 0.592667 softplus 0.898123 log1mexp -1.162477 logit -0.510826 erfinv 0.345617
        erfcinv 0.627307 ndtr 0.646170 ndtri -0.318639 lgamma 0.863074 tgamma 2.370436 digamma -2.753999 trigamma 8.161778 lfact -0.117755
        bessel_j0 0.965152 bessel_j1 0.184223 bessel_y0 -0.651800 bessel_y1 -1.883362 bessel_i0 1.035466 bessel_i1 0.190815 logaddexp 3.701413
        lchoose 1.475907 lbeta -2.756840 mvlgamma 2.466486 mvdigamma 2.025941 gamma_p 0.220223 gamma_q 0.779777 ibeta 0.261719 polygamma 0.330358
        mvpolygamma 2.025941 gamma_p_da -0.180101 ibeta_da -0.228054 ibeta_db 0.106922""".split()
    for name, value in zip(special[::2], special[1::2]):
        yield name, round(float(value) * 1e6)


def array(f, *shape):
    return list(shape), [f(*indices) for indices in itertools.product(*map(range, shape))]


def thousandths(array):
    return array[0], [round(x * 1000) for x in array[1]]


def arrays(m, n):
    at, index = lambda i, j: (n * i + j) * 37 % 101 - 50, lambda i, j: n * i + j
    rows, columns = [[at(i, j) for j in range(n)] for i in range(m)], [[at(i, j) for i in range(m)] for j in range(n)]
    by_rows, by_columns = lambda f: array(lambda i: f(rows[i]), m), lambda f: array(lambda j: f(columns[j]), n)
    flat = lambda f: [f(at(i, j), index(i, j)) for i in range(m) for j in range(n)]
    floats = lambda f: thousandths(by_rows(f)) if m * n else "-"
    some, parts = lambda f: f() if m * n else "-", lambda f: f() if m >= 2 and n >= 3 else "-"
    product, mean = lambda f: sum(flat(f)), lambda row: sum(row) / n
    variance = lambda row: sum((x - mean(row)) ** 2 for x in row) / n
    sumexp = lambda row: sum(math.exp(x / 10) for x in row)
    left = n // 2
    times = lambda a, b, k: sum(a(l) * b(l) for l in range(k))
    moved = lambda i, j: at(i - 1, j + 2) if i >= 1 and j + 2 < n else -7
    elementwise = lambda f: array(lambda i, j: f(at(i, j), i, j), m, n)
    yield "array", elementwise(lambda x, i, j: x)
    yield "transpose", array(lambda i, j: at(j, i), n, m)
    yield "reshape", ([n, m], flat(lambda x, k: x))
    yield "flip", array(lambda i, j: at(m - 1 - i, j), m, n) + array(lambda i, j: at(i, n - 1 - j), m, n)
    yield "roll", array(lambda i, j: at((i - 2) % m, j), m, n) + array(lambda i, j: at(i, (j + 1) % n), m, n)
    yield "insert axis", array(lambda i, _, j: at(i, j), m, 1, n)
    yield "broadcast", array(lambda _, i, j: at(i, j), 2, m, n)
    yield "join", array(lambda i, j: at(i, j) if i < m else index(i - m, j), 2 * m, n) + array(
        lambda i, j: at(i, j) if j < n else index(i, j - n), m, 2 * n)
    yield "stack", array(lambda k, i, j: index(i, j) if k else at(i, j), 2, m, n)
    yield "steps", array(lambda i, j: at(3 * i, j), (m + 2) // 3, n) + array(lambda i, j: at(i, n - 1 - 2 * j), m, (n + 1) // 2)
    yield "row and column", parts(lambda: (rows[1], columns[-1]))
    yield "part of an array", parts(lambda: array(lambda i, j: at(i + 1, j), m - 1, n - 1))
    yield "array windows", parts(lambda: array(lambda i, j, k, l: at(i + k, j + l), m - 1, n - 2, 2, 3))
    yield "diagonal", tuple([at(i + max(0, -k), i + max(0, k)) for i in range(max(0, min(m - max(0, -k), n - max(0, k))))] for k in (0, 1, -2))
    yield "translate", array(moved, m, n)
    yield "permute", array(lambda j, k, i: index(i, j) if k else at(i, j), n, 2, m)
    sliced = lambda rs, cs: ([len(rows[rs]), len(range(n)[cs])], [x for row in rows[rs] for x in row[cs]])
    yield "slices", parts(lambda: sliced(slice(1, None), slice(None, None, 2)) + sliced(slice(-2, -1), slice(None))
                          + sliced(slice(None, None, -1), slice(1, -1)) + sliced(slice(None), slice(n - 1, 0, -2)))
    yield "view", some(lambda: array(lambda j, i: at(i, j), n, m) + ([2, m * n], flat(lambda x, k: x)[::-1] * 2))
    yield "split", array(at, m, left) + array(at, m, 0) + array(lambda i, j: at(i, left + j), m, n - left)
    yield "operators", elementwise(lambda x, i, j: x * (x + 1) - 3 * (5 - x))
    yield "row and column spread", elementwise(lambda x, i, j: x * i - j)
    yield "choice", elementwise(lambda x, i, j: x if x > 4 and x < 40 else 0)
    yield "clamp", elementwise(lambda x, i, j: max(-10, min(20, x)))
    yield "rectify", elementwise(lambda x, i, j: max(0, x))
    yield "captured elements", array(lambda j, i: 2 * at(i, j), n, m)
    yield "sums", by_columns(sum) + by_rows(sum) + ([m, 1], by_rows(sum)[1], product(lambda x, k: x))
    yield "least", some(lambda: by_columns(min) + by_rows(max))
    yield "products", by_rows(lambda row: (-1) ** sum(x > 0 for x in row))
    yield "counts", by_rows(lambda row: sum(x > 20 for x in row))
    yield "truths", by_columns(lambda column: any(x > 49 for x in column)) + by_rows(lambda row: all(x < 49 for x in row))
    yield "reduce along", by_rows(lambda row: functools.reduce(int.__xor__, row, 0))
    yield "places", some(lambda: by_columns(lambda column: column.index(max(column))) + by_rows(lambda row: row.index(min(row))))
    yield "scan along", array(lambda i, j: sum(columns[j][:i]), m, n) + by_columns(sum)
    yield "inclusive scan along", array(lambda i, j: max(rows[i][:j + 1]), m, n)
    yield "cumulative sum", array(lambda i, j: sum(columns[j][:i + 1]), m, n)
    yield "cumulative product", array(lambda i, j: (-1) ** sum(x > 0 for x in rows[i][:j + 1]), m, n)
    yield "sort along", array(lambda i, j: sorted(rows[i])[j], m, n) + array(lambda i, j: sorted(columns[j])[m - 1 - i], m, n)
    yield "means", floats(mean)
    yield "variances", floats(variance)
    yield "norms", floats(lambda row: math.hypot(*row))
    yield "logsumexp", floats(lambda row: math.log(sumexp(row)))
    yield "softmax", thousandths(array(lambda i, j: math.exp(at(i, j) / 10) / sumexp(rows[i]), m, n))
    yield "matmul", array(lambda i, j: times(lambda k: at(i, k), lambda k: index(j, k), n), m, m)
    yield "matrix and vector", [times(lambda k: at(i, k), lambda k: k, n) for i in range(m)]
    yield "inner", array(lambda i, j: times(lambda k: at(k, i), lambda k: index(k, j), m), n, n)
    yield "outer", array(lambda i, j: i * j, m, n)
    yield "kronecker", array(lambda i, j: at(i // 2, j // 3) * (i % 2 * 3 + j % 3), 2 * m, 3 * n)
    yield "frobenius", product(lambda x, k: x * k)
    yield "trace and triangle", (sum(at(i, i) for i in range(min(m, n))),) + array(lambda i, j: at(i, j) if j <= i else 0, min(m, n), min(m, n))
    yield "convolve", parts(lambda: array(
        lambda i, j: sum((3 * p + q) * at(i + p, j + q) for p in range(2) for q in range(3)), m - 1, n - 2))
    yield "pool", parts(lambda: array(lambda i, j: max(at(2 * i + p, 3 * j + q) for p in range(2) for q in range(3)), m // 2, n // 3))
    # Systems of p, a a' / 1e5 + the identity; l, its Cholesky factor; x, a / 50. A solution is multiplied by the matrix, so these are exact.
    whole, eye = thousandths(array(at, m, n)), lambda k: array(lambda i, j: 1000 * (i == j), k, k)
    fiftieth = array(lambda i, j: 20 * at(i, j), m, n)
    yield "systems", some(lambda: whole * 7 + thousandths(by_rows(lambda row: row[0])))
    yield "inverses", some(lambda: eye(m) * 7)
    yield "half of a diagonal", some(lambda: array(lambda i, j: at(i, j) * (1000 if j < i else 500 if j == i else 0), min(m, n), min(m, n)))
    yield "fourier", some(lambda: whole * 2)
    yield "factors", some(lambda: fiftieth * 2 + eye(min(m, n)) + eye(m) + array(lambda i, j: 0, m, m))
    yield "asum", product(lambda x, k: abs(x))
    yield "dot of arrays", product(lambda x, k: x * k)
    yield "scal", elementwise(lambda x, i, j: 3 * x)
    yield "axpy", elementwise(lambda x, i, j: 3 * x + index(i, j))
    yield "geem", elementwise(lambda x, i, j: 2 * x * index(i, j) - index(i, j))
    yield "geerv", elementwise(lambda x, i, j: 2 * x * j + 5 * index(i, j))
    yield "scaled rows", elementwise(lambda x, i, j: i * x)
    yield "scaled columns", elementwise(lambda x, i, j: j * x)
    yield "gemm", array(lambda i, j: 2 * times(lambda k: at(i, k), lambda k: index(j, k), n) + 3 * (i == j), m, m)


def lines():
    for name, values in operations():
        yield f"operation {name}: {text(values)}"
    for cases in itertools.chain(zip(*map(results, LENGTHS)), zip(*itertools.starmap(arrays, SHAPES))):
        yield f"{cases[0][0]}: {' | '.join(text(values) for _, values in cases)}"


if __name__ == "__main__":
    print("\n".join(lines()))
