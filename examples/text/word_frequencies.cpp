// word_frequencies FILE [K]: the K most frequent words of a text, letters only, in lower case. Words become hashes of 64 bits, which are sorted.
#include <cstdlib>
#include <iostream>

#include "../timing.h"
#include "warpfold/warpfold.hpp"

using namespace warpfold;

// A polynomial in the letters: of two parts of a word, (h p + g, p q), which is associative.
static auto hash_of(const Seq<uint8_t>& word) {
  auto letter = [](auto c) { return std::pair(cast<uint64_t>(c), uint64_t{0x9E3779B97F4A7C15}); };
  auto join = [](auto a, auto b) { return std::pair(a.first * b.second + b.first, a.second * b.second); };
  auto [hash, power] = reduce(join, {0, 1}, map(letter, word));
  return hash;
}

int main(int argc, char** argv) try {
  const int64_t k = argc > 2 ? std::atoll(argv[2]) : 10;
  if (argc < 2 || k < 1) return std::cerr << "usage: word_frequencies FILE [K]\n", 2;
  const Timing timing;
  const auto lower = map([](auto c) { return where(c >= 'A' && c <= 'Z', c + 32, c); }, from_file<uint8_t>(argv[1]));
  const auto pieces = split([](auto c) { return c < 'a' || c > 'z'; }, map([](auto c) { return cast<uint8_t>(c); }, lower));
  const auto words = pack_index([](auto length) { return length > 0; }, pieces.lengths());
  const auto hashes = map([&](auto word) { return hash_of(pieces[word]); }, words);
  const auto [hash, places] = collect(zip(hashes, words));
  const auto counts = places.lengths();
  // The order is that of falling counts; of equal counts, the word that is first in the text comes first.
  const auto order =
      sort_by([&](auto which, auto count) { return std::pair(-count, places.values()[places.offsets()[which]]); }, enumerate(counts));
  const auto best = take(order, std::min(k, order.size())).to_vector();
  timing.report(static_cast<double>(lower.size()), "bytes");
  for (auto [which, count] : best) {
    const std::vector<uint8_t> word = pieces[places[which][0].get()].to_vector();
    std::cout << std::string(word.begin(), word.end()) << " " << count << "\n";
  }
} catch (const Error& error) {
  std::cerr << "word_frequencies: " << error.what() << "\n";
  return 2;
}
