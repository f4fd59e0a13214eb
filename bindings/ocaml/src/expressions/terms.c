/* The first field of every term. OCaml's structural comparison reads it first and raises; without it, it would compare the
 * representations of terms. */
#include <caml/custom.h>
#include <caml/fail.h>
#include <caml/mlvalues.h>

static int refuse(value left, value right) {
  (void)left, (void)right;
  caml_invalid_argument(
      "Warpfold.Expr: an expression has no value that Stdlib's =, <, compare, min or max could compare, expected the functions "
      "of Expr: write Expr.( ) around the function, as in Expr.(fun x -> max x (int 0))");
}

static struct custom_operations guard = {"warpfold.expression",      custom_finalize_default,    refuse,
                                         custom_hash_default,        custom_serialize_default,   custom_deserialize_default,
                                         custom_compare_ext_default, custom_fixed_length_default};

/* Each term has its own guard, since compare treats the same block on both sides as equal without calling refuse. */
value warpfold_term_guard(value unit) {
  (void)unit;
  return caml_alloc_custom(&guard, 0, 0, 1);
}
