// Checks if the brackets of a text balance; finds the place of the first error and of the deepest nesting. One pass over the bytes, piece by piece.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

#include "warpfold/warpfold.hpp"

namespace brackets {

using namespace warpfold;

using Text = Seq<uint8_t>;

// +1 for an opening bracket, -1 for a closing one. In ASCII [ and { differ in one bit, the same as ] and }.
inline constexpr auto step = [](auto c) {
  auto folded = c | ('[' ^ '{');
  return (c == '(' || folded == '{') - (c == ')' || folded == '}');
};
inline Scalar<int> count_lines(const Text& text) {
  return reduce(plus, 0, map([](auto c) { return cast<int>(c == '\n'); }, text));
}

// The result of one pass over a piece of text; depths are relative to the depth before the piece.
struct Piece {
  Seq<int> depth;  // after each character; never stored
  Scalar<int> total, lowest, highest, lines;

  explicit Piece(const Text& text) : Piece(scan_incl_total(plus, 0, map(step, text)), text) {}
  void measure() const { force(total, lowest, highest, lines); }
  std::string plan() const { return explain(total, lowest, highest, lines); }

 private:
  Piece(const Scanned<int>& scanned, const Text& text)
      : depth(scanned.prefixes),
        total(scanned.total),
        lowest(reduce(min, 0, depth)),
        highest(reduce(max, 0, depth)),
        lines(count_lines(text)) {}
};

// The first index whose element has the property, or n if there is none.
template <class Property> int64_t first_index(Property has, const Seq<int>& s) {
  int64_t n = s.size();
  auto indices = tabulate([](auto i) { return i; }, n, s.context());
  return reduce(min, n, map([&](auto x, auto i) { return where(has(x), i, n); }, s, indices)).get();
}

struct Position {
  int64_t line, column;  // from 1
};

// The state at the beginning of a piece.
struct Start {
  int64_t offset = 0, depth = 0, lines = 0;
};

// Line and column of the character at `index` of the piece that begins at `start`.
inline Position position(const Text& text, const Start& start, int64_t index) {
  int64_t offset = start.offset + index;
  int64_t lines = count_lines(subseq(text, start.offset, index)).get();
  auto line_start = std::find(std::reverse_iterator(text.begin() + offset), std::reverse_iterator(text.begin()), '\n');
  return {start.lines + lines + 1, text.begin() + offset - line_start.base() + 1};
}

struct Report {
  int64_t left_open = 0;            // brackets open at the end
  std::optional<Position> surplus;  // of the first closing bracket too many
  int64_t depth = 0;                // the greatest
  std::optional<Position> deepest;  // of the first bracket of the greatest depth
  bool balanced() const { return left_open == 0 && !surplus; }
};

// progress(bytes of the text read so far) is called after each piece.
template <class Progress> Report match(const Text& text, int64_t piece_size, Progress progress) {
  Report report;
  Start here, deepest;
  auto at = [&](const Start& start) { return subseq(text, start.offset, std::min(piece_size, text.size() - start.offset)); };
  while (here.offset < text.size()) {
    Piece piece(at(here));
    piece.measure();
    if (!report.surplus && here.depth + piece.lowest.get() < 0)
      report.surplus = position(text, here, first_index([&](auto d) { return d < -here.depth; }, piece.depth));
    if (here.depth + piece.highest.get() > report.depth) {
      report.depth = here.depth + piece.highest.get();
      deepest = here;
    }
    here.depth += piece.total.get();
    here.lines += piece.lines.get();
    here.offset += piece.depth.size();
    progress(here.offset);
  }
  report.left_open = here.depth;
  if (report.depth > 0)
    report.deepest =
        position(text, deepest, first_index([&](auto d) { return d == report.depth - deepest.depth; }, Piece(at(deepest)).depth));
  return report;
}

}  // namespace brackets
