// Calls of C functions on blocks.
#pragma once

#include <ffi.h>

#include <memory>
#include <vector>

#include "expr/fn.h"

namespace wf::cpu {

// A foreign function with its libffi call prepared.
struct ForeignCode {
  std::shared_ptr<const Foreign> function;
  std::vector<ffi_type*> types;
  ffi_cif call;
};

// Throws UnsupportedError if the function has no address.
std::unique_ptr<ForeignCode> prepare(std::shared_ptr<const Foreign> function);

// Calls the function for n elements: in and out are arrays of n elements. A scalar function is not called for elements whose
// `active` is 0 (null: all are active).
void call(const ForeignCode& code, int64_t n, const void* const* in, void* const* out, const unsigned char* active);

}  // namespace wf::cpu
