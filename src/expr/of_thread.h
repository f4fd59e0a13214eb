// OfThread<T>: an object of each thread that any code of the thread may use: destructors of static and thread_local objects and functions
// of atexit, too, whenever these were constructed or registered.
//
// A thread_local variable with a destructor does not allow that: it is destroyed before all that was constructed earlier, and its first use
// ends the process if memory is exhausted. An OfThread is a pointer without a destructor. Its object is made at the first use, which throws
// std::bad_alloc if memory is exhausted. The destructor of a pthread key, which runs after those of the thread_local variables, deletes it; a later
// use makes another. The thread that ends the process runs no such destructor, so its objects remain.
#pragma once

#include <pthread.h>

#include <memory>
#include <new>
#include <utility>

namespace wf {

class ThreadObject {
 public:
  ThreadObject() = default;
  ThreadObject(const ThreadObject&) = delete;
  virtual ~ThreadObject() = default;
  // Leaves the object to the thread's end.
  static void keep(std::unique_ptr<ThreadObject> object) {
    static const Key key;
    if (!latest_ && key.is_made && pthread_setspecific(key.number, &latest_) != 0) throw std::bad_alloc();
    object->earlier_ = std::exchange(latest_, object.get());
    object.release();
  }

 private:
  struct Key {
    pthread_key_t number{};
    const bool is_made = pthread_key_create(&number, delete_all) == 0;  // else the objects of threads that end are leaked
  };
  static void delete_all(void*) {
    while (ThreadObject* object = latest_) {
      latest_ = object->earlier_;
      delete object;
    }
  }
  static inline constinit thread_local ThreadObject* latest_ = nullptr;
  ThreadObject* earlier_ = nullptr;
};

// A static thread_local variable.
template <class T> class OfThread {
 public:
  // The object, constructed from `initial` if there is none.
  template <class... A> T& get(const A&... initial) {
    if (!object_) [[unlikely]]
      make(initial...);
    return object_->value;
  }
  // The object, or null if there is none.
  T* known() { return object_ ? &object_->value : nullptr; }

 private:
  struct Object : ThreadObject {
    template <class... A> explicit Object(OfThread& of, const A&... initial) : of(of), value(initial...) {}
    ~Object() override { of.object_ = nullptr; }
    OfThread& of;
    T value;
  };
  template <class... A> [[gnu::noinline]] void make(const A&... initial) {
    auto object = std::make_unique<Object>(*this, initial...);
    Object* const made = object.get();
    ThreadObject::keep(std::move(object));
    object_ = made;
  }
  Object* object_ = nullptr;
};

}  // namespace wf
