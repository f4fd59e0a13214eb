// cuBLAS and cuSOLVER, loaded at run time. This file declares the few functions that are used, so that the build needs no CUDA header.
// Matrices of these libraries are by columns.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "cuda/device/device.h"

namespace wf::cuda {

using cublasHandle = struct cublasContext*;
using cusolverHandle = struct cusolverDnContext*;

// Values of the libraries' enums.
constexpr int blas_plain = 0, blas_transposed = 1;
constexpr int blas_lower = 0, blas_upper = 1;
constexpr int blas_right = 1;
constexpr int solver_vectors = 1;

// F(name after the letter of the type, parameters) for elements T; every function returns an int
#define WF_BLAS_FUNCTIONS(F)                                                                                                            \
  F(gemm_v2, (cublasHandle, int, int, int, int, int, const T*, const T*, int, const T*, int, const T*, T*, int))                        \
  F(gemmStridedBatched, (cublasHandle, int, int, int, int, int, const T*, const T*, int, long long, const T*, int, long long, const T*, \
                         T*, int, long long, int))                                                                                      \
  F(trsm_v2, (cublasHandle, int, int, int, int, int, int, const T*, const T*, int, T*, int))                                            \
  F(trmm_v2, (cublasHandle, int, int, int, int, int, int, const T*, const T*, int, const T*, int, T*, int))                             \
  F(geam, (cublasHandle, int, int, int, int, const T*, const T*, int, const T*, const T*, int, T*, int))
#define WF_SOLVER_FUNCTIONS(F)                                                        \
  F(potrf_bufferSize, (cusolverHandle, int, int, T*, int, int*))                      \
  F(potrf, (cusolverHandle, int, int, T*, int, T*, int, int*))                        \
  F(getrf_bufferSize, (cusolverHandle, int, int, T*, int, int*))                      \
  F(getrf, (cusolverHandle, int, int, T*, int, T*, int*, int*))                       \
  F(getrs, (cusolverHandle, int, int, int, const T*, int, const int*, T*, int, int*)) \
  F(geqrf_bufferSize, (cusolverHandle, int, int, T*, int, int*))                      \
  F(geqrf, (cusolverHandle, int, int, T*, int, T*, T*, int, int*))                    \
  F(orgqr_bufferSize, (cusolverHandle, int, int, int, const T*, int, const T*, int*)) \
  F(orgqr, (cusolverHandle, int, int, int, T*, int, const T*, T*, int, int*))         \
  F(syevd_bufferSize, (cusolverHandle, int, int, int, const T*, int, const T*, int*)) \
  F(syevd, (cusolverHandle, int, int, int, T*, int, T*, T*, int, int*))               \
  F(gesvd_bufferSize, (cusolverHandle, int, int, int*))                               \
  F(gesvd, (cusolverHandle, signed char, signed char, int, int, T*, int, T*, T*, int, T*, int, T*, int, T*, int*))

#define WF_MEMBER_POINTER(name, parameters) int(*name) parameters = nullptr;
template <class T> struct Blas { WF_BLAS_FUNCTIONS(WF_MEMBER_POINTER) };
template <class T> struct Solver { WF_SOLVER_FUNCTIONS(WF_MEMBER_POINTER) };
#undef WF_MEMBER_POINTER

// Loaded at the first call, once per process. Both throw DeviceError, whose message names the missing library and the searched paths.
template <class T> const Blas<T>& blas();
template <class T> const Solver<T>& solver();

// Throws DeviceError if the status is an error.
void check_blas(int status, const char* what);
void check_solver(int status, const char* what);

// The handles of a queue, made at the first use: a handle serves one thread at a time.
class LinearHandles {
 public:
  struct Pair {
    std::mutex mutex;
    cublasHandle blas = nullptr;
    cusolverHandle solver = nullptr;
  };
  // The pair of the calling thread's queue, whose device is current. The functions below require its lock.
  Pair& of(Queue& queue);
  static cublasHandle blas_of(Pair& pair, Queue& queue);
  static cusolverHandle solver_of(Pair& pair, Queue& queue);

 private:
  std::mutex mutex_;
  std::unordered_map<Queue*, std::unique_ptr<Pair>> pairs_;
};

}  // namespace wf::cuda
