// OfThread<T>: an object of each thread that destructors of static and thread_local objects and functions of atexit may use, too.
//
// A thread_local variable with a destructor is destroyed before all that was constructed earlier, and its first use ends the process if memory is
// exhausted. An OfThread is a pointer without a destructor: its object is made at the first use, and deleted by the destructor of a pthread key,
// which runs after those of the thread_local variables. A later use makes another object. The thread that ends the process deletes none.
#pragma once

#include <pthread.h>

#include <atomic>
#include <memory>
#include <new>
#include <utility>

namespace warpfold::detail {

class ThreadObject {
 public:
  ThreadObject() = default;
  ThreadObject(const ThreadObject&) = delete;
  virtual ~ThreadObject() = default;
  // Leaves the object to the thread's end. Without a key, it is leaked.
  static void keep(std::unique_ptr<ThreadObject> object) {
    static const Key key;
    if (!latest && has_key && pthread_setspecific(key.number, &latest) != 0) throw std::bad_alloc();
    object->earlier_ = std::exchange(latest, object.get());
    object.release();
  }

 private:
  // A shared object that is unloaded deletes its key.
  struct Key {
    pthread_key_t number{};
    Key() { has_key = pthread_key_create(&number, delete_all) == 0; }
    ~Key() {
      if (has_key.exchange(false)) pthread_key_delete(number);
    }
  };
  static void delete_all(void*) {
    while (ThreadObject* object = latest) {
      latest = object->earlier_;
      delete object;
    }
  }
  static inline constinit std::atomic<bool> has_key = false;
  static inline constinit thread_local ThreadObject* latest = nullptr;
  ThreadObject* earlier_ = nullptr;
};

// A static thread_local variable.
template <class T> class OfThread {
 public:
  T& operator*() {
    if (!object_) [[unlikely]]
      make();
    return object_->value;
  }
  T* operator->() { return &**this; }

 private:
  struct Object : ThreadObject {
    explicit Object(OfThread& of) : of(of) {}
    ~Object() override { of.object_ = nullptr; }
    OfThread& of;
    T value{};
  };
  [[gnu::noinline]] void make() {
    auto object = std::make_unique<Object>(*this);
    Object* const made = object.get();
    ThreadObject::keep(std::move(object));
    object_ = made;
  }
  Object* object_ = nullptr;
};

}  // namespace warpfold::detail
