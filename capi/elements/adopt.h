// Sequences over memory that the caller or a mapping owns.
#pragma once

#include "checks/guard.h"

namespace wf::capi {

// The owner of adopted memory: calls deleter(user) when it is destroyed, but only if the call that adopts the memory succeeded.
struct Adopted {
  void (*deleter)(void* user);
  void* user;
  bool handed_over = false;
  ~Adopted() {
    if (handed_over && deleter) deleter(user);
  }
};

// The memory of adopted elements. `Padded`: see Buffer. `Device`: of the context's device, complete after the work in the calling thread's queue.
enum class Where : uint8_t { Host, Padded, Device };

// A sequence of that shape over the elements at data, which calls the owner's deleter after its last use.
NodeRef adopted(const std::shared_ptr<Context>& context, Shape shape, Type type, const void* data, Where where,
                std::shared_ptr<Adopted> owner);
// The same, of any layout. data is the first element: the one with all indices 0. Unless the layout is row-major and dense, the sequence is a
// view of the elements between the lowest and the highest address.
struct Layout {
  std::vector<int64_t> extents, strides;
};
NodeRef adopted(const std::shared_ptr<Context>& context, const Layout& layout, Type type, const void* data, Where where,
                std::shared_ptr<Adopted> owner);

// Makes a sequence of that shape over the elements at data. The last step sets *out and takes ownership.
void adopt(const std::shared_ptr<Context>& context, Shape shape, Type type, const void* data, Where where, void (*deleter)(void* user),
           void* user, wf_seq** out);

}  // namespace wf::capi
