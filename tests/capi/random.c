/* Random numbers: results, bad arguments, failing allocations. */
#include <math.h>

#include "helpers.h"

TestSuite(random);

enum { n = 50000 };

static wf_seq* number(wf_context* context, double x) {
  wf_seq* s;
  OK(wf_scalar(context, WF_F64, &x, &s));
  return s;
}

static double mean_of(wf_seq* s) {
  double sum = 0;
  for (int64_t k = 0; k < n; k++) sum += f64_at(s, 0, k);
  return sum / n;
}

Test(random, draws_and_densities) {
  wf_context* context = tested();
  wf_seq *key, *split, *draws, *density, *probability, *one, *parameters[] = {number(context, 3), number(context, 2)};
  OK(wf_random_key(context, 77, &key));
  OK(wf_random_split(key, 5, &split));
  OK(wf_random("gaussian", split, parameters, 2, n, WF_F32, &draws));
  cr_assert_eq(known_length(draws), n);
  cr_assert_lt(fabs(mean_of(draws) - 3), 5 * 2 / sqrt(n));
  OK(wf_log_density("gaussian", draws, parameters, 2, &density));
  OK(wf_distribution_function("gaussian", draws, parameters, 2, &probability));
  const double z = (f64_at(draws, 0, 9) - 3) / 2;
  cr_assert_float_eq(f64_at(density, 0, 9), -z * z / 2 - log(2 * sqrt(2 * acos(-1.0))), 1e-5);
  cr_assert_float_eq(f64_at(probability, 0, 9), erfc(-z / sqrt(2)) / 2, 1e-5);
  OK(wf_random("gaussian", split, parameters, 2, -1, WF_F32, &one));
  cr_assert_eq(f64_at(one, 0, 0), f64_at(draws, 0, 0));
  wf_seq* all[] = {key, split, draws, density, probability, one, parameters[0], parameters[1]};
  for (int k = 0; k < 8; k++) wf_release(all[k]);
  wf_context_release(context);
}

Test(random, bad_arguments) {
  wf_context* context = tested();
  wf_seq *key, *r, *two = number(context, 2), *floats, *none[] = {two, NULL}, *both[2];
  OK(wf_random_key(context, 77, &key));
  OK(wf_random("uniform", key, NULL, 0, 4, WF_F32, &floats));
  both[0] = both[1] = floats;
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "context is NULL", r, wf_random_key(NULL, 1, &r));
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_random_key(context, 1, NULL));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "key is NULL", r, wf_random_split(NULL, 1, &r));
  GIVES_NOTHING(WF_ERROR_TYPE, "key has type (f64); expected u64", r, wf_random_split(two, 1, &r));
  GIVES_NOTHING(WF_ERROR_SIZE, "key has rank 1; expected rank 0", r, wf_random_split(floats, 1, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "distribution is NULL", r, wf_random(NULL, key, NULL, 0, 5, WF_F32, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "distribution is \"normal\"; expected one of uniform, gaussian", r,
                wf_random("normal", key, NULL, 0, 5, WF_F32, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "key is NULL", r, wf_random("uniform", NULL, NULL, 0, 5, WF_F32, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "parameters is NULL", r, wf_random("uniform", key, NULL, 2, 5, WF_F32, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "parameters[1] is NULL", r, wf_random("uniform", key, none, 2, 5, WF_F32, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "uniform has 1 parameter; expected 0 or 2", r, wf_random("uniform", key, none, 1, 5, WF_F32, &r));
  GIVES_NOTHING(WF_ERROR_TYPE, "type is i32; expected f32 or f64", r, wf_random("uniform", key, NULL, 0, 5, WF_I32, &r));
  GIVES_NOTHING(WF_ERROR_TYPE, "key has type (f64); expected u64", r, wf_random("uniform", two, NULL, 0, 5, WF_F32, &r));
  GIVES_NOTHING(WF_ERROR_SIZE, "the length is -2", r, wf_random("uniform", key, NULL, 0, -2, WF_F32, &r));
  GIVES_NOTHING(WF_ERROR_SIZE, "low has length 4; expected 5, or rank 0", r, wf_random("uniform", key, both, 2, 5, WF_F32, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "distribution is NULL", r, wf_log_density(NULL, two, NULL, 0, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "x is NULL", r, wf_log_density("uniform", NULL, NULL, 0, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "x is NULL", r, wf_distribution_function("uniform", NULL, NULL, 0, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "key has no distribution function; expected one of uniform, gaussian", r,
                wf_distribution_function("key", two, NULL, 0, &r));
  wf_release(key), wf_release(two), wf_release(floats);
  wf_context_release(context);
}

Test(random, functions_draw) {
  wf_context* context = tested();
  wf_seq *key, *draws, *drawn;
  wf_fn* f;
  OK(wf_random_key(context, 77, &key));
  OK(wf_random("gaussian", key, NULL, 0, n, WF_F32, &draws));
  OK(wf_fn_create("(fn ((i i64)) (draw gaussian f32 77:u64 i))", NULL, 0, &f));
  OK(wf_tabulate(context, f, n, &drawn));
  for (int64_t k = 0; k < n; k++) cr_assert_eq(f64_at(drawn, 0, k), f64_at(draws, 0, k));
  wf_fn_release(f), wf_release(key), wf_release(draws), wf_release(drawn);
  wf_context_release(context);
}

Test(random, bad_draws) {
  wf_fn* f;
  const char* none[] = {"(fn ((i i64)) (draw normal f32 7:u64 i))", "(fn ((i i64)) (draw dirichlet f32 7:u64 i i))"};
  for (int k = 0; k < 2; k++)
    GIVES_NOTHING(WF_ERROR_COMPILE, "\"; expected one of uniform, gaussian", f, wf_fn_create(none[k], NULL, 0, &f));
  GIVES_NOTHING(WF_ERROR_COMPILE, "uniform has 1 parameter; expected 0 or 2", f,
                wf_fn_create("(fn ((i i64)) (draw uniform f32 7:u64 i i))", NULL, 0, &f));
  GIVES_NOTHING(WF_ERROR_TYPE, "type is i32; expected f32 or f64", f,
                wf_fn_create("(fn ((i i64)) (draw uniform i32 7:u64 i))", NULL, 0, &f));
  GIVES_NOTHING(WF_ERROR_TYPE, "a draw has 1 argument; expected a key, a number and the parameters", f,
                wf_fn_create("(fn ((i i64)) (draw uniform f32 i))", NULL, 0, &f));
  GIVES_NOTHING(WF_ERROR_TYPE, "a draw has a key or a number of type f32; expected integers", f,
                wf_fn_create("(fn ((x f32)) (draw uniform f32 7:u64 x))", NULL, 0, &f));
}
