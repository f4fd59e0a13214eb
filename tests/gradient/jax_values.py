"""Writes jax_values.def: by JAX in f64, the value of each program of jax.cpp, the sum of its gradient, and the sum weighted by 1, 2, ...
python3 jax_values.py > jax_values.def"""
import jax
import jax.numpy as np
import numpy
from jax.scipy import special

jax.config.update("jax_enable_x64", True)

x = np.array([((i * 7919) % 1000) / 1000 + 0.25 for i in range(24)])
weights = np.arange(1.0, 25.0)
index = np.array([(i * i) % 24 for i in range(24)])
segments = np.repeat(np.arange(4), 6)
sum = np.sum


def dominant(s):
    a = s[:16].reshape(4, 4)
    return a @ a.T + np.eye(4)


def recurrence(s):
    def step(y, a):
        return 0.5 * a * y + a, 0.5 * a * y + a
    return jax.lax.scan(step, 0.0, s)[1]


def affine(s):
    def combine(l, r):
        return l[0] * r[0], l[1] * r[0] + r[1]
    return jax.lax.associative_scan(combine, (0.5 * s, s))[1]


def convolved(s):
    image, kernel = s[:16].reshape(4, 4), s[16:20].reshape(2, 2)
    return sum(np.stack([np.stack([sum(image[i:i + 2, j:j + 2] * kernel) for j in range(3)]) for i in range(3)]) ** 2)


programs = {
    "sin_squared": lambda s: sum(np.sin(s) ** 2),
    "logsumexp": lambda s: special.logsumexp(s),
    "softmax": lambda s: sum(jax.nn.softmax(s) * weights),
    "cumsum": lambda s: sum(np.cumsum(s) * weights),
    "cumprod": lambda s: sum(np.cumprod(s) * weights),
    "cummax": lambda s: sum(jax.lax.cummax(s) * weights),
    "cumlogsumexp": lambda s: sum(jax.lax.cumlogsumexp(s) * weights),
    "recurrence": lambda s: sum(recurrence(s) * weights),
    "affine_scan": lambda s: sum(affine(s) * weights),
    "gather": lambda s: sum(s[index] ** 2 * weights),
    "scatter_add": lambda s: sum(np.zeros(24).at[index].add(s) ** 2 * weights),
    "segment_sum": lambda s: sum(jax.ops.segment_sum(s, segments, 4) ** 2),
    "segment_max": lambda s: sum(jax.ops.segment_max(s, segments, 4) ** 2),
    "sort": lambda s: sum(np.sort(s) * weights),
    "max": lambda s: np.max(s) ** 2,
    "min": lambda s: np.min(s) ** 3,
    "prod": lambda s: np.prod(s),
    "norm": lambda s: np.linalg.norm(s),
    "variance": lambda s: np.var(s),
    "reverse": lambda s: sum(s[::-1] * s * weights),
    "shift": lambda s: sum((s[1:] - s[:-1]) ** 4),
    "append": lambda s: sum(np.concatenate([s, s * s]) ** 2),
    "matmul": lambda s: sum((s.reshape(4, 6) @ s.reshape(6, 4)) ** 2),
    "transpose": lambda s: sum(s.reshape(4, 6).T.reshape(24) * weights * s),
    "row_softmax": lambda s: sum(jax.nn.softmax(s.reshape(4, 6), 1).reshape(24) * weights),
    "layer_norm": lambda s: sum(((s.reshape(4, 6) - s.reshape(4, 6).mean(1, keepdims=True)) / np.sqrt(s.reshape(4, 6).var(1, keepdims=True) + 1e-5)).reshape(24) * weights),
    "outer": lambda s: sum(np.outer(s, s) ** 2),
    "bodies": lambda s: sum(1 / np.sqrt((s[:, None] - s[None, :]) ** 2 + 0.1)),
    "convolution": convolved,
    "cholesky": lambda s: sum(np.log(np.diag(np.linalg.cholesky(dominant(s))))),
    "solve": lambda s: sum(np.linalg.solve(dominant(s), s[16:20])),
    "inverse": lambda s: sum(np.linalg.inv(dominant(s))),
    "eigenvalues": lambda s: sum(np.linalg.eigvalsh(dominant(s)) * np.arange(1.0, 5.0)),
    "singular_values": lambda s: sum(np.linalg.svd(s.reshape(4, 6), compute_uv=False) * np.arange(1.0, 5.0)),
    "guarded": lambda s: sum(np.where(s > 0.7, np.sqrt(np.where(s > 0.7, s - 0.7, 1)), 0)),
    "gamma": lambda s: sum(special.gammaln(s) + special.digamma(s)),
    "gamma_p": lambda s: sum(special.gammainc(s, s[::-1])),
    "polygamma": lambda s: sum(special.polygamma(2, s) * 1e-3),
    "erf": lambda s: sum(special.erf(s) * special.ndtr(s)),
    "network": lambda s: sum(np.tanh(s[:16].reshape(4, 4) @ np.tanh(s[:16].reshape(4, 4) @ s[16:20])) * s[20:24]),
}

print("// PROGRAM(name, value, sum of the gradient, weighted sum of the gradient), by jax_values.py with JAX " + jax.__version__)
for name, f in programs.items():
    value, gradient = jax.value_and_grad(f)(x)
    print(f"PROGRAM({name}, {float(value)!r}, {float(sum(gradient))!r}, {float(sum(gradient * weights))!r})")
print("#undef PROGRAM")
