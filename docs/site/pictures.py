"""pictures.py ROOT BUILD PAGES: examples draw their pictures into PAGES/pictures, and PAGES/pictures.md shows them."""
import pathlib
import random
import subprocess
import sys

root, build, pages = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
sys.path.insert(0, str(root / "tests/cpp"))
from pictures import grey_png, read_png  # noqa: E402

folder = pages / "pictures"
folder.mkdir(parents=True, exist_ok=True)


def run(name, *words):
    subprocess.run([build / "examples" / name, *map(str, words)], check=True, capture_output=True, cwd=folder)


def make():
    run("mandelbrot", "mandelbrot.png", 900, 600)
    width, height, channels, pixels = read_png(folder / "mandelbrot.png")
    dim = [60 + pixels[k] // 4 for k in range(0, width * height * channels, channels)]
    (folder / "dim.png").write_bytes(grey_png(width, height, dim))
    run("equalize", "dim.png", "equalize.png")
    run("edges", "equalize.png", "edges.png")
    run("heat", 300, 4000, "heat.png")
    draw = random.Random(15210)
    centres = [(draw.random(), draw.random()) for _ in range(12)]
    points = [(draw.gauss(x, 0.05), draw.gauss(y, 0.05)) for x, y in centres for _ in range(150)]
    draw.shuffle(points)
    (folder / "points.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in points))
    run("k_means", "points.csv", 12, "k_means.png")
    run("digits", "all.png")
    width, height, channels, pixels = read_png(folder / "all.png")
    (folder / "digits.png").write_bytes(grey_png(150, 4 * (height + 1), b"".join(
        (pixels[(y % 8) * width + 150 * (y // 8):][:150] if y % 8 < 7 else bytes(150)) for y in range(32))))
    for name in "dim.png", "all.png", "points.csv":
        (folder / name).unlink()


SHOWN = {
    "mandelbrot": ("examples/pictures/mandelbrot.cpp", "The Mandelbrot set: a loop in each element, which ends when the point leaves the circle."),
    "edges": ("examples/arrays/edges.cpp", "Edges: a blur of 5 x 5 pixels, and the magnitude of Sobel's gradient."),
    "heat": ("examples/arrays/heat.cpp", "Heat spreads in a plate: 4000 steps, each one kernel; translations are views."),
    "k_means": ("examples/geometry/k_means.cpp", "k-means of 1800 points: a reduction over the centres inside a map, histograms and scatters."),
    "equalize": ("examples/pictures/equalize.cpp", "A dim picture after histogram equalization: a histogram, a scan, and a lookup per pixel."),
    "digits": ("examples/arrays/digits.cpp", "Noisy digits, as a network of two layers reads them."),
}
make()
figures = [f'<figure markdown>\n<img src="pictures/{name}.png" alt="{name}">\n<figcaption markdown>{text} [Source](../{source})</figcaption>\n</figure>\n'
           for name, (source, text) in SHOWN.items()]
for page, shown in ("pictures", figures), ("gallery", figures[:3]):
    (pages / f"{page}.md").write_text("# Pictures\n\nThe build of this site ran the examples that drew these pictures.\n\n" * (page == "pictures") +
                                      '<div class="gallery" markdown>\n\n' + "\n".join(shown) + "\n</div>\n")
