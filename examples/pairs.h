// Text files with a pair of numbers per line.
#pragma once

#include <charconv>
#include <fstream>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpfold/warpfold.hpp"

// The pairs of numbers from `least` to `most`, a line each, separated by blanks. Empty lines are ignored. Throws ArgumentError for any other line.
template <class T> std::vector<std::pair<T, T>> read_pairs(const std::string& name, T least, T most) {
  std::ifstream file(name, std::ios::binary);
  if (!file) throw warpfold::ArgumentError(name + " cannot be read");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::vector<std::pair<T, T>> pairs;
  const char *at = text.data(), *const end = at + text.size();
  auto skip_blanks = [&] {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) at++;
  };
  auto read = [&](T& x) {
    skip_blanks();
    const auto [rest, error] = std::from_chars(at, end, x);
    at = rest;
    return error == std::errc() && x >= least && x <= most;
  };
  for (int64_t line = 1; at < end; line++, at++) {
    skip_blanks();
    if (at == end || *at == '\n') continue;
    T x{}, y{};
    bool is_pair = read(x) && at < end && (*at == ' ' || *at == '\t') && read(y);
    skip_blanks();
    if (is_pair && (at == end || *at == '\n')) {
      pairs.emplace_back(x, y);
      continue;
    }
    std::string message = name + ", line " + std::to_string(line) + ": expected two numbers";
    if constexpr (std::is_integral_v<T>) message += " from " + std::to_string(least) + " to " + std::to_string(most);
    throw warpfold::ArgumentError(message);
  }
  return pairs;
}
