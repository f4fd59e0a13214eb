"""Writes special_derivatives.def: values of the derivatives of incomplete gamma and beta functions by mpmath, from differences in 60 digits.
special_derivatives.py > special_derivatives.def"""
import math
import random
import struct

from mpmath import betainc, gammainc, inf, mp, mpf, nstr

mp.dps = 60
random.seed(5)
STEP = mpf(10) ** -20


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def between(low, high):
    return single(math.exp(random.uniform(math.log(low), math.log(high))))


def central(f, x):
    return (f(x + STEP) - f(x - STEP)) / (2 * STEP)


def gamma_by_shape(a, x):
    if x < a + 1:
        return central(lambda s: gammainc(s, 0, x, regularized=True), a)
    return -central(lambda s: gammainc(s, x, inf, regularized=True), a)


def beta_by_shape(a, b, x, by_b):
    def value(s, t):
        if x * (a + b) > a:
            return -betainc(t, s, 0, 1 - x, regularized=True)
        return betainc(s, t, 0, x, regularized=True)
    return central((lambda t: value(a, t)) if by_b else (lambda s: value(s, b)), b if by_b else a)


def row(op, a, b, c, compute):
    try:
        value = compute()
    except (ValueError, mp.NoConvergence):
        return
    if abs(value) > 1e-37:
        print(f"ROW({op}, {a!r}, {b!r}, {c!r}, {nstr(value, 18)})")


for _ in range(60):
    a = between(1e-3, 1e6)
    kind = random.randrange(3)
    x = single(abs([between(1e-4, 1e3), a + math.sqrt(a) * random.uniform(-6, 6), a * math.exp(random.uniform(-1.5, 1.5))][kind]))
    row("gamma_p_da", a, x, 0, lambda: gamma_by_shape(mpf(a), mpf(x)))
for op in ("ibeta_da", "ibeta_db"):
    for _ in range(60):
        a, b = between(1e-2, 1e4), between(1e-2, 1e4)
        mean = a / (a + b)
        near = mean + random.uniform(-5, 5) * math.sqrt(mean * (1 - mean) / (a + b + 1))
        x = single(random.uniform(0.001, 0.999) if random.random() < 0.4 else min(0.9999, max(1e-6, near)))
        row(op, a, b, x, lambda: beta_by_shape(mpf(a), mpf(b), mpf(x), op == "ibeta_db"))
