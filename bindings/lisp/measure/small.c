/* A small call from C: map and reduce to a value. Each call builds the graph; the functions are created only once. */
#include <time.h>
#include <warpfold.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of CPU time for `repetitions` of sum(x * 1.0001 + 0.5); negative if a call failed. */
double small_in_c(wf_seq* s, int64_t repetitions, float* result) {
  wf_fn *f, *plus;
  if (wf_fn_create("(fn ((x f32)) (add (mul x 1.0001:f32) 0.5:f32))", NULL, 0, &f)) return -1;
  if (wf_fn_create("(fn ((a f32) (b f32)) (add a b))", NULL, 0, &plus)) return -1;
  double start = now();
  for (int64_t k = 0; k < repetitions; k++) {
    wf_seq *mapped, *sum;
    if (wf_map(f, &s, 1, &mapped)) return -1;
    if (wf_reduce(plus, "0.0:f32", mapped, &sum)) return -1;
    if (wf_to_host(sum, 0, 0, 1, result, WF_F32, 1)) return -1;
    wf_release(mapped);
    wf_release(sum);
  }
  double seconds = now() - start;
  wf_fn_release(f);
  wf_fn_release(plus);
  return seconds;
}
