/* Functions: in the written form, foreign, blocks. */
#define _GNU_SOURCE
#include <math.h>

#include "helpers.h"

TestSuite(functions);

Test(functions, know_their_types) {
  wf_fn* f = function("(fn ((a i32) (b f64)) (tuple (add a b) (lt a 1:i32) a))");
  int32_t params, results, type;
  OK(wf_fn_arity(f, &params, &results));
  cr_assert_eq(params, 2);
  cr_assert_eq(results, 3);
  OK(wf_fn_param_type(f, 1, &type));
  cr_assert_eq(type, WF_F64);
  OK(wf_fn_result_type(f, 0, &type));
  cr_assert_eq(type, WF_F64);
  OK(wf_fn_result_type(f, 1, &type));
  cr_assert_eq(type, WF_BOOL);
  wf_fn_release(f);
}

Test(functions, texts_come_back) {
  static const char text[] = "(fn ((x i32)) (mul x 3:i32))";
  wf_fn* f = function(text);
  char buffer[100], small[10];
  int64_t needed;
  OK(wf_fn_text(f, buffer, sizeof buffer, &needed));
  cr_assert_str_eq(buffer, text);
  cr_assert_eq(needed, (int64_t)sizeof text);
  OK(wf_fn_text(f, small, sizeof small, &needed));
  cr_assert_str_eq(small, "(fn ((x i");
  wf_fn_retain(f);
  wf_fn_release(f);
  OK(wf_fn_text(f, buffer, sizeof buffer, NULL));
  wf_fn_release(f);
}

Test(functions, texts_name_the_columns_of_captures) {
  wf_context* context = tested();
  wf_seq *pairs, *one = iota(context, 3);
  OK(wf_zip((wf_seq*[]){one, one}, 2, &pairs));
  wf_seq* captures[] = {pairs, one};
  wf_fn *f, *again;
  OK(wf_fn_create("(fn ((i i64)) (add (at $0.0 i) (at $1.0 i)))", captures, 2, &f));
  char buffer[100];
  OK(wf_fn_text(f, buffer, sizeof buffer, NULL));
  cr_assert_str_eq(buffer, "(fn ((i i64)) (add (at $0.0 i) (at $1 i)))");
  OK(wf_fn_create(buffer, captures, 2, &again));
  wf_fn_release(f);
  wf_fn_release(again);
  wf_release(pairs);
  wf_release(one);
  wf_context_release(context);
}

Test(functions, capture_sequences) {
  static const int32_t values[] = {10, 20, 30}, indices[] = {2, 0, 1, 2};
  wf_context* context = tested();
  wf_seq* a = i32s(context, 3, values);
  wf_seq* at = i32s(context, 4, indices);
  wf_fn* f;
  OK(wf_fn_create("(fn ((k i32)) (add (at $0 (cast i64 k)) (cast i32 (length $0))))", &a, 1, &f));
  wf_release(a); /* the function keeps it alive */
  wf_seq* r;
  OK(wf_map(f, &at, 1, &r));
  wf_fn_release(f);
  expect_i32s(r, 4, (int32_t[]){33, 13, 23, 33});
  wf_release(r);
  wf_release(at);
  wf_context_release(context);
}

Test(functions, an_index_outside_is_a_range_error_of_the_force) {
  static const int32_t values[] = {10, 20, 30}, indices[] = {2, 0, 3, -1};
  wf_context* context = tested();
  wf_seq* a = i32s(context, 3, values);
  wf_seq* at = i32s(context, 4, indices);
  wf_fn* f;
  OK(wf_fn_create("(fn ((k i32)) (at $0 (cast i64 k)))", &a, 1, &f));
  wf_seq* r;
  OK(wf_map(f, &at, 1, &r));
  int32_t yes;
  FAILS(WF_ERROR_RANGE, "3", wf_force(&r, 1));
  OK(wf_is_manifest(r, &yes));
  cr_assert_eq(yes, 0);
  FAILS(WF_ERROR_RANGE, "3", wf_force(&r, 1));
  /* An index is not checked if its element is not selected. */
  wf_fn* guarded;
  wf_seq* fine;
  OK(wf_fn_create("(fn ((k i32)) (where (and (le 0:i32 k) (lt k 3:i32)) (at $0 (cast i64 k)) -1:i32))", &a, 1, &guarded));
  OK(wf_map(guarded, &at, 1, &fine));
  expect_i32s(fine, 4, (int32_t[]){30, 10, -1, -1});
  wf_fn_release(f);
  wf_fn_release(guarded);
  wf_release(fine);
  wf_release(r);
  wf_release(a);
  wf_release(at);
  wf_context_release(context);
}

static int32_t is_odd(int32_t x) { return x % 2 != 0; }
static unsigned char odd_byte(int32_t x) { return (unsigned char)is_odd(x); }
static float scaled(float x, unsigned char twice, int64_t add) { return x * (twice ? 2 : 1) + (float)add; }

Test(functions, foreign_ones_are_called) {
  wf_context* context = cpu();
  static const double values[] = {0, 0.5, 1, 10};
  wf_seq* s;
  wf_seq* r;
  wf_fn* f;
  int32_t type = WF_F64;
  OK(wf_from_host(context, WF_F64, values, 4, &s));
  OK(wf_fn_foreign("j0", (void*)(double (*)(double))j0, &type, 1, WF_F64, &f));
  OK(wf_map(f, &s, 1, &r));
  wf_fn_release(f);
  for (int k = 0; k < 4; k++) cr_assert_eq(f64_at(r, 0, k), j0(values[k]));
  wf_release(r);
  wf_release(s);

  s = iota(context, 5000);
  type = WF_I32;
  OK(wf_fn_foreign(NULL, (void*)odd_byte, &type, 1, WF_BOOL, &f));
  char text[100];
  OK(wf_fn_text(f, text, sizeof text, NULL));
  cr_assert_not_null(strstr(text, "0x"), "%s", text);
  OK(wf_filter(f, s, &r));
  wf_fn_release(f);
  cr_assert_eq(i64_at(r, 0, 17), 35);
  cr_assert_eq(known_length(r), 2500);
  wf_release(r);
  wf_release(s);

  int32_t types[] = {WF_F32, WF_BOOL, WF_I64};
  OK(wf_fn_foreign("scaled", (void*)scaled, types, 3, WF_F32, &f));
  wf_fn* columns = function("(fn ((i i64)) (tuple (cast f32 i) (eq (rem i 2:i64) 0:i64) (mul i 10:i64)))");
  OK(wf_tabulate(context, columns, 4, &s));
  OK(wf_map(f, &s, 1, &r));
  cr_assert_eq(f64_at(r, 0, 2), 24);
  cr_assert_eq(f64_at(r, 0, 3), 33);
  wf_fn_release(columns);
  wf_fn_release(f);
  wf_release(r);
  wf_release(s);
  wf_context_release(context);
}

static void sum_and_product(void* user, int64_t n, const void* const* in, void* const* out) {
  const int32_t *a = in[0], *b = in[1];
  int32_t* sums = out[0];
  double* products = out[1];
  for (int64_t k = 0; k < n; k++) {
    sums[k] = a[k] + b[k] + *(int32_t*)user;
    products[k] = (double)a[k] * b[k];
  }
}

static int destroyed;
static void destroy(void* user) {
  (void)user;
  __atomic_add_fetch(&destroyed, 1, __ATOMIC_SEQ_CST);
}

Test(functions, blocks_are_called) {
  wf_context* context = cpu();
  int32_t params[] = {WF_I32, WF_I32}, results[] = {WF_I32, WF_F64}, extra = 1000;
  wf_block block = {"sum_and_product", sum_and_product, &extra, destroy, params, results, 2, 2};
  wf_fn* f;
  OK(wf_fn_block(&block, &f));
  wf_seq* s = iota(context, 10000);
  wf_seq* two[] = {s, s};
  wf_seq* r;
  OK(wf_map(f, two, 2, &r));
  wf_fn_release(f);
  cr_assert_eq(destroyed, 0);
  cr_assert_eq(i64_at(r, 0, 9999), 2 * 9999 + 1000);
  cr_assert_eq(f64_at(r, 1, 9999), 9999.0 * 9999.0);
  wf_release(r);
  wf_release(s);
  wf_context_release(context);
  cr_assert_eq(destroyed, 1);
}

Test(functions, source_functions_with_a_side_for_the_cpu) {
  wf_context* context = cpu();
  int32_t type = WF_F64, other = WF_F32;
  const char* text = "double half(double x) { return x / 2; }";
  wf_fn *host, *f, *written, *again;
  OK(wf_fn_foreign("j0", (void*)(double (*)(double))j0, &type, 1, WF_F64, &host));
  OK(wf_fn_source("half", text, &type, 1, &type, 1, host, &f));
  char shown[100];
  OK(wf_fn_text(f, shown, sizeof shown, NULL));
  cr_assert_not_null(strstr(shown, "(foreign half "), "%s", shown);
  OK(wf_fn_source("half", text, &type, 1, &type, 1, f, &again));
  wf_fn_release(again);
  FAILS(WF_ERROR_TYPE, "host is (f64) -> (f64)", wf_fn_source("half", text, &other, 1, &type, 1, host, &again));
  OK(wf_fn_create("(fn ((x f64)) x)", NULL, 0, &written));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "wf_fn_foreign or wf_fn_block", again, wf_fn_source("half", text, &type, 1, &type, 1, written, &again));
  wf_fn_release(written);
  wf_fn_release(host);
  static const double values[] = {0, 1};
  wf_seq *s, *r;
  OK(wf_from_host(context, WF_F64, values, 2, &s));
  OK(wf_map(f, &s, 1, &r));
  cr_assert_eq(f64_at(r, 0, 1), j0(1));
  wf_release(r);
  wf_fn_release(f);
  OK(wf_fn_source("half", text, &type, 1, &type, 1, NULL, &f));
  OK(wf_map(f, &s, 1, &r));
  FAILS(WF_ERROR_UNSUPPORTED, "\"half\" is CUDA source alone", wf_force(&r, 1));
  wf_release(r);
  wf_release(s);
  wf_fn_release(f);
  wf_context_release(context);
}

Test(functions, long_messages_come_whole) {
  wf_context* context = cpu();
  static char name[20001], text[30000];
  memset(name, 'f', sizeof name - 1);
  int32_t type = WF_I64;
  wf_fn* f;
  wf_seq* r;
  OK(wf_fn_source(name, "text", &type, 1, &type, 1, NULL, &f));
  OK(wf_tabulate(context, f, 10, &r));
  cr_assert_eq(wf_force(&r, 1), WF_ERROR_UNSUPPORTED);
  int64_t needed;
  wf_error_message(text, sizeof text, &needed);
  cr_assert_eq(needed, (int64_t)strlen(text) + 1);
  cr_assert_not_null(strstr(text, name));
  cr_assert_not_null(strstr(text, "in a context of \"cuda:0\""));
  wf_fn_release(f);
  FAILS(WF_ERROR_ARGUMENT, "text is empty", wf_fn_source("f", "", &type, 1, &type, 1, NULL, &f));
  wf_release(r);
  wf_context_release(context);
}

Test(functions, destroy_is_not_called_on_failure) {
  int32_t types[] = {WF_I32, 99};
  wf_block block = {NULL, sum_and_product, NULL, destroy, types, types, 2, 1};
  wf_fn* f;
  GIVES_NOTHING(WF_ERROR_TYPE, "param_types[1]", f, wf_fn_block(&block, &f));
  cr_assert_eq(destroyed, 0);
}

Test(functions, loops) {
  /* The number of Collatz steps to 1. */
  wf_context* context = tested();
  wf_fn* f = function(
      "(fn ((i i64)) (let (((n k) (loop ((n (add i 1:i64)) (k 0:i32)) (gt n 1:i64)"
      " (tuple (where (eq (rem n 2:i64) 0:i64) (div n 2:i64) (add (mul n 3:i64) 1:i64)) (add k 1:i32))))) k))");
  wf_seq* s;
  OK(wf_tabulate(context, f, 7, &s));
  expect_i32s(s, 7, (int32_t[]){0, 1, 7, 2, 5, 8, 16});
  wf_fn_release(f);
  wf_release(s);
  wf_context_release(context);
}
