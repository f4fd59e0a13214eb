// Properties of random functions: printed text parses back to the same function; simplification is idempotent, preserves results,
// and checks exactly those indices whose elements are chosen.
#include <random>

#include "check.h"
#include "expr/indices/simplify.h"
#include "interpreter.h"
#include "random_function.h"

using namespace wf;
using random_function::captures;
using random_function::Maker;
using random_function::Options;

namespace {

const interpreter::Data data{{{5, 4, 3, 2}}, {{to_bits(1.5f), to_bits(-0.0f), to_bits(2.5f)}, {1, 2, 3}}};

bool same_values(const Fn& f, const std::vector<Bits64>& a, const std::vector<Bits64>& b) {
  const std::vector<Type> types = f.result_types();
  for (size_t k = 0; k < types.size(); k++)
    if (a[k] != b[k] && !(is_nan(types[k], a[k]) && is_nan(types[k], b[k]))) return false;
  return true;
}

}  // namespace

TEST(printing_a_random_function_and_parsing_it_gives_it_back) {
  for (uint64_t seed = 0; seed < 5000; seed++) {
    const FnRef f = Maker(seed, {.terms = 5 + int(seed % 40)}).function();
    const std::string text = print(*f, captures);
    const FnRef again = parse_unsimplified(text, captures);
    CHECK(same_structure(*f, *again, true));
    CHECK_EQ(structure_hash(*f, true), structure_hash(*again, true));
    if (!has_folds(*f)) CHECK_EQ(print(*again, captures), text);  // a fold's parameters may have other names
    if (!same_structure(*f, *again, true)) return;
  }
}

TEST(simplifying_a_random_function_twice_is_simplifying_it_once) {
  for (uint64_t seed = 0; seed < 5000; seed++) {
    const FnRef f = simplify(Maker(seed, {.terms = 5 + int(seed % 40)}).function());
    const std::string text = print(*f, captures);
    const FnRef again = parse(text, captures);
    CHECK(same_structure(*again, *f, true));
    if (same_structure(*again, *f, true)) continue;
    CHECK_EQ(print(*again, captures), text);
    return;
  }
}

// Free values of loops and folds that depend on others may be evaluated even if no step chooses them.
TEST(simplifying_keeps_results_and_the_indices_that_count) {
  int in_range = 0, out_of_range = 0, undecided = 0;
  for (uint64_t seed = 0; seed < 16000; seed++) {
    Options options{.terms = 5 + int(seed % 40), .has_products = false, .loop_depth = 2};
    Maker maker(seed, options);
    const FnRef f = maker.function(), g = simplify(f);
    for (int64_t i = 0; i < 6; i++) {
      std::vector<Bits64> args;
      for (const Param& p : f->params) args.push_back(p.name == "i" ? Bits64(i) : maker.any_bits(p.type));
      const interpreter::Outcome meant = interpreter::lazy(*f, args, data), got = interpreter::strict(*g, args, data);
      const bool may_fail = interpreter::eager(*f, args, data).is_out_of_range;
      const bool is_right = meant.is_out_of_range <= got.is_out_of_range && got.is_out_of_range <= may_fail;
      CHECK(is_right);
      CHECK(same_values(*f, got.results, meant.results));
      (meant.is_out_of_range ? out_of_range : may_fail ? undecided : in_range)++;
      if (!is_right || !same_values(*f, got.results, meant.results)) {
        std::printf("seed %d i %d lazy %d got %d may %d\n", int(seed), int(i), meant.is_out_of_range, got.is_out_of_range, may_fail);
        std::printf("%s\n%s\n", print(*f, captures).c_str(), print(*g, captures).c_str());
        return;
      }
    }
  }
  CHECK(in_range > 1000);
  CHECK(out_of_range > 1000);
  CHECK(undecided < 1000);
}

namespace {

// Sums of quotients, remainders and multiples of i and of sums, which are then compared.
struct IndexMaker {
  Builder b;
  std::mt19937 random;
  Id i = b.param(Type::I64, "i");
  int64_t number(int64_t low, int64_t high) { return std::uniform_int_distribution(low, high)(random); }
  Id index(int depth) {
    if (depth == 0) return b.apply(Op::add_, {b.apply(Op::mul_, {i, b.constant(number(1, 9))}), b.constant(number(-5, 20))});
    const Id x = index(depth - 1);
    switch (number(0, 4)) {
      case 0: return b.apply(Op::div_, {x, b.constant(number(1, 12))});
      case 1: return b.apply(Op::rem_, {x, b.constant(number(1, 12))});
      case 2: return b.apply(Op::max_, {x, b.constant(number(-3, 3))});
      case 3: return b.apply(Op::mul_, {x, b.constant(number(1, 12))});
      default: return b.apply(Op::add_, {x, index(depth - 1)});
    }
  }
  FnRef function() {
    const Id x = index(4), y = index(1);
    constexpr Op comparisons[] = {Op::lt_, Op::le_, Op::gt_, Op::ge_};
    return b.finish({x, b.apply(comparisons[number(0, 3)], {x, b.constant(number(-20, 200))}), b.apply(comparisons[number(0, 3)], {x, y})});
  }
};

}  // namespace

TEST(simplified_indices_have_the_same_values) {
  int64_t smaller = 0;
  for (uint32_t seed = 0; seed < 20000; seed++) {
    IndexMaker maker{.b = {}, .random = std::mt19937(seed)};
    const FnRef f = maker.function();
    const int64_t low = maker.number(-10, 10), high = low + maker.number(0, 40);
    const FnRef g = simplify_indices(f, {low, high});
    smaller += g->terms.size() < f->terms.size();
    for (int64_t i = low; i <= high; i++) {
      const Bits64 arg = to_bits(i);
      if (interpreter::strict(*f, {arg}, data).results == interpreter::strict(*g, {arg}, data).results) continue;
      return check::fail(__FILE__, __LINE__, print(*f, captures) + " and " + print(*g, captures) + " of " + std::to_string(i));
    }
  }
  CHECK(smaller > 5000);
}
