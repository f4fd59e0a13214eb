// Native code has the bits of the interpreter where indices are linear along stretches: rows and their borders, limited and chosen indices, conditions on
// digits, reads and checks outside, and indices that wrap.
#include <random>
#include <string>

#include "cases.h"

using namespace native_cases;

namespace {

std::string number(int64_t x) { return std::to_string(x) + ":i64"; }

// Indices that are composed of digits of i, and bools composed of them.
class Indices {
 public:
  explicit Indices(uint64_t seed) : random_(seed) {}

  std::string index(int depth) {
    const int64_t width = one_of({64, 65, 100, 128, 7});
    if (depth == 0) {
      switch (random_() % 6) {
        case 0: return "i";
        case 1: return "(rem i " + number(width) + ")";
        case 2: return "(div i " + number(width) + ")";
        case 3: return "(rem (div i " + number(width) + ") 3:i64)";
        case 4: return "(rem (add i " + number(one_of({1, 63, 99})) + ") " + number(width) + ")";
        default: return literal();
      }
    }
    const std::string a = index(depth - 1), b = random_() % 2 ? literal() : index(depth - 1);
    switch (random_() % 8) {
      case 0: return "(add " + a + " " + b + ")";
      case 1: return "(sub " + a + " " + b + ")";
      case 2: return "(sub " + b + " " + a + ")";
      case 3: return "(min " + a + " " + b + ")";
      case 4: return "(max " + b + " " + a + ")";
      case 5: return "(add (mul " + a + " " + number(one_of({0, 1, -1, 3})) + ") " + b + ")";
      case 6: return "(" + std::string(random_() % 2 ? "div " : "rem ") + a + " " + number(one_of({1, 64, 100})) + ")";
      default: return "(where " + condition(depth - 1) + " " + a + " " + b + ")";
    }
  }

  std::string condition(int depth) {
    static const char* const comparisons[] = {"lt", "le", "gt", "ge", "eq", "ne"};
    if (depth == 0 || random_() % 2)
      return "(" + std::string(comparisons[random_() % 6]) + " " + index(depth) + " " + (random_() % 2 ? literal() : index(depth)) + ")";
    static const char* const joined[] = {"and", "or", "xor"};
    if (random_() % 4 == 0) return "(not " + condition(depth - 1) + ")";
    return "(" + std::string(joined[random_() % 3]) + " " + condition(depth - 1) + " " + condition(depth - 1) + ")";
  }

  // 0 to 599
  std::string limited(int depth) { return "(max (min " + index(depth) + " 599:i64) 0:i64)"; }
  std::string input() { return "$" + std::to_string(random_() % 4); }

 private:
  int64_t one_of(std::initializer_list<int64_t> all) { return all.begin()[random_() % all.size()]; }
  std::string literal() { return number(one_of({0, 1, 2, 50, 63, 99, 300, -1, -70, INT64_MAX, INT64_MAX - 150, INT64_MIN + 70})); }

  std::mt19937_64 random_;
};

void add(std::vector<Case>& cases, const std::string& body) {
  for (const auto& [start, n, block] : {std::tuple(0, 1000, 1 << 20), {37, 65, 1 << 20}, {99, 501, 192}, {3, 1, 64}, {63, 129, 64}})
    cases.push_back({parse("(fn ((i i64)) " + body + ")", capture_types), some_inputs(600), start, n, block});
}

}  // namespace

TEST(random_indices) {
  require_llvm();
  std::vector<Case> cases;
  Indices random(15210);
  for (int k = 0; k < 10; k++) {
    const std::string guard = random.condition(1), j = random.index(2), in = "(and (ge " + j + " 0:i64) (lt " + j + " 600:i64))";
    const std::string read = "(at " + random.input() + " " + random.limited(2) + ")",
                      other = "(at " + random.input() + " " + random.limited(1) + ")";
    add(cases, "(tuple " + read + " " + other + " " + random.condition(2) + ")");
    add(cases, "(tuple " + read + " (where " + in + " (cast f64 (at $1 " + j + ")) 5.0:f64) " + random.index(2) + ")");
    // Most of these have an index outside.
    add(cases, "(tuple " + other + " (where " + guard + " (at $2 " + random.index(1) + ") 7:u8) (at $0 (add i " + number(k * 9) + ")))");
  }
  compare(cases);
}

// Parts, repeated rows and repeated columns of matrices.
TEST(parts_of_matrices) {
  require_llvm();
  std::vector<Case> cases;
  for (const char* input : {"$0", "$1", "$2", "$3"})
    for (const int64_t width : {64, 65, 100, 127}) {
      const std::string row = "(div i " + number(width) + ")", column = "(rem i " + number(width) + ")",
                        at = "(at " + std::string(input) + " ";
      add(cases, "(tuple (neg " + at + "(add (mul " + row + " 30:i64) " + column + "))) (sub " + at + row + ") " + at + column + ")))");
      add(cases, "(where (gt " + row + " 1:i64) (sub " + at + "(add (add (mul " + row + " 31:i64) " + column + ") 7:i64)) " + at + column +
                     ")) " + at + row + "))");
    }
  compare(cases);
}

// The first index outside is within a stretch, after a row, at a border, or of one of two checks.
TEST(faults_in_stretches) {
  require_llvm();
  std::vector<Case> cases;
  const std::string row = "(div i 100:i64)", column = "(rem i 100:i64)";
  for (const std::string& j : std::vector<std::string>{
           "(max (add i 250:i64) 300:i64)", "(add " + column + " 550:i64)", "(add (mul " + row + " 120:i64) " + column + ")",
           "(sub 40:i64 (min " + column + " 41:i64))", "(sub (max " + column + " 7:i64) " + row + ")",
           "(where (lt " + column + " 99:i64) i 600:i64)", "(mul " + row + " 100:i64)"}) {
    add(cases, "(neg (at $1 " + j + "))");
    add(cases, "(tuple (at $2 (min (add " + column + " 501:i64) 600:i64)) (at $1 " + j + "))");
    add(cases, "(where (gt (at $1 i) 20.0:f32) (at $3 " + j + ") 1.0:f64)");
  }
  compare(cases);
  CHECK(std::ranges::any_of(cases, [](const Case& c) { return c.expected.fault.at > c.start + 64; }));
}
