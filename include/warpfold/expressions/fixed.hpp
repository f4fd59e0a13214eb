// Fixed functions: they read nothing but their arguments, so their trace never changes and is made once per thread.
#pragma once

#include <utility>

namespace warpfold::detail {

template <class F>
concept IsFixed = requires {
  typename F::IsFixed;
};

template <class F> struct Fixed : F { using IsFixed = void; };

// f as a fixed function. Only for functions of this library: a user's lambda may read variables that are not captured.
template <class F> Fixed<F> fixed(F f) { return {std::move(f)}; }

// The same if f reads nothing but its arguments and Part, a function.
template <class Part, class F> auto fixed_if(F f) {
  if constexpr (IsFixed<Part>) return fixed(std::move(f));
  else return f;
}

}  // namespace warpfold::detail
