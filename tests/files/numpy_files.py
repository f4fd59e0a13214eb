"""Files that NumPy writes, read and written by the library, and read by NumPy. The argument is the program `convert`."""
import itertools
import os
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed (Debian's python3-numpy)\n0 passed, 0 failed, 1 skipped")
    sys.exit(0)

convert = os.path.abspath(sys.argv[1])
passed = failed = 0
SHAPES = [(), (0,), (1,), (17,), (257, 3), (3, 257), (0, 5), (2, 1, 17), (2, 3, 1, 2, 1, 2, 1, 3)]
DTYPES = ["?", "u1", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8", ">i4", ">u8", ">f8"]


def check(what, right):
    global passed, failed
    if right:
        passed += 1
    else:
        failed += 1
        print("FAILED", what)


def converted(before, after, *name):
    result = subprocess.run([convert, before, after, *name], capture_output=True, text=True)
    if result.returncode != 0:
        print(result.stdout, result.stderr)
    return result.returncode == 0


def equal(a, b):
    return a.shape == b.shape and a.dtype == b.dtype.newbyteorder("=") and numpy.array_equal(a, b)


def arrays():
    for dtype, shape, order in itertools.product(DTYPES, SHAPES, "CF"):
        n = int(numpy.prod(shape))
        yield dtype, shape, order, numpy.asarray((numpy.arange(n) * 37 % 101).reshape(shape), dtype=dtype, order=order)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for dtype, shape, order, a in arrays():
        numpy.save("in.npy", a)
        check(f"npy {dtype} {shape} {order}", converted("in.npy", "out.npy") and equal(numpy.load("out.npy"), a))
    a = numpy.arange(12, dtype="<f4").reshape(3, 4)
    for version in (1, 2, 3):
        with open("in.npy", "wb") as file:
            numpy.lib.format.write_array(file, a, version=(version, 0))
        check(f"version {version}", converted("in.npy", "out.npy") and equal(numpy.load("out.npy"), a))
    for save in (numpy.savez, numpy.savez_compressed):
        some = {f"{dtype} {shape} {order}".replace("<", "l").replace(">", "b"): a for dtype, shape, order, a in arrays()}
        save("in.npz", **some)
        for name, a in list(some.items())[::5]:
            done = converted("in.npz", "out.npz", name)
            with numpy.load("out.npz") as file:
                check(f"{save.__name__} {name}", done and file.files == [name] and equal(file[name], a))
    os.chdir("/")
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed else 0)
