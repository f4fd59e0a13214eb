#include "cuda/linear/linear.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "cuda/linear/kernels.h"
#include "engine/linear_error.h"

namespace wf::cuda {
namespace {

// A matrix by rows is its transpose by columns, so an operand by rows is passed as it is, and the product of two as that of their transposes
// in reverse order.
struct Lines {
  bool is_transposed;  // stored by columns
  int64_t distance;    // of neighbouring lines, at least their length
};
Lines lines_of(const MatrixOperand& x, int64_t rows, int64_t columns) {
  const bool by_rows = x.column == 1 && (x.row >= columns || rows == 1);
  return {!by_rows, std::max<int64_t>(1, by_rows ? std::max(x.row, columns) : std::max(x.column, rows))};
}

int number(int64_t extent) {
  if (extent > INT32_MAX)
    throw UnsupportedError("linear algebra on a GPU with an extent of " + std::to_string(extent) + "; expected less than 2^31");
  return int(extent);
}

// A product of few elements and many terms, for which neither cuBLAS nor product_text divides the terms among enough blocks: products of parts of the
// terms are stored side by side and added. Parts of at most 8 x 8 elements are added in registers (few_text). Others are a batch of products, and
// that of the remaining terms.
struct Parts {
  explicit Parts(const LinearRoutine& r) : whole(r), batch(r), rest(r), elements(r.m * r.n) {
    constexpr int64_t most_elements = 1024, fewest_terms = 1 << 15, most_parts = 2048, fewest_of_part = 256, few = 8;
    if (r.op != LinearRoutine::Product || r.batch != 1 || elements == 0 || elements > most_elements || r.k < fewest_terms) return;
    is_few = r.m <= few && r.n <= few;
    const int64_t length = std::max(fewest_of_part, r.k / most_parts), whole = r.k / length * length;
    batch.k = length, batch.batch = r.k / length;
    batch.a.batch = length * r.a.column, batch.b.batch = length * r.b.row;
    rest.k = r.k - whole;
    rest.a.offset += whole * r.a.column, rest.b.offset += whole * r.b.row;
    count = is_few ? std::min<int64_t>(most_parts, r.k / fewest_of_part) : batch.batch + (rest.k > 0);
  }
  LinearRoutine whole, batch, rest;
  const int64_t elements;
  bool is_few = false;
  int64_t count = 0;  // 0: the product is not divided
};

// Stores the product at `out` by those of its parts at `products`; multiply(routine, to) stores a product.
template <class Multiply>
void add_parts(const Parts& parts, RoutineRun& run, RoutineKernels& kernels, Type type, uint64_t products, uint64_t out,
               const Multiply& multiply) {
  if (parts.is_few) {
    std::vector<uint64_t> words;
    for (const auto& [k, x] : {std::pair(0, parts.whole.a), std::pair(1, parts.whole.b)})
      words.insert(words.end(), {run.inputs()[size_t(k)] + uint64_t(x.offset) * size_of(type), uint64_t(x.row), uint64_t(x.column)});
    words.insert(words.end(), {products, uint64_t(parts.whole.m), uint64_t(parts.whole.n), uint64_t(parts.whole.k)});
    run.start(kernels.find(few_text(type), "warpfold_multiply_few"), parts.count, 256, std::move(words));
  } else {
    multiply(parts.batch, products);
    if (parts.rest.k > 0) multiply(parts.rest, products + uint64_t(parts.batch.batch * parts.elements) * size_of(type));
  }
  run.start(kernels.find(few_text(type), "warpfold_add_products"), parts.elements, 256,
            {products, out, uint64_t(parts.count), uint64_t(parts.elements)});
}

// The numbers of failed pivots that a routine left on the device.
std::vector<int> read_numbers(Queue& queue, uint64_t from, int64_t count) {
  std::vector<int> numbers(static_cast<size_t>(count));
  check(queue.driver().cuMemcpyDtoHAsync(numbers.data(), from, numbers.size() * sizeof(int), queue.stream),
        "reading the result of a factorization");
  check(queue.driver().cuStreamSynchronize(queue.stream), "waiting for a factorization");
  return numbers;
}

template <class T> T* pointer(uint64_t address) { return reinterpret_cast<T*>(address); }

bool iterates(const LinearRoutine& r) { return r.op == LinearRoutine::SymmetricEigen || r.op == LinearRoutine::SingularValues; }

// One run of a routine that computes in T, on elements of type Element. prepare() finds the working memory, enqueue() the work.
template <class T, class Element = T> class FloatRun {
 public:
  FloatRun(const LinearRoutine& routine, Launch& launch, RoutineRun& run, LinearHandles::Pair& handles, RoutineKernels& kernels)
      : r_(routine), parts_(routine), run_(run), kernels_(kernels), queue_(run.queue()) {
    blas_ = LinearHandles::blas_of(handles, queue_);
    if (needs_solver()) solver_ = LinearHandles::solver_of(handles, queue_);
    auto input = [&](size_t k, const MatrixOperand& x) { return run.inputs()[k] + uint64_t(x.offset) * sizeof(Element); };
    if (parts_.count > 0) products_ = run.scratch(size_t(parts_.count * parts_.elements) * sizeof(T));
    a_ = pointer<const T>(input(0, r_.a));
    if (launch.inputs.size() > 1) b_ = pointer<const T>(input(1, r_.b));
    out_ = pointer<T>(run.outputs()[0]);
  }

  void execute() {
    for (int64_t extent : {r_.m, r_.n, r_.k, r_.batch}) number(extent);
    const uint64_t input = reinterpret_cast<uint64_t>(a_), output = reinterpret_cast<uint64_t>(out_);
    prepare();
    run_.begin();
    if constexpr (is_widened) convert("warpfold_widen", input, reinterpret_cast<uint64_t>(a_), count_of_input());
    if (r_.op == LinearRoutine::Product) multiply();
    else if (r_.op == LinearRoutine::TriangularSolve && !r_.unit)
      check_diagonal(a_, r_.a.batch, std::max<int64_t>(1, r_.batch), r_.a.row + r_.a.column, r_.m, false, info_);
    if (keeps_nan()) find_nan();
    if (r_.op != LinearRoutine::Product)
      for (int64_t k = 0; k < r_.batch; k++) one(k);
    if (keeps_nan()) keep_nan();
    if constexpr (is_widened) convert("warpfold_narrow", reinterpret_cast<uint64_t>(out_), output, count_of_output());
    run_.end();
    check_pivots();
  }

 private:
  static constexpr bool is_widened = !std::is_same_v<T, Element>;

  bool needs_solver() const {
    return r_.op != LinearRoutine::Product && r_.op != LinearRoutine::TriangularProduct && r_.op != LinearRoutine::TriangularSolve;
  }
  int least() const { return int(std::min(r_.m, r_.n)); }
  // The libraries lose a NaN or report a pivot 0 that is not one.
  bool keeps_nan() const { return r_.batch > 0 && size_of_factored() > 0; }
  // The number of elements of a matrix that is factored by elimination or by reflections.
  int64_t size_of_factored() const {
    return r_.op == LinearRoutine::Eliminate ? r_.n * r_.n : r_.op == LinearRoutine::Orthogonal ? r_.m * r_.n : 0;
  }
  // The blocks that look for a NaN in one matrix.
  int64_t parts_of_factored() const { return std::clamp<int64_t>(size_of_factored() / 16384, 1, 256); }

  // Working memory: as the library asks for, and copies of matrices.
  void prepare() {
    const int m = int(r_.m), n = int(r_.n), k = least(), first = std::max(1, n), line = std::max(1, m);
    int length = 0, other = 0;
    int64_t copies = 0;
    if (needs_solver()) {
      const Solver<T>& s = solver<T>();
      switch (r_.op) {
        case LinearRoutine::Cholesky:
          check_solver(s.potrf_bufferSize(solver_, blas_lower, n, out_, first, &length), "cholesky");
          copies = r_.n * r_.n;
          break;
        case LinearRoutine::Eliminate: check_solver(s.getrf_bufferSize(solver_, n, n, out_, first, &length), "eliminate"); break;
        case LinearRoutine::SolveEliminated: copies = r_.n * r_.m; break;
        case LinearRoutine::Orthogonal:
          check_solver(s.geqrf_bufferSize(solver_, m, n, out_, line, &length), "qr");
          check_solver(s.orgqr_bufferSize(solver_, m, k, k, out_, line, out_, &other), "qr");
          copies = r_.m * r_.n + k;
          break;
        case LinearRoutine::SymmetricEigen:
          check_solver(s.syevd_bufferSize(solver_, solver_vectors, blas_upper, n, out_, first, out_, &length), "eigen");
          break;
        default:
          check_solver(s.gesvd_bufferSize(solver_, std::max(m, n), k, &length), "singular values");
          copies = r_.m * r_.n + (r_.m > r_.n ? r_.m * r_.n + r_.n * r_.n : 0);
      }
    }
    work_length_ = std::max(length, other);
    work_ = pointer<T>(run_.scratch(std::max<size_t>(64, size_t(work_length_) * sizeof(T))));
    copy_ = pointer<T>(run_.scratch(std::max<size_t>(64, size_t(copies) * sizeof(T))));
    info_ = pointer<int>(run_.scratch(std::max<size_t>(64, size_t(r_.batch) * sizeof(int))));
    exponent_ = pointer<int>(run_.scratch(64));
    if (keeps_nan()) nan_ = pointer<int>(run_.scratch(size_t(r_.batch * parts_of_factored()) * sizeof(int)));
    if constexpr (is_widened) {
      a_ = pointer<const T>(run_.scratch(std::max<size_t>(64, size_t(count_of_input()) * sizeof(T))));
      out_ = pointer<T>(run_.scratch(std::max<size_t>(64, size_t(count_of_output()) * sizeof(T))));
    }
  }

  // The elements of a routine of one matrix after another: from the first one that it reads to the last, and all that it writes.
  int64_t count_of_input() const {
    return r_.batch == 0 ? 0 : (r_.batch - 1) * r_.a.batch + r_.n * (r_.op == LinearRoutine::SymmetricEigen ? r_.n : r_.m);
  }
  int64_t count_of_output() const {
    return r_.batch * (r_.op == LinearRoutine::SymmetricEigen ? r_.n + r_.n * r_.n : least() * (1 + r_.m + r_.n));
  }
  void convert(const char* kernel, uint64_t from, uint64_t to, int64_t count) {
    constexpr int threads = 256, most_blocks = 4096;
    const int64_t blocks = std::min<int64_t>((count + threads - 1) / threads, most_blocks);
    if (blocks > 0) run_.start(kernels_.find(convert_text(), kernel), blocks, threads, {from, to, uint64_t(count)});
  }

  void multiply() {
    if (r_.m == 0 || r_.n == 0 || r_.batch == 0) return;
    const uint64_t out = reinterpret_cast<uint64_t>(out_);
    const auto multiply = [&](const LinearRoutine& r, uint64_t to) { this->multiply(r, pointer<T>(to)); };
    if (parts_.count == 0) multiply(r_, out);
    else add_parts(parts_, run_, kernels_, type_of<T>, products_, out, multiply);
  }

  void multiply(const LinearRoutine& r, T* out) {
    const int m = int(r.m), n = int(r.n), k = int(r.k);
    const T *const from_a = a_ + (r.a.offset - r_.a.offset), *const from_b = b_ + (r.b.offset - r_.b.offset);
    const Lines a = lines_of(r.a, m, k), b = lines_of(r.b, k, n);
    const int op_a = a.is_transposed ? blas_transposed : blas_plain, op_b = b.is_transposed ? blas_transposed : blas_plain;
    const T one = 1, zero = 0;
    if (r.batch == 1)
      check_blas(blas<T>().gemm_v2(blas_, op_b, op_a, n, m, k, &one, from_b, number(b.distance), from_a, number(a.distance), &zero, out, n),
                 "a product");
    else
      check_blas(blas<T>().gemmStridedBatched(blas_, op_b, op_a, n, m, k, &one, from_b, number(b.distance), r.b.batch, from_a,
                                              number(a.distance), r.a.batch, &zero, out, n, (long long)(r.m * r.n), int(r.batch)),
                 "a product of many matrices");
  }

  void one(int64_t matrix) {
    if (r_.n == 0 ||
        (r_.m == 0 && r_.op != LinearRoutine::Cholesky && r_.op != LinearRoutine::Eliminate && r_.op != LinearRoutine::SymmetricEigen))
      return;
    const T* const a = a_ + matrix * r_.a.batch;
    switch (r_.op) {
      case LinearRoutine::Cholesky: return factor_positive(a, matrix);
      case LinearRoutine::Eliminate: return eliminate(a, matrix);
      case LinearRoutine::SolveEliminated: return solve_eliminated(a, matrix);
      case LinearRoutine::Orthogonal: return factor_orthogonal(a, matrix);
      case LinearRoutine::SymmetricEigen: return find_eigenvalues(a, matrix);
      case LinearRoutine::SingularValues: return find_singular_values(a, matrix);
      default: return apply_triangle(a, b_ + matrix * r_.b.batch, out_ + matrix * r_.m * r_.n);
    }
  }

  void copy(T* to, const T* from, int64_t count) {
    run_.copy(reinterpret_cast<uint64_t>(to), reinterpret_cast<uint64_t>(from), size_t(count) * sizeof(T));
  }

  // to (rows x columns, by rows) becomes from (rows x columns, by columns, `distance` apart); so also the other way round.
  void transpose(const T* from, int64_t rows, int64_t columns, int64_t distance, T* to) {
    const T one = 1, zero = 0;
    check_blas(blas<T>().geam(blas_, blas_transposed, blas_plain, int(columns), int(rows), &one, from, number(distance), &zero, to,
                              int(columns), to, int(columns)),
               "transposing a matrix");
  }

  void apply_triangle(const T* a, const T* b, T* out) {
    const Lines lines = lines_of(r_.a, r_.m, r_.m);
    const int op = lines.is_transposed ? blas_transposed : blas_plain, unit = int(r_.unit), m = int(r_.m), n = int(r_.n);
    const int stored = lines.is_transposed == bool(r_.upper) ? blas_upper : blas_lower;
    const T one = 1;
    if (r_.op == LinearRoutine::TriangularProduct)
      return check_blas(blas<T>().trmm_v2(blas_, blas_right, stored, op, unit, n, m, &one, a, number(lines.distance), b, n, out, n),
                        "a triangular product");
    copy(out, b, r_.m * r_.n);
    check_blas(blas<T>().trsm_v2(blas_, blas_right, stored, op, unit, n, m, &one, a, number(lines.distance), out, n), "a triangular solve");
  }

  // cuSOLVER is nearly three times as fast on a lower triangle by columns (1.5 against 4.3 ms for 4096 rows), so the matrix is transposed before
  // and after.
  void factor_positive(const T* a, int64_t matrix) {
    const int n = int(r_.n);
    T* const l = out_ + matrix * r_.n * r_.n;
    transpose(a, n, n, n, copy_);
    check_solver(solver<T>().potrf(solver_, blas_lower, n, copy_, n, work_, work_length_, info_ + matrix), "cholesky");
    transpose(copy_, n, n, n, l);
    check_diagonal(l, 0, 1, r_.n + 1, r_.n, true, info_ + matrix);
  }

  // Factors the transpose.
  void eliminate(const T* a, int64_t matrix) {
    const int n = int(r_.n);
    T* const factors = out_ + matrix * (r_.n * r_.n + r_.n);
    copy(factors, a, r_.n * r_.n);
    check_solver(solver<T>().getrf(solver_, n, n, factors, n, work_, reinterpret_cast<int*>(factors + r_.n * r_.n), info_ + matrix),
                 "eliminate");
  }

  void solve_eliminated(const T* factors, int64_t matrix) {
    const int n = int(r_.n), columns = int(r_.m);
    transpose(b_ + matrix * r_.b.batch, columns, n, columns, copy_);
    check_solver(solver<T>().getrs(solver_, blas_transposed, n, columns, factors, n, reinterpret_cast<const int*>(factors + r_.n * r_.n),
                                   copy_, n, info_ + matrix),
                 "solving a system");
    transpose(copy_, n, columns, n, out_ + matrix * r_.n * r_.m);
  }

  void factor_orthogonal(const T* a, int64_t matrix) {
    const int m = int(r_.m), n = int(r_.n), k = least();
    T *const columns = copy_, *const factors = copy_ + r_.m * r_.n;
    transpose(a, n, m, n, columns);
    check_solver(solver<T>().geqrf(solver_, m, n, columns, m, factors, work_, work_length_, info_ + matrix), "qr");
    transpose(columns, k, n, m, out_ + r_.batch * r_.m * k + matrix * k * r_.n);
    check_solver(solver<T>().orgqr(solver_, m, k, k, columns, m, factors, work_, work_length_, info_ + matrix), "qr");
    transpose(columns, m, k, m, out_ + matrix * r_.m * k);
  }

  void find_eigenvalues(const T* a, int64_t matrix) {
    const int n = int(r_.n);
    T* const vectors = out_ + r_.batch * r_.n + matrix * r_.n * r_.n;
    T* const values = out_ + matrix * r_.n;
    copy(vectors, a, r_.n * r_.n);
    scale("warpfold_scale_matrix", vectors, r_.n * r_.n, r_.n);
    check_solver(solver<T>().syevd(solver_, solver_vectors, blas_upper, n, vectors, n, values, work_, work_length_, info_ + matrix),
                 "eigen");
    scale("warpfold_scale_values", values, r_.n);
  }

  // The library takes matrices with at least as many rows as columns.
  void find_singular_values(const T* a, int64_t matrix) {
    const int m = int(r_.m), n = int(r_.n), k = least();
    T* const values = out_ + matrix * k;
    T* const u = out_ + r_.batch * k + matrix * r_.m * k;
    T* const v = out_ + r_.batch * (k + r_.m * k) + matrix * k * r_.n;
    auto find = [&](int rows, int columns, T* left, T* right) {
      scale("warpfold_scale_matrix", copy_, r_.m * r_.n);
      check_solver(solver<T>().gesvd(solver_, 'S', 'S', rows, columns, copy_, rows, values, left, rows, right, columns, work_, work_length_,
                                     nullptr, info_ + matrix),
                   "singular values");
      scale("warpfold_scale_values", values, k);
    };
    if (m <= n) {
      copy(copy_, a, r_.m * r_.n);
      return find(n, m, v, u);
    }
    T *const left = copy_ + r_.m * r_.n, *const right = left + r_.m * r_.n;
    transpose(a, n, m, n, copy_);
    find(m, n, left, right);
    transpose(left, m, n, m, u);
    transpose(right, n, n, n, v);
  }

  // The library loses squares that are too small or too large, so the matrix is scaled by a power of two, and its values are scaled back.
  void scale(const char* kernel, T* elements, int64_t count, int64_t columns = 0) {
    const CUfunction function = kernels_.find(scale_text(sizeof(T)), kernel);
    run_.start(function, 1, 1024,
               {reinterpret_cast<uint64_t>(elements), uint64_t(count), uint64_t(columns), reinterpret_cast<uint64_t>(exponent_)});
  }

  void start_for_parts(const char* kernel, std::vector<uint64_t> words) {
    run_.start(kernels_.find(nan_text(sizeof(T)), kernel), r_.batch * parts_of_factored(), 256, std::move(words));
  }
  void find_nan() {
    start_for_parts("warpfold_find_nan", {reinterpret_cast<uint64_t>(a_), uint64_t(r_.a.batch), uint64_t(size_of_factored()),
                                          uint64_t(parts_of_factored()), reinterpret_cast<uint64_t>(nan_)});
  }
  void keep_nan() {
    const uint64_t parts = uint64_t(parts_of_factored()), found = reinterpret_cast<uint64_t>(nan_);
    if (r_.op == LinearRoutine::Eliminate)
      return start_for_parts("warpfold_finish_elimination",
                             {reinterpret_cast<uint64_t>(out_), uint64_t(r_.n), parts, found, reinterpret_cast<uint64_t>(info_)});
    const int64_t size_of_q = r_.m * least();
    start_for_parts("warpfold_keep_nan", {reinterpret_cast<uint64_t>(out_), uint64_t(size_of_q), parts, found});
    start_for_parts("warpfold_keep_nan", {reinterpret_cast<uint64_t>(out_ + r_.batch * size_of_q), uint64_t(least() * r_.n), parts, found});
  }

  // Finds the first number of each diagonal that is 0, or, with `positive`, not positive (NaN is not, and the library does not report it).
  void check_diagonal(const T* a, int64_t distance, int64_t count, int64_t step, int64_t n, bool positive, int* found) {
    const CUfunction function = kernels_.find(diagonal_text(sizeof(T)), "warpfold_check_diagonal");
    run_.start(function, count, 256,
               {reinterpret_cast<uint64_t>(a), uint64_t(distance), uint64_t(step), uint64_t(n), uint64_t(positive),
                reinterpret_cast<uint64_t>(found)});
  }

  // Reads what the routine found, if it can fail.
  void check_pivots() {
    const bool by_pivot = r_.op == LinearRoutine::Cholesky || (r_.op == LinearRoutine::Eliminate && r_.strict) ||
                          (r_.op == LinearRoutine::TriangularSolve && !r_.unit);
    const int64_t size = r_.op == LinearRoutine::TriangularSolve ? r_.m : r_.op == LinearRoutine::SingularValues ? least() : r_.n;
    if ((!by_pivot && !iterates(r_)) || size == 0 || r_.batch == 0) return;
    const std::vector<int> found = read_numbers(queue_, reinterpret_cast<uint64_t>(info_), r_.batch);
    for (int64_t k = 0; k < r_.batch; k++) {
      if (found[size_t(k)] > 0 && by_pivot) throw_failed_pivot(r_, k, found[size_t(k)] - 1);
      if (found[size_t(k)] != 0) throw_no_convergence(r_, k);
    }
    if (!iterates(r_)) return;
    std::vector<T> values(size_t(r_.batch * size));
    check(queue_.driver().cuMemcpyDtoHAsync(values.data(), reinterpret_cast<uint64_t>(out_), values.size() * sizeof(T), queue_.stream),
          "reading the values of a factorization");
    check(queue_.driver().cuStreamSynchronize(queue_.stream), "waiting for a factorization");
    for (size_t k = 0; k < values.size(); k++)
      if (!std::isfinite(Element(values[k]))) throw_no_convergence(r_, int64_t(k) / size);
  }

  const LinearRoutine& r_;
  const Parts parts_;
  RoutineRun& run_;
  RoutineKernels& kernels_;
  Queue& queue_;
  cublasHandle blas_ = nullptr;
  cusolverHandle solver_ = nullptr;
  const T *a_ = nullptr, *b_ = nullptr;
  T *out_ = nullptr, *work_ = nullptr, *copy_ = nullptr;
  int *info_ = nullptr, *exponent_ = nullptr, *nan_ = nullptr;
  int work_length_ = 0;
  uint64_t products_ = 0;  // of parts
};

}  // namespace

template <class T> void LinearAlgebra::run_floats(const RoutineCall& call, Launch& launch) {
  const LinearRoutine routine = linear_routine(call.parameters);
  RoutineRun run(routines_, launch);
  LinearHandles::Pair& handles = handles_.of(run.queue());
  std::lock_guard lock(handles.mutex);
  // cuSOLVER's eigenvectors and singular vectors in f32 are not orthogonal if eigenvalues lie close together or near 0. In f64 they are, to f32's
  // rounding errors and far beyond.
  if (std::is_same_v<T, float> && iterates(routine))
    return FloatRun<double, float>(routine, launch, run, handles, routines_.kernels).execute();
  FloatRun<T>(routine, launch, run, handles, routines_.kernels).execute();
}

void LinearAlgebra::multiply_integers(const RoutineCall& call, Launch& launch) {
  const LinearRoutine whole = linear_routine(call.parameters);
  const size_t bytes = size_of(call.types[0]);
  const CUfunction function = routines_.kernels.find(product_text(bytes), "warpfold_product");
  const Parts parts(whole);
  RoutineRun run(routines_, launch);
  const uint64_t products = parts.count > 0 ? run.scratch(size_t(parts.count * parts.elements) * bytes) : 0;
  const auto multiply = [&](const LinearRoutine& r, uint64_t out) {
    const int64_t blocks = r.batch * ((r.m + 63) / 64) * ((r.n + 63) / 64);
    number(blocks);
    std::vector<uint64_t> words;
    for (const auto& [k, x] : {std::pair(0, r.a), std::pair(1, r.b)})
      words.insert(words.end(),
                   {run.inputs()[size_t(k)] + uint64_t(x.offset) * bytes, uint64_t(x.batch), uint64_t(x.row), uint64_t(x.column)});
    words.insert(words.end(), {out, uint64_t(r.m), uint64_t(r.n), uint64_t(r.k)});
    if (blocks > 0) run.start(function, blocks, 256, std::move(words));
  };
  run.begin();
  if (parts.count == 0) multiply(whole, run.outputs()[0]);
  else add_parts(parts, run, routines_.kernels, call.types[0], products, run.outputs()[0], multiply);
  run.end();
}

void LinearAlgebra::run(const RoutineCall& call, Launch& launch) {
  if (call.types[0] == Type::F32) run_floats<float>(call, launch);
  else if (call.types[0] == Type::F64) run_floats<double>(call, launch);
  else multiply_integers(call, launch);
}

}  // namespace wf::cuda
