/* A block function for the tests: the products and the quotients of doubles and *user. */
#include <stdint.h>

double factor = 8;

void products(void* user, int64_t n, const void* const* in, void* const* out) {
  const double by = *(double*)user, *x = in[0];
  double *product = out[0], *quotient = out[1];
  for (int64_t k = 0; k < n; k++) {
    product[k] = x[k] * by;
    quotient[k] = x[k] / by;
  }
}
