/* Checks if the brackets ( [ { balance in each file, like examples/text/match_parens.cpp but through the C API alone.
 *
 *     depth  = the inclusive prefix sums of +1 for an opening bracket, -1 for a closing one, 0 for the rest
 *     answer = the last depth is 0, and no depth is below 0
 *
 * The program makes one pass over the bytes and never stores the depths. */
#include <stdio.h>
#include <warpfold.h>

/* Jumps to the error report if a call fails. */
#define TRY(call) \
  if ((call) != WF_OK) goto failed

static int match(wf_context* context, const char* path) {
  wf_fn *step = NULL, *sum = NULL, *least = NULL;
  wf_seq *bytes = NULL, *steps = NULL, *depth = NULL, *last = NULL, *lowest = NULL;
  int status = 2;

  TRY(wf_from_file(context, WF_U8, path, &bytes));
  TRY(
      wf_fn_create("(fn ((c u8)) (sub (cast i64 (or (eq c 40:u8) (or (eq c 91:u8) (eq c 123:u8))))"
                   "                  (cast i64 (or (eq c 41:u8) (or (eq c 93:u8) (eq c 125:u8))))))",
                   NULL, 0, &step));
  TRY(wf_fn_create("(fn ((a i64) (b i64)) (add a b))", NULL, 0, &sum));
  TRY(wf_fn_create("(fn ((a i64) (b i64)) (min a b))", NULL, 0, &least));
  TRY(wf_map(step, &bytes, 1, &steps));
  TRY(wf_scan(sum, "0:i64", steps, 1, &depth, &last));
  TRY(wf_reduce(least, "0:i64", depth, &lowest));

  /* Forced together, both are computed in one pass. */
  wf_seq* answers[] = {last, lowest};
  int64_t open, low;
  TRY(wf_force(answers, 2));
  TRY(wf_to_host(last, 0, 0, 1, &open, WF_I64, 1));
  TRY(wf_to_host(lowest, 0, 0, 1, &low, WF_I64, 1));

  if (low < 0) printf("%s: a closing bracket too many\n", path);
  else if (open > 0) printf("%s: %lld left open\n", path, (long long)open);
  else printf("%s: balanced\n", path);
  status = low < 0 || open > 0;

failed:
  if (status == 2) {
    char message[1000];
    wf_error_message(message, sizeof message, NULL);
    fprintf(stderr, "%s: %s\n", path, message);
  }
  wf_release(bytes), wf_release(steps), wf_release(depth), wf_release(last), wf_release(lowest);
  wf_fn_release(step), wf_fn_release(sum), wf_fn_release(least);
  return status;
}

int main(int argc, char** argv) {
  wf_context* context;
  int status = 0;
  if (wf_context_create("auto", &context) != WF_OK) return 2;
  for (int k = 1; k < argc; k++) {
    int its = match(context, argv[k]);
    if (its > status) status = its;
  }
  wf_context_release(context);
  return status;
}
