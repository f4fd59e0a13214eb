/* A block function for the tests: quotients of 64-bit integers by *user, as integers and as doubles. */
#include <caml/alloc.h>
#include <caml/mlvalues.h>
#include <stdint.h>

static int64_t divisor = 7;

static void quotients(void* user, int64_t n, const void* const* in, void* const* out) {
  const int64_t d = *(int64_t*)user, *x = in[0];
  int64_t* whole = out[0];
  double* exact = out[1];
  for (int64_t k = 0; k < n; k++) {
    whole[k] = x[k] / d;
    exact[k] = (double)x[k] / (double)d;
  }
}

value test_quotients(value unit) {
  (void)unit;
  return caml_copy_nativeint((intnat)quotients);
}
value test_divisor(value unit) {
  (void)unit;
  return caml_copy_nativeint((intnat)&divisor);
}
