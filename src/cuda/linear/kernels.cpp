#include "cuda/linear/kernels.h"

namespace wf::cuda {

std::string product_text(size_t bytes) {
  return std::string("typedef long long Index;\ntypedef ") + (bytes == 4 ? "unsigned int" : "unsigned long long") + R"( T;
struct Operand {
  const T* data;
  Index batch, row, column;
};
struct Args {
  Operand a, b;
  T* c;
  Index m, n, k;
};

// A block of 16 x 16 threads computes 64 x 64 elements, each thread 4 x 4 of them, from tiles of 16 terms in shared memory.
extern "C" __global__ void __launch_bounds__(256) warpfold_product(const __grid_constant__ Args s) {
  __shared__ T a[16][65], b[16][65];
  const Index across = (s.n + 63) / 64, down = (s.m + 63) / 64;
  const Index tile = blockIdx.x % (across * down), matrix = blockIdx.x / (across * down);
  const Index i0 = tile / across * 64, j0 = tile % across * 64;
  const T* const x = s.a.data + matrix * s.a.batch;
  const T* const y = s.b.data + matrix * s.b.batch;
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  T sums[4][4] = {};
  for (Index p0 = 0; p0 < s.k; p0 += 16) {
    for (int e = threadIdx.x; e < 1024; e += 256) {
      const Index i = i0 + e / 16, p = p0 + e % 16;
      a[e % 16][e / 16] = i < s.m && p < s.k ? x[i * s.a.row + p * s.a.column] : T(0);
      const Index q = p0 + e / 64, j = j0 + e % 64;
      b[e / 64][e % 64] = q < s.k && j < s.n ? y[q * s.b.row + j * s.b.column] : T(0);
    }
    __syncthreads();
    for (int p = 0; p < 16; p++)
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) sums[i][j] += a[p][ty + 16 * i] * b[p][tx + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      const Index row = i0 + ty + 16 * i, column = j0 + tx + 16 * j;
      if (row < s.m && column < s.n) s.c[(matrix * s.m + row) * s.n + column] = sums[i][j];
    }
}
)";
}

std::string few_text(Type type) {
  const char* const integer = size_of(type) == 4 ? "unsigned int" : "unsigned long long";
  return std::string("typedef long long Index;\ntypedef ") +
         (type == Type::F32   ? "float"
          : type == Type::F64 ? "double"
                              : integer) +
         R"( T;
struct Operand {
  const T* data;
  Index row, column;
};
struct FewArgs {
  Operand a, b;
  T* products;
  Index m, n, k;
};

// Block g computes a product of at most 8 x 8 elements over every gridDim.x-th stretch of 256 terms, a term per thread.
extern "C" __global__ void __launch_bounds__(256) warpfold_multiply_few(const __grid_constant__ FewArgs s) {
  __shared__ T sums[64][8];
  T own[8][8] = {};
  for (Index p = Index(blockIdx.x) * 256 + threadIdx.x; p < s.k; p += Index(gridDim.x) * 256) {
    T x[8], y[8];
    for (int i = 0; i < 8; i++) x[i] = i < s.m ? s.a.data[i * s.a.row + p * s.a.column] : T(0);
    for (int j = 0; j < 8; j++) y[j] = j < s.n ? s.b.data[p * s.b.row + j * s.b.column] : T(0);
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 8; j++) own[i][j] += x[i] * y[j];
  }
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) {
      T sum = own[i][j];
      for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(~0u, sum, distance);
      if (threadIdx.x % 32 == 0) sums[i * 8 + j][threadIdx.x / 32] = sum;
    }
  __syncthreads();
  const int i = threadIdx.x / 8, j = threadIdx.x % 8;
  if (i >= s.m || j >= s.n) return;
  T sum = 0;
  for (int warp = 0; warp < 8; warp++) sum += sums[threadIdx.x][warp];
  s.products[(blockIdx.x * s.m + i) * s.n + j] = sum;
}

struct Args {
  const T* products;
  T* out;
  Index count, elements;
};

// Block e adds element e of all products, in an order that depends on their number alone.
extern "C" __global__ void __launch_bounds__(256) warpfold_add_products(const __grid_constant__ Args s) {
  __shared__ T sums[256];
  T sum = 0;
  for (Index p = threadIdx.x; p < s.count; p += 256) sum += s.products[p * s.elements + blockIdx.x];
  sums[threadIdx.x] = sum;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) s.out[blockIdx.x] = sums[0];
}
)";
}

std::string diagonal_text(size_t bytes) {
  return std::string("typedef long long Index;\ntypedef ") + (bytes == 4 ? "float" : "double") + R"( T;
struct Args {
  const T* a;
  Index batch, step, n, positive;
  int* found;
};

// found[matrix]: one more than the first row with 0 on the diagonal, or 0; with `positive`, of the first number that is not positive and that
// the library did not find before.
extern "C" __global__ void __launch_bounds__(256) warpfold_check_diagonal(const __grid_constant__ Args s) {
  __shared__ int first;
  if (threadIdx.x == 0) first = s.positive && s.found[blockIdx.x] > 0 ? s.found[blockIdx.x] : 0x7fffffff;
  __syncthreads();
  for (Index i = threadIdx.x; i < s.n; i += 256) {
    const T x = s.a[blockIdx.x * s.batch + i * s.step];
    if (s.positive ? !(x > T(0)) : x == T(0)) atomicMin(&first, int(i) + 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) s.found[blockIdx.x] = first == 0x7fffffff ? 0 : first;
}
)";
}

std::string nan_text(size_t bytes) {
  return std::string("typedef long long Index;\ntypedef ") + (bytes == 4 ? "float" : "double") + R"( T;
// Each matrix has `parts` consecutive blocks, at most as many as a block has threads.
struct Matrix {
  Index number, part;
  __device__ Matrix(Index parts) : number(blockIdx.x / parts), part(blockIdx.x % parts) {}
};

struct FindArgs {
  const T* a;
  Index batch, count, parts;
  int* found;
};
// found[matrix, part]: 1 if the part of the matrix has a NaN, else 0.
extern "C" __global__ void __launch_bounds__(256) warpfold_find_nan(const __grid_constant__ FindArgs s) {
  const Matrix m(s.parts);
  const T* const a = s.a + m.number * s.batch;
  bool own = false;
#pragma unroll 4
  for (Index i = m.part * 256 + threadIdx.x; i < s.count; i += s.parts * 256) own |= a[i] != a[i];
  const int any = __syncthreads_or(own);
  if (threadIdx.x == 0) s.found[blockIdx.x] = any;
}

__device__ bool has_nan(const int* found, Index parts, Index matrix) {
  return __syncthreads_or(threadIdx.x < parts && found[matrix * parts + threadIdx.x]);
}
__device__ void fill(T* out, Index count, Index part, Index parts) {
  for (Index i = part * 256 + threadIdx.x; i < count; i += parts * 256) out[i] = T(0) / T(0);
}

struct KeepArgs {
  T* out;
  Index count, parts;
  const int* found;
};
// The `count` numbers of each matrix become NaN if the input had one.
extern "C" __global__ void __launch_bounds__(256) warpfold_keep_nan(const __grid_constant__ KeepArgs s) {
  const Matrix m(s.parts);
  if (has_nan(s.found, s.parts, m.number)) fill(s.out + m.number * s.count, s.count, m.part, s.parts);
}

struct FinishArgs {
  T* factors;
  Index n, parts;
  const int* found;
  int* zero;
};
// A matrix with a NaN has factors of NaN, no exchanges and no pivot 0. From the first pivot 0 on, all pivots become 0, since the library
// does not specify them.
extern "C" __global__ void __launch_bounds__(256) warpfold_finish_elimination(const __grid_constant__ FinishArgs s) {
  const Matrix m(s.parts);
  T* const factors = s.factors + m.number * (s.n * s.n + s.n);
  if (has_nan(s.found, s.parts, m.number)) {
    fill(factors, s.n * s.n, m.part, s.parts);
    if (m.part > 0) return;
    for (Index i = threadIdx.x; i < s.n; i += 256) reinterpret_cast<int*>(factors + s.n * s.n)[i] = int(i) + 1;
    if (threadIdx.x == 0) s.zero[m.number] = 0;
  } else if (m.part == 0 && s.zero[m.number] > 0) {
    for (Index i = s.zero[m.number] - 1 + threadIdx.x; i < s.n; i += 256) factors[i * (s.n + 1)] = T(0);
  }
}
)";
}

std::string scale_text(size_t bytes) {
  return std::string("typedef long long Index;\ntypedef ") + (bytes == 4 ? "float" : "double") +
         R"( T;
// Squares of numbers between 2^lowest and 2^highest, and their sums, are normal.
constexpr int highest = sizeof(T) == 4 ? 40 : 400, lowest = sizeof(T) == 4 ? -50 : -450;

constexpr int no_exponent = 0x7fffffff;  // of an infinity or a NaN; the least int is that of 0

struct Args {
  T* elements;
  Index count, columns;
  int* exponent;
};

// Multiplies a matrix by 2^-exponent, so that its largest element is near 2^highest, and replaces elements below 2^lowest by 0. With `columns`,
// elements above the diagonal do not count. A matrix with an infinity or a NaN becomes 0, and its values become NaN.
extern "C" __global__ void __launch_bounds__(1024) warpfold_scale_matrix(const __grid_constant__ Args s) {
  __shared__ int largest;
  if (threadIdx.x == 0) largest = -0x7fffffff;
  __syncthreads();
  int own = -0x7fffffff;
#pragma unroll 8
  for (Index i = threadIdx.x; i < s.count; i += 1024) {
    const T x = s.elements[i];
    const int of_element = x - x == T(0) ? ilogb(x) : no_exponent;
    if (of_element > own && (s.columns == 0 || i % s.columns <= i / s.columns)) own = of_element;
  }
  atomicMax(&largest, own);
  __syncthreads();
  const bool is_finite = largest != no_exponent, is_zero = largest < -2000;
  const int exponent = is_zero ? 0 : is_finite ? largest - highest : no_exponent;
  if (threadIdx.x == 0) *s.exponent = exponent;
  if (is_zero) return;
#pragma unroll 8
  for (Index i = threadIdx.x; i < s.count; i += 1024) {
    const T x = is_finite ? scalbn(s.elements[i], -exponent) : T(0);
    s.elements[i] = ilogb(x) >= lowest || x != x ? x : T(0);
  }
}

// Multiplies the values of such a matrix by 2^exponent.
extern "C" __global__ void __launch_bounds__(1024) warpfold_scale_values(const __grid_constant__ Args s) {
  const int exponent = *s.exponent;
  for (Index i = threadIdx.x; i < s.count; i += 1024)
    s.elements[i] = exponent == no_exponent ? T(0) / T(0) : scalbn(s.elements[i], exponent);
}
)";
}

std::string convert_text() {
  return R"(
typedef long long Index;
template <class From, class To> struct Args {
  const From* from;
  To* to;
  Index count;
};

template <class From, class To> __device__ void convert(const Args<From, To>& s) {
  for (Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x; i < s.count; i += Index(gridDim.x) * blockDim.x) s.to[i] = To(s.from[i]);
}
extern "C" __global__ void warpfold_widen(const __grid_constant__ Args<float, double> s) { convert(s); }
extern "C" __global__ void warpfold_narrow(const __grid_constant__ Args<double, float> s) { convert(s); }
)";
}

}  // namespace wf::cuda
