// Cell<S>: a variable that holds a computed sequence, S = Seq<T>, or array, S = Array<T, R>, and is updated in place where nothing can tell.
//
//     Cell weights(Array{{1.f, 2.f}, {3.f, 4.f}});                         // Cell<Array<float, 2>>
//     weights.update([=](auto w, auto g) { return w - rate * g; }, gradient);
//     Array<float, 2> now = weights.get();
#pragma once

#include "warpfold/arrays/elementwise.hpp"

namespace warpfold {

// One thread at a time may use a cell, as any variable; what get() returns is a value like any other.
template <class S> class Cell {
  static_assert(arrays::has_axes<S>, "expected a cell of a sequence, Cell<Seq<T>>, or of an array, Cell<Array<T, R>>");

 public:
  // Computes the value. Throws as force does.
  explicit Cell(S value) { set(std::move(value)); }
  // A copy shares the values until one of the two is updated.
  Cell(const Cell& other) : Cell(other.get()) {}
  Cell(Cell&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Cell& operator=(Cell other) noexcept { return std::swap(raw_, other.raw_), *this; }
  ~Cell() { wf_release(raw_); }

  // The value. As long as it, or anything made from it and not yet computed, exists, the next update is not in place. Free.
  S get() const {
    wf_retain(raw_);
    return S::own(raw_);
  }
  // Computes the value and assigns it. If this throws, the cell is as before.
  void set(S value) {
    wf_seq* next = value.raw();
    wf_retain(next);
    { const S released = std::move(value); }
    assign(next);
  }
  // set(map(f, get(), others...)): element k becomes f(element k, the others' elements k, ...). Arrays among the others are broadcast to
  // the cell's shape. On the CPU, the new elements are written over the old ones if nothing else needs those and f checks no index;
  // otherwise they get new memory. The values are the same. If this throws, the cell is as before. Throws SizeError, and as force does.
  // Work n, span 1.
  template <class F, class... A>
  requires(arrays::has_axes<A>&&...) void update(F f, const A&... others) { assign(updated(f, others...)); }

 private:
  template <class F, class... A> wf_seq* updated(F& f, const A&... others) const {
    using arrays::map;
    const S old = get();
    const auto next = map(f, old, others...);
    using Next = std::remove_cv_t<decltype(next)>;
    static_assert(std::is_same_v<typename Next::value_type, typename S::value_type>,
                  "update: the function returns another type than the cell's elements; expected cast<T>(...) of its result");
    require_shape(old, next);
    wf_retain(next.raw());
    return next.raw();
  }
  template <class Next> static void require_shape(const S& old, const Next& next) {
    const auto from = arrays::known_extents_of(old);
    const auto to = arrays::known_extents_of(next);
    if (!std::equal(from.begin(), from.end(), to.begin(), to.end()))
      throw SizeError("update: the result has shape " + arrays::text_of(to) + ", and the cell " + arrays::text_of(from) +
                      "; expected operands that broadcast to the cell's shape");
  }
  // Takes over the reference.
  void assign(wf_seq* next) {
    const int32_t code = wf_replace(next, &raw_);
    if (code != WF_OK) wf_release(next);
    detail::check(code);
  }

  wf_seq* raw_ = nullptr;
};

template <class S> Cell(S) -> Cell<S>;

}  // namespace warpfold
