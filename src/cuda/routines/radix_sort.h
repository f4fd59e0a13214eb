// The interface to the plugin's radix sort (cuda/plugin/radix_sort.cu), which has only plain types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace wf::cuda {

// Sorts the elements 0, ..., n - 1 of columns by their first `keys` columns (lazy/node.h states the order), n < 2^32. The sort is stable.
struct RadixSort {
  static constexpr const char* name = "radix_sort";
  static constexpr int64_t most_elements = (int64_t(1) << 32) - 1;

  enum Kind : int32_t { Unsigned, Signed, Float };
  struct Column {
    const void* in;
    void* out;
    int32_t bytes;  // of an element: 1, 4 or 8
    Kind kind;
  };
  const Column* columns;
  int32_t count, keys;
  int64_t n;
  bool descending;
  void* stream;
};

// Enqueues the sort, with `bytes` bytes of working memory. If memory is null, sets `bytes` and enqueues nothing. Returns null, or the error
// as text. The calling thread's current context is the device's primary one.
using RadixSortFunction = const char* (*)(const RadixSort& sort, void* memory, size_t& bytes);

// Returns the radix sort of the plugin in that file, or null if the file is missing or is not a plugin of this version with a radix sort.
RadixSortFunction find_radix_sort(const std::string& path) noexcept;

}  // namespace wf::cuda
