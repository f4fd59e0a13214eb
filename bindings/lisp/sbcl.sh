# Sourced by the scripts of this folder: lisp SYSTEM EXPRESSION [ARGUMENT...] loads a system and evaluates an expression. Compiled
# files are written to _build, or to a temporary folder if the checkout is read-only.
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
if mkdir -p "$here/_build" 2>/dev/null && [ -w "$here/_build" ]; then
  export XDG_CACHE_HOME=$here/_build
else
  XDG_CACHE_HOME=$(mktemp -d)
  export XDG_CACHE_HOME
  trap 'rm -rf "$XDG_CACHE_HOME"' EXIT
fi

lisp() {
  local system=$1 expression=$2
  shift 2
  sbcl --noinform --no-sysinit --no-userinit --disable-debugger --load "$here/load.lisp" \
    --eval "(load-quietly \"$system\")" --eval "$expression" --end-toplevel-options "$@" </dev/null
}
