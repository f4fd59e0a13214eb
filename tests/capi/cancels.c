/* Cancellation: calls that would take minutes end soon with a code of their own, in each kind of call, and everything is usable afterwards. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "helpers.h"

enum { n = 1 << 22, side = 1500, rounds = 25 };

static wf_context* context;
static wf_seq* keys;   /* of n elements, in no order */
static wf_seq* matrix; /* of side x side elements */

static wf_seq* tabulated(const char* text, int64_t length) {
  wf_fn* f = function(text);
  wf_seq* s;
  OK(wf_tabulate(context, f, length, &s));
  wf_fn_release(f);
  return s;
}

static void set_up(void) {
  setenv("WARPFOLD_THREADS", "2", 1); /* so that the work also lasts on a machine of many cores */
  context = cpu();
  keys = tabulated("(fn ((i i64)) (mul (rem i 1000003:i64) 6364136223846793005:i64))", n);
  OK(wf_force(&keys, 1));
  wf_seq* elements = tabulated("(fn ((i i64)) (sin (cast f64 i)))", (int64_t)side * side);
  OK(wf_reshape(elements, (const int64_t[]){side, side}, 2, &matrix));
  OK(wf_force(&matrix, 1));
  wf_release(elements);
}
static void tear_down(void) {
  wf_release(keys);
  wf_release(matrix);
  wf_context_release(context);
}

TestSuite(cancels, .init = set_up, .fini = tear_down);

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- sequences that take long to compute --------------------------------------------------------------------------- */

#define LONG "(sin (exp (sin (exp (sin (exp (sin (cast f64 i))))))))"

static wf_seq* with_sum(wf_seq* s) {
  wf_fn* add = function("(fn ((a f64) (b f64)) (add a b))");
  wf_seq* r;
  OK(wf_reduce(add, NULL, s, &r));
  wf_fn_release(add);
  wf_release(s);
  return r;
}
static wf_seq* a_map(void) { return tabulated("(fn ((i i64)) " LONG ")", (int64_t)1 << 26); }
static wf_seq* a_reduction(void) { return with_sum(tabulated("(fn ((i i64)) " LONG ")", (int64_t)1 << 40)); }
static wf_seq* loops(void) { return tabulated("(fn ((i i64)) (loop ((x 0:i64)) (lt x 100000:i64) (or (add x 1:i64) 1:i64)))", n); }
static wf_seq* a_fold(void) {
  return tabulated("(fn ((i i64)) (fold ((a f64) (b f64)) (add a b) 0.0:f64 ((j 1099511627776:i64)) (sin (exp (cast f64 j)))))", 3);
}
static wf_seq* an_iteration(void) {
  wf_fn* f = function("(fn ((a i64) (b i64)) (loop ((x a)) (lt (rem x 1000:i64) 999:i64) (or (add x b) 1:i64)))");
  wf_seq* r;
  OK(wf_iterate_prefixes(f, "1:i64", keys, 0, &r, NULL));
  wf_fn_release(f);
  return r;
}
static wf_seq* a_sort(void) {
  wf_fn* less = function("(fn ((a i64) (b i64)) (lt (loop ((x a)) (gt (rem x 100003:i64) 3:i64) (add x 1:i64)) (mul b 3:i64)))");
  wf_seq* r;
  OK(wf_sort_by(less, keys, &r));
  wf_fn_release(less);
  return r;
}
static wf_seq* a_product(void) {
  wf_seq *once, *twice;
  OK(wf_matmul(matrix, matrix, &once));
  OK(wf_matmul(once, once, &twice));
  wf_release(once);
  return twice;
}
static wf_seq* a_factorization(void) {
  wf_seq* r[3];
  OK(wf_factor("singular_values", matrix, r, 3));
  wf_release(r[1]);
  wf_release(r[2]);
  return r[0];
}
static wf_seq* (*const kinds[])(void) = {a_map, a_reduction, loops, a_fold, an_iteration, a_sort, a_product, a_factorization};
enum { n_kinds = sizeof kinds / sizeof *kinds };

static void expect_usable(void) {
  int64_t sum = 0;
  wf_seq* s = tabulated("(fn ((i i64)) (mul i 3:i64))", 100003);
  OK(wf_to_host(s, 0, 100002, 1, &sum, WF_I64, 1));
  cr_assert_eq(sum, 300006);
  wf_release(s);
}

/* ---- by another thread --------------------------------------------------------------------------------------------- */

struct canceler {
  wf_context* canceled;
  useconds_t delay;
  double at;
  volatile int is_done;
};
static void* cancel_later(void* of) {
  struct canceler* canceler = of;
  usleep(canceler->delay);
  canceler->at = seconds();
  int32_t code = wf_cancel(canceler->canceled);
  for (; !canceler->is_done && code == WF_OK; usleep(20000)) code = wf_cancel(canceler->canceled); /* the call may not have begun */
  return (void*)(intptr_t)code;
}

/* Returns the seconds from the cancellation to the end of the call. */
static double end_of_force(wf_seq* s, wf_context* canceled, useconds_t delay) {
  struct canceler canceler = {canceled, delay, 0, 0};
  pthread_t thread;
  pthread_create(&thread, NULL, cancel_later, &canceler);
  FAILS(WF_ERROR_CANCELED, "wf_force: the computation was canceled", wf_force(&s, 1));
  const double end = seconds();
  canceler.is_done = 1;
  void* code;
  pthread_join(thread, &code);
  cr_assert_null(code);
  return end - canceler.at;
}

Test(cancels, each_kind_of_call_ends_soon) {
  for (int kind = 0; kind < n_kinds; kind++) {
    double least = 1e9; /* the machine may be busy with other things */
    for (int k = 0; k < rounds; k++) {
      wf_seq* s = kinds[kind]();
      const double took = end_of_force(s, k % 2 ? context : NULL, (useconds_t)(300 + 900 * k));
      if (took < least) least = took;
      cr_assert_lt(took, 5, "kind %d took %g s", kind, took);
      wf_release(s);
      expect_usable();
    }
    cr_assert_lt(least, 0.05, "kind %d took %g s", kind, least);
  }
}

Test(cancels, a_canceled_sequence_can_be_computed) {
  wf_seq* s = a_product();
  end_of_force(s, context, 30000);
  end_of_force(s, context, 60000);
  wf_seq* first = tabulated("(fn ((i i64)) " LONG ")", 1 << 20);
  const int32_t code = wf_force(&first, 1);
  cr_assert_eq(code, WF_OK);
  double by_force, by_sum;
  OK(wf_to_host(first, 0, 77777, 1, &by_force, WF_F64, 1));
  wf_seq* again = tabulated("(fn ((i i64)) " LONG ")", 77778);
  OK(wf_to_host(again, 0, 77777, 1, &by_sum, WF_F64, 1));
  cr_assert_eq(by_force, by_sum);
  wf_release(s);
  wf_release(first);
  wf_release(again);
}

Test(cancels, a_program_ends_and_runs_again) {
  wf_seq *parameter, *result, *out = NULL, *like = tabulated("(fn ((i i64)) i)", 1 << 22);
  OK(wf_parameter(like, &parameter));
  wf_fn* f = function(
      "(fn ((i i64)) (fold ((a f64) (b f64)) (add a b) 0.0:f64 ((j (max 0:i64 (sub i 4194200:i64)))) (sin (mul 1e-3:f64 (cast f64 j)))))");
  OK(wf_map(f, &parameter, 1, &result));
  wf_program* program;
  OK(wf_program_create(&parameter, 1, &result, 1, &program));
  wf_seq* large = tabulated("(fn ((i i64)) 1000000000000:i64)", 1 << 22);
  struct canceler canceler = {context, 20000, 0, 0};
  pthread_t thread;
  pthread_create(&thread, NULL, cancel_later, &canceler);
  GIVES_NOTHING(WF_ERROR_CANCELED, "wf_program_run", out, wf_program_run(program, &large, 1, &out, 1, NULL));
  canceler.is_done = 1;
  pthread_join(thread, NULL);
  OK(wf_program_run(program, &like, 1, &out, 1, NULL));
  double last, expected = 0;
  OK(wf_to_host(out, 0, 4194202, 1, &last, WF_F64, 1));
  for (int k = 0; k < 2; k++) expected += 1e-3 * k;
  cr_assert(last > 0.99 * expected && last < 1.01 * expected, "%g", last);
  wf_seq* all[] = {parameter, result, out, like, large};
  for (int k = 0; k < 5; k++) wf_release(all[k]);
  wf_fn_release(f);
  wf_program_release(program);
}

Test(cancels, only_running_calls_of_the_context) {
  OK(wf_cancel(context));
  OK(wf_cancel(NULL));
  expect_usable();
  wf_context* other = cpu();
  struct canceler canceler = {other, 5000, 0, 0};
  pthread_t thread;
  pthread_create(&thread, NULL, cancel_later, &canceler);
  wf_seq* s = tabulated("(fn ((i i64)) " LONG ")", 1 << 22);
  OK(wf_force(&s, 1));
  canceler.is_done = 1;
  pthread_join(thread, NULL);
  cr_assert_gt(canceler.at, 0);
  wf_release(s);
  wf_context_release(other);
  FAILS(WF_ERROR_ARGUMENT, "context is not a valid context", wf_cancel((wf_context*)keys));
}

/* ---- files --------------------------------------------------------------------------------------------------------- */

Test(cancels, readers_and_writers) {
  char path[] = "/tmp/cancels_XXXXXX.csv";
  const int descriptor = mkstemps(path, 4);
  static char lines[1 << 20];
  for (size_t k = 0; k < sizeof lines; k += 16) memcpy(lines + k, "0.123456,654321\n", 16);
  for (int k = 0; k < 200; k++) cr_assert_eq(write(descriptor, lines, sizeof lines), (ssize_t)sizeof lines);
  close(descriptor);
  struct canceler canceler = {context, 30000, 0, 0};
  pthread_t thread;
  pthread_create(&thread, NULL, cancel_later, &canceler);
  wf_seq* out;
  GIVES_NOTHING(WF_ERROR_CANCELED, "wf_read_array", out, wf_read_array(context, path, NULL, NULL, -1, &out));
  canceler.is_done = 1;
  pthread_join(thread, NULL);
  remove(path);
  expect_usable();
}

/* ---- by a signal, and by a poll ------------------------------------------------------------------------------------- */

static volatile sig_atomic_t earlier_handler_ran = 0;
static void note(int signal) { earlier_handler_ran = signal; }

static void signal_in(int milliseconds) {
  setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000}}, NULL);
}

Test(cancels, a_signal_ends_calls_and_runs_the_earlier_handler) {
  signal(SIGALRM, note);
  OK(wf_cancel_on_signal(SIGALRM, 1));
  OK(wf_cancel_on_signal(SIGALRM, 1));
  for (int k = 0; k < rounds; k++) {
    wf_seq* s = kinds[k % n_kinds]();
    earlier_handler_ran = 0;
    signal_in(1 + k);
    FAILS(WF_ERROR_CANCELED, "canceled", wf_force(&s, 1));
    cr_assert_eq(earlier_handler_ran, SIGALRM);
    wf_release(s);
    expect_usable();
  }
  OK(wf_cancel_on_signal(SIGALRM, 0));
  struct sigaction now;
  sigaction(SIGALRM, NULL, &now);
  cr_assert(now.sa_handler == note);
  FAILS(WF_ERROR_ARGUMENT, "expected one that can be handled, such as SIGINT", wf_cancel_on_signal(SIGKILL, 1));
  FAILS(WF_ERROR_ARGUMENT, "signal is 1000", wf_cancel_on_signal(1000, 1));
}

Test(cancels, the_default_action_is_taken_between_calls, .signal = SIGALRM) {
  OK(wf_cancel_on_signal(SIGALRM, 1));
  raise(SIGALRM);
}

static double began;
static int32_t is_late(void) { return seconds() - began > 0.05; }

Test(cancels, a_poll_ends_calls) {
  OK(wf_cancel_on_poll(is_late));
  for (int kind = 0; kind < n_kinds; kind++) {
    wf_seq* s = kinds[kind]();
    began = seconds();
    FAILS(WF_ERROR_CANCELED, "canceled", wf_force(&s, 1));
    cr_assert_geq(seconds() - began, 0.05);
    wf_release(s);
  }
  began = seconds() + 100;
  expect_usable();
  OK(wf_cancel_on_poll(NULL));
}
