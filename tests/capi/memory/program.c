#include "program.h"

#include <stddef.h>

int32_t program(wf_context* context, int64_t* result) {
  static const int32_t values[] = {4, -1, 3, 0, 2, -5, 7, 1};
  wf_seq *s = NULL, *tail = NULL, *joined = NULL, *kept = NULL, *index = NULL, *pairs = NULL, *prefixes = NULL, *total = NULL,
         *count = NULL, *mapped = NULL, *displaced = NULL;
  wf_fn *positive = NULL, *iota = NULL, *sum = NULL, *gather = NULL;
  int32_t code;
#define STEP(call) \
  if ((code = (call)) != WF_OK) goto done
  STEP(wf_from_host(context, WF_I32, values, 8, &s));
  STEP(wf_fn_create("(fn ((x i32)) (gt x 0:i32))", NULL, 0, &positive));
  STEP(wf_fn_create("(fn ((i i64)) (cast i32 i))", NULL, 0, &iota));
  STEP(wf_fn_create("(fn ((a i32) (b i32) (c i32) (d i32)) (tuple (add a c) (max b d)))", NULL, 0, &sum));
  STEP(wf_drop(s, 3, &tail));
  wf_seq* parts[] = {s, tail};
  STEP(wf_append(parts, 2, &joined));
  STEP(wf_filter(positive, joined, &kept));
  STEP(wf_length(kept, &count));
  STEP(wf_force(&kept, 1));
  int64_t n;
  STEP(wf_known_length(kept, &n));
  STEP(wf_tabulate(context, iota, n, &index));
  wf_seq* columns[] = {kept, index};
  STEP(wf_zip(columns, 2, &pairs));
  STEP(wf_scan(sum, "(tuple 0:i32 -2147483648:i32)", pairs, 0, &prefixes, &total));
  STEP(wf_fn_create("(fn ((x i32) (i i32)) (add x (at $0.0 (cast i64 i))))", &prefixes, 1, &gather));
  STEP(wf_map(gather, &pairs, 1, &mapped));
  STEP(wf_translate(mapped, (const int64_t[]){1}, 1, "5:i32", &displaced));
  int64_t last, all, outside;
  STEP(wf_to_host(displaced, 0, 0, 1, &outside, WF_I64, 1));
  STEP(wf_to_host(mapped, 0, n - 1, 1, &last, WF_I64, 1));
  STEP(wf_to_host(total, 0, 0, 1, &all, WF_I64, 1));
  STEP(wf_explain(&mapped, 1, 0, NULL, 0, NULL));
  void* tensor;
  STEP(wf_to_dlpack(kept, 0, &tensor));
  struct managed {
    char tensor[48];
    void* context;
    void (*deleter)(struct managed*);
  }* managed = tensor;
  managed->deleter(managed);
  *result = last * 1000 + all + outside;
done:
  wf_release(s), wf_release(tail), wf_release(joined), wf_release(kept), wf_release(index), wf_release(pairs);
  wf_release(prefixes), wf_release(total), wf_release(count), wf_release(mapped), wf_release(displaced);
  wf_fn_release(positive), wf_fn_release(iota), wf_fn_release(sum), wf_fn_release(gather);
  return code;
}
