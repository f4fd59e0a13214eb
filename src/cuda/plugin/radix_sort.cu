// The plugin for code that nvcc compiles ahead of time: sorting by keys with CUB's radix sort.
//
// A column of 4 bytes beside one key is sorted with it. Otherwise the positions are, and each column is read in their order. Several keys are
// sorted one after another, the last one first: every sort is stable.
//
// Source: Adinets and Merrill, "Onesweep: a faster least significant digit radix sort for GPUs" (2022), which CUB implements.
#include "cuda/routines/radix_sort.h"

#include <cstring>
#include <type_traits>

#include <cub/device/device_radix_sort.cuh>
#include <cuda/std/limits>

#include "cuda/device/plugin.h"

namespace wf::cuda {
namespace {

template <int bytes> struct WordOfBytes;
template <> struct WordOfBytes<1> {
  using Unsigned = uint8_t;
  using Signed = int8_t;
};
template <> struct WordOfBytes<4> {
  using Unsigned = uint32_t;
  using Signed = int32_t;
};
template <> struct WordOfBytes<8> {
  using Unsigned = unsigned long long;
  using Signed = long long;
};
template <class T> using WordOf = typename WordOfBytes<sizeof(T)>::Unsigned;

// A key as CUB sees it: its bits, whose order Order defines. Every sort ascends; descending keys ascend as other words.
template <class T, bool descending> struct Key { WordOf<T> bits; };

// Keys as words in the order of ops/order.h, in the fewest instructions: they limit CUB's kernels.
//
// CUB fills the last tile with keys whose word is the largest one, `greatest`. In ascending order these are the bits of a NaN or the greatest
// integer. The words of descending floats are therefore moved up, until the least float has the largest word.
template <class T, bool descending> struct Order {
  using Word = WordOf<T>;
  static constexpr int last_bit = 8 * sizeof(T) - 1;
  static constexpr bool is_float = std::is_floating_point<T>::value, is_signed = !is_float && std::is_signed<T>::value;
  static constexpr Word all = Word(~Word(0)), sign = Word(Word(1) << last_bit);
  static constexpr Word infinity = Word(sizeof(T) == 4 ? 0x7f800000ull : 0x7ff0000000000000ull), least_float = Word(infinity | sign);
  static constexpr Word greatest = !descending ? Word(is_signed ? all ^ sign : all) : is_float ? least_float : is_signed ? sign : Word(0);
  static constexpr Word moved_by = is_float ? Word(~least_float) : Word(0);

  // All ones if the sign bit is set.
  static __device__ __forceinline__ Word spread_sign(Word x) { return Word(typename WordOfBytes<sizeof(T)>::Signed(x) >> last_bit); }

  static __device__ __forceinline__ Word word_of(Word bits) {
    Word word = bits;
    if (is_float) word = Word(bits & ~sign) > infinity ? all : Word(bits ^ (spread_sign(bits) | sign));
    else if (is_signed) word = Word(bits ^ sign);
    return descending ? Word(~word + moved_by) : word;
  }
  // A quiet NaN for any NaN.
  static __device__ __forceinline__ Word bits_of(Word word) {
    if (descending) word = Word(~Word(word - moved_by));
    if (is_float) return Word(word ^ (Word(~spread_sign(word)) | sign));
    return is_signed ? Word(word ^ sign) : word;
  }
};

}  // namespace
}  // namespace wf::cuda

template <class T, bool descending>
struct cuda::std::numeric_limits<wf::cuda::Key<T, descending>> : cuda::std::numeric_limits<wf::cuda::WordOf<T>> {};

CUB_NAMESPACE_BEGIN
template <class T, bool descending>
struct NumericTraits<wf::cuda::Key<T, descending>> : BaseTraits<UNSIGNED_INTEGER, true, wf::cuda::WordOf<T>, wf::cuda::Key<T, descending>> {
  using Order = wf::cuda::Order<T, descending>;
  using Word = typename Order::Word;
  static constexpr Word MAX_KEY = Order::greatest;
  static __device__ __forceinline__ Word TwiddleIn(Word bits) { return Order::word_of(bits); }
  static __device__ __forceinline__ Word TwiddleOut(Word word) { return Order::bits_of(word); }
};

// CUB's choice for float, 18 keys per thread. With the 20 of integers a kernel has 80 registers instead of 56, and two thirds as many threads run.
namespace detail::radix {
template <bool descending, class Offset>
struct policy_hub<wf::cuda::Key<float, descending>, NullType, Offset> : policy_hub<float, NullType, unsigned long long> {};
}  // namespace detail::radix
CUB_NAMESPACE_END

namespace wf::cuda {
namespace {

using Position = uint32_t;
constexpr int threads = 256;

__global__ void set_positions(Position* positions, Position n) {
  const Position i = blockIdx.x * threads + threadIdx.x;
  if (i < n) positions[i] = i;
}

template <class T> __global__ void gather(const T* from, const Position* positions, T* to, Position n) {
  const Position i = blockIdx.x * threads + threadIdx.x;
  if (i < n) to[i] = __ldg(from + positions[i]);
}

// The pieces of the working memory, each aligned; only their sizes are added up if there is no memory yet.
class Memory {
 public:
  explicit Memory(void* begin) : begin_(static_cast<char*>(begin)) {}
  template <class T> T* take(size_t count) {
    char* const piece = begin_ ? begin_ + used_ : nullptr;
    used_ += (count * sizeof(T) + 255) / 256 * 256;
    return reinterpret_cast<T*>(piece);
  }
  size_t used() const { return used_; }

 private:
  char* const begin_;
  size_t used_ = 0;
};

// One sort. Without memory its steps only find the bytes that CUB needs.
class Steps {
 public:
  Steps(const RadixSort& sort, void* memory)
      : sort_(sort), n_(Position(sort.n)), measures_(!memory), stream_(static_cast<cudaStream_t>(sort.stream)), memory_(memory) {
    carries_ = sort.keys == 1 && sort.count == 2 && sort.columns[1].bytes == 4;
    if (sort.count == 1 || carries_) return;
    for (Position*& positions : positions_) positions = memory_.take<Position>(n_);
    if (sort.keys > 1)
      for (void*& key : keys_) key = memory_.take<uint64_t>(n_);
  }

  size_t run() {
    for (int32_t k = sort_.keys; k-- > 0;) {
      const RadixSort::Column& key = sort_.columns[k];
      const bool is_first = k == sort_.keys - 1, is_last = k == 0;
      if (!is_first) gather_column(key, keys_[0]);
      sort_by(key, is_first ? key.in : keys_[0], is_last ? key.out : keys_[1], is_first);
    }
    if (!carries_)
      for (int32_t k = 1; k < sort_.count; k++) gather_column(sort_.columns[k], sort_.columns[k].out);
    return memory_.used() + cub_bytes_;
  }

  cudaError_t error() const { return error_; }

 private:
  void sort_by(const RadixSort::Column& key, const void* from, void* to, bool is_first) {
    const Position* values = nullptr;
    Position* sorted_values = nullptr;
    if (carries_) {
      values = static_cast<const Position*>(sort_.columns[1].in);
      sorted_values = static_cast<Position*>(sort_.columns[1].out);
    } else if (sort_.count > 1) {
      if (is_first) launch([&](unsigned blocks) { set_positions<<<blocks, threads, 0, stream_>>>(positions_[0], n_); });
      values = positions_[0];
      sorted_values = positions_[1];
      swap();
    }
    with_type(key, [&](auto example) {
      if (sort_.descending) sort_words<Key<decltype(example), true>>(from, to, values, sorted_values);
      else sort_words<Key<decltype(example), false>>(from, to, values, sorted_values);
    });
  }

  void swap() {
    Position* const positions = positions_[0];
    positions_[0] = positions_[1];
    positions_[1] = positions;
  }

  template <class K> void sort_words(const void* from, void* to, const Position* values, Position* sorted_values) {
    const K* const keys = static_cast<const K*>(from);
    K* const sorted_keys = static_cast<K*>(to);
    size_t bytes = 0;
    auto call = [&](void* memory) {
      keep(sort_.count > 1
               ? cub::DeviceRadixSort::SortPairs(memory, bytes, keys, sorted_keys, values, sorted_values, n_, 0, 8 * sizeof(K), stream_)
               : cub::DeviceRadixSort::SortKeys(memory, bytes, keys, sorted_keys, n_, 0, 8 * sizeof(K), stream_));
    };
    call(nullptr);
    if (bytes > cub_bytes_) cub_bytes_ = bytes;
    if (!measures_ && error_ == cudaSuccess) call(Memory(memory_).take<char>(bytes));
  }

  void gather_column(const RadixSort::Column& column, void* to) {
    if (column.bytes == 1) gather_words<uint8_t>(column.in, to);
    else if (column.bytes == 4) gather_words<uint32_t>(column.in, to);
    else gather_words<uint64_t>(column.in, to);
  }
  template <class T> void gather_words(const void* from, void* to) {
    launch([&](unsigned blocks) {
      gather<<<blocks, threads, 0, stream_>>>(static_cast<const T*>(from), positions_[0], static_cast<T*>(to), n_);
    });
  }

  template <class Use> static void with_type(const RadixSort::Column& key, Use use) {
    if (key.bytes == 1) use(uint8_t());
    else if (key.bytes == 4 && key.kind == RadixSort::Unsigned) use(uint32_t());
    else if (key.bytes == 4 && key.kind == RadixSort::Signed) use(int32_t());
    else if (key.bytes == 4) use(float());
    else if (key.kind == RadixSort::Unsigned) use((unsigned long long)0);
    else if (key.kind == RadixSort::Signed) use((long long)0);
    else use(double());
  }

  template <class Launch> void launch(Launch launch) {
    if (measures_ || error_ != cudaSuccess) return;
    launch(unsigned((sort_.n + threads - 1) / threads));
    keep(cudaGetLastError());
  }
  void keep(cudaError_t error) {
    if (error_ == cudaSuccess) error_ = error;
  }

  const RadixSort& sort_;
  const Position n_;
  const bool measures_;
  const cudaStream_t stream_;
  Memory memory_;
  Position* positions_[2] = {};  // the current ones first
  void* keys_[2] = {};
  bool carries_;
  size_t cub_bytes_ = 0;
  cudaError_t error_ = cudaSuccess;
};

const char* radix_sort(const RadixSort& sort, void* memory, size_t& bytes) {
  Steps steps(sort, memory);
  const size_t needed = steps.run();
  if (!memory) bytes = needed;
  if (steps.error() == cudaSuccess) return nullptr;
  cudaGetLastError();  // CUB's next call would find the error again
  return cudaGetErrorString(steps.error());
}

void* find(const char* name) { return std::strcmp(name, RadixSort::name) == 0 ? reinterpret_cast<void*>(&radix_sort) : nullptr; }

}  // namespace
}  // namespace wf::cuda

extern "C" __attribute__((visibility("default"))) const wf::cuda::Plugin* warpfold_cuda_plugin() {
  static const wf::cuda::Plugin plugin{wf::cuda::Plugin::current_version, wf::cuda::find};
  return &plugin;
}
