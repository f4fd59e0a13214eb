"""make.py ROOT BUILD OUT: builds the site of the project in OUT/html, from ROOT/docs, the READMEs, the public headers and interfaces, results of the
benchmark and pictures that examples in BUILD draw. Fails for a link to nothing, a page above 500 kB, and anything that a page loads from another host."""
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

import reference

LIMIT = 500_000
LANGUAGES = {"cpp": "C++", "sml": "Standard ML", "ocaml": "OCaml", "lisp": "Common Lisp"}
HIGHLIGHT = {".h": "c", ".c": "c", ".hpp": "cpp", ".cpp": "cpp", ".def": "cpp", ".ml": "ocaml", ".mli": "ocaml", ".sml": "sml", ".sig": "sml", ".lisp": "lisp"}
# Pages of the sources, with their places in the site; other pages of docs have their own names.
PLACES = {
    "docs/start.md": "index.md", "README.md": "overview.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md",
    "bench/RESULTS.md": "results.md", "packaging/README.md": "packages.md", "bindings/sml/README.md": "languages/sml.md", "bindings/ocaml/README.md": "languages/ocaml.md",
    "bindings/lisp/README.md": "languages/lisp.md",
}
OTHERS = {"thrust": "Thrust", "parlaylib": "ParlayLib", "eigen": "Eigen", "numpy": "NumPy", "jax": "JAX", "15-210": "15-210", "mgl-mat": "MGL-MAT", "owl": "Owl"}


def navigation(references):
    def entry(title, page):
        return {title: [entry(*each) for each in page] if isinstance(page, list) else page}
    return [entry(*each) for each in [
        ("Start", [("Start", "index.md"), ("Overview", "overview.md"), ("Pictures", "pictures.md")]),
        ("Tutorial", "tutorial.md"),
        ("Coming from", [(title, f"coming-from/{name}.md") for name, title in OTHERS.items()]),
        ("Guides", [("What costs what", "costs.md"), ("Arrays", "arrays.md"), ("Gradients", "gradients.md"), ("Errors", "errors.md"),
                    ("Meaning of operations", "semantics.md"), ("Operations", "operations.md"), ("Passes of each function", "passes.md"),
                    ("Written form", "written-form.md"), ("Environment variables", "environment.md")]),
        ("Languages", [("Standard ML", "languages/sml.md"), ("OCaml", "languages/ocaml.md"), ("Common Lisp", "languages/lisp.md")]),
        ("Reference", references),
        ("Performance", [("Report", "report.md"), ("Results", "results.md")] +
         [(path.stem.replace("_", " "), f"results/{path.name}") for path in sorted((root / "bench/results").glob("*.md"))]),
        ("Design", [("How it works", "design.md")] + [(path.stem, f"design/{path.name}") for path in sorted((root / "docs/design").glob("*.md"))] +
         [("Contributing", "contributing.md"), ("Packages", "packages.md"), ("Changelog", "changelog.md")]),
    ]]


class Stage:
    """Writes the pages, with links that lead within the site."""

    def __init__(self, places):
        self.places, self.sources, self.faults = places, {}, []

    def target(self, link, source, place):
        """The link of a page `source` that will be at `place`; None if only its text remains."""
        path, _, anchor = link.partition("#")
        if re.match(r"\w+:", link) or not path:
            return link
        name = os.path.normpath(os.path.join(os.path.dirname(source), path))
        file = root / name
        if not file.exists():
            self.faults.append(f"{source} links to {link}, which does not exist")
            return None
        if file.is_dir():
            if f"{name}/README.md" not in self.places:
                return None
            name += "/README.md"
        if file.suffix == ".svg":
            self.write(name, file.read_text())
            return os.path.relpath(name, os.path.dirname(place))
        if name not in self.places:
            self.places[name] = self.sources[name] = f"sources/{name}.md"
        found, _, inner = self.places[name].partition("#")
        return os.path.relpath(found, os.path.dirname(place)) + ("#" + (inner or anchor) if inner or anchor else "")

    def text(self, text, source, place):
        def link(match):
            target = self.target(match[2], source, place)
            return match[1] if target is None else f"[{match[1]}]({target})"
        blocks = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
        return "".join(block if k % 2 else re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])+)\]\(([^)\s]+)\)", link, lists(block)) for k, block in enumerate(blocks))

    def write(self, place, text):
        path = pages / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def write_sources(self):
        """Files that pages link to, as pages that the search leaves out."""
        for name, place in self.sources.items():
            fence = HIGHLIGHT.get(pathlib.Path(name).suffix, "text")
            self.write(place, f"---\nsearch: {{exclude: true}}\nhide: [navigation, toc]\n---\n# {name}\n\n````{fence}\n{(root / name).read_text().rstrip()}\n````\n")


def lists(text):
    """Python-Markdown needs a blank line before a list, and four spaces in a nested one."""
    text = re.sub(r"^(?!\s*[-*] |\s*$|\||#|    )(.*)\n(?=- )", r"\1\n\n", text, flags=re.M)
    return re.sub(r"^  (?=- )", "    ", text, flags=re.M)


def tabs(text):
    """Adjacent blocks in several languages become tabs; a block of text belongs to the one before it."""
    def tabbed(match):
        blocks = re.findall(r"```(\w+)\n(.*?)^```$", match[0], flags=re.M | re.S)
        out = []
        for name, block in blocks:
            if name in LANGUAGES:
                out.append(f'=== "{LANGUAGES[name]}"\n')
            out.append("\n".join("    " + line if line else "" for line in f"```{name}\n{block}```".split("\n")) + "\n")
        return "\n".join(out) + "\n"
    fence = r"^```(?:cpp|sml|ocaml|lisp|text)\n(?:(?!```).*\n)*?```\n"
    return re.sub(rf"{fence}(?:{fence[1:]})+", tabbed, text, flags=re.M)


class Page(html.parser.HTMLParser):
    """What a page links to, loads, and can be linked to."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors |= {attributes.get("id"), attributes.get("name")}
        if tag in ("script", "img", "iframe", "source") or (tag == "link" and attributes.get("rel") in ("stylesheet", "icon", "preload", "preconnect", "prefetch")):
            self.loads.append(attributes.get("src") or attributes.get("href"))
        elif tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])


def check(site):
    """The faults of the site that was built."""
    faults, parsed = [], {path: Page(path.read_text()) for path in site.rglob("*.html")}
    for path, page in parsed.items():
        name = path.relative_to(site)
        if path.stat().st_size > LIMIT:
            faults.append(f"{name} has {path.stat().st_size} bytes, expected at most {LIMIT}")
        for link in [*page.links, *filter(None, page.loads)]:
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                faults += [f"{name} loads {link}"] * (link in page.loads and url.scheme != "data")
                continue
            if str(name) == "404.html":
                continue
            target = path if not url.path else (path.parent / urllib.parse.unquote(url.path)).resolve()
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                faults.append(f"{name} links to {link}, which does not exist")
            elif url.fragment and target in parsed and urllib.parse.unquote(url.fragment) not in parsed[target].anchors:
                faults.append(f"{name} links to {link}, but that page has no such anchor")
    return faults


root, build, out = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
pages = out / "pages"
shutil.rmtree(pages, ignore_errors=True)
places = {f"docs/{path.relative_to(root / 'docs')}": str(path.relative_to(root / "docs")) for path in (root / "docs").rglob("*.md")} | PLACES
places |= {f"bench/results/{path.name}": f"results/{path.name}" for path in (root / "bench/results").glob("*.md")}
texts, of_files, references = reference.pages(root, build / "libwarpfold.so")
stage = Stage(places | of_files)
subprocess.run([sys.executable, root / "docs/site/pictures.py", root, build, pages], check=True)
gallery = (pages / "gallery.md").read_text()
(pages / "gallery.md").unlink()
for source, place in list(places.items()):
    text = (root / source).read_text().replace("<!-- pictures -->", gallery)
    stage.write(place, tabs(stage.text(text, source, place)))
stage.write("pictures.md", stage.text((pages / "pictures.md").read_text(), "docs/pictures.md", "pictures.md"))
for place, text in texts.items():
    stage.write(place, text)
report = [sys.executable, root / "bench/report.py", *sorted((root / "bench/results").glob("*.json"))]
stage.write("report.md", subprocess.run(report, check=True, capture_output=True, text=True).stdout)
stage.write_sources()
shutil.copytree(root / "docs/site/assets", pages / "assets", dirs_exist_ok=True)
if stage.faults:
    sys.exit("\n".join(stage.faults))

import yaml  # MkDocs's  # noqa: E402

settings = yaml.safe_load((root / "docs/site/mkdocs.yml").read_text()) | {"nav": navigation(references)}
(out / "mkdocs.yml").write_text(yaml.safe_dump(settings, sort_keys=False))
mkdocs = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--clean", "--config-file", out / "mkdocs.yml"]
subprocess.run(mkdocs, check=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
faults = check(out / "html")
for fault in faults:
    print("FAILED", fault)
print(f"{sum(1 for _ in (out / 'html').rglob('*.html'))} pages, {len(faults)} faults; {out / 'html/index.html'}")
sys.exit(1 if faults else 0)
