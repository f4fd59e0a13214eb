/* wf_scatter and wf_histogram: results, bad arguments, failing allocations. */
#include "helpers.h"

TestSuite(scatters);

enum { n = 50000, bins = 7 };

/* i mod 7, i < n */
static wf_seq* turns(wf_context* context) {
  wf_seq *all = iota(context, n), *s = map1("(fn ((x i32)) (rem x 7:i32))", all);
  wf_release(all);
  return s;
}

static wf_seq* zeros(wf_context* context) {
  wf_seq *all = iota(context, bins), *s = map1("(fn ((x i32)) 0:i32)", all);
  wf_release(all);
  return s;
}

/* The sum or the last of the numbers below n that are k mod 7. */
static int64_t expected(int kind, int64_t k) {
  int64_t sum = 0, last = 0, count = 0;
  for (int64_t i = k; i < n; i += bins) sum += i, last = i, count++;
  return kind == 0 ? sum : kind == 1 ? last : count;
}

static void check(wf_seq* r, int kind) {
  cr_assert_eq(known_length(r), bins);
  for (int64_t k = 0; k < bins; k++) cr_assert_eq(i64_at(r, 0, k), expected(kind, k));
}

Test(scatters, combine_replace_and_count) {
  wf_context* context = tested();
  wf_seq *indices = turns(context), *values = iota(context, n), *base = zeros(context), *r[3];
  wf_fn* add = function("(fn ((a i32) (b i32)) (add a b))");
  OK(wf_scatter(add, base, indices, values, &r[0]));
  OK(wf_scatter(NULL, base, indices, values, &r[1]));
  OK(wf_histogram(indices, bins, &r[2]));
  OK(wf_force(r, 3));
  for (int kind = 0; kind < 3; kind++) check(r[kind], kind), wf_release(r[kind]);
  wf_release(indices), wf_release(values), wf_release(base);
  wf_fn_release(add);
  wf_context_release(context);
}

Test(scatters, indices_outside) {
  wf_context* context = tested();
  wf_seq *indices = turns(context), *values = iota(context, n), *base = zeros(context), *small, *r;
  wf_fn* add = function("(fn ((a i32) (b i32)) (add a b))");
  OK(wf_take(base, 5, &small));
  for (int kind = 0; kind < 3; kind++) {
    if (kind == 2) OK(wf_histogram(indices, 5, &r));
    else OK(wf_scatter(kind == 0 ? add : NULL, small, indices, values, &r));
    FAILS(WF_ERROR_RANGE, "index 5 at element 5 is out of range for a sequence of length 5", wf_force(&r, 1));
    FAILS(WF_ERROR_RANGE, "index 5 at element 5", wf_force(&r, 1));
    wf_release(r);
  }
  wf_release(indices), wf_release(values), wf_release(base), wf_release(small);
  wf_fn_release(add);
  wf_context_release(context);
}

Test(scatters, mistakes) {
  wf_context* context = tested();
  wf_seq *s = turns(context), *base = zeros(context), *floats = map1("(fn ((x i32)) (cast f32 x))", s), *scalar, *r;
  wf_fn *add = function("(fn ((a i32) (b i32)) (add a b))"), *sub = function("(fn ((a i32) (b i32)) (sub a b))");
  OK(wf_nth(s, 0, &scalar));
#define NOTHING(code, part, call) GIVES_NOTHING(code, part, r, call)
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_scatter(add, base, s, s, NULL));
  NOTHING(WF_ERROR_ARGUMENT, "base is NULL", wf_scatter(add, NULL, s, s, &r));
  NOTHING(WF_ERROR_ARGUMENT, "indices is NULL", wf_scatter(add, base, NULL, s, &r));
  NOTHING(WF_ERROR_ARGUMENT, "values is NULL", wf_scatter(add, base, s, NULL, &r));
  NOTHING(WF_ERROR_TYPE, "indices has columns (f32); expected one column of integers", wf_scatter(add, base, floats, s, &r));
  NOTHING(WF_ERROR_TYPE, "values has columns (f32) and base has (i32)", wf_scatter(add, base, s, floats, &r));
  NOTHING(WF_ERROR_ARGUMENT, "expected one of add, mul, min, max, and, or and xor", wf_scatter(sub, base, s, s, &r));
  NOTHING(WF_ERROR_SIZE, "length", wf_scatter(add, base, s, base, &r));
  NOTHING(WF_ERROR_SIZE, "rank 0", wf_scatter(add, scalar, s, s, &r));
  NOTHING(WF_ERROR_SIZE, "rank 0", wf_scatter(add, base, scalar, scalar, &r));
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_histogram(s, 7, NULL));
  NOTHING(WF_ERROR_ARGUMENT, "s is NULL", wf_histogram(NULL, 7, &r));
  NOTHING(WF_ERROR_SIZE, "bins is -1; expected 0 or more", wf_histogram(s, -1, &r));
  NOTHING(WF_ERROR_TYPE, "s has columns (f32); expected one column of integers", wf_histogram(floats, 7, &r));
  NOTHING(WF_ERROR_SIZE, "rank 0", wf_histogram(scalar, 7, &r));
  wf_release(s), wf_release(base), wf_release(floats), wf_release(scalar);
  wf_fn_release(add), wf_fn_release(sub);
  wf_context_release(context);
}

/* Whichever allocation fails, the scatter is an error, and the same handle works afterwards. */
Test(scatters, of_failing_allocations) {
  wf_context* context = tested();
  wf_seq *indices = turns(context), *values = iota(context, n), *base = zeros(context);
  wf_fn* add = function("(fn ((a i32) (b i32)) (add a b))");
  for (int kind = 0; kind < 3; kind++) {
    wf_seq* r;
    int64_t failures = 0;
    if (kind == 2) OK(wf_histogram(indices, bins, &r));
    else OK(wf_scatter(kind == 0 ? add : NULL, base, indices, values, &r));
    for (;;) {
      OK(wf_context_fail_allocation(context, failures + 1));
      int32_t code = wf_force(&r, 1);
      OK(wf_context_fail_allocation(context, 0));
      if (code == WF_OK) break;
      cr_assert_eq(code, WF_ERROR_MEMORY);
      failures++;
    }
    cr_assert_geq(failures, 2);
    check(r, kind);
    wf_release(r);
  }
  wf_release(indices), wf_release(values), wf_release(base);
  wf_fn_release(add);
  wf_context_release(context);
}
