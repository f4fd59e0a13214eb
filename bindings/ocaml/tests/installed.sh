#!/usr/bin/env bash
# Tests that a program outside the checkout can use the installed package. `installed.sh CHECKOUT BUILD` tests
# - `meson install` into a staged root (DESTDIR), which the program searches by the usual variables,
# - dune alone into a separate prefix; only pkg-config knows the library there.
set -euo pipefail
checkout=$1 build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LIBRARY_PATH LD_LIBRARY_PATH OCAMLPATH PKG_CONFIG_PATH WARPFOLD_LIBRARY DUNE_SOURCEROOT INSIDE_DUNE

# Builds and runs the program of the README in the folder $1.
program() {
  mkdir "$1"
  cp "$work/parens.ml" "$1/"
  echo '(lang dune 2.9)' >"$1/dune-project"
  echo '(executable (name parens) (libraries warpfold))' >"$1/dune"
  (cd "$1" && dune build --root . ./parens.exe 2>&1 && _build/default/parens.exe)
}
awk '/^```ocaml$/ {inside = 1; next} /^```$/ {if (inside) exit} inside' "$checkout/bindings/ocaml/README.md" >"$work/parens.ml"
prefix=$(meson introspect --buildoptions "$build" | python3 -c '
import json, sys
options = {o["name"]: o["value"] for o in json.load(sys.stdin)}
print(options["prefix"], options["libdir"])')
read -r prefix libdir <<<"$prefix"

echo "meson install"
meson install -C "$build" --no-rebuild --destdir "$work/root" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
staged=$work/root$prefix
grep -q -- "-L$prefix/$libdir" <(ocamlobjinfo "$staged"/lib/ocaml/*/warpfold/warpfold.cmxa)
(
  export OCAMLPATH=$(echo "$staged"/lib/ocaml/*) LIBRARY_PATH=$staged/$libdir LD_LIBRARY_PATH=$staged/$libdir
  [ "$(program "$work/with_meson")" = "they match" ]
)

echo "dune install, with pkg-config"
own=$work/own
mkdir -p "$own/lib/pkgconfig"
cp -r "$staged/include" "$own/"
cp -a "$staged/$libdir"/libwarpfold.so* "$own/lib/"
sed "s,^prefix=.*,prefix=$own,; s,^libdir=.*,libdir=\${prefix}/lib," "$staged/$libdir/pkgconfig/warpfold.pc" >"$own/lib/pkgconfig/warpfold.pc"
mkdir "$work/sources"
(cd "$checkout/bindings/ocaml" && cp -r dune-project warpfold.opam raw src top "$work/sources/")
(
  cd "$work/sources"
  if dune build -p warpfold 2>"$work/log"; then echo "a missing library was not noticed"; exit 1; fi
  grep -q "WARPFOLD_LIBRARY" "$work/log"
  grep -q "PKG_CONFIG_PATH is not set" "$work/log"
  mkdir "$work/broken" && echo "no library" >"$work/broken/libwarpfold.so"
  if WARPFOLD_LIBRARY=$work/broken/libwarpfold.so dune build -p warpfold 2>"$work/log"; then echo "a broken library was not noticed"; exit 1; fi
  grep -q "no program can be linked with -L$work/broken" "$work/log"
  export PKG_CONFIG_PATH=$own/lib/pkgconfig
  dune build -p warpfold 2>&1
  dune install --root . --prefix "$own" warpfold 2>/dev/null
)
[ "$(OCAMLPATH=$own/lib program "$work/with_dune")" = "they match" ]
echo "both work"
