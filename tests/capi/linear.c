/* Linear algebra: results, bad arguments, failing allocations. */
#include "helpers.h"

TestSuite(linear);

static wf_seq* matrix(wf_context* context, int64_t rows, int64_t columns) {
  double elements[64];
  const int64_t extents[2] = {rows, columns};
  wf_seq* s;
  for (int k = 0; k < 64; k++) elements[k] = k % 7 + (k / columns == k % columns ? 20 : 0);
  OK(wf_from_host_array(context, WF_F64, elements, WF_F64, extents, NULL, 2, &s));
  return s;
}

static double number(wf_seq* s, int64_t i) {
  double x;
  OK(wf_to_host(s, 0, i, 1, &x, WF_F64, 1));
  return x;
}

static void near(double x, double y) { cr_assert(x - y < 1e-9 && y - x < 1e-9, "%.17g is not %.17g", x, y); }

static double element(int64_t i, int64_t j, int64_t columns) { return (double)((i * columns + j) % 7) + (i == j ? 20 : 0); }

Test(linear, products_and_solutions) {
  wf_context* context = tested();
  wf_seq *a = matrix(context, 4, 4), *b = matrix(context, 4, 3), *product, *x, *power, *outer, *inverse, *both[2];
  OK(wf_matmul(a, b, &product));
  for (int64_t i = 0; i < 4; i++)
    for (int64_t j = 0; j < 3; j++) {
      double sum = 0;
      for (int64_t p = 0; p < 4; p++) sum += element(i, p, 4) * element(p, j, 3);
      near(number(product, i * 3 + j), sum);
    }
  OK(wf_solve("general", a, product, &x));
  for (int64_t i = 0; i < 4; i++)
    for (int64_t j = 0; j < 3; j++) near(number(x, i * 3 + j), element(i, j, 3));
  OK(wf_matrix_power(a, 1, &power));
  near(number(power, 5), element(1, 1, 4));
  both[0] = b, both[1] = b;
  OK(wf_linear("outer", both, 2, &outer));
  near(number(outer, 0), 20 * 20 + 1 + 4);
  OK(wf_linear("inverse", &a, 1, &inverse));
  wf_seq* one;
  OK(wf_matmul(a, inverse, &one));
  near(number(one, 0), 1), near(number(one, 1), 0);
  wf_seq* all[] = {a, b, product, x, power, outer, inverse, one};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) wf_release(all[k]);
  wf_context_release(context);
}

Test(linear, factors) {
  wf_context* context = tested();
  wf_seq *a = matrix(context, 5, 3), *parts[3], *product;
  OK(wf_factor("qr", a, parts, 2));
  OK(wf_matmul(parts[0], parts[1], &product));
  for (int64_t k = 0; k < 15; k++) near(number(product, k), element(k / 3, k % 3, 3));
  wf_release(parts[0]), wf_release(parts[1]), wf_release(product);
  OK(wf_factor("singular_values", a, parts, 3));
  cr_assert(number(parts[1], 0) >= number(parts[1], 1));
  for (int k = 0; k < 3; k++) wf_release(parts[k]);
  wf_release(a);
  wf_context_release(context);
}

Test(linear, images) {
  wf_context* context = tested();
  wf_seq *image = matrix(context, 6, 5), *kernel = matrix(context, 2, 2), *blurred, *pooled;
  int64_t extents[2];
  OK(wf_convolve(image, kernel, &blurred));
  OK(wf_max_pool(image, 2, 2, &pooled));
  OK(wf_shape(blurred, extents, 2, NULL));
  cr_assert(extents[0] == 5 && extents[1] == 4);
  OK(wf_shape(pooled, extents, 2, NULL));
  cr_assert(extents[0] == 3 && extents[1] == 2);
  near(number(pooled, 0), 26);
  near(number(blurred, 0), 20 * 20 + 1 * 1 + 2 * 5 + 23 * 26);
  wf_release(pooled);
  // No block fits.
  OK(wf_max_pool(image, INT64_C(1) << 62, 1000, &pooled));
  OK(wf_shape(pooled, extents, 2, NULL));
  cr_assert(extents[0] == 0 && extents[1] == 0);
  OK(wf_force(&pooled, 1));
  wf_release(image), wf_release(kernel), wf_release(blurred), wf_release(pooled);
  wf_context_release(context);
}

Test(linear, bad_arguments) {
  wf_context* context = tested();
  wf_seq *a = matrix(context, 4, 4), *b = matrix(context, 3, 4), *v = iota(context, 4), *r = NULL, *parts[3] = {a, a, a},
         *none[2] = {a, NULL};
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "a is NULL", r, wf_matmul(NULL, a, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "b is NULL", r, wf_matmul(a, NULL, &r));
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_matmul(a, a, NULL));
  GIVES_NOTHING(WF_ERROR_SIZE, "axis 1 of a has 4 elements and axis 0 of b 3", r, wf_matmul(a, b, &r));
  GIVES_NOTHING(WF_ERROR_TYPE, "expected equal types", r, wf_matmul(a, v, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "expected 0 or more", r, wf_matrix_power(a, -1, &r));
  GIVES_NOTHING(WF_ERROR_SIZE, "as many rows as columns", r, wf_matrix_power(b, 2, &r));
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_matrix_power(a, 2, NULL));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "form is NULL", r, wf_solve(NULL, a, a, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "form is \"any\"; expected one of general, positive", r, wf_solve("any", a, a, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "a is NULL", r, wf_solve("lower", NULL, a, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "b is NULL", r, wf_solve("lower", a, NULL, &r));
  GIVES_NOTHING(WF_ERROR_SIZE, "axis 1 of a has 4 elements and axis 0 of b 3", r, wf_solve("general", a, b, &r));
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_solve("general", a, a, NULL));
  FAILS(WF_ERROR_ARGUMENT, "factorization is NULL", wf_factor(NULL, a, parts, 1));
  FAILS(WF_ERROR_ARGUMENT, "n_out is 0", wf_factor("qr", a, parts, 0));
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_factor("qr", a, NULL, 2));
  FAILS(WF_ERROR_ARGUMENT, "n_out is 3; expected 2 results of qr", wf_factor("qr", a, parts, 3));
  cr_assert(!parts[0] && !parts[1] && !parts[2]);
  FAILS(WF_ERROR_ARGUMENT, "a is NULL", wf_factor("qr", NULL, parts, 2));
  FAILS(WF_ERROR_ARGUMENT, "factorization is \"lq\"", wf_factor("lq", a, parts, 2));
  FAILS(WF_ERROR_SIZE, "as many rows as columns", wf_factor("eigen", b, parts, 2));
  FAILS(WF_ERROR_TYPE, "expected one column of type f32 or f64", wf_factor("qr", v, parts, 2));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "function is NULL", r, wf_linear(NULL, &a, 1, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "function is \"exp\"", r, wf_linear("exp", &a, 1, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "arguments is NULL", r, wf_linear("trace", NULL, 1, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "arguments is NULL", r, wf_linear("inner", none, 2, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "n_arguments is 0", r, wf_linear("trace", &a, 0, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "inner has 1 argument; expected 2", r, wf_linear("inner", &a, 1, &r));
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_linear("trace", &a, 1, NULL));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "image is NULL", r, wf_convolve(NULL, a, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "kernel is NULL", r, wf_convolve(a, NULL, &r));
  GIVES_NOTHING(WF_ERROR_SIZE, "not larger than the image", r, wf_convolve(b, a, &r));
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_convolve(a, a, NULL));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "image is NULL", r, wf_max_pool(NULL, 1, 1, &r));
  GIVES_NOTHING(WF_ERROR_SIZE, "expected at least 1 x 1", r, wf_max_pool(a, 0, 1, &r));
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_max_pool(a, 1, 1, NULL));
  wf_release(a), wf_release(b), wf_release(v);
  wf_context_release(context);
}

Test(linear, a_singular_matrix_fails_when_forced) {
  wf_context* context = tested();
  const double elements[4] = {1, 2, 2, 4};
  const int64_t extents[2] = {2, 2};
  wf_seq *a, *x, *l;
  OK(wf_from_host_array(context, WF_F64, elements, WF_F64, extents, NULL, 2, &a));
  OK(wf_solve("general", a, a, &x));
  OK(wf_factor("cholesky", a, &l, 1));
  FAILS(WF_ERROR_RANGE, "matrix 0 is singular: 0 is pivot 1; expected a matrix of full rank", wf_force(&x, 1));
  FAILS(WF_ERROR_RANGE, "matrix 0 is not positive definite: pivot 1", wf_force(&l, 1));
  wf_release(a), wf_release(x), wf_release(l);
  wf_context_release(context);
}

/* The k-th allocation fails, for every k: a clear error, and afterwards the right value. */
Test(linear, exhausted_memory) {
  wf_context* context = tested();
  wf_seq* a = matrix(context, 8, 8);
  for (int64_t k = 1, failed = 1; failed; k++) {
    wf_seq *x, *product;
    OK(wf_solve("general", a, a, &x));
    OK(wf_matmul(a, x, &product));
    OK(wf_context_fail_allocation(context, k));
    const int32_t code = wf_force(&product, 1);
    OK(wf_context_fail_allocation(context, 0));
    failed = code != WF_OK;
    if (failed) cr_assert_eq(code, WF_ERROR_MEMORY, "%s", message());
    near(number(product, 9), element(1, 1, 8));
    wf_release(x), wf_release(product);
    cr_assert_lt(k, 100);
  }
  wf_release(a);
  wf_context_release(context);
}
