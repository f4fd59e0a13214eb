// Keys as CUB's radix sort sees them.
#pragma once

#include <cstdint>
#include <type_traits>

#include <cub/device/device_radix_sort.cuh>
#include <cuda/std/limits>

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
