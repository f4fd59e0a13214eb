// The example's algorithm on random texts cut into pieces of every small size, against a plain loop.
#include "../../examples/text/brackets.h"

#include <random>

#include "common.h"

using namespace brackets;

static Report by_loop(const std::string& text) {
  Report report;
  Position here{1, 1};
  for (char c : text) {
    report.left_open += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    if (report.left_open < 0 && !report.surplus) report.surplus = here;
    if (report.left_open > report.depth) {
      report.depth = report.left_open;
      report.deepest = here;
    }
    here = c == '\n' ? Position{here.line + 1, 1} : Position{here.line, here.column + 1};
  }
  return report;
}

static bool same(const std::optional<Position>& a, const std::optional<Position>& b) {
  return a.has_value() == b.has_value() && (!a || (a->line == b->line && a->column == b->column));
}

TEST(pieces_of_random_texts) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; round++) {
    std::string text;
    size_t length = random() % 60;
    // Half of the texts have more opening than closing brackets, so that not all fail early.
    const char* alphabet = round % 2 ? "()[]{}ax\n" : "(([{()[]{}\n";
    size_t letters = std::char_traits<char>::length(alphabet);
    while (text.size() < length) text += alphabet[random() % letters];
    Report expected = by_loop(text);
    int64_t piece_size = 1 + static_cast<int64_t>(random() % 20), read = 0;
    Report report = match(Text(text), piece_size, [&](int64_t done) { read = done; });
    CHECK_EQ(read, text.size());
    CHECK_EQ(report.left_open, expected.left_open);
    CHECK_EQ(report.depth, expected.depth);
    CHECK(same(report.surplus, expected.surplus));
    CHECK(same(report.deepest, expected.deepest));
    CHECK_EQ(report.balanced(), expected.balanced());
  }
}

TEST(a_piece_is_one_pass) {
  Text text(std::string(1000, '('));
  CHECK_EQ(kernels(Piece(text).total), "1 kernel");
  CHECK(Piece(text).plan().starts_with("1 kernel"));
  CHECK(Piece(text).plan().find("1000 B read, 0 B written") != std::string::npos);
}
