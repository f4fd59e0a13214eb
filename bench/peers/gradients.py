"""Times of jax and torch for the rows of `bench gradients`: gradients.py [cpu | cuda] [log2 of n].

One line for each: work, number of elements, library, milliseconds of the value, of the value and its gradient; with `|` between them. Medians of 9 calls, until
the device is idle. Inputs are those of `bench gradients`. Up to n = 2^16, a further line has the value and its derivative in the direction sin(1000 x), as the
bench prints them. Libraries that are not installed are left out.
"""
import statistics
import sys
import time

import numpy

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    jax = None
try:
    import torch
except ImportError:
    torch = None

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
n = 1 << int(sys.argv[2] if len(sys.argv) > 2 else 24)


def random_bits(i):
    i = (i.astype(numpy.uint64) + numpy.uint64(1)) * numpy.uint64(0x9E3779B97F4A7C15)
    i = (i ^ (i >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    i = (i ^ (i >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return i ^ (i >> numpy.uint64(31))


def elements(which, *shape):
    count = int(numpy.prod(shape))
    bits = random_bits(numpy.arange(count, dtype=numpy.uint64) + numpy.uint64(which << 40))
    return (2 * (bits >> numpy.uint64(40)).astype(numpy.float32) * numpy.float32(2**-24) - 1).reshape(shape)


def milliseconds(call, wait):
    for _ in range(3):
        wait(call())
    times = []
    for _ in range(9):
        start = time.perf_counter()
        wait(call())
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def report(work, size, library, value, both, wait, args, by):
    try:
        print(f"{work} | {size} | {library} | {milliseconds(value, wait):.4g} | {milliseconds(both, wait):.4g}", flush=True)
        if n <= 1 << 16:
            result, gradients = both()
            slope = sum((numpy.asarray(g.tolist()) * numpy.sin(1000 * args[k].astype(numpy.float64))).sum() for g, k in zip(gradients, by))
            print(f"  value {float(result):.6g}, derivative along sin(1000 x) {slope:.6g}", flush=True)
    except Exception as error:  # an operation that the library lacks
        print(f"{work} | {size} | {library} | {type(error).__name__}", flush=True)


def row(work, size, by, args, in_jax, in_torch):
    if jax:
        inputs = [jnp.asarray(a) for a in args]
        value, both = jax.jit(in_jax), jax.jit(jax.value_and_grad(in_jax, by))
        report(work, size, "jax.jit", lambda: value(*inputs), lambda: both(*inputs), jax.block_until_ready, args, by)
    if torch and in_torch:
        tensors = [torch.from_numpy(a).to(device) for a in args]
        for k in by:
            tensors[k].requires_grad_()
        wait = (lambda _: torch.cuda.synchronize()) if device == "cuda" else (lambda _: None)
        for library, f in (("torch", in_torch), ("torch.compile", torch.compile(in_torch, dynamic=False))):
            def value():
                with torch.no_grad():
                    return f(*tensors)

            def both():
                result = f(*tensors)
                return result.detach(), torch.autograd.grad(result, [tensors[k] for k in by])
            report(work, size, library, value, both, wait, args, by)


def sequences():
    x, w = elements(1, n), elements(2, n)
    row("sum sin2", n, [0], [x], lambda x: (jnp.sin(x) ** 2).sum(), lambda x: (torch.sin(x) ** 2).sum())
    row("logsumexp", n, [0], [x], lambda x: jax.nn.logsumexp(x), lambda x: torch.logsumexp(x, 0))
    row("cumsum . w", n, [0], [x, w], lambda x, w: (jnp.cumsum(x) * w).sum(), lambda x, w: (torch.cumsum(x, 0) * w).sum())

    def recurrence(a, b):
        states = jax.lax.associative_scan(lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1]), (a, b))
        return (states[1] ** 2).sum()
    row("linear recurrence", n, [0, 1], [x, w], recurrence, None)

    few = min(n, 1 << 20)
    at = (random_bits(numpy.arange(n)) % numpy.uint64(few)).astype(numpy.int32)
    row("gather", n, [0], [x[:few], at], lambda x, at: (x[at] ** 2).sum(), lambda x, at: (x[at] ** 2).sum())
    segments = max(1, n // 1024)
    k = numpy.arange(segments)
    first = k * 1024 + (random_bits(k) % numpy.uint64(1024)).astype(numpy.int64)
    first[0] = 0
    ids = numpy.repeat(k, numpy.diff(numpy.append(first, n))).astype(numpy.int64)
    row("segment sums, squared", n, [0], [x, ids], lambda x, ids: (jax.ops.segment_sum(x, ids, segments, indices_are_sorted=True) ** 2).sum(),
        lambda x, ids: (torch.zeros(segments, device=device).index_add(0, ids, x) ** 2).sum())
    row("sort . w", n, [0], [x, w], lambda x, w: (jnp.sort(x) * w).sum(), lambda x, w: (torch.sort(x)[0] * w).sum())
    row("max", n, [0], [x], jnp.max if jax else None, lambda x: x.max())
    row("prod", n, [0], [1 + x / 1024], jnp.prod if jax else None, lambda x: x.prod())
    bodies = int(2 * n**0.5)

    def energy(module):
        def f(*p):
            squares = sum((q[None, :] - q[:, None]) ** 2 for q in p)
            return (1 / module.sqrt(squares + 0.01)).sum()
        return f
    row("n-body energy", bodies, [0, 1, 2], [elements(k, bodies) for k in (1, 2, 3)], jax and energy(jnp), torch and energy(torch))


def arrays():
    columns = min(4096, n)
    rows = n // columns
    x, w, y = elements(1, rows, columns), elements(2, columns), elements(3, rows)
    labels = (random_bits(numpy.arange(rows)) % numpy.uint64(columns)).astype(numpy.int64)
    row("softmax cross entropy", n, [0], [x, labels],
        lambda x, labels: (jax.nn.logsumexp(x, 1) - jnp.take_along_axis(x, labels[:, None], 1)[:, 0]).sum(),
        lambda x, labels: torch.nn.functional.cross_entropy(x, labels, reduction="sum"))
    row("layer norm . w", n, [0], [x, w],
        lambda x, w: ((x - x.mean(1, keepdims=True)) / jnp.sqrt(x.var(1, keepdims=True) + 1e-5) * w).sum(),
        lambda x, w: torch.nn.functional.layer_norm(x, (columns,), w).sum())
    least = lambda x, w, y: ((x @ w - y) ** 2).sum()
    row("least squares", n, [1], [x, w, y], least, least)
    side = max(2, int(n**0.5 / 2))
    square = lambda a, b: ((a @ b) ** 2).sum()
    row("product, squared", side * side, [0, 1], [elements(1, side, side), elements(2, side, side)], square, square)
    width = max(2, side // 4)
    row("two layers", side * width, [1, 2],
        [elements(1, side, width), elements(2, width, width) * numpy.float32(0.1), elements(3, width, width) * numpy.float32(0.1)],
        lambda x, u, v: ((jax.nn.relu(x @ u) @ v) ** 2).sum(), lambda x, u, v: ((torch.relu(x @ u) @ v) ** 2).sum())
    r = elements(1, side, side)
    a = (r + r.T) / numpy.float32(side) + 2 * numpy.eye(side, dtype=numpy.float32)
    row("log determinant", side * side, [0], [a], lambda a: 2 * jnp.log(jnp.diagonal(jnp.linalg.cholesky(a))).sum(),
        lambda a: 2 * torch.log(torch.diagonal(torch.linalg.cholesky(a))).sum())
    side = max(8, int(n**0.5))
    row("convolution, 3 x 3", side * side, [0, 1], [elements(1, side, side), elements(2, 3, 3)],
        lambda x, k: (jax.lax.conv(x[None, None], k[None, None], (1, 1), "VALID") ** 2).sum(),
        lambda x, k: (torch.nn.functional.conv2d(x[None, None], k[None, None]) ** 2).sum())


sequences()
arrays()
