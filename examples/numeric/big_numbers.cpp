// big_numbers A B: the sum and the product of natural numbers of any length. Numbers are sequences of decimal digits, the lowest first.
#include <algorithm>
#include <iostream>
#include <string>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

using Digits = Seq<int64_t>;

static Digits digits_of(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) throw ArgumentError("'" + text + "' is no natural number");
  return map([](auto c) { return cast<int64_t>(c) - '0'; }, rev(Seq(text)));
}
static std::string text_of(const Digits& s) {
  std::string text;
  for (int64_t digit : rev(s)) text += static_cast<char>('0' + digit);
  return text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
}
static Digits padded(const Digits& s, int64_t n) {
  return append(s, tabulate([](auto) { return int64_t{0}; }, n - s.size()));
}

// Digits 0 to 9 from sums of digits 0 to 18. A position makes a carry (2), passes one on (1) or stops it (0): a scan finds all carries.
static Digits carried(const Digits& sums) {
  auto kind = map([](auto x) { return where(x > 9, 2, where(x == 9, 1, 0)); }, sums);
  auto carries = scan([](auto before, auto x) { return where(x == 1, before, x); }, 1, kind).prefixes;
  return map([](auto x, auto carry) { return (x + where(carry == 2, 1, 0)) % 10; }, sums, carries);
}

static Digits plus_digits(const Digits& a, const Digits& b) {
  const int64_t n = std::max(a.size(), b.size()) + 1;
  return carried(map(plus, padded(a, n), padded(b, n)));
}

// Each digit of the product is a sum over pairs of digits. Sums are split into digits until they are below 19, then carried.
static Digits times_digits(const Digits& a, const Digits& b) {
  const int64_t n = a.size() + b.size(), m = b.size();
  auto s = tabulate(
      [&](auto k) {
        auto first = max(k - (m - 1), 0), last = min(k, a.size() - 1);
        return sum(map([&](auto i) { return a[i] * b[k - i]; }, range(first, last + 1)));
      },
      n);
  while (max(s).get() > 18) s = tabulate([s](auto k) { return s[k] % 10 + where(k > 0, s[max(k - 1, 0)] / 10, 0); }, n);
  return carried(s);
}

int main(int argc, char** argv) try {
  if (argc != 3) return std::cerr << "usage: big_numbers A B\n", 2;
  const Digits a = digits_of(argv[1]), b = digits_of(argv[2]);
  const Timing timing;
  std::cout << text_of(plus_digits(a, b)) << "\n" << text_of(times_digits(a, b)) << "\n";
  timing.report(static_cast<double>(a.size()) * static_cast<double>(b.size()), "products of digits");
} catch (const Error& error) {
  std::cerr << "big_numbers: " << error.what() << "\n";
  return 2;
}
