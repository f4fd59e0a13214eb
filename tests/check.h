// A plain test harness.
//
//     TEST(addition) {
//       CHECK(1 + 1 == 2);
//       CHECK_EQ(1 + 1, 2);
//       CHECK_THROWS(std::out_of_range, std::vector<int>{}.at(0));
//     }
//
// A failed check is reported and the test continues; an exception ends its test. `program WORD...` runs the tests whose names
// contain one of the words, `program -WORD...` those whose names do not. Checks may run on any thread. main is in
// check_main.cpp; its last line of output is `N passed, N failed, N skipped`.
#pragma once

#include <exception>
#include <ostream>
#include <ranges>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace check {

struct Skip {
  std::string reason;
};

struct Registration {
  Registration(const char* name, void (*body)());
};

// Marks the running test as failed and prints the place and the message.
void fail(const char* file, int line, const std::string& message);

// A value as failures print it: text in quotes, small integers as numbers, ranges element by element.
template <class T> void show(std::ostream& out, const T& x) {
  using D = std::decay_t<T>;
  if constexpr (std::is_same_v<D, bool>) {
    out << (x ? "true" : "false");
  } else if constexpr (std::is_enum_v<D>) {
    out << static_cast<long long>(x);
  } else if constexpr (std::is_integral_v<D>) {
    out << +x;
  } else if constexpr (std::is_floating_point_v<D>) {
    out.precision(std::is_same_v<D, float> ? 9 : 17);
    out << x;
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    out << '"' << std::string_view(x) << '"';
  } else if constexpr (std::ranges::range<const T>) {
    out << '<';
    const char* comma = "";
    for (const auto& element : x) out << comma, show(out, element), comma = ", ";
    out << '>';
  } else if constexpr (requires { out << x; }) {
    out << x;
  } else {
    out << "(a value that cannot be printed)";
  }
}

template <class A, class B> bool equal(const A& a, const B& b) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B> && !std::is_same_v<A, bool> && !std::is_same_v<B, bool>)
    return std::cmp_equal(a, b);
  else return a == b;
}

template <class A, class B> void check_equal(const A& a, const B& b, const char* text, const char* file, int line) {
  if (equal(a, b)) return;
  std::ostringstream message;
  message << text << "\n    left  ";
  show(message, a);
  message << "\n    right ";
  show(message, b);
  fail(file, line, message.str());
}

}  // namespace check

#define TEST(name)                                                        \
  static void test_##name();                                              \
  static const check::Registration registered_##name(#name, test_##name); \
  static void test_##name()

#define CHECK(...)                                                     \
  do {                                                                 \
    if (!(__VA_ARGS__)) check::fail(__FILE__, __LINE__, #__VA_ARGS__); \
  } while (false)

#define CHECK_EQ(a, b) check::check_equal((a), (b), #a " == " #b, __FILE__, __LINE__)

#define CHECK_THROWS(exception_type, ...)                                                                                    \
  do {                                                                                                                       \
    try {                                                                                                                    \
      (void)(__VA_ARGS__);                                                                                                   \
      check::fail(__FILE__, __LINE__, #__VA_ARGS__ " does not throw " #exception_type);                                      \
    } catch (const exception_type&) {                                                                                        \
    } catch (const std::exception& other) {                                                                                  \
      check::fail(__FILE__, __LINE__, #__VA_ARGS__ " does not throw " #exception_type " but: " + std::string(other.what())); \
    }                                                                                                                        \
  } while (false)

#define SKIP(why) \
  throw check::Skip { why }
