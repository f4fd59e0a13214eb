// parens_text: do the parentheses of a text match? Each byte is read once.

#include "harness.h"
#include "peers/peers.h"
#include "warpfold/warpfold.hpp"
#include "works.h"
#include "works/parentheses.h"

namespace bench {

using warpfold::Seq;

static bool text_matches(const Seq<uint8_t>& text) {
  auto depth = map([](auto c) { return (c == '(') - (c == ')'); }, text);
  auto [prefix, last] = scan_incl_total(warpfold::plus, 0, depth);
  return (last == 0 && reduce(warpfold::min, 0, prefix) >= 0).get();
}

void parens_text(Bench& bench, int64_t n) {
  warpfold::Context context(bench.options().context);
  Seq<uint8_t> s(Array<uint8_t>(n, [=](int64_t i) { return parenthesis_text(i, n); }).view(), context);
  std::span<const uint8_t> text = s.span();
  Array<int32_t> prefixes(n);
  bool matched = false;
  auto right = [&] { return matched == loop::depth(text).matched(); };

  Race race(bench, {"parens_text", "u8", n, n, read_limit(s.data(), n)});
  race.enter_warpfold([&] { matched = text_matches(s); }, right);
  race.enter(
      "loop", [&] { matched = loop::depth(text).matched(); }, right);
  race.enter(
      "threads, one pass", [&] { matched = threads::depth(text).matched(); }, right);
  race.enter(
      "std::par scan + reduce", [&] { matched = standard::depth(text, prefixes.data()).matched(); }, right);
  race.enter_gpu_peers(text.data(), [&](double value) { return (value != 0) == loop::depth(text).matched(); });
  race.finish();
}

}  // namespace bench
