// std::cout << s: <1,2,3>, as in Standard ML; pairs and tuples as (1,2); segments and windows as <<1,2>,<3>>. Long sequences are shortened in
// the middle: <0,1,2,...,97,98,99>. A char is a character, and a sequence of chars is text, printed as a std::string: segments of it are
// <three,words,here>.
#pragma once

#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "warpfold/sequences/segments.hpp"

namespace warpfold {
namespace detail {

inline constexpr int64_t printed_elements = 20;

template <class T> void print_value(std::ostream& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    out << (value ? "true" : "false");
  } else if constexpr (std::is_same_v<T, char>) {
    out << value;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (value == value) out << value;
    else out << "nan";  // a NaN's sign means nothing, and depends on the engine
  } else if constexpr (Element<T>) {
    out << +static_cast<Stored<T>>(value);  // a byte is a number
  } else {
    out << '(';
    std::apply(
        [&](const auto& first, const auto&... rest) {
          print_value(out, first);
          ((out << ',', print_value(out, rest)), ...);
        },
        tie_fields(value));
    out << ')';
  }
}

// print(begin, n) prints n of `length` elements: all of them, or the first and the last ones.
template <class Print> std::ostream& print_ends(std::ostream& out, int64_t length, const Print& print) {
  const int64_t side = printed_elements / 2;
  out << '<';
  if (length <= printed_elements) {
    print(0, length);
  } else {
    print(0, side);
    out << ",...,";
    print(length - side, side);
  }
  return out << '>';
}

template <class S> std::ostream& print_sequences(std::ostream& out, const S& s) {
  return print_ends(out, s.size(), [&](int64_t begin, int64_t n) {
    for (int64_t k = begin; k < begin + n; k++) out << (k > begin ? "," : "") << s[k];
  });
}

}  // namespace detail

// Forces all of s; prints up to 20 elements, or the first and the last 10.
template <class T> std::ostream& operator<<(std::ostream& out, const Seq<T>& s) {
  return detail::print_ends(out, s.force().size(), [&](int64_t begin, int64_t n) {
    const char* separator = "";
    for (const auto& value : subseq(s, begin, n).to_vector()) {
      out << std::exchange(separator, ",");
      detail::print_value<T>(out, value);
    }
  });
}
// A text: all characters.
inline std::ostream& operator<<(std::ostream& out, const Seq<char>& s) {
  return out << std::string_view(s.span().data(), static_cast<size_t>(s.size()));
}
// Prints up to 20 segments or windows, or the first and the last 10, each as a sequence. Forces all values of segments.
template <class T> std::ostream& operator<<(std::ostream& out, const Segments<T>& s) {
  s.values().force();
  return detail::print_sequences(out, s);
}
template <class T> std::ostream& operator<<(std::ostream& out, const Windows<T>& s) { return detail::print_sequences(out, s); }

namespace tracing {
// Forces the scalar.
template <class T> std::ostream& operator<<(std::ostream& out, const Scalar<T>& s) {
  warpfold::detail::print_value<T>(out, s.get());
  return out;
}
// Prints nothing: a traced lambda is called once, before there are values.
template <class T> std::ostream& operator<<(std::ostream& out, const Expr<T>&) {
  static_assert(warpfold::detail::never<T>,
                "an expression has no value yet: print the sequence that the function is mapped over, or its result");
  return out;
}
}  // namespace tracing

// All elements: "<" f(s[0]) "," f(s[1]) ... ">", where f makes a string of a T.
template <class F, class T> std::string to_string(F f, const Seq<T>& s) {
  std::string text = "<";
  for (const T& x : s.to_vector()) text.append(text.size() > 1 ? "," : "").append(f(x));
  return text + ">";
}

template <class T> std::string to_string(const Seq<T>& s) {
  std::ostringstream out;
  out << s;
  return out.str();
}

}  // namespace warpfold
