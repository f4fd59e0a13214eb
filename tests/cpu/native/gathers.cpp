// Native code has the bits of the interpreter: elements at computed indices, and indices that are sums of digits.
#include <string>

#include "cases.h"

using namespace native_cases;

// Elements at computed indices: of every width, consecutive or not, outside unchecked, and faults in any lane, behind a guard, after the last element, in two
// checks of one element, after a check of the whole block.
TEST(gathers) {
  require_llvm();
  std::vector<Case> cases;
  auto add = [&](const std::string& body, int64_t length) {
    for (int64_t n : {1, 63, 64, 65, 500}) {
      const FnRef f = parse("(fn ((i i64)) " + body + ")", capture_types);
      cases.push_back({f, some_inputs(length), 3, n, 1 << 20});
      CHECK(cpu::native::gains(*cases.back().program));
    }
  };
  const std::string scattered = "(rem (mul i 7919:i64) 300:i64)";
  for (const char* input : {"$0", "$1", "$2", "$3"}) {
    add("(let ((j (sub (xor i 5:i64) 1:i64))) (tuple (at " + std::string(input) + " j) (mul j j)))", 600);
    add("(let ((j (cast i64 (cast i32 (mul i i))))) (where (lt j 400:i64) (neg (at " + std::string(input) + " j)) (at " + input +
            " 0:i64)))",
        400);
  }
  for (const char* first : {"0", "1", "15", "16", "31", "63", "64", "66", "67", "68", "502", "503", "2000"}) {
    const std::string bad = "(where (ge i " + std::string(first) + ":i64) (sub (xor i 1:i64) 100000:i64) (and i 255:i64))";
    add("(add (at $1 " + bad + ") 1.0:f32)", 300);
    add("(tuple (at $2 (add (xor i 3:i64) 90:i64)) (at $1 " + bad + "))", 300);
    add("(tuple (at $0 i) (at $0 (xor i 2:i64)) (at $1 " + bad + ") (at $3 (add i 1:i64)))", 300);
    add("(where (lt i 70:i64) (add (at $1 " + bad + ") 2.0:f32) (cast f32 i))", 300);
  }
  // Runs of consecutive indices: within the input, up to its end, across an end, and across the largest integer.
  for (const char* input : {"$0", "$1", "$2", "$3"})
    for (const char* first : {"0", "-9", "-449", "9", "9223372036854775700"}) {
      const std::string j = "(add (rem (add i 7:i64) 450:i64) " + std::string(first) + ":i64)",
                        at = "(at " + std::string(input) + " " + j + ")";
      add("(tuple " + at + " (add " + j + " 1:i64))", 450);
      add("(where (lt (sub " + j + " 1:i64) 449:i64) (neg " + at + ") (at " + input + " 0:i64))", 450);
    }
  add("(add (at $1 (and i 511:i64)) 1.0:f32)", 300);
  add("(add (at $0 (xor i 1:i64)) 1:i32)", 0);
  add("(loop ((j " + scattered + ") (k 0:i32)) (and (gt j 0:i64) (lt k 9:i32)) (tuple (shr j 1:i64) (add k (cast i32 (at $2 j)))))", 300);
  compare(cases);
}

// Elements of large inputs, whose runs are prefetched: runs that jump and that continue each other, indices in memory, runs shorter than a vector and of a
// vector and a half, equal indices, indices that depend on elements, a fault in a late part, and several blocks of several parts.
TEST(gathers_ahead) {
  require_llvm();
  std::vector<Case> cases;
  const std::string jump = "(add (rem (mul (div i 16:i64) 7919:i64) 1000:i64) (rem i 16:i64))";
  auto add = [&](const std::string& body) {
    for (int64_t n : {256, 257, 320, 700, 9000})
      cases.push_back({parse("(fn ((i i64)) " + body + ")", capture_types), some_inputs(1100000), 3, n, 1 << 20});
  };
  for (const char* input : {"$0", "$1", "$2", "$3"}) {
    const std::string at = "(at " + std::string(input) + " ";
    add(at + jump + ")");
    add("(tuple " + at + "(and i 1048575:i64)) " + at + "(mul (div i 12:i64) 12:i64)) " + at +
        "(add (mul (div i 12:i64) 500:i64) (rem i 12:i64))))");
    add("(tuple " + at + "(add i (cast i64 (at $0 (div i 20:i64))))) " + at + "(cast i64 (at $0 (xor i 1:i64)))))");
    add("(where (lt i 600:i64) " + at + "(where (eq i 555:i64) -7:i64 " + jump + ")) " + at + "(sub i 2000:i64)))");
  }
  compare(cases);
}

// Checks in loops, of lanes that still run: behind a guard, in the condition, two in a step, after a check before the loop; faults at different steps of
// neighbouring lanes, of which the first one of the first element counts.
TEST(checks_in_loops) {
  require_llvm();
  std::vector<Case> cases;
  for (const char* text :
       {// The letters of a word, up to the end of the text.
        "(loop ((j (rem (mul i 7:i64) 1000:i64)) (c (at $2 (rem (mul i 7:i64) 1000:i64))) (h 0:u64)) (ge c 60:u8) (let ((k (add j 1:i64))) "
        "(tuple k (where (lt k 1000:i64) (at $2 k) 0:u8) (add (mul h 31:u64) (cast u64 c)))))",
        "(loop ((j (sub i 40:i64)) (s 0:i32)) (lt s 3000:i32) (tuple (add j 7:i64) (add s (add 90:i32 (at $0 j)))))",
        "(loop ((j (mul i 9:i64)) (s 0:i32)) (and (lt s 20:i32) (lt (at $1 j) 100.0:f32)) (tuple (add j (rem i 5:i64)) (add s 1:i32)))",
        "(loop ((j i) (s 0:i32)) (lt s (cast i32 (rem i 6:i64))) (tuple (mul j 3:i64) (add (add s 1:i32) (sub (at $0 j) (at $0 (sub j "
        "5:i64))))))",
        "(let ((first (at $0 (add i 700:i64))) ((j s) (loop ((j i) (s 0:i32)) (lt s 9:i32) (tuple (sub j 60:i64) "
        "(add (add s 1:i32) (min 0:i32 (at $0 j))))))) (tuple first j s))",
        "(loop ((s 0:i64) (j i)) (lt s 900:i64) (tuple (add s (add 1:i64 (loop ((t 0:i64)) (lt t 300:i64) "
        "(add (add t 40:i64) (cast i64 (at $2 (add j t))))))) (add j 50:i64)))"})
    for (int64_t n : {1, 63, 64, 65, 500})
      cases.push_back({parse("(fn ((i i64)) " + std::string(text) + ")", capture_types), some_inputs(1000), 3, n, 1 << 20});
  compare(cases);
  CHECK(std::ranges::any_of(cases, [](const Case& c) { return c.expected.fault.at > 3; }));
  for (const Case& c : cases)
    for (const cpu::Phase& phase : c.program->native()->phases)
      CHECK(std::ranges::none_of(phase.code, [](const cpu::Instruction& i) { return i.kind == cpu::Instruction::Kind::Iterate; }));
}

// Neighbours of a cell, and 0 outside; indices of several digits; joined sequences. Blocks in which a comparison of the index has one outcome,
// the other, and both.
TEST(walks_and_choices) {
  require_llvm();
  const std::string column = "(rem i 100:i64)", row = "(rem (div i 100:i64) 7:i64)";
  const std::string up = "(where (ge i 100:i64) (at $1 (sub i 100:i64)) 0.0:f32)";
  const std::string down = "(where (lt i 900:i64) (at $1 (add i 100:i64)) -1.0:f32)";
  const std::string left = "(where (gt " + column + " 0:i64) (at $1 (sub i 1:i64)) 2.0:f32)";
  const std::string right = "(where (lt " + column + " 99:i64) (at $1 (add i 1:i64)) 3.0:f32)";
  const std::string stencil = "(add (add " + up + " " + down + ") (mul (add " + left + " " + right + ") (at $1 i)))";
  const std::vector<std::string> bodies = {
      "(add (where (ge i 100:i64) (mul i 3:i64) 5:i64) (where (lt " + column + " 99:i64) (sub i 7:i64) " + column + "))",
      stencil,
      "(tuple " + stencil + " (where (ge i 300:i64) (mul (at $0 (sub i 300:i64)) 3:i32) (neg (at $0 i))))",
      "(tuple " + column + " (mul i i) " + row + ")",
      "(sub (mul " + column + " -3:i64) (mul " + row + " 1000:i64))",
      "(add (add (mul (rem (add i 17:i64) 64:i64) 5:i64) (mul (rem (div (add i 17:i64) 64:i64) 3:i64) -9:i64)) (div (add i 17:i64) "
      "192:i64))",
      "(add (rem i 3:i64) (mul (div i 3:i64) 5:i64))",
      "(at $3 (add (mul (rem i 100:i64) 10:i64) (div i 100:i64)))",
      "(where (lt i 450:i64) (exp (cast f64 (length $0))) (cast f64 (length $1)))",
      "(where (lt i 450:i64) (at $2 i) (at $2 (sub i 450:i64)))",
      "(where (lt i 450:i64) (sqrt (at $3 i)) (exp (at $3 (sub i 450:i64))))",
      "(where (lt i 65:i64) (at $3 i) (where (lt i 640:i64) (mul (at $3 (sub i 65:i64)) 2.0:f64) (add (at $3 (sub i 640:i64)) 1.0:f64)))"};
  std::vector<Case> cases;
  for (const std::string& body : bodies)
    for (int64_t start : {0, 37, 99})
      for (int64_t n : {1, 2, 63, 64, 65, 500, 901})
        for (int64_t block : {64, 192, 1 << 20})
          cases.push_back({parse("(fn ((i i64)) " + body + ")", capture_types), some_inputs(1000), start, n, block});
  compare(cases);
  // The first body is one native function: choices of whole blocks do not divide it.
  CHECK_EQ(cases[0].program->native()->phases[1].code.size(), size_t(1));
}
