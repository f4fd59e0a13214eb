// word_counts: how many words a text has, how many different ones, and how often the most frequent one occurs. Words become hashes of 64 bits,
// which are sorted. Bytes: the text, once.

#include "../complete.h"
#include "../harness.h"
#include "../works.h"
#include "peers.h"
#include "warpfold/warpfold.hpp"

namespace bench {

namespace {

using namespace warpfold;

// Words of 1 to 8 letters, the short ones more often, from a vocabulary of some ten thousand.
uint8_t character(int64_t i) {
  const uint64_t block = uint64_t(i) / 9, at = uint64_t(i) % 9;
  const uint64_t random = random_bits(block), length = 1 + random % 8;
  if (at >= length) return ' ';
  const uint64_t word = (random >> 8) % (uint64_t(1) << (2 * length));
  return uint8_t('a' + random_bits(word * 8 + length + (at << 40)) % 26);
}

// A polynomial in the letters: of two parts of a word, (h p + g, p q), which is associative.
auto hash_of(const Seq<uint8_t>& word) {
  auto letter = [](auto c) { return std::pair(cast<uint64_t>(c), uint64_t{0x9E3779B97F4A7C15}); };
  auto join = [](auto a, auto b) { return std::pair(a.first * b.second + b.first, a.second * b.second); };
  auto [hash, power] = reduce(join, {0, 1}, map(letter, word));
  return hash;
}

// The text is cut where letters follow other characters or precede them: every other piece is a word.
Seq<uint64_t> hashes_of_words(const Seq<uint8_t>& text) {
  const auto letter = [](const auto& c) { return c >= 'a' && c <= 'z'; };
  const auto pieces = runs([&](auto a, auto b) { return letter(a) == letter(b); }, text);
  if (pieces.empty()) return Seq<uint64_t>(std::span<const uint64_t>{}, text.context());
  const int64_t first = letter(text[0]) ? 0 : 1, words = (pieces.size() - first + 1) / 2;
  return tabulate([&](auto word) { return hash_of(pieces[2 * word + first]); }, words, text.context()).force();
}

WordCounts count(const Seq<uint8_t>& text) {
  const auto hashes = hashes_of_words(text);
  const auto counts = runs(warpfold::sort(hashes)).lengths();
  const int64_t all = hashes.size();
  return {all, counts.size(), all == 0 ? 0 : warpfold::max(counts).get()};
}

}  // namespace

void word_counts(Bench& bench, int64_t n) {
  const Context context(bench.options().context);
  const Array<uint8_t> text(n, character);
  const Seq<uint8_t> s(text.view(), context);
  const WordCounts expected = threads::count_words(text.view());
  WordCounts found;
  Race race(bench, {"word_counts", "u8", n, n, read_limit(text.data(), n / 64 * 64)});
  const auto check = [&] { return found == expected; };
  race.enter_warpfold([&] { found = count(s); }, check);
  race.enter(
      "threads: hash tables", [&] { found = threads::count_words(text.view()); }, check);
  race.enter(
      "std::par, sorted hashes", [&] { found = standard::count_words(text.view()); }, check);
  race.enter_gpu_peers(text.data(), &found, [&](int64_t) { return found == expected; });
  race.finish();
}

}  // namespace bench
