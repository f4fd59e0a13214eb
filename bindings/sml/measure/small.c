/* The peers of the binding's benchmark: the same small call from C, and memcpy. Times are nanoseconds, of the
 * small call those of the process's CPU time. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "warpfold.h"

static double now(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* reduce(add, 0, map(x -> x * 1.0001 + 0.5, s)) of n doubles, with a new graph each time; -1 on failure. */
double small_in_c(int64_t n, int64_t calls) {
  wf_context* context = NULL;
  wf_seq* s = NULL;
  double* data = malloc((size_t)n * sizeof *data);
  for (int64_t i = 0; i < n; i++) data[i] = (double)i;
  int32_t failed = wf_context_create("cpu", &context);
  if (!failed) failed = wf_from_host(context, WF_F64, data, n, &s);
  double start = now(CLOCK_PROCESS_CPUTIME_ID);
  for (int64_t k = 0; k < calls && !failed; k++) {
    wf_fn *f = NULL, *add = NULL;
    wf_seq *mapped = NULL, *sum = NULL;
    const void* value = NULL;
    failed = wf_fn_create("(fn ((x f64)) (add (mul x 1.0001:f64) 0.5:f64))", NULL, 0, &f);
    if (!failed) failed = wf_map(f, &s, 1, &mapped);
    if (!failed) failed = wf_fn_create("(fn ((a f64) (b f64)) (add a b))", NULL, 0, &add);
    if (!failed) failed = wf_reduce(add, "0:f64", mapped, &sum);
    if (!failed) failed = wf_data(sum, 0, &value, NULL);
    wf_release(sum);
    wf_fn_release(add);
    wf_release(mapped);
    wf_fn_release(f);
  }
  double time = now(CLOCK_PROCESS_CPUTIME_ID) - start;
  wf_release(s);
  wf_context_release(context);
  free(data);
  return failed ? -1 : time / (double)calls;
}

/* One memcpy of this many bytes; all pages were touched before. */
double copy_in_c(int64_t bytes) {
  char *from = malloc((size_t)bytes), *to = malloc((size_t)bytes);
  memset(from, 1, (size_t)bytes);
  memset(to, 2, (size_t)bytes);
  double start = now(CLOCK_MONOTONIC);
  memcpy(to, from, (size_t)bytes);
  __asm__ volatile("" : : "r"(to) : "memory"); /* prevents the removal of the copy, which is never read */
  double time = now(CLOCK_MONOTONIC) - start;
  free(from);
  free(to);
  return time;
}
