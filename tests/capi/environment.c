/* The caller's floating-point environment: traps, rounding mode and flags are preserved and do not affect the kernels. */
#define _GNU_SOURCE
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>

#include "helpers.h"

TestSuite(environment);

/* Programs that produce infinities, NaNs, overflows, underflows and inexact results, on several threads. */
static void make_all_exceptions(wf_context* context, int64_t n) {
  wf_fn* f = function(
      "(fn ((i i64)) (let ((x (cast f32 i))) (tuple (div x 0:f32) (sub (div 1.0:f32 x) (div 1.0:f32 x))"
      " (exp x) (mul (exp (neg x)) 1e-30:f32) (sqrt (neg x)) (log x) (cast i32 (mul x 1e30:f32)) (rem 5:i64 i))))");
  wf_fn* sum = function("(fn ((a f32) (b f32)) (add a b))");
  wf_seq *s, *column, *total, *prefixes;
  OK(wf_tabulate(context, f, n, &s));
  cr_assert(isnan(f64_at(s, 0, 0)));
  cr_assert(isinf(f64_at(s, 0, n - 1)));
  cr_assert(isinf(f64_at(s, 2, n - 1)));
  cr_assert(isnan(f64_at(s, 4, n - 1)));
  cr_assert_eq(i64_at(s, 6, n - 1), INT32_MAX);
  cr_assert_eq(i64_at(s, 7, 0), 0);
  int32_t which = 0;
  OK(wf_columns(s, &which, 1, &column));
  OK(wf_reduce(sum, NULL, column, &total));
  OK(wf_scan(sum, NULL, column, 1, &prefixes, NULL));
  cr_assert(isnan(f64_at(total, 0, 0)));
  cr_assert(isnan(f64_at(prefixes, 0, n - 1)));
  float narrow[4];
  double wide[] = {1e300, -1e300, NAN, 1e-300};
  wf_seq* rounded;
  OK(wf_from_host_strided(context, WF_F32, wide, WF_F64, 4, 1, &rounded));
  OK(wf_to_host(rounded, 0, 0, 4, narrow, WF_F32, 1));
  wf_seq* all[] = {s, column, total, prefixes, rounded};
  for (int k = 0; k < 5; k++) wf_release(all[k]);
  wf_fn_release(f);
  wf_fn_release(sum);
}

Test(environment, traps_of_the_caller_do_not_fire) {
  feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT);
  wf_context* context = tested(); /* the worker threads start with traps enabled */
  make_all_exceptions(context, 100);
  make_all_exceptions(context, 1000000);
  cr_assert_eq(fegetexcept(), FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT);
  fedisableexcept(FE_ALL_EXCEPT);
  wf_context_release(context);
}

static void* with_traps(void* context) {
  feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
  make_all_exceptions(context, 300000);
  return NULL;
}

Test(environment, traps_of_another_thread_do_not_fire) {
  wf_context* context = tested();
  make_all_exceptions(context, 300000); /* the worker threads start without traps */
  pthread_t thread;
  pthread_create(&thread, NULL, with_traps, context);
  pthread_join(thread, NULL);
  wf_context_release(context);
}

Test(environment, rounding_and_flags_stay_the_callers) {
  wf_context* context = tested();
  fesetround(FE_UPWARD);
  feclearexcept(FE_ALL_EXCEPT);
  feraiseexcept(FE_UNDERFLOW);
  make_all_exceptions(context, 1000);
  cr_assert_eq(fegetround(), FE_UPWARD);
  cr_assert_eq(fetestexcept(FE_ALL_EXCEPT), FE_UNDERFLOW);
  /* The library rounds 1/3 to nearest, which is down. */
  wf_fn* f = function("(fn ((i i64)) (div 1.0:f64 (cast f64 (add i 3:i64))))");
  wf_seq* s;
  OK(wf_tabulate(context, f, 1, &s));
  double third = f64_at(s, 0, 0);
  fesetround(FE_TONEAREST);
  volatile double one = 1, three = 3;
  cr_assert_eq(third, one / three);
  wf_release(s);
  wf_fn_release(f);
  wf_context_release(context);
}

Test(environment, failures_restore_it_too) {
  int32_t type;
  feenableexcept(FE_DIVBYZERO);
  fesetround(FE_DOWNWARD);
  cr_assert_eq(wf_type_of_name("none", &type), WF_ERROR_TYPE);
  cr_assert_eq(fegetexcept(), FE_DIVBYZERO);
  cr_assert_eq(fegetround(), FE_DOWNWARD);
  fedisableexcept(FE_ALL_EXCEPT);
  fesetround(FE_TONEAREST);
}
