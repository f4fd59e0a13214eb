#include "cuda/linear/libraries.h"

#include "cuda/device/library.h"
#include "engine/engine.h"

namespace wf::cuda {
namespace {

constexpr const char* blas_name = "cuBLAS (libcublas.so.12 or 13, of the CUDA toolkit or of pip's nvidia-cublas)";
constexpr const char* solver_name = "cuSOLVER (libcusolver.so.11 or 12, of the CUDA toolkit or of pip's nvidia-cusolver)";

struct Handles {
  int (*create)(void**) = nullptr;
  int (*set_stream)(void*, CUstream) = nullptr;
};

void* blas_library() {
  static void* const library = open_of_toolkit({"libcublas.so.13", "libcublas.so.12", "libcublas.so"}, blas_name);
  return library;
}

// cuSOLVER needs cuBLAS, which the loader finds if it is loaded already.
void* solver_library() {
  static void* const library = (blas_library(), open_of_toolkit({"libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"}, solver_name));
  return library;
}

const Handles& blas_handles() {
  static const Handles handles = [] {
    Handles h;
    bind(h.create, blas_library(), "cublasCreate_v2", blas_name);
    bind(h.set_stream, blas_library(), "cublasSetStream_v2", blas_name);
    return h;
  }();
  return handles;
}

const Handles& solver_handles() {
  static const Handles handles = [] {
    Handles h;
    bind(h.create, solver_library(), "cusolverDnCreate", solver_name);
    bind(h.set_stream, solver_library(), "cusolverDnSetStream", solver_name);
    return h;
  }();
  return handles;
}

template <class T> std::string with_letter(const char* prefix, const char* name) {
  return prefix + std::string(sizeof(T) == 4 ? "S" : "D") + name;
}

template <class T> Blas<T> load_blas() {
  Blas<T> b;
#define WF_BIND(name, parameters) bind(b.name, blas_library(), with_letter<T>("cublas", #name).c_str(), blas_name);
  WF_BLAS_FUNCTIONS(WF_BIND)
#undef WF_BIND
  return b;
}

template <class T> Solver<T> load_solver() {
  Solver<T> s;
#define WF_BIND(name, parameters) bind(s.name, solver_library(), with_letter<T>("cusolverDn", #name).c_str(), solver_name);
  WF_SOLVER_FUNCTIONS(WF_BIND)
#undef WF_BIND
  return s;
}

void check_status(int status, const char* library, const char* what) {
  if (status != 0) throw DeviceError(std::string(what) + " failed: " + library + " status " + std::to_string(status));
}

}  // namespace

template <class T> const Blas<T>& blas() {
  static const Blas<T> loaded = load_blas<T>();
  return loaded;
}
template <class T> const Solver<T>& solver() {
  static const Solver<T> loaded = load_solver<T>();
  return loaded;
}
template const Blas<float>& blas();
template const Blas<double>& blas();
template const Solver<float>& solver();
template const Solver<double>& solver();

void check_blas(int status, const char* what) { check_status(status, "cuBLAS", what); }
void check_solver(int status, const char* what) { check_status(status, "cuSOLVER", what); }

LinearHandles::Pair& LinearHandles::of(Queue& queue) {
  std::lock_guard lock(mutex_);
  std::unique_ptr<Pair>& pair = pairs_[&queue];
  if (!pair) pair = std::make_unique<Pair>();
  return *pair;
}

cublasHandle LinearHandles::blas_of(Pair& pair, Queue& queue) {
  if (pair.blas) return pair.blas;
  void* handle = nullptr;
  check_blas(blas_handles().create(&handle), "making a handle");
  check_blas(blas_handles().set_stream(handle, queue.stream), "setting a handle's stream");
  return pair.blas = static_cast<cublasHandle>(handle);
}

cusolverHandle LinearHandles::solver_of(Pair& pair, Queue& queue) {
  if (pair.solver) return pair.solver;
  void* handle = nullptr;
  check_solver(solver_handles().create(&handle), "making a handle");
  check_solver(solver_handles().set_stream(handle, queue.stream), "setting a handle's stream");
  return pair.solver = static_cast<cusolverHandle>(handle);
}

}  // namespace wf::cuda
