/* The small call from C, for comparison: sum of 1.0001 x + 0.5; each call creates the functions and the graph. */
#include <caml/alloc.h>
#include <caml/bigarray.h>
#include <caml/mlvalues.h>
#include <stdio.h>
#include <stdlib.h>

#include "warpfold.h"

#define TRY(call)                                    \
  if ((call) != WF_OK) {                             \
    char message[1000];                              \
    wf_error_message(message, sizeof message, NULL); \
    fprintf(stderr, "c_loop: %s\n", message);        \
    exit(2);                                         \
  }

static float map_sum(wf_seq* s) {
  wf_fn *f, *sum;
  wf_seq *mapped, *total;
  float value;
  TRY(wf_fn_create("(fn ((x f32)) (add (mul x 1.0001:f32) 0.5:f32))", NULL, 0, &f));
  TRY(wf_map(f, &s, 1, &mapped));
  TRY(wf_fn_create("(fn ((a f32) (b f32)) (add a b))", NULL, 0, &sum));
  TRY(wf_reduce(sum, "0.0:f32", mapped, &total));
  TRY(wf_to_host(total, 0, 0, 1, &value, WF_F32, 1));
  wf_fn_release(f), wf_fn_release(sum), wf_release(mapped), wf_release(total);
  return value;
}

/* float32 bigarray -> times -> the last sum */
value bench_c_loop(value array, value times) {
  wf_context* context;
  wf_seq* s;
  double last = 0;
  TRY(wf_context_create(getenv("WARPFOLD_CONTEXT"), &context));
  TRY(wf_from_host(context, WF_F32, Caml_ba_data_val(array), Caml_ba_array_val(array)->dim[0], &s));
  for (long k = 0; k < Long_val(times); k++) last = map_sum(s);
  wf_release(s), wf_context_release(context);
  return caml_copy_double(last);
}
