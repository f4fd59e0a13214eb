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

// Throws UnsupportedError where the function has no address.
std::unique_ptr<ForeignCode> prepare(std::shared_ptr<const Foreign> function);

// Calls it for n elements: in and out are arrays of n elements. A scalar function is not called where `active` (null: all
// are) is 0.
void call(const ForeignCode& code, int64_t n, const void* const* in, void* const* out, const unsigned char* active);

}  // namespace wf::cpu
