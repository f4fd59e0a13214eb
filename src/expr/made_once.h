// A value that is made when it is first asked for. Threads that ask at once may make several, of which all get the first. A copy of the object
// makes its own.
#pragma once

#include <atomic>

namespace wf {

template <class T> class MadeOnce {
 public:
  MadeOnce() = default;
  MadeOnce(const MadeOnce&) {}
  MadeOnce& operator=(const MadeOnce&) { return delete made_.exchange(nullptr), *this; }
  ~MadeOnce() { delete made_.load(std::memory_order_relaxed); }

  template <class Make> const T& get(const Make& make) {
    if (const T* made = made_.load(std::memory_order_acquire)) return *made;
    const T *const made = new T(make()), *first = nullptr;
    if (made_.compare_exchange_strong(first, made, std::memory_order_acq_rel)) return *made;
    delete made;
    return *first;
  }

 private:
  std::atomic<const T*> made_{nullptr};
};

}  // namespace wf
