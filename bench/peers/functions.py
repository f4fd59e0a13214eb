"""Times of torch, jax and cupy for the rows of `bench functions` and `bench random`: functions.py [cpu | cuda] [log2 of n].

A function's time is stated as a ratio to negation's by the same library, in turns, as the median of 15. tanh100 and the option price are compiled
by torch.compile and jax.jit. Libraries that are not installed are left out.
"""
import math
import statistics
import sys
import time

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
n = 1 << int(sys.argv[2] if len(sys.argv) > 2 else 25)
ONE = "sqrt rsqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc".split()
TWO = "pow hypot atan2".split()


def tanh100(tanh):
    def f(x, _):
        for _ in range(100):
            x = tanh(x)
        return x
    return f


def option(log, sqrt, erf, exp):
    def f(u, years):
        spot, deviation = 100 * u + 50, 0.3 * sqrt(years)
        d1 = (log(spot * 0.01) + (0.02 + 0.045) * years) / deviation
        d2 = d1 - deviation
        normal = lambda d: 0.5 * erf(d * math.sqrt(0.5)) + 0.5
        return spot * normal(d1) - 100 * exp(-0.02 * years) * normal(d2)
    return f


def clock(run, wait):
    start = time.perf_counter()
    result = run()
    wait(result)
    return 1e3 * (time.perf_counter() - start)


def table(title, wait, functions, rounds=15):
    neg = functions["neg"]
    for name, run in functions.items():
        try:
            for _ in range(3):
                clock(run, wait), clock(neg, wait)
            times, of_neg = zip(*((clock(run, wait), clock(neg, wait)) for _ in range(rounds)))
        except Exception as error:  # a function that the library lacks on this device
            print(f"{title:14} {name:10} {type(error).__name__}", flush=True)
            continue
        ms, neg_ms = statistics.median(times), statistics.median(of_neg)
        print(f"{title:14} {name:10} {ms:9.3f} ms {ms / neg_ms:6.2f} x neg", flush=True)


def with_torch():
    import torch
    x, y = torch.rand(n, device=device), 3 * torch.rand(n, device=device)
    wait = (lambda _: torch.cuda.synchronize()) if device == "cuda" else (lambda _: None)
    functions = {"neg": lambda: -x}
    for name in ONE:
        f = getattr(torch, name, None)
        if f:
            functions[name] = lambda f=f: f(x)
    for name in TWO:
        functions[name] = lambda f=getattr(torch, name): f(x, y)
    functions["uniform"] = lambda: torch.rand(n, device=device)
    functions["gaussian"] = lambda: torch.randn(n, device=device)
    table("torch", wait, functions)
    compiled = {"neg": lambda: -x}
    for name, f in (("tanh100", tanh100(torch.tanh)), ("option", option(torch.log, torch.sqrt, torch.erf, torch.exp))):
        compiled[name] = lambda f=torch.compile(f): f(x, y)
    table("torch.compile", wait, compiled)


def with_jax():
    import jax
    import jax.numpy as jnp
    place = jax.devices("gpu" if device == "cuda" else "cpu")[0]
    with jax.default_device(place):
        key = jax.random.key(0)
        x, y = jax.random.uniform(key, (n,)), 3 * jax.random.uniform(jax.random.split(key)[0], (n,))
        wait = lambda result: result.block_until_ready()
        one = {name: getattr(jnp, name) for name in ONE if hasattr(jnp, name)}
        one |= {"rsqrt": jax.lax.rsqrt, "erf": jax.scipy.special.erf, "erfc": jax.scipy.special.erfc}
        functions = {"neg": lambda f=jax.jit(lambda a: -a): f(x)}
        for name in ONE:
            functions[name] = lambda f=jax.jit(one[name]): f(x)
        for name, f in (("pow", jnp.power), ("hypot", jnp.hypot), ("atan2", jnp.arctan2), ("tanh100", tanh100(jnp.tanh)),
                        ("option", option(jnp.log, jnp.sqrt, jax.scipy.special.erf, jnp.exp))):
            functions[name] = lambda f=jax.jit(f): f(x, y)
        functions["uniform"] = lambda f=jax.jit(lambda k: jax.random.uniform(k, (n,))): f(key)
        functions["gaussian"] = lambda f=jax.jit(lambda k: jax.random.normal(k, (n,))): f(key)

        def inside(k):
            a, b = jax.random.uniform(k, (2, n))
            return (a * a + b * b < 1).sum()
        functions["pi"] = lambda f=jax.jit(inside): f(key)
        table("jax.jit", wait, functions)


def with_cupy():
    import cupy
    wait = lambda _: cupy.cuda.Device().synchronize()
    x = cupy.zeros(n, dtype=cupy.float32)
    generator = cupy.random.Generator(cupy.random.Philox4x3210(1))
    table("cupy (cuRAND)", wait, {
        "neg": lambda: -x,
        "uniform": lambda: generator.random(n, dtype=cupy.float32),
        "gaussian": lambda: generator.standard_normal(n, dtype=cupy.float32)})


for library in [with_torch, with_jax] + ([with_cupy] if device == "cuda" else []):
    try:
        library()
    except ImportError as error:
        print(error)
