// Eigen's products, factorizations and solvers, by rows: the blocks of a matrix are shared among the cores where Eigen itself uses one.
#pragma once

#include <cstdint>

namespace bench::eigen {

void product(const float* a, const float* b, int64_t n, float* c);
void product(const double* a, const double* b, int64_t n, double* c);
void products_of_32(const float* a, const float* b, int64_t count, float* c);
void cholesky(const float* a, int64_t n, float* l);
void solve_lower(const float* l, const float* b, int64_t n, float* x);

}  // namespace bench::eigen
