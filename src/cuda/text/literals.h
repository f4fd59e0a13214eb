// The literals of a kernel that are arguments of its launch, in order.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/kernel.h"

namespace wf::cuda {

// One use of a function in a kernel, with its literals numbered: literal_of[id] is the argument's number, or in_text.
struct Site {
  static constexpr uint32_t in_text = ~0u;
  const Fn* fn = nullptr;
  std::vector<uint32_t> literal_of;
  std::vector<Site> loops;     // the bodies of fn's loops and the values of its folds
  std::vector<Site> combines;  // the functions of the folds; empty for a loop
};

struct Literals {
  Site body, finish;
  std::vector<Site> scan;  // none or one
  std::vector<Site> reductions;
  std::vector<Site> elements;           // none or one
  std::vector<uint32_t> scan_identity;  // argument numbers
  std::vector<uint32_t> scan_axis;      // of its length and inner, if it exists
  std::vector<std::vector<uint32_t>> reduction_identity;
  std::vector<Bits64> values;   // of the literals that are arguments
  std::vector<Bits64> in_text;  // of the others; the text depends on them
};

// The count of a fold if it is a literal that is small enough for its positions to be unrolled, otherwise 0.
constexpr uint64_t most_unrolled = 64;
int64_t known_count(const Fn& fn, Id fold);

Literals literals_of(const Kernel& kernel);
// The function with all of its literals in the text.
Site site_in_text(const Fn& fn);

}  // namespace wf::cuda
