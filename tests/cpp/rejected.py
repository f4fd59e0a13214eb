"""Programs that must not compile, with the part of the error message that states the remedy:
rejected.py ROOT COMPILER... Each compiler reads the headers once, into a precompiled header."""
import os
import re
import subprocess
import sys
import tempfile

PRELUDE = """
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <vector>
#include "warpfold/warpfold.hpp"
using namespace warpfold;
struct Point { float x, y; };
"""
PARAMETERS = "Array<float, 2> a, Array<float, 3> c, Seq<float> s, Seq<int> k, Seq<std::pair<int, float>> p, Seq<Point> points, std::vector<float> v, Scalar<int> total"

# A statement, and the text that the first errors must contain; None: it compiles.
TEMPORARY = "sequences and expressions do not change"
NO_TRUTH = "has no truth value yet"
VALUE = ("no_value_yet_write_auto::Expr", "no viable conversion from")  # of g++ and of clang, which omits the remedy: it is an inline namespace
WITHOUT_STD = "write max without std::"
IDENTITY = "the identity is not of the elements' type"
NO_BITS = "an operand is a float: & | ^ ~ take integers and bools"
NO_AXES = "one value has no axes: write "
TUPLES = "write map(f, s) with a function f of their fields"
CASES = [
    ("(void)0;", None),
    # An element is a new value: an assignment to it would have no effect.
    ("s[0] = 7;", TEMPORARY),
    ("s[0] = s[1];", TEMPORARY),
    ("nth(s, 1) = 9;", TEMPORARY),
    ("s[0] += 1;", TEMPORARY),
    ("s[total] = 1;", TEMPORARY),
    ("total + 1 = 2;", TEMPORARY),
    ("p[0].get<0>() = 2;", TEMPORARY),
    ("auto& x = s[0]; x = 1;", ""),
    ("for (float& x : s) x = 1;", ""),
    ("for (auto& x : s) x = 1;", ""),
    ("*s.begin() = 1;", ""),
    ("s.data()[0] = 1;", ""),
    ("s.span()[0] = 1;", ""),
    ("take(s, 3) = Seq<float>{1, 2, 3};", TEMPORARY),
    ("field<0>(p) = k;", TEMPORARY),
    ("tabulate([&](auto i) { s[i] = 7; return i; }, 3);", TEMPORARY),
    ("tabulate([&](auto i) { s[i] += 7; return i; }, 3);", TEMPORARY),
    ("tabulate([&](auto i) { s[i]++; return i; }, 3);", TEMPORARY),
    ("tabulate([&](auto i) { p[i].first = 7; return i; }, 3);", TEMPORARY),
    ("tabulate([&](auto i) { p[i] = p[i + 1]; return i; }, 3);", ""),
    ("map([](auto x) { where(x > 0, x, x) = 7; return x; }, s);", TEMPORARY),
    ("map([&](auto x) { total += x; return x; }, s);", "write reduce or scan"),
    ("float sum = 0; map([&](auto x) { sum += x; return x; }, s);", "write reduce or scan"),
    ("float sum = 0; sum += s[0]; sum += total;", None),
    # Expressions are not numbers.
    ("map([](auto x) { return std::sin(x); }, s);", "without std::"),
    ("map([](auto x) { return std::sqrt(x); }, k);", "without std::"),
    ("map([](auto x) { return std::abs(x); }, k);", "without std::"),
    ("map([](auto x) { return std::pow(x, 2); }, s);", "without std::"),
    ("map([](auto x) { return std::max(x, x); }, s);", "without std::"),
    ("map([](auto x) { return std::max(x, 0.f); }, s);", WITHOUT_STD),
    ("map([](auto x) { return std::max(0, x); }, k);", WITHOUT_STD),
    ("map([](auto x) { return std::clamp(x, 0.f, 1.f); }, s);", "write clamp without std::"),
    ("map([](auto x) { double y = x; return y; }, s);", VALUE),
    ("map([](auto x) -> float { return x * 2; }, s);", VALUE),
    ("map([](auto x) { return x & 1; }, s);", NO_BITS),
    ("map([](auto x) { return x << 1; }, s);", NO_BITS),
    ("a | a;", NO_BITS),
    ("reduce(plus, std::pair(0, 0), k);", IDENTITY),
    ("reduce(plus, 0.5, k);", IDENTITY),
    ("scan(plus, s, k);", IDENTITY),
    ("scan_incl([](auto a, auto b) { return a; }, 0, p);", IDENTITY),
    ("reduce(plus, \"0\", a, 1);", IDENTITY),
    ("p + 1;", TUPLES),
    ("p + p;", TUPLES),
    ("sum(total, 0);", NO_AXES + "sum(x)"),
    ("mean(2.0, 0);", NO_AXES + "mean(x)"),
    ("map([](auto x) { return largest(x, 0); }, s);", NO_AXES + "largest(x)"),
    ("tabulate([&](auto i) { return sum(a * i); }, 3);", "an array next to an expression of a traced function"),
    ("s + s * 2 - total; p == p; points != points; map([](auto q) { return q == q; }, points);", None),
    ("map([](auto x) { std::array<Expr<float>, 3> y; y[0] = x; return y[0]; }, s);", None),
    ("map([](auto x) { if (x > 0) return x; return -x; }, s);", NO_TRUTH),
    ("map([](auto x) { return x > 0 ? x : -x; }, s);", NO_TRUTH),
    ("map([](auto x) { while (x > 0) x -= 1; return x; }, s);", NO_TRUTH),
    ("map([](auto x) { return static_cast<float>(x); }, k);", "cast<float>(x)"),
    ("map([](auto x) { return float(x) + int(x); }, k);", "cast<float>(x)"),
    ("map([&](auto i) { return v[i]; }, k);", "make a Seq"),
    ("map([&](auto i) { return std::array{1, 2, 3}[i]; }, k);", "make a Seq"),
    ("map([](auto x) { std::cout << x; return x; }, s);", "print the sequence"),
    ("map([](auto x) { x += 1; }, s);", "is a return missing"),
    ("map([](auto x) { return std::vector{x}; }, s);", "made of expressions and numbers"),
    ("map([](auto x) { return 1.0L; }, s);", "made of expressions and numbers"),
    ("zip(std::vector{s, s});", "zip<3>(vector)"),
    # A plain struct's fields have no names in an expression.
    ("map([](auto q) { return q.x + q.y; }, points);", "UseGetOrStructuredBinding<Point>"),
    ("tabulate([&](auto i) { return points[i].x; }, 3);", "UseGetOrStructuredBinding<Point>"),
    ("reduce([](auto a, auto b) { return where(a.x > b.x, a, b); }, {0, 0}, points);", "UseGetOrStructuredBinding<Point>"),
    ("tabulate([&](auto i) { points[i] = points[i + 1]; return i; }, 3);", TEMPORARY),
    ("map([](auto q) { auto [x, y] = q; return Expr<Point>(q.template get<1>(), x + y); }, points);", None),
    ("map([](const Expr<Point>& q) { auto r = q; r = Expr<Point>(1, 2); auto [x, y] = r; return where(x > y, q, r); }, points);", None),
    ("map([](auto q) { auto r = q; r = Expr<Point>(1, 2); return r; }, points); map([](auto x, auto y) { return x + y; }, points);", None),
    # Nested results.
    ("tabulate([&](auto i) { return subseq(s, i, 3); }, 3);", "expected reduce(...) of it"),
    ("map([&](auto x) { return map([&](auto y) { return x + y; }, s); }, s);", "expected reduce(...) of it"),
    ("map([&](auto x) { return reduce(plus, map([&](auto y) { return x + y; }, s)); }, s);", None),
    ("tabulate([&](auto i) { subseq(s, i, 3)[0] = 1; return i; }, 3);", TEMPORARY),
    ("tabulate([&](auto i) { return take(s, 1.5f * i); }, 3);", ""),
    # Element types.
    ("Seq<short> t{1};", "not an element type: expected bool, char"),
    ("Seq<short> t;", "not an element type: expected bool, char"),
    ("Seq t(std::vector<short>{1});", "not an element type: expected bool, char"),
    ("Seq t{short(1)};", ""),
    ("Seq<std::string> t;", "not an element type: expected bool, char"),
    ("Seq<std::pair<int, long double>> t;", "not an element type: expected bool, char"),
    ("bool flag = s.empty(); map([&](auto x) { return flag ? x : 0; }, s); map([&](auto x) { return flag ? 0L : x; }, k);", None),
    ("map([](auto x) { using namespace std; return sin(x) + pow(x, 2) + abs(x) + fma(x, x, 1); }, s);", None),
    ("map([](size_t i) { return i; }, k); map([](long double i) { return double(i); }, s); map([](int i) { return i; }, s);", None),
    ("tabulate([&](size_t i) { return v[i]; }, 3); tabulate([](Expr<int64_t> i) { return i; }, 3);", None),
    # Arrays: ranks, types and indices.
    ("Array<float, 3> b = a;", "the arrays have different ranks"),
    ("Array<float, 2> b = sum(a, 0);", "the arrays have different ranks"),
    ("Array<int, 2> b = a;", "write cast<float>(a)"),
    ("Array<float, 0> b;", "an array of rank 0 is a Scalar<T>"),
    ("Array<short, 2> b;", ""),
    ("a(1);", "expected as many indices as the array has axes"),
    ("array([&](auto i, auto j) { return c(i, j); }, 2, 2);", "expected as many indices as the array has axes"),
    ("a(every, every, 0);", "there are more slices than axes"),
    ("a(every, 1.5);", "expected integers, slice(start, stop, step) and every"),
    ("t(sum(a, 0));", "reshape(a, -1, 1) is a vector as a column"),
    ("permute(a, 0);", "expected one axis of the array for each axis of the result"),
    ("sum(a, {0, 1, 2});", "there are more axes than the array has"),
    ("windows(a, 3);", "expected one extent of the window for each axis"),
    ("broadcast(a, 3);", "expected at least as many extents as the array has axes"),
    ("a(0, 0) = 1;", TEMPORARY),
    ("a[0] = sum(a, 0);", TEMPORARY),
    ("auto b = a; b = t(a) + sum(a, 0, keep); b += 1; auto d = a + c; Seq<float> row = a[0]; Array<float, 1> e = s;", None),
    ("array([&](auto i, auto j) { return a(i, j - 1) + a(0, j) + a.row(i)[j]; }, 2, 2);", None),
    ("auto x = s[0]; x = 7; x += total; total += x;", None),
    ("map([](auto x) { auto y = x; y = 7; y += x; return y; }, s);", None),
    ("map([](auto x) { auto [a, b] = x; a = 7; b += a; return std::pair(a, b); }, p);", None),
]

root, compilers = sys.argv[1], sys.argv[2:]
flags = ["-std=c++20", "-Wall", "-Wextra", "-I" + os.path.join(root, "include"), "-I" + os.path.join(root, "capi")]


def function(k):
    """Case k as a function in a file of its own name."""
    return f'#line 1 "case_{k}"\nvoid f{k}({PARAMETERS}) {{\n  {CASES[k][0]}\n}}\n'


def diagnostics(compiler, cases):
    """Compiles the cases together. Returns whether that succeeds, and what the compiler writes."""
    header = ["-include-pch", "prelude.pch"] if "clang" in compiler else ["-include", "prelude.h"]
    limit = "-ferror-limit=0" if "clang" in compiler else "-fmax-errors=0"
    done = subprocess.run([compiler, *flags, *header, limit, "-fsyntax-only", "-Wno-unused", "-x", "c++", "-"],
                          input="".join(map(function, cases)), capture_output=True, text=True, timeout=300, env={**os.environ, "LC_ALL": "C"})
    return done.returncode == 0, done.stderr.splitlines()


def errors_of_cases(compiler, cases):
    """The errors of each case, all of them compiled together. An error in a header belongs to the case that clang names after it and g++ before."""
    errors, named, waiting = {k: [] for k in cases}, None, []
    for line in diagnostics(compiler, cases)[1]:
        found = re.search(r"\bcase_(\d+):", line)
        if found:
            named = int(found[1])
            errors[named] += waiting
            waiting = []
        if " error: " not in line:
            continue
        if found or "clang" not in compiler:
            errors[named].append(line)
        else:
            waiting = [line]
    return errors


def is_expected(k, errors):
    expected = CASES[k][1]
    return any(part in line for line in errors[:2] for part in (expected if isinstance(expected, tuple) else [expected]))


def passes_alone(compiler, k):
    statement, expected = CASES[k]
    compiles, lines = diagnostics(compiler, [k])
    errors = [line for line in lines if " error: " in line]
    if compiles if expected is None else not compiles and is_expected(k, errors):
        return True
    print(f"FAILED {os.path.basename(compiler)}: {statement}")
    print(f"  expected {'no error' if expected is None else repr(expected)}, got",
          "no error" if compiles else "\n  ".join(["", *errors[:4]]))
    return False


def failed_cases(compiler):
    """The cases that fail. A compiler reports an instantiation that several cases share once, so those without their error are compiled again."""
    right = [k for k, (_, expected) in enumerate(CASES) if expected is None]
    failed = [] if diagnostics(compiler, right)[0] else [k for k in right if not passes_alone(compiler, k)]
    left, before = [k for k in range(len(CASES)) if k not in right], []
    while len(left) != len(before):
        before, left = left, [k for k, errors in errors_of_cases(compiler, left).items() if not is_expected(k, errors)]
    return failed + [k for k in left if not passes_alone(compiler, k)]


MOST_LINES = 80  # of the messages that state the remedy of a wrong type


def is_short(compiler):
    """Compiles the cases of wrong types one by one: their messages are short. C++17 is rejected at once."""
    wrong = [k for k, (_, expected) in enumerate(CASES) if expected in (NO_BITS, IDENTITY, TUPLES)]
    lengths = {CASES[k][0]: len(diagnostics(compiler, [k])[1]) for k in wrong}
    long = {statement: n for statement, n in lengths.items() if n > MOST_LINES}
    old = subprocess.run([compiler, "-std=c++17", *flags[1:], "-fsyntax-only", "-x", "c++", "-"], input='#include "warpfold/warpfold.hpp"\n',
                         capture_output=True, text=True).stderr.splitlines()
    if not long and len(old) < 20 and "compile with -std=c++20" in next(line for line in old if "error" in line):
        return True
    print(f"FAILED {os.path.basename(compiler)}: long messages: {long}; C++17: {old[:3]}")
    return False


failed = 0
with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    with open("prelude.h", "w") as file:
        file.write(PRELUDE)
    for compiler in compilers:
        output = "prelude.pch" if "clang" in compiler else "prelude.h.gch"
        subprocess.run([compiler, *flags, "-x", "c++-header", "prelude.h", "-o", output], check=True)
        failed += len(failed_cases(compiler)) + (not is_short(compiler))
    os.chdir("/")
print(f"{(len(CASES) + 1) * len(compilers) - failed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed else 0)
