// Linear algebra. src/lazy/linear checks types and shapes and makes the nodes.
#include "lazy/linear/linear.h"

#include "checks/arguments.h"

using namespace wf;
using namespace wf::capi;

int32_t wf_matmul(wf_seq* a, wf_seq* b, wf_seq** out) {
  return making("wf_matmul", out, [&](Call& call) {
    const NodeRef left = measured(call, a, "a"), right = measured(call, b, "b");
    return matmul(left, right);
  });
}

int32_t wf_matrix_power(wf_seq* a, int64_t n, wf_seq** out) {
  return making("wf_matrix_power", out, [&](Call& call) { return matrix_power(measured(call, a, "a"), n); });
}

int32_t wf_solve(const char* form, wf_seq* a, wf_seq* b, wf_seq** out) {
  return making("wf_solve", out, [&](Call& call) {
    require(form, "form");
    const NodeRef left = measured(call, a, "a"), right = measured(call, b, "b");
    return solve(form, left, right);
  });
}

int32_t wf_factor(const char* factorization, wf_seq* a, wf_seq** out, int32_t n_out) {
  return guarded("wf_factor", [&](Call& call) {
    require(factorization, "factorization");
    if (n_out < 1) throw ArgumentError("n_out is " + std::to_string(n_out) + "; expected the number of results");
    require(out, "out");
    for (int32_t k = 0; k < n_out; k++) out[k] = nullptr;
    std::vector<NodeRef> results = factor(factorization, measured(call, a, "a"));
    if (size_t(n_out) != results.size())
      throw ArgumentError("n_out is " + std::to_string(n_out) + "; expected " + std::to_string(results.size()) + " results of " +
                          factorization);
    for (size_t k = 0; k < results.size(); k++) out[k] = give(std::move(results[k]));
  });
}

int32_t wf_linear(const char* function, wf_seq* const* arguments, int32_t n_arguments, wf_seq** out) {
  return making("wf_linear", out, [&](Call& call) {
    require(function, "function");
    if (n_arguments < 1) throw ArgumentError("n_arguments is " + std::to_string(n_arguments) + "; expected 1 or more");
    std::vector<NodeRef> matrices;
    require(arguments, "arguments");
    for (int32_t k = 0; k < n_arguments; k++) matrices.push_back(measured(call, arguments[k], "arguments"));
    return linear_function(function, matrices);
  });
}

int32_t wf_convolve(wf_seq* image, wf_seq* kernel, wf_seq** out) {
  return making("wf_convolve", out, [&](Call& call) {
    const NodeRef pixels = measured(call, image, "image"), weights = measured(call, kernel, "kernel");
    return convolve(pixels, weights);
  });
}

int32_t wf_max_pool(wf_seq* image, int64_t rows, int64_t columns, wf_seq** out) {
  return making("wf_max_pool", out, [&](Call& call) { return max_pool(measured(call, image, "image"), rows, columns); });
}
