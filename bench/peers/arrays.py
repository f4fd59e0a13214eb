"""Times of torch for the rows of `bench` over arrays, and of cuRAND through cupy for those of `bench random`: arrays.py [cpu | cuda] [log2 of n].

Times are medians of 15, until the device is idle. The neighbourhoods and broadcast_add are compiled by torch.compile as well.
"""
import statistics
import sys
import time

import torch
import torch.nn.functional as F

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
log = int(sys.argv[2] if len(sys.argv) > 2 else 24)
n, side, edge = 1 << log, 1 << log // 2, 1 << log // 4


def wait():
    if device == "cuda":
        torch.cuda.synchronize()


def time_of(name, run):
    try:
        for _ in range(4):
            run()
        times = []
        for _ in range(15):
            wait()
            start = time.perf_counter()
            run()
            wait()
            times.append(1e3 * (time.perf_counter() - start))
        print(f"{name:32} {statistics.median(times):9.4f} ms", flush=True)
    except Exception as error:
        print(f"{name:32} {type(error).__name__}", flush=True)


x = torch.rand(n, device=device) * 2 - 1
square, row, column = x.view(side, side), torch.rand(1, side, device=device), torch.rand(side, 1, device=device)
weights = torch.full((1, 1, 3, 3), 0.1, device=device)


def edges(a):
    a = a[None, None]
    blurred = F.avg_pool2d(F.pad(a, (2, 2, 2, 2), mode="replicate"), 5, 1)
    b = F.pad(blurred, (1, 1, 1, 1), mode="replicate")
    at = lambda p, q: b[..., 1 + p:b.shape[-2] - 1 + p, 1 + q:b.shape[-1] - 1 + q]
    along = at(-1, 1) - at(-1, -1) + 2 * (at(0, 1) - at(0, -1)) + at(1, 1) - at(1, -1)
    down = at(1, -1) - at(-1, -1) + 2 * (at(1, 0) - at(-1, 0)) + at(1, 1) - at(-1, 1)
    return torch.sqrt(along * along + down * down)


time_of("clone", lambda: x.clone())
for m in (4, 6, 8, 10, 12, 14, 15):
    rows = x.view(-1, 1 << m)
    time_of(f"softmax 2^{m}", lambda: torch.softmax(rows, 1))
    time_of(f"layer_norm 2^{m}", lambda: F.layer_norm(rows, (1 << m,)))
    time_of(f"logsumexp 2^{m}", lambda: torch.logsumexp(rows, 1))
for m in (10, 14):
    rows = x.view(-1, 1 << m)
    softmax = torch.compile(lambda a: torch.softmax(a, 1), dynamic=False)
    time_of(f"softmax 2^{m}, compiled", lambda: softmax(rows))
time_of("transpose", lambda: square.t().contiguous())
time_of("permute4", lambda: x.view(edge, edge, edge, edge).permute(2, 0, 3, 1).contiguous())
time_of("broadcast_add", lambda: square + row + column)
time_of("broadcast_add, compiled", lambda f=torch.compile(lambda a, b, c: a + b + c): f(square, row, column))
time_of("convolution 3x3", lambda: F.conv2d(square[None, None], weights))
time_of("edges", lambda: edges(square))
time_of("edges, compiled", lambda f=torch.compile(edges): f(square))
cube = x.view(side // 8, side // 8, 64)
time_of("axis_sums {0, 2}", lambda: cube.sum((0, 2)))
time_of("row_scans", lambda: square.cumsum(1))
time_of("column_scans", lambda: square.cumsum(0))
if device == "cuda":
    import cupy
    from cupy.cuda import curand
    out = cupy.empty(n, dtype=cupy.float32)
    for name, kind in (("XORWOW", curand.CURAND_RNG_PSEUDO_XORWOW), ("Philox", curand.CURAND_RNG_PSEUDO_PHILOX4_32_10)):
        generator = curand.createGenerator(kind)
        time_of(f"uniform, cuRAND {name}", lambda: curand.generateUniform(generator, out.data.ptr, n))
        time_of(f"gaussian, cuRAND {name}", lambda: curand.generateNormal(generator, out.data.ptr, n, 0, 1))
