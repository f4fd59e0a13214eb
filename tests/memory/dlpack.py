"""Exchanges tensors with Python's array libraries through DLPack: the same memory, the right values, streams in order.

    python3 tests/memory/dlpack.py LIBRARY [CONTEXT]

On the CPU with NumPy; in a context cuda:N with those of PyTorch, CuPy and JAX that are installed.
"""
import ctypes
import gc
import sys

import numpy

library = ctypes.CDLL(sys.argv[1])
python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
USED = b"used_dltensor"  # a name that must live as long as the capsules
F32, CPU, CUDA = 6, 1, 2


def call(name, *arguments):
    if getattr(library, name)(*arguments) != 0:
        message = ctypes.create_string_buffer(1000)
        library.wf_error_message(message, ctypes.c_int64(1000), None)
        raise RuntimeError(name + ": " + message.value.decode())


def created(name, *arguments):
    result = ctypes.c_void_p()
    call(name, *arguments, ctypes.byref(result))
    return result


def adopted(context, tensor, stream):
    """The sequence of a tensor, whose elements are complete after the present work of the stream. -1: they are complete."""
    capsule = tensor.__dlpack__() if stream == -1 else tensor.__dlpack__(stream=-1)
    pointer = python.PyCapsule_GetPointer(capsule, b"dltensor")
    s = created("wf_from_dlpack_stream", context, ctypes.c_void_p(pointer), 0, ctypes.c_int64(stream))
    python.PyCapsule_SetName(capsule, USED)
    return s


class Exported:
    """A sequence as the functions from_dlpack of the array libraries take it."""

    def __init__(self, s, device):
        self.s, self.device = s, device

    def __dlpack__(self, stream=None, **_):
        pointer = created("wf_to_dlpack_stream", self.s, 0, 0, ctypes.c_int64(0 if stream is None else int(stream)))
        return python.PyCapsule_New(pointer, b"dltensor", None)

    def __dlpack_device__(self):
        return self.device


def mapped(text, s):
    f = created("wf_fn_create", text.encode(), None, 0)
    result = created("wf_map", f, (ctypes.c_void_p * 1)(s), 1)
    library.wf_fn_release(f)
    return result


def on_host(s, count):
    values = numpy.empty(count, numpy.float32)
    call("wf_to_host", s, 0, ctypes.c_int64(0), ctypes.c_int64(count), ctypes.c_void_p(values.ctypes.data), F32, ctypes.c_int64(1))
    return values


TWICE = "(fn ((x f32)) (add (mul x 2.0:f32) 1.0:f32))"


def exchange(name, context, device, tensor, expected, stream, pointer_of, import_tensor, to_numpy):
    """tensor: of rank 2, with those elements; import_tensor: the library's from_dlpack."""
    s = adopted(context, tensor, stream)
    pointer = pointer_of(tensor)
    del tensor
    gc.collect()
    twice = mapped(TWICE, s)
    numpy.testing.assert_array_equal(on_host(twice, expected.size), 2 * expected.ravel() + 1)
    again = import_tensor(Exported(s, device))
    assert pointer_of(again) == pointer, "the elements were copied"
    numpy.testing.assert_array_equal(to_numpy(again), expected)
    library.wf_release(s)
    result = import_tensor(Exported(twice, device))
    library.wf_release(twice)
    gc.collect()
    # The tensors outlive the sequences.
    numpy.testing.assert_array_equal(to_numpy(result), 2 * expected + 1)
    numpy.testing.assert_array_equal(to_numpy(again), expected)
    print(name, "passed")


def with_numpy(context):
    expected = numpy.arange(1031 * 517, dtype=numpy.float32).reshape(1031, 517)
    pointer_of = lambda a: a.__array_interface__["data"][0]
    exchange("numpy", context, (CPU, 0), expected.copy(), expected, -1, pointer_of, numpy.from_dlpack, numpy.array)
    # A view with strides is adopted as a view.
    s = adopted(context, expected.T[3:, ::2], -1)
    twice = mapped(TWICE, s)
    result = numpy.from_dlpack(Exported(twice, (CPU, 0)))
    numpy.testing.assert_array_equal(result, 2 * expected.T[3:, ::2] + 1)
    for handle in s, twice:
        library.wf_release(handle)
    print("numpy, strided passed")


def with_torch(context, number):
    import torch

    torch.cuda.set_device(number)
    shape = (2048, 4096)
    expected = numpy.arange(shape[0] * shape[1], dtype=numpy.float32).reshape(shape)
    source = torch.from_numpy(expected).cuda()
    wait = lambda: torch.cuda._sleep(200_000_000)  # about 0.1 s
    for name, stream in ("torch", torch.cuda.default_stream()), ("torch, another stream", torch.cuda.Stream()):
        with torch.cuda.stream(stream):
            tensor = torch.zeros(shape, device="cuda")
            torch.cuda.synchronize()
            wait()  # elements are written long after they are adopted
            tensor += source
            exchange(name, context, (CUDA, number), tensor, expected, stream.cuda_stream, lambda t: t.data_ptr(), torch.from_dlpack,
                     lambda t: t.cpu().numpy())
    with torch.cuda.stream(torch.cuda.Stream()) as _:
        s = adopted(context, source.t(), torch.cuda.current_stream().cuda_stream)
        wait()
        # The reader's work is late: the memory of a released sequence must not be used again before it.
        for _ in range(4):
            twice = mapped(TWICE, s)
            read = torch.from_dlpack(Exported(twice, (CUDA, number)))
            library.wf_release(twice)
            wait()
            copy = read.clone()
            del read
            other = mapped("(fn ((x f32)) (neg x))", s)
            call("wf_force", (ctypes.c_void_p * 1)(other), 1)
            library.wf_release(other)
            numpy.testing.assert_array_equal(copy.cpu().numpy(), 2 * expected.T + 1)
        library.wf_release(s)
    print("torch, late readers passed")


def with_cupy(context, number):
    import cupy

    expected = numpy.arange(1031 * 517, dtype=numpy.float32).reshape(1031, 517)
    with cupy.cuda.Device(number):
        exchange("cupy", context, (CUDA, number), cupy.asarray(expected), expected, 0, lambda t: t.data.ptr, cupy.from_dlpack, cupy.asnumpy)


def with_jax(context, number):
    import jax

    expected = numpy.arange(1031 * 517, dtype=numpy.float32).reshape(1031, 517)
    device = jax.devices("gpu")[number]
    tensor = jax.device_put(expected, device).block_until_ready()
    exchange("jax", context, (CUDA, number), tensor, expected, -1, lambda t: t.unsafe_buffer_pointer(), jax.dlpack.from_dlpack, numpy.asarray)


def main():
    library.wf_release.argtypes = library.wf_fn_release.argtypes = library.wf_context_release.argtypes = [ctypes.c_void_p]
    name = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    context = created("wf_context_create", name.encode())
    if not name.startswith("cuda"):
        with_numpy(context)
    else:
        for test in with_torch, with_cupy, with_jax:
            try:
                test(context, int(name.partition(":")[2] or 0))
            except ModuleNotFoundError as missing:
                print(missing.name, "is not installed")
    library.wf_context_release(context)


main()
