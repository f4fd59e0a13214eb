// Memory that is not ours, as a sequence.
#pragma once

#include "guard.h"

namespace wf::capi {

// The caller's memory until `deleter(user)`; a deleter is only ever called after the call that hands it over has succeeded.
struct Adopted {
  void (*deleter)(void* user);
  void* user;
  bool handed_over = false;
  ~Adopted() {
    if (handed_over && deleter) deleter(user);
  }
};

// n elements at data, as a sequence of that shape. `padded`: see Buffer. Sets *out, and hands the memory over, as its last step.
void adopt(const std::shared_ptr<Context>& context, Shape shape, Type type, const void* data, bool padded,
           void (*deleter)(void* user), void* user, wf_seq** out);

}  // namespace wf::capi
