/* Wrong types, counts, sizes and ranges, and their error messages. */
#include "helpers.h"

static wf_context* context;
static wf_seq* s;     /* 1, 2, 3 */
static wf_seq* pairs; /* s zipped with itself */
static wf_fn* twice;
static wf_fn* sum;
static wf_seq* r;

static void set_up(void) {
  static const int32_t values[] = {1, 2, 3};
  context = tested();
  s = i32s(context, 3, values);
  wf_seq* two[] = {s, s};
  OK(wf_zip(two, 2, &pairs));
  twice = function("(fn ((x i32)) (mul x 2:i32))");
  sum = function("(fn ((a i32) (b i32)) (add a b))");
}

static void tear_down(void) {
  wf_release(s);
  wf_release(pairs);
  wf_fn_release(twice);
  wf_fn_release(sum);
  wf_context_release(context);
}

TestSuite(types_and_sizes, .init = set_up, .fini = tear_down);

#define NOTHING(code, part, call)       \
  do {                                  \
    r = s;                              \
    GIVES_NOTHING(code, part, r, call); \
  } while (0)

Test(types_and_sizes, names_of_types) {
  static const char* const names[] = {"bool", "u8", "i32", "u32", "i64", "u64", "f32", "f64"};
  static const int sizes[] = {1, 1, 4, 4, 8, 8, 4, 8};
  for (int32_t k = 0; k < 8; k++) {
    int32_t type = -1;
    cr_assert_str_eq(wf_type_name(k), names[k]);
    cr_assert_eq(wf_type_size(k), sizes[k]);
    OK(wf_type_of_name(names[k], &type));
    cr_assert_eq(type, k);
  }
  int32_t type = 55;
  cr_assert_null(wf_type_name(8));
  cr_assert_null(wf_type_name(-1));
  cr_assert_eq(wf_type_size(8), 0);
  FAILS(WF_ERROR_TYPE, "\"i31\"", wf_type_of_name("i31", &type));
  FAILS(WF_ERROR_TYPE, "expected bool", wf_type_of_name("", &type));
  cr_assert_eq(type, 55);
}

Test(types_and_sizes, functions_without_results) {
  wf_fn* none = function("(fn ((x i32)) (tuple))");
  wf_fn* of_index = function("(fn ((i i64)) (tuple))");
  wf_fn* of_two = function("(fn ((x i32) (y i32)) (tuple))");
  NOTHING(WF_ERROR_TYPE, "wf_map: f is (i32) -> (), a function without results; expected at least one", wf_map(none, &s, 1, &r));
  NOTHING(WF_ERROR_TYPE, "(i32, i32) -> ()", wf_map(of_two, &pairs, 1, &r));
  NOTHING(WF_ERROR_TYPE, "wf_tabulate: f is (i64) -> ()", wf_tabulate(context, of_index, 5, &r));
  NOTHING(WF_ERROR_TYPE, "wf_filter: f is (i32) -> ()", wf_filter(none, s, &r));
  NOTHING(WF_ERROR_TYPE, "wf_reduce: f is (i32, i32) -> ()", wf_reduce(of_two, "0:i32", s, &r));
  wf_seq* total;
  NOTHING(WF_ERROR_TYPE, "wf_scan: f is (i32, i32) -> ()", wf_scan(of_two, "0:i32", s, 1, &r, &total));
  NOTHING(WF_ERROR_ARGUMENT, "sequences", wf_zip(&s, 0, &r));
  NOTHING(WF_ERROR_ARGUMENT, "sequences", wf_append(&s, 0, &r));
  wf_fn* loop;
  FAILS(WF_ERROR_TYPE, "loop: it has no variables; expected at least one",
        wf_fn_create("(fn ((x i32)) (let ((() (loop () (gt x 0:i32) (tuple)))) x))", NULL, 0, &loop));
  wf_fn_release(none);
  wf_fn_release(of_index);
  wf_fn_release(of_two);
}

Test(types_and_sizes, names_of_operations) {
  int n = 0;
  while (wf_op_name(n)) {
    size_t length = strlen(wf_op_name(n));
    cr_assert(strncmp(wf_op_signature(n), wf_op_name(n), length) == 0 && wf_op_signature(n)[length] == ' ');
    n++;
  }
  cr_assert_geq(n, 50);
  cr_assert_null(wf_op_signature(n));
  cr_assert_null(wf_op_name(-1));
  cr_assert_null(wf_op_signature(-1));
  cr_assert_str_eq(wf_op_signature(0), "add 2 Num Same");
}

Test(types_and_sizes, no_such_type) {
  int32_t x = 1, types[] = {WF_I32, 9};
  wf_fn* f;
  FAILS(WF_ERROR_TYPE, "type is 8", wf_from_host(context, 8, &x, 1, &r));
  FAILS(WF_ERROR_TYPE, "type is -1", wf_from_host_strided(context, -1, &x, WF_I32, 1, 1, &r));
  FAILS(WF_ERROR_TYPE, "data_type is 99", wf_from_host_strided(context, WF_I32, &x, 99, 1, 1, &r));
  FAILS(WF_ERROR_TYPE, "type is 8", wf_adopt(context, 8, &x, 1, NULL, NULL, &r));
  void* memory;
  FAILS(WF_ERROR_TYPE, "type is 8", wf_allocate(context, 8, 1, &memory, &r));
  FAILS(WF_ERROR_TYPE, "type is 8", wf_scalar(context, 8, &x, &r));
  FAILS(WF_ERROR_TYPE, "type is 8", wf_from_file(context, 8, "/dev/null", &r));
  FAILS(WF_ERROR_TYPE, "data_type is 8", wf_to_host(s, 0, 0, 1, &x, 8, 1));
  FAILS(WF_ERROR_TYPE, "param_types[1] is 9", wf_fn_foreign("f", (void*)abs, types, 2, WF_I32, &f));
  FAILS(WF_ERROR_TYPE, "result_type is -3", wf_fn_foreign("f", (void*)abs, types, 1, -3, &f));
  FAILS(WF_ERROR_ARGUMENT, "at least 1", wf_fn_foreign("f", (void*)abs, types, 0, WF_I32, &f));
}

Test(types_and_sizes, functions_that_do_not_fit) {
  wf_seq* two[] = {s, s};
  wf_fn* f = function("(fn ((x f32)) x)");
  NOTHING(WF_ERROR_TYPE, "wf_map: f is (f32) -> (f32); expected 1 parameter (i32)", wf_map(f, &s, 1, &r));
  NOTHING(WF_ERROR_TYPE, "2 parameters (i32, i32)", wf_map(twice, two, 2, &r));
  NOTHING(WF_ERROR_TYPE, "2 parameters (i32, i32)", wf_map(twice, &pairs, 1, &r));
  NOTHING(WF_ERROR_TYPE, "1 parameter (i64)", wf_tabulate(context, twice, 3, &r));
  NOTHING(WF_ERROR_TYPE, "expected one result of type bool", wf_filter(twice, s, &r));
  NOTHING(WF_ERROR_TYPE, "(i32, i32) -> (i32)", wf_reduce(twice, "0:i32", s, &r));
  NOTHING(WF_ERROR_TYPE, "(i32, i32, i32, i32) -> (i32, i32)", wf_reduce(sum, "(tuple 0:i32 0:i32)", pairs, &r));
  NOTHING(WF_ERROR_TYPE, "(i32, i32) -> (i32)", wf_scan(twice, "0:i32", s, 0, &r, NULL));
  wf_fn_release(f);
}

Test(types_and_sizes, functions_that_are_not_associative) {
  static const char* const texts[] = {"(fn ((a i32) (b i32)) (sub a b))", "(fn ((a i32) (b i32)) (sub b a))",
                                      "(fn ((a i32) (b i32)) (div a b))", "(fn ((a i32) (b i32)) (shr a (mul b 1:i32)))",
                                      "(fn ((a i32) (b i32)) (rem a b))"};
  const int64_t ends[] = {0, 2, 3};
  const int32_t axis = 0;
  wf_seq *offsets, *prefixes, *totals;
  OK(wf_from_host(context, WF_I64, ends, 3, &offsets));
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    wf_fn* f = function(texts[k]);
    NOTHING(WF_ERROR_ARGUMENT, "which is not associative; expected an associative function, or iterate", wf_reduce(f, "0:i32", s, &r));
    NOTHING(WF_ERROR_ARGUMENT, "not associative", wf_scan(f, "0:i32", s, 0, &r, NULL));
    NOTHING(WF_ERROR_ARGUMENT, "not associative", wf_scan(f, "0:i32", s, 1, NULL, &r));
    NOTHING(WF_ERROR_ARGUMENT, "not associative", wf_reduce_axis(f, "0:i32", s, &axis, 1, 0, &r));
    FAILS(WF_ERROR_ARGUMENT, "not associative", wf_scan_axis(f, "0:i32", s, 0, 0, &prefixes, &totals));
    NOTHING(WF_ERROR_ARGUMENT, "not associative", wf_segment_reduce(f, "0:i32", s, offsets, &r));
    NOTHING(WF_ERROR_ARGUMENT, "not associative", wf_segment_scan(f, "0:i32", s, offsets, 0, &r, NULL));
    OK(wf_iterate(f, "0:i32", s, &r));
    wf_release(r), wf_fn_release(f);
  }
  wf_fn* second = function("(fn ((a i32) (b i32) (c i32) (d i32)) (tuple (add a c) (sub b d)))");
  NOTHING(WF_ERROR_ARGUMENT, "f applies sub", wf_reduce(second, "(tuple 0:i32 0:i32)", pairs, &r));
  wf_fn* none = second;
  FAILS(WF_ERROR_TYPE, "fold: the function applies sub, which is not associative",
        wf_fn_create("(fn ((n i64)) (fold ((a i64) (b i64)) (sub a b) 0:i64 ((j n)) j))", NULL, 0, &none));
  wf_fn_release(second), wf_release(offsets);
}

Test(types_and_sizes, identities) {
  wf_fn* minus = function("(fn ((a i32) (b i32)) (sub a b))");
  wf_fn* both = function("(fn ((a i32) (b i32) (c i32) (d i32)) (tuple (add a c) (add b d)))");
  NOTHING(WF_ERROR_ARGUMENT, "no identity is given", wf_reduce(minus, NULL, s, &r));
  NOTHING(WF_ERROR_ARGUMENT, "no identity is given", wf_reduce(both, NULL, pairs, &r));
  NOTHING(WF_ERROR_COMPILE, "", wf_reduce(sum, "zero", s, &r));
  NOTHING(WF_ERROR_COMPILE, "", wf_reduce(sum, "", s, &r));
  r = s;
  cr_assert_neq(wf_reduce(sum, "(tuple 0:i32 0:i32)", s, &r), WF_OK);
  cr_assert_null(r);
  OK(wf_reduce(both, "(tuple 0:i32 0:i32)", pairs, &r));
  wf_release(r);
  OK(wf_reduce(sum, NULL, s, &r));
  wf_release(r);
  wf_fn_release(minus);
  wf_fn_release(both);
}

Test(types_and_sizes, texts_that_do_not_parse) {
  static const char* const texts[] = {"",
                                      "(",
                                      "(fn",
                                      "fn",
                                      "(fn ())",
                                      "(fn ((x i32)) y)",
                                      "(fn ((x i31)) x)",
                                      "(fn ((x i32)) (plus x x))",
                                      "(fn ((x i32)) (add x))",
                                      "(fn ((x i32)) x) x",
                                      "(fn ((x i32)) (at $0 0:i64))",
                                      "(fn ((x i32)) 12)",
                                      "(fn ((x i32)) 99999999999:i32)",
                                      "\xff\xfe",
                                      "(fn ((x i32)) (let ((y x) y)))",
                                      "(fn ((x i32)) (fold))",
                                      "(fn ((x i32)) (fold () 0:i32 0:i32 ((j x)) x))",
                                      "(fn ((x i32)) (fold ((a i32)) a 0:i32 ((j x)) x))",
                                      "(fn ((x i32)) (fold ((a i32) (b i32)) (tuple a b) 0:i32 ((j x)) x))",
                                      "(fn ((x i32)) (fold ((a i32) (b f32)) (add a b) 0:i32 ((j x)) x))",
                                      "(fn ((x i32)) (fold ((a i32) (b i32)) (add a b) 0:f32 ((j x)) x))",
                                      "(fn ((x i32)) (fold ((a i32) (b i32)) (add a b) x ((j x)) x))",
                                      "(fn ((x i32)) (fold ((a i32) (b i32)) (add a x) 0:i32 ((j x)) x))",
                                      "(fn ((x i32)) (fold ((a i32) (b i32)) (add a b) 0:i32 ((j 1.5:f32)) x))",
                                      "(fn ((x i32)) (fold ((a i32) (b i32)) (add a b) 0:i32 ((j true false)) x))",
                                      "(fn ((x i32)) (fold ((a i32) (b i32)) (add a b) 0:i32 ((j x)) j))",
                                      "(fn ((x i32)) (fold ((a i32) (b i32)) (add a b) 0:i32 ((j x)) (tuple x x)))",
                                      "(fn ((x i32)) (fold ((a i32) (b i32)) (add a b) 0:i32 ((j x)) (at $0 j)))",
                                      "(fn ((x i32)) (fold ((a i32) (b i32)) (add a b) 0:i32 ((j x)) x)"};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    wf_fn* f = twice;
    int32_t code = wf_fn_create(texts[k], NULL, 0, &f);
    cr_assert(code == WF_ERROR_COMPILE || code == WF_ERROR_TYPE, "%s gave %d", texts[k], (int)code);
    cr_assert_null(f);
  }
  wf_fn* f;
  FAILS(WF_ERROR_COMPILE, "2", wf_fn_create("(fn ((x i32))\n  (plus x x))", NULL, 0, &f));
  FAILS(WF_ERROR_TYPE, "f32", wf_fn_create("(fn ((x f32)) (shl x x))", NULL, 0, &f));
  FAILS(WF_ERROR_TYPE, "a fold's count has type f32; expected an integer",
        wf_fn_create("(fn ((x f32)) (fold ((a f32) (b f32)) (add a b) 0:f32 ((j x)) x))", NULL, 0, &f));
  FAILS(WF_ERROR_TYPE, "the function has 1 parameter", wf_fn_create("(fn ((x f32)) (fold ((a f32)) a 0:f32 ((j 1:i32)) x))", NULL, 0, &f));
}

Test(types_and_sizes, deep_and_long_texts) {
  size_t depth = 200000;
  char* text = malloc(depth * 10 + 100);
  char* end = text + sprintf(text, "(fn ((x i32)) ");
  for (size_t k = 0; k < depth; k++) end += sprintf(end, "(neg ");
  end += sprintf(end, "x");
  for (size_t k = 0; k < depth; k++) *end++ = ')';
  sprintf(end, ")");
  wf_fn* f = NULL;
  int32_t code = wf_fn_create(text, NULL, 0, &f);
  cr_assert(code == WF_OK || code == WF_ERROR_COMPILE, "%d: %s", (int)code, message());
  wf_fn_release(f);
  free(text);
}

Test(types_and_sizes, lengths) {
  int32_t x[2] = {1, 2};
  wf_seq* t = i32s(context, 2, x);
  wf_seq* two[] = {s, t};
  NOTHING(WF_ERROR_SIZE, "wf_map: the 2nd sequence has length 2 but the 1st sequence has length 3", wf_map(sum, two, 2, &r));
  NOTHING(WF_ERROR_SIZE, "length 2", wf_zip(two, 2, &r));
  NOTHING(WF_ERROR_SIZE, "-1", wf_from_host(context, WF_I32, x, -1, &r));
  NOTHING(WF_ERROR_SIZE, "-5", wf_from_host_strided(context, WF_I32, x, WF_I32, -5, 1, &r));
  NOTHING(WF_ERROR_SIZE, "-1", wf_adopt(context, WF_I32, x, -1, NULL, NULL, &r));
  void* memory;
  GIVES_NOTHING(WF_ERROR_SIZE, "-1", memory, wf_allocate(context, WF_I32, -1, &memory, &r));
  NOTHING(WF_ERROR_SIZE, "-1", wf_allocate(context, WF_I32, -1, &memory, &r));
  wf_fn* f = function("(fn ((i i64)) i)");
  NOTHING(WF_ERROR_SIZE, "-1", wf_tabulate(context, f, -1, &r));
  FAILS(WF_ERROR_SIZE, "-1", wf_to_host(s, 0, 0, -1, x, WF_I32, 1));
  wf_fn_release(f);
  wf_release(t);
}

Test(types_and_sizes, overflow) {
  int32_t x = 1;
  wf_fn* f = function("(fn ((i i64)) i)");
  NOTHING(WF_ERROR_SIZE, "overflow", wf_tabulate(context, f, INT64_MAX, &r));
  NOTHING(WF_ERROR_SIZE, "overflow", wf_tabulate(context, f, INT64_MAX / 8 + 1, &r));
  NOTHING(WF_ERROR_SIZE, "overflow", wf_from_host(context, WF_I32, &x, INT64_MAX / 2, &r));
  NOTHING(WF_ERROR_MEMORY, "exhausted", wf_from_host(context, WF_I32, &x, INT64_MAX / 4, &r));
  NOTHING(WF_ERROR_SIZE, "overflow", wf_from_host_strided(context, WF_I32, &x, WF_I32, 2, INT64_MAX / 2, &r));
  NOTHING(WF_ERROR_SIZE, "overflow", wf_from_host_strided(context, WF_I32, &x, WF_I32, 2, INT64_MIN, &r));
  NOTHING(WF_ERROR_SIZE, "overflow", wf_adopt(context, WF_F64, &x, INT64_MAX, NULL, NULL, &r));
  void* memory;
  NOTHING(WF_ERROR_SIZE, "overflow", wf_allocate(context, WF_I32, INT64_MAX / 2, &memory, &r));
  NOTHING(WF_ERROR_MEMORY, "exhausted", wf_allocate(context, WF_I32, INT64_MAX / 8, &memory, &r));
  FAILS(WF_ERROR_SIZE, "overflow", wf_to_host(s, 0, 0, 2, &x, WF_I32, INT64_MAX / 4));
  FAILS(WF_ERROR_SIZE, "overflow", wf_to_host(s, 0, 0, INT64_MAX, &x, WF_I32, 1));
  FAILS(WF_ERROR_RANGE, "length 3", wf_to_host(s, 0, 0, INT64_MAX / 8, &x, WF_I32, 1));
  OK(wf_tabulate(context, f, (int64_t)1 << 45, &r)); /* 256 TiB: valid until it has to be stored */
  FAILS(WF_ERROR_MEMORY, "exhausted", wf_force(&r, 1));
  wf_release(r);
  wf_fn_release(f);
}

Test(types_and_sizes, ranges) {
  int32_t x, columns[] = {0, 2};
  const void* data;
  void* tensor;
  FAILS(WF_ERROR_RANGE, "column is 2, but s has 2 columns", wf_column_type(pairs, 2, &x));
  FAILS(WF_ERROR_RANGE, "column is -1", wf_column_type(s, -1, &x));
  NOTHING(WF_ERROR_RANGE, "the 2nd column is 2", wf_columns(pairs, columns, 2, &r));
  FAILS(WF_ERROR_RANGE, "column is 1", wf_to_host(s, 1, 0, 1, &x, WF_I32, 1));
  FAILS(WF_ERROR_RANGE, "column is 1", wf_data(s, 1, &data, NULL));
  FAILS(WF_ERROR_RANGE, "column is 1", wf_to_dlpack(s, 1, &tensor));
  FAILS(WF_ERROR_RANGE, "start is 2 and count is 2, but s has length 3", wf_to_host(s, 0, 2, 2, &x, WF_I32, 1));
  FAILS(WF_ERROR_RANGE, "start is -1", wf_to_host(s, 0, -1, 1, &x, WF_I32, 1));
  FAILS(WF_ERROR_RANGE, "start is 4", wf_to_host(s, 0, 4, 0, &x, WF_I32, 1));
  NOTHING(WF_ERROR_RANGE, "i is 3, but s has length 3; expected 0 to 2", wf_nth(s, 3, &r));
  NOTHING(WF_ERROR_RANGE, "i is -1", wf_nth(s, -1, &r));
  NOTHING(WF_ERROR_RANGE, "start is 2 and length is 2, but s has length 3", wf_subseq(s, 2, 2, &r));
  NOTHING(WF_ERROR_RANGE, "start is -1", wf_subseq(s, -1, 1, &r));
  NOTHING(WF_ERROR_RANGE, "length is -1", wf_subseq(s, 1, -1, &r));
  NOTHING(WF_ERROR_RANGE, "start", wf_subseq(s, INT64_MAX, INT64_MAX, &r));
  NOTHING(WF_ERROR_RANGE, "n is 4, but s has length 3; expected 0 to 3", wf_take(s, 4, &r));
  NOTHING(WF_ERROR_RANGE, "n is -1", wf_take(s, -1, &r));
  NOTHING(WF_ERROR_RANGE, "n is 4, but s has length 3; expected 0 to 3", wf_drop(s, 4, &r));
  NOTHING(WF_ERROR_RANGE, "n is -1", wf_drop(s, -1, &r));
  FAILS(WF_ERROR_RANGE, "k is 1", wf_fn_param_type(twice, 1, &x));
  FAILS(WF_ERROR_RANGE, "k is -1", wf_fn_result_type(twice, -1, &x));
  FAILS(WF_ERROR_SIZE, "-2", wf_context_set_limit(context, -2));
  FAILS(WF_ERROR_SIZE, "-1", wf_context_fail_allocation(context, -1));
}

Test(types_and_sizes, scalars_are_no_sequences) {
  wf_seq* scalar;
  OK(wf_nth(s, 0, &scalar));
  wf_seq* two[] = {s, scalar};
  wf_fn* positive = function("(fn ((x i32)) (gt x 0:i32))");
  NOTHING(WF_ERROR_SIZE, "rank 0", wf_zip(two, 2, &r));
  NOTHING(WF_ERROR_SIZE, "rank 0", wf_append(two, 2, &r));
  NOTHING(WF_ERROR_SIZE, "rank 0", wf_reduce(sum, NULL, scalar, &r));
  NOTHING(WF_ERROR_SIZE, "rank 0", wf_scan(sum, NULL, scalar, 0, &r, NULL));
  NOTHING(WF_ERROR_SIZE, "rank 0", wf_filter(positive, scalar, &r));
  NOTHING(WF_ERROR_SIZE, "rank 0", wf_rev(scalar, &r));
  NOTHING(WF_ERROR_SIZE, "rank 0", wf_nth(scalar, 0, &r));
  wf_fn_release(positive);
  wf_release(scalar);
}

Test(types_and_sizes, appended_columns_must_agree) {
  wf_seq* two[] = {s, pairs};
  NOTHING(WF_ERROR_TYPE, "the 2nd sequence has columns (i32, i32) but the 1st has (i32)", wf_append(two, 2, &r));
}
