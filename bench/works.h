// The benchmarks, one file each. Each states its computation, the fewest bytes that it must move, and its contestants.
#pragma once

#include <cstdint>

namespace bench {

class Bench;
struct Options;

void reduce(Bench& bench, int64_t n);
void parens(Bench& bench, int64_t n);
void parens_text(Bench& bench, int64_t n);
void map8_reduce(Bench& bench, int64_t n);
void exp_chain(Bench& bench, int64_t n);
void functions(Bench& bench, int64_t n);
void random_numbers(Bench& bench, int64_t n);
void scan(Bench& bench, int64_t n);
void scan_square_reduce(Bench& bench, int64_t n);
void filter(Bench& bench, int64_t n);
void filter_map_reduce(Bench& bench, int64_t n);
void sort(Bench& bench, int64_t n);
void sort_pairs(Bench& bench, int64_t n);
void histogram(Bench& bench, int64_t n);
void scatter_add(Bench& bench, int64_t n);
void mcss(Bench& bench, int64_t n);
void polynomial(Bench& bench, int64_t n);
void moments(Bench& bench, int64_t n);
void argmax(Bench& bench, int64_t n);
void counts(Bench& bench, int64_t n);
void gather(Bench& bench, int64_t n);
void mandelbrot(Bench& bench, int64_t n);
void gemm(Bench& bench, int64_t n);
void gemm_f64(Bench& bench, int64_t n);
void batched_gemm(Bench& bench, int64_t n);
void cholesky(Bench& bench, int64_t n);
void triangular_solve(Bench& bench, int64_t n);
void transpose(Bench& bench, int64_t n);
void permute4(Bench& bench, int64_t n);
void softmax(Bench& bench, int64_t n);
void layer_norm(Bench& bench, int64_t n);
void edges(Bench& bench, int64_t n);
void convolve(Bench& bench, int64_t n);
void broadcast_add(Bench& bench, int64_t n);
void axis_sums(Bench& bench, int64_t n);
void axis_scans(Bench& bench, int64_t n);
void life(Bench& bench, int64_t n);
void heat(Bench& bench, int64_t n);
void matrix_sums(Bench& bench, int64_t n);
void segment_sums(Bench& bench, int64_t n);
void sparse_product(Bench& bench, int64_t n);
void bodies(Bench& bench, int64_t n);
void word_counts(Bench& bench, int64_t n);
void primes(Bench& bench, int64_t n);
void breadth_first_search(Bench& bench, int64_t n);
void convex_hull(Bench& bench, int64_t n);
void k_means(Bench& bench, int64_t n);
void complex(Bench& bench, int64_t n);
void small(Bench& bench, int64_t n);
void small_sum(Bench& bench, int64_t n);
void small_map(Bench& bench, int64_t n);
void changing_constant(Bench& bench, int64_t n);
void changing_scalar(Bench& bench, int64_t n);
void descent(Bench& bench, int64_t n);
void small_often(Bench& bench, int64_t n);
void threads_small(Bench& bench, int64_t n);
void new_kernel(Bench& bench, int64_t n);
void new_large_map(Bench& bench, int64_t n);
void new_large_sum(Bench& bench, int64_t n);
void new_large_scan(Bench& bench, int64_t n);
void new_large_filter(Bench& bench, int64_t n);
void first_call(Bench& bench, int64_t n);
void transfer(Bench& bench, int64_t n);
void batches(Bench& bench, int64_t n);
void ordinary_code(Bench& bench, int64_t n);
void values_and_gradients(Bench& bench, int64_t n);
void limits(Bench& bench, int64_t n);

// For first_call: makes one call of this kind in this process and prints its milliseconds.
void time_first_call(const Options& options, const std::string& kind);

}  // namespace bench
