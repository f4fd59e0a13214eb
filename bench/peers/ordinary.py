"""Times of torch and jax for the rows of `bench ordinary`: ordinary.py [cpu | cuda] [log2 of n].

One line for each: work, number of elements, type, library, milliseconds; with `|` between them. Medians of 9 calls, until the device is idle. Functions of more
than one operation are compiled by torch.compile and jax.jit. Libraries that are not installed are left out.
"""
import statistics
import sys
import time

import torch

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
n = 1 << int(sys.argv[2] if len(sys.argv) > 2 else 24)
torch.manual_seed(1)
torch._dynamo.config.cache_size_limit = 256
try:
    import jax
    import jax.numpy as jnp
except ImportError:
    jax = None


def line(work, size, kind, library, run, wait):
    try:
        for _ in range(3):
            wait(run())
        times = []
        for _ in range(9):
            start = time.perf_counter()
            wait(run())
            times.append(1e3 * (time.perf_counter() - start))
        print(f"{work} | {size} | {kind} | {library} | {statistics.median(times):.4g}", flush=True)
    except Exception as error:  # an operation that the library lacks
        print(f"{work} | {size} | {kind} | {library} | {type(error).__name__}", flush=True)


def wait_torch(_):
    if device == "cuda":
        torch.cuda.synchronize()


def row(work, size, kind, in_torch, *args, in_jax=None, compiled=True):
    line(work, size, kind, "torch", lambda: in_torch(*args), wait_torch)
    if compiled:
        f = torch.compile(in_torch, dynamic=False)
        line(work, size, kind, "torch.compile", lambda: f(*args), wait_torch)
    if jax and in_jax:
        others, g = [jax.dlpack.from_dlpack(a.contiguous()) for a in args], jax.jit(in_jax)
        line(work, size, kind, "jax.jit", lambda: g(*others), jax.block_until_ready)


def of(values, dtype=torch.float32):
    return values.to(device=device, dtype=dtype)


def random_f32(*shape):
    return torch.rand(*shape, device=device) * 2 - 1


def indices(count, below):
    return torch.randint(0, below, (count,), device=device)


def pieces():
    m = n // 16
    x = torch.randint(0, 1 << 30, (m,), device=device, dtype=torch.int32)
    for count in (64, 4096):
        parts = list(torch.chunk(x, count))
        row("append", m, f"i32, {count} pieces", lambda: torch.cat(parts), compiled=False)
        row("sum of append", m, f"i32, {count} pieces", lambda: torch.cat(parts).sum(), compiled=False)


def updates():
    base = indices(4 * n, 256).to(torch.uint8)
    for count in (1, 1000):
        at, x = indices(count, 4 * n), indices(count, 256).to(torch.uint8)
        row("replace", count, f"u8, into {4 * n}", lambda b, i, v: b.index_put((i,), v), base, at, x, compiled=False,
            in_jax=lambda b, i, v: b.at[i].set(v))
    del base
    m = n // 16
    x = random_f32(m)
    for size in (m, m >> 10):
        zeros, at = torch.zeros(size, device=device), indices(m, size)
        row("add", m, f"f32, into {size}", lambda b, i, v: b.index_add(0, i, v), zeros, at, x, compiled=False,
            in_jax=lambda b, i, v: b.at[i].add(v))
        row("replace", m, f"f32, into {size}", lambda b, i, v: b.index_put((i,), v), zeros, at, x, compiled=False,
            in_jax=lambda b, i, v: b.at[i].set(v))
    row("count", m, f"i32, into {m}", lambda i: torch.bincount(i, minlength=m), indices(m, m), compiled=False,
        in_jax=lambda i: jnp.bincount(i, length=m))


def selection():
    m = n // 4
    x = torch.randint(0, 1 << 24, (m,), device=device).to(torch.float32)
    row("top_k", m, "f32, 10", lambda x: torch.topk(x, 10)[0], x, compiled=False, in_jax=lambda x: jax.lax.top_k(x, 10)[0])
    row("median", m, "f32", lambda x: torch.kthvalue(x, m // 2)[0], x, compiled=False, in_jax=jnp.median)
    for hit, kind in ((n // 8, "i32, hit at n / 8"), (n, "i32, no hit")):
        s = (torch.arange(n, device=device) >= hit).to(torch.int32)
        row("find_index", n, kind, lambda s: (s == 1).to(torch.uint8).argmax(), s, in_jax=lambda s: jnp.argmax(s == 1))
    for length in (64, 1024, 8192):
        rows = x[: m // length * length].view(-1, length)
        kind = f"f32, rows of {length}"
        row("sort along an axis", rows.numel(), kind, lambda a: torch.sort(a, 1, descending=True)[0], rows, compiled=False,
            in_jax=lambda a: jnp.sort(a, 1, descending=True))
        row("top 10 of rows", rows.numel(), kind, lambda a: torch.topk(a, 10, 1)[0], rows, compiled=False,
            in_jax=lambda a: jax.lax.top_k(a, 10)[0])


def groups():
    m, count = max(16000, n // 16), 1000
    keys, values = indices(m, count).to(torch.int32), indices(m, 100).to(torch.int32)
    spread = (keys.to(torch.int64) * 2654435761).to(torch.int32)
    kind = "i32, 1000 keys"
    row("reduce by key", m, kind, lambda k, v: torch.zeros(count, dtype=torch.int32, device=device).index_add(0, k, v), keys, values,
        compiled=False, in_jax=lambda k, v: jax.ops.segment_sum(v, k, count))
    row("lengths of runs of a sort", m, kind, lambda k: torch.bincount(k, minlength=count), keys, compiled=False,
        in_jax=lambda k: jnp.bincount(k, length=count))
    row("lengths of runs of a sort", m, kind + ", spread", lambda k: torch.unique(k, return_counts=True), spread, compiled=False)
    row("groups by key", m, kind, lambda k, v: v[torch.sort(k, stable=True)[1]], keys, values, compiled=False,
        in_jax=lambda k, v: v[jnp.argsort(k)])


def again():
    x = random_f32(n // 16)

    def four(module):
        def f(x):
            y = module.exp(module.sin(x))
            return y.sum(), (y * y).sum(), y.min(), y.max()
        return f
    row("four reductions of a map", n // 16, "f32, one after another", four(torch), x, in_jax=jax and four(jnp))


def shapes():
    def cube(side):
        a = random_f32(side, side, side)
        m = side - 2

        def limited(cat):
            def f(a):
                def moved(axis, step):
                    part = lambda b, e: a[tuple(slice(b, e) if k == axis else slice(None) for k in range(3))]
                    return cat([part(0, 1), part(0, side - 1)], axis) if step < 0 else cat([part(1, side), part(side - 1, side)], axis)
                return sum(moved(k, s) for k in range(3) for s in (-1, 1)) - 6 * a
            return f

        def inner(a):
            part = lambda i, j, k: a[1 + i:side - 1 + i, 1 + j:side - 1 + j, 1 + k:side - 1 + k]
            return (part(-1, 0, 0) + part(1, 0, 0) + part(0, -1, 0) + part(0, 1, 0) + part(0, 0, -1) + part(0, 0, 1) - 6 * part(0, 0, 0))
        row("stencil7", side ** 3, "f32, limited", limited(torch.cat), a, in_jax=jax and limited(jnp.concatenate))
        row("stencil7", m ** 3, "f32, slices", inner, a, in_jax=inner)
    root = lambda power: int(n ** (1 / power) + 1e-6)
    cube(min(128, root(3)))
    if root(3) > 128:
        cube(root(3))
    side = min(1024, root(2))
    a, u, v = random_f32(side, side), random_f32(side), random_f32(side)
    f = lambda a, u, v: a - u[:, None] * v
    row("minus_outer", side * side, "f32, outer", f, a, u, v, in_jax=f)
    row("minus_outer", side * side, "f32, insert_axis", f, a, u, v, in_jax=f)

    def where_two(module):
        def f(a, u, v):
            i = module.arange(side, **({"device": device} if module is torch else {}))
            return module.where((i[:, None] > 3) & (i > 3), a - u[:, None] * v, a)
        return f
    row("where_two", side * side, "f32", where_two(torch), a, u, v, in_jax=jax and where_two(jnp))
    inner = lambda a: a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] - 4 * a[1:-1, 1:-1]
    row("stencil5", (side - 2) ** 2, "f32, slices", inner, a, in_jax=inner)
    text = torch.where(indices(n, 6) == 0, 32, 97).to(torch.uint8)
    starts = lambda t: ((t[1:] != 32) & (t[:-1] == 32)).sum() + (t[0] != 32)
    for kind in ("u8, limited", "u8, chosen"):
        row("word_starts", n, kind, starts, text, in_jax=starts)


def axes():
    for columns in (3, 16, 512, 4096):
        a = random_f32(n // 4 // columns, columns)
        kind = f"f32, rows of {columns}"
        m = a.numel()
        for axis in (0, 1):
            row(f"cumulative_sum, axis {axis}", m, kind, lambda a: torch.cumsum(a, axis), a, in_jax=lambda a: jnp.cumsum(a, axis))
            row(f"argmax, axis {axis}", m, kind, lambda a: torch.argmax(a, axis), a, in_jax=lambda a: jnp.argmax(a, axis))
        row("variance, axis 0", m, kind, lambda a: torch.var(a, 0, correction=0), a, in_jax=lambda a: jnp.var(a, 0))
        row("centred and scaled columns", m, kind, lambda a: (a - a.mean(0, keepdim=True)) / torch.sqrt(torch.var(a, 0, correction=0, keepdim=True) + 1e-5), a,
            in_jax=lambda a: (a - a.mean(0, keepdims=True)) / jnp.sqrt(jnp.var(a, 0, keepdims=True) + 1e-5))
        row("softmax, axis 1", m, kind, lambda a: torch.softmax(a, 1), a, in_jax=jax and (lambda a: jax.nn.softmax(a, 1)))
    for columns in (4, 64):
        a = random_f32(n // 4 // columns, columns)
        row("xT x", a.numel(), f"f32, rows of {columns}", lambda a: a.T @ a, a, compiled=False, in_jax=lambda a: a.T @ a)


def caches():
    for m in (1 << 16, 1 << 17, 1 << 20):
        s, x, y = indices(m, 1 << 24).to(torch.int32), random_f32(m), random_f32(m)
        text = (indices(m, 64) + 32).to(torch.uint8)
        row("append", 2 * m, "i32, two", lambda s: torch.cat((s, s)), s, in_jax=lambda s: jnp.concatenate((s, s)))
        row("rev", m, "i32", lambda s: torch.flip(s, (0,)), s, in_jax=lambda s: s[::-1])
        row("saxpy", m, "f32", lambda x, y: 2.5 * x + y, x, y, in_jax=lambda x, y: 2.5 * x + y)
        three = lambda cat: lambda x: (cat((x[:1], x[:-1])) + x + cat((x[1:], x[-1:]))) * 0.25
        row("stencil", m, "f32", three(torch.cat), x, in_jax=jax and three(jnp.concatenate))
        row("scan", m, "i32", lambda s: torch.cumsum(s, 0, dtype=torch.int32), s, in_jax=lambda s: jnp.cumsum(s, dtype=jnp.int32))
        row("filter", m, "i32, half", lambda s: s[(s & 1) == 0], s, compiled=False)
        row("moments", m, "f32", lambda x: (x * x).sum() - x.sum(), x, in_jax=lambda x: (x * x).sum() - x.sum())
        row("count", m, "u8", lambda t: (t == 65).sum(), text, in_jax=lambda t: (t == 65).sum())


for works in (pieces, updates, selection, groups, again, shapes, axes, caches):
    works()
