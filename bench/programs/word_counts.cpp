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

constexpr auto is_letter = [](const auto& c) { return c >= 'a' && c <= 'z'; };

// A polynomial in the letters of the word that begins at index i.
auto hash_of_word(const Seq<uint8_t>& text, const Expr<int64_t>& i) {
  const auto character_at = [&](auto k) { return where(k < text.size(), text[k], uint8_t{' '}); };
  auto [end, c, hash] = loop(
      std::tuple(i, text[i], uint64_t{0}), [](auto, auto x, auto) { return is_letter(x); },
      [&](auto k, auto x, auto h) { return std::tuple(k + 1, character_at(k + 1), (h + x) * 0x9E3779B97F4A7C15u); });
  return hash;
}

// A word begins where a letter follows another character.
Seq<uint64_t> hashes_of_words(const Seq<uint8_t>& text) {
  const auto begins = [&](auto i) { return is_letter(text[i]) && !(i > 0 && is_letter(text[i - 1])); };
  const auto starts = filter(begins, iota(text.size(), text.context()));
  return map([&](auto i) { return hash_of_word(text, i); }, starts).force();
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
