/* wf_sort, wf_sort_by, wf_merge, wf_merge_by: results, bad arguments, failing allocations. */
#include <math.h>

#include "helpers.h"

TestSuite(sorts);

/* s and its indices. */
static wf_seq* with_index(wf_seq* s) {
  wf_context* context;
  wf_seq* pairs;
  OK(wf_context_of(s, &context));
  wf_seq* index = iota(context, known_length(s));
  wf_seq* both[] = {s, index};
  OK(wf_zip(both, 2, &pairs));
  wf_release(index);
  wf_context_release(context);
  return pairs;
}

/* i * 7919 mod 1000, i < n */
static wf_seq* scattered(wf_context* context, int64_t n) {
  wf_seq* all = iota(context, n);
  wf_seq* s = map1("(fn ((i i32)) (rem (mul i 7919:i32) 1000:i32))", all);
  wf_release(all);
  return s;
}

/* Checks that column 0 is in order, and column 1, the index, among equal elements of column 0. */
static void check_order(wf_seq* pairs, int64_t n, int sign) {
  int32_t *key = malloc((size_t)n * 4 + 4), *index = malloc((size_t)n * 4 + 4);
  OK(wf_to_host(pairs, 0, 0, n, key, WF_I32, 1));
  OK(wf_to_host(pairs, 1, 0, n, index, WF_I32, 1));
  for (int64_t i = 1; i < n; i++) {
    cr_assert(sign * key[i - 1] <= sign * key[i]);
    if (key[i - 1] == key[i]) cr_assert_lt(index[i - 1], index[i]);
  }
  for (int64_t i = 0; i < n; i++) cr_assert_eq(key[i], index[i] % 1000 * 7919 % 1000);
  free(key), free(index);
}

Test(sorts, are_stable) {
  wf_context* context = tested();
  for (int64_t n = 0; n < 120000; n = 5 * n + 1) {
    wf_seq *s = scattered(context, n), *pairs = with_index(s), *r;
    wf_fn* less = function("(fn ((a i32) (i i32) (b i32) (j i32)) (lt a b))");
    for (int32_t descending = 0; descending < 2; descending++) {
      OK(wf_sort(pairs, 1, descending, &r));
      check_order(r, n, descending ? -1 : 1);
      wf_release(r);
    }
    OK(wf_sort_by(less, pairs, &r));
    check_order(r, n, 1);
    wf_release(r);
    wf_fn_release(less);
    wf_release(s), wf_release(pairs);
  }
  wf_context_release(context);
}

Test(sorts, merges) {
  wf_context* context = tested();
  wf_seq *all = scattered(context, 70001), *pairs = with_index(all), *low, *high, *parts[2], *r;
  OK(wf_take(pairs, 30000, &low));
  OK(wf_drop(pairs, 30000, &high));
  OK(wf_sort(low, 1, 0, &parts[0]));
  OK(wf_sort(high, 1, 0, &parts[1]));
  OK(wf_merge(parts[0], parts[1], 1, 0, &r));
  check_order(r, 70001, 1);
  wf_release(r);
  wf_fn* less = function("(fn ((a i32) (i i32) (b i32) (j i32)) (lt a b))");
  OK(wf_merge_by(less, parts[0], parts[1], &r));
  check_order(r, 70001, 1);
  wf_release(r), wf_release(all), wf_release(pairs), wf_release(low), wf_release(high), wf_release(parts[0]), wf_release(parts[1]);
  wf_fn_release(less);
  wf_context_release(context);
}

Test(sorts, filters_and_floats_are_sorted) {
  wf_context* context = tested();
  const float values[] = {3, -0.0f, 0.0f / 0.0f, 0, -1, 7, -0.0f};
  wf_seq *s, *r, *kept;
  OK(wf_from_host(context, WF_F32, values, 7, &s));
  kept = filter1("(fn ((x f32)) (not (gt x 5.0:f32)))", s);
  OK(wf_sort(kept, 1, 0, &r));
  cr_assert_eq(f64_at(r, 0, 0), -1);
  const double bits[] = {f64_at(r, 0, 1), f64_at(r, 0, 2), f64_at(r, 0, 3)};
  cr_assert(signbit(bits[0]) && signbit(bits[1]) && !signbit(bits[2]));
  cr_assert_eq(f64_at(r, 0, 4), 3);
  cr_assert(isnan(f64_at(r, 0, 5)));
  cr_assert_eq(known_length(r), 6);
  wf_release(s), wf_release(r), wf_release(kept);
  wf_context_release(context);
}

Test(sorts, mistakes) {
  wf_context* context = tested();
  const int32_t values[] = {3, 1, 2};
  wf_seq *s = i32s(context, 3, values), *floats = map1("(fn ((x i32)) (cast f32 x))", s), *scalar, *r;
  wf_fn *less = function("(fn ((a i32) (b i32)) (lt a b))"), *add = function("(fn ((a i32) (b i32)) (add a b))");
  OK(wf_nth(s, 0, &scalar));
#define NOTHING(code, part, call) GIVES_NOTHING(code, part, r, call)
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_sort(s, 1, 0, NULL));
  NOTHING(WF_ERROR_ARGUMENT, "s is NULL", wf_sort(NULL, 1, 0, &r));
  NOTHING(WF_ERROR_ARGUMENT, "keys is 0; expected 1 to 1", wf_sort(s, 0, 0, &r));
  NOTHING(WF_ERROR_ARGUMENT, "keys is 2; expected 1 to 1", wf_sort(s, 2, 0, &r));
  NOTHING(WF_ERROR_ARGUMENT, "descending is 2; expected 0 or 1", wf_sort(s, 1, 2, &r));
  NOTHING(WF_ERROR_SIZE, "rank 0", wf_sort(scalar, 1, 0, &r));
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_sort_by(less, s, NULL));
  NOTHING(WF_ERROR_ARGUMENT, "less is NULL", wf_sort_by(NULL, s, &r));
  NOTHING(WF_ERROR_ARGUMENT, "s is NULL", wf_sort_by(less, NULL, &r));
  NOTHING(WF_ERROR_TYPE, "expected (i32, i32) -> (bool)", wf_sort_by(add, s, &r));
  NOTHING(WF_ERROR_TYPE, "expected (f32, f32) -> (bool)", wf_sort_by(less, floats, &r));
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_merge(s, s, 1, 0, NULL));
  NOTHING(WF_ERROR_ARGUMENT, "s is NULL", wf_merge(NULL, s, 1, 0, &r));
  NOTHING(WF_ERROR_ARGUMENT, "t is NULL", wf_merge(s, NULL, 1, 0, &r));
  NOTHING(WF_ERROR_TYPE, "t has columns (f32) and s has (i32)", wf_merge(s, floats, 1, 0, &r));
  NOTHING(WF_ERROR_ARGUMENT, "keys is 3", wf_merge(s, s, 3, 0, &r));
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_merge_by(less, s, s, NULL));
  NOTHING(WF_ERROR_ARGUMENT, "less is NULL", wf_merge_by(NULL, s, s, &r));
  NOTHING(WF_ERROR_ARGUMENT, "t is NULL", wf_merge_by(less, s, NULL, &r));
  NOTHING(WF_ERROR_TYPE, "less is (i32, i32) -> (i32)", wf_merge_by(add, s, s, &r));
  wf_release(s), wf_release(floats), wf_release(scalar);
  wf_fn_release(less), wf_fn_release(add);
  wf_context_release(context);
}

/* Whichever allocation fails, the sort is an error, and the same handle works afterwards. */
Test(sorts, an_allocation_that_fails_is_an_error) {
  wf_context* context = tested();
  wf_seq* s = scattered(context, 50000);
  wf_seq* pairs = with_index(s);
  wf_fn* less = function("(fn ((a i32) (i i32) (b i32) (j i32)) (lt a b))");
  for (int by_function = 0; by_function < 2; by_function++) {
    wf_seq* r;
    int64_t failures = 0;
    if (by_function) OK(wf_sort_by(less, pairs, &r));
    else OK(wf_sort(pairs, 1, 0, &r));
    for (;;) {
      OK(wf_context_fail_allocation(context, failures + 1));
      int32_t code = wf_force(&r, 1);
      OK(wf_context_fail_allocation(context, 0));
      if (code == WF_OK) break;
      cr_assert_eq(code, WF_ERROR_MEMORY);
      failures++;
    }
    cr_assert_geq(failures, 3);
    check_order(r, 50000, 1);
    wf_release(r);
  }
  wf_release(s), wf_release(pairs);
  wf_fn_release(less);
  wf_context_release(context);
}
