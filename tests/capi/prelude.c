/* Functions by name (wf_call): values over blocks and chunks, filters that are not run, bad arguments. */
#include <math.h>

#include "helpers.h"

TestSuite(prelude);

static wf_seq* call(const char* function, wf_seq* a, int32_t n, const double* numbers) {
  wf_seq* out;
  OK(wf_call(function, &a, 1, numbers, n, &out));
  return out;
}

/* The value, and the code of the type, of a scalar that is then released. */
static double value(wf_seq* s, int32_t type) {
  double x;
  int32_t its, rank;
  OK(wf_column_type(s, 0, &its));
  OK(wf_rank(s, &rank));
  cr_assert(its == type && rank == 0);
  OK(wf_to_host(s, 0, 0, 1, &x, WF_F64, 1));
  wf_release(s);
  return x;
}

/* Element i of a vector that is then released. */
static wf_seq* element(wf_seq* s, int64_t i) {
  wf_seq* out;
  OK(wf_nth(s, i, &out));
  wf_release(s);
  return out;
}

static void near(const char* what, double x, double y, double bound) {
  cr_assert(x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= bound * (1 + fabs(y)), "%s: %.17g is not %.17g", what, x, y);
}

Test(prelude, statistics) {
  const double keep_none[] = {0, 0}, sample[] = {0, 1, 0};
  const int64_t lengths[] = {0, 1, 2, 33, 1025, 100001};
  wf_context* context = tested();
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    const int64_t n = lengths[k];
    wf_seq *ints = iota(context, n), *doubles = map1("(fn ((x i32)) (sin (cast f64 x)))", ints),
           *floats = map1("(fn ((x i32)) (cast f32 (sin (cast f64 x))))", ints);
    double sum = 0, squares = 0, powers = 0;
    for (int64_t i = 0; i < n; i++) sum += sin((double)i), powers += exp(sin((double)i));
    const double mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++) squares += (sin((double)i) - mean) * (sin((double)i) - mean);
    near("mean", value(call("mean", doubles, 2, keep_none), WF_F64), mean, 1e-9);
    near("mean of f32", value(call("mean", floats, 2, keep_none), WF_F32), mean, 1e-6);
    near("mean of i32", value(call("mean", ints, 2, keep_none), WF_F64), n ? (double)(n - 1) / 2 : NAN, 1e-9);
    if (n > 1) near("variance", value(call("variance", doubles, 3, sample), WF_F64), squares / (double)(n - 1), 1e-9);
    near("norm", value(call("norm", doubles, 2, keep_none), WF_F64), sqrt(squares + (n ? sum * mean : 0)), 1e-9);
    near("logsumexp", value(call("logsumexp", doubles, 2, keep_none), WF_F64), log(powers), 1e-9);
    wf_release(ints), wf_release(doubles), wf_release(floats);
  }
  wf_context_release(context);
}

Test(prelude, along_axes) {
  const int64_t extents[] = {3, 2};
  const double elements[] = {1, 5, NAN, 2, 3, 5}, rows[] = {0, -1}, kept[] = {1, 0}, first[] = {0}, none[] = {0};
  wf_context* context = tested();
  wf_seq *a, *result;
  int64_t shape[2], at[2];
  int32_t rank;
  OK(wf_from_host_array(context, WF_F64, elements, WF_F64, extents, NULL, 2, &a));
  result = call("mean", a, 2, rows);
  near("row", value(element(result, 0), WF_F64), 3, 0);
  result = call("logsumexp", a, 2, kept);
  OK(wf_shape(result, shape, 2, &rank));
  cr_assert(rank == 2 && shape[0] == 1 && shape[1] == 2);
  wf_release(result);
  result = call("argmax", a, 1, first);
  OK(wf_to_host(result, 0, 0, 2, at, WF_I64, 1));
  cr_assert(at[0] == 2 && at[1] == 0, "argmax gave %d, %d", (int)at[0], (int)at[1]);
  wf_release(result);
  /* No axes: each element is its own mean. */
  result = call("mean", a, 1, none);
  OK(wf_shape(result, shape, 2, &rank));
  cr_assert(rank == 2 && shape[0] == 3 && shape[1] == 2);
  wf_release(result);
  wf_release(a);
  wf_context_release(context);
}

Test(prelude, a_mean_does_not_run_a_filter) {
  const double numbers[] = {0, 0};
  wf_context* context = tested();
  wf_seq *s = iota(context, 1000), *even = filter1("(fn ((x i32)) (eq (rem x 2:i32) 0:i32))", s);
  wf_seq* mean = call("mean", even, 2, numbers);
  int64_t n;
  OK(wf_known_length(even, &n));
  cr_assert_eq(n, -1);
  near("mean", value(mean, WF_F64), 499, 1e-12);
  OK(wf_known_length(even, &n));
  cr_assert_eq(n, -1);
  wf_release(s), wf_release(even);
  wf_context_release(context);
}

Test(prelude, bad_arguments) {
  const double numbers[] = {0, 0, 0}, outside[] = {0, 1}, half[] = {0.5};
  wf_context* context = tested();
  wf_seq *s = iota(context, 4), *empty = iota(context, 0), *r;
  wf_seq* two[] = {s, s};
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "function is NULL", r, wf_call(NULL, &s, 1, numbers, 2, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "function is \"median\"; expected mean, variance", r, wf_call("median", &s, 1, numbers, 2, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "mean has 2 arrays and 1 number; expected 1 array and 1 number or more", r,
                wf_call("mean", two, 2, numbers, 1, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "argmax has 1 array and 2 numbers; expected 1 array and 1 number", r,
                wf_call("argmax", &s, 1, numbers, 2, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "numbers is NULL", r, wf_call("mean", &s, 1, NULL, 2, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "n_numbers is -1", r, wf_call("mean", &s, 1, numbers, -1, &r));
  GIVES_NOTHING(WF_ERROR_RANGE, "axis is 1", r, wf_call("mean", &s, 1, outside, 2, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "axis is 0.5", r, wf_call("argmax", &s, 1, half, 1, &r));
  GIVES_NOTHING(WF_ERROR_RANGE, "shape 0 has no elements along axis 0; expected at least one", r,
                wf_call("argmin", &empty, 1, numbers, 1, &r));
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_call("mean", &s, 1, numbers, 2, NULL));
  wf_release(s), wf_release(empty);
  wf_context_release(context);
}

/* The order of two segments as words: that of the first values that differ, or of their lengths. */
static int order(const int32_t* values, const int64_t* offsets, int64_t k, int64_t l) {
  const int64_t n = offsets[k + 1] - offsets[k], m = offsets[l + 1] - offsets[l];
  for (int64_t i = 0; i < n && i < m; i++) {
    const int32_t x = values[offsets[k] + i], y = values[offsets[l] + i];
    if (x != y) return x < y ? -1 : 1;
  }
  return n < m ? -1 : n > m;
}

Test(prelude, segment_ranks) {
  static int32_t values[200000];
  static int64_t offsets[40001], ranks[40000];
  const int64_t counts[] = {0, 1, 2, 33, 1025, 40000};
  wf_context* context = tested();
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    const int64_t m = counts[c];
    for (int64_t k = 0; k < m; k++) {
      offsets[k + 1] = offsets[k] + k * 7919 % 9 % 6;
      for (int64_t i = offsets[k]; i < offsets[k + 1]; i++) values[i] = (int32_t)((k * 31 + i * i) % 3) - 1;
    }
    const double longest = 5;
    wf_seq *inputs[2], *out;
    OK(wf_from_host(context, WF_I32, values, offsets[m], &inputs[0]));
    OK(wf_from_host(context, WF_I64, offsets, m + 1, &inputs[1]));
    OK(wf_call("segment_ranks", inputs, 2, &longest, 1, &out));
    OK(wf_to_host(out, 0, 0, m, ranks, WF_I64, 1));
    for (int64_t k = 0; k < m; k++)
      for (int64_t l = k % 7; l < m; l += 1 + m / 50) {
        const int expected = order(values, offsets, k, l);
        cr_assert((ranks[k] > ranks[l]) - (ranks[k] < ranks[l]) == expected, "of %ld segments: %ld and %ld", (long)m, (long)k, (long)l);
      }
    wf_release(inputs[0]), wf_release(inputs[1]), wf_release(out);
  }
  wf_context_release(context);
}
