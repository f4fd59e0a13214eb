// Random functions of the index and of the inputs by_blocks::some_inputs.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "expr/fn.h"

namespace wf {

struct RandomFunction {
  std::mt19937_64 random;
  Builder b;
  std::vector<Id> terms;

  int below(int n) { return int(random() % uint64_t(n)); }
  Id any() { return terms[size_t(std::max(0, int(terms.size()) - 1 - std::min(below(12), below(40))))]; }
  Id of_type(Type type) {
    for (int tries = 0; tries < 20; tries++) {
      Id x = any();
      if (b.type(x) == type) return x;
    }
    return b.cast(type, any());
  }

  // Operations whose loops give exactly the bits of the scalar meaning.
  bool exact(Op op) {
    for (Op fast : {Op::exp_, Op::exp2_, Op::expm1_, Op::tanh_, Op::log_, Op::log2_, Op::log10_, Op::log1p_, Op::sin_, Op::cos_})
      if (op == fast) return false;
    return true;
  }

  Id index() {
    Id i = terms[0];
    switch (below(7)) {
      case 0: return i;
      case 1: return b.apply(Op::add_, {i, b.constant(int64_t(below(300) - 150))});
      case 2: return b.apply(Op::sub_, {b.constant(int64_t(below(1000))), i});
      case 3: return b.constant(int64_t(below(500)));
      case 4: return b.apply(Op::sub_, {b.apply(Op::sub_, {b.length(uint32_t(below(4))), b.constant(int64_t(1))}), i});
      case 5: return b.apply(Op::rem_, {of_type(Type::I64), b.constant(int64_t(400))});
      default: return of_type(Type::I64);
    }
  }

  Id next() {
    static constexpr Type column_types[] = {Type::I32, Type::F32, Type::U8, Type::F64};
    switch (below(10)) {
      case 0: {
        auto type = Type(below(type_count));
        return b.literal(type, convert(Type::I64, type, Bits64(below(20) - 5)));
      }
      case 1: return b.cast(Type(below(type_count)), any());
      case 2: {
        auto slot = uint32_t(below(4));
        Id at = index();
        if (below(2)) at = b.check(at, b.length(slot), below(2) ? b.constant(true) : of_type(Type::Bool));
        return b.at(slot, 0, column_types[slot], at);
      }
      case 3: return b.apply(Op::where_, {of_type(Type::Bool), any(), any()});
      case 4: {  // a step that a chain may include
        Type type = below(2) ? Type::F32 : Type::F64;
        Id c = b.literal(type, convert(Type::F64, type, to_bits(double(below(9) - 4) / 4)));
        Op ops[] = {Op::add_, Op::sub_, Op::mul_};
        return b.apply(ops[below(3)], {of_type(type), c});
      }
      default:
        for (;;) {
          auto op = Op(below(op_count));
          if (!exact(op) || op == Op::where_) continue;
          Type type = operand_type(op, b.type(any()));
          if (!is_in(type, info(op).on)) continue;
          Id operands[] = {of_type(type), of_type(type), of_type(type)};
          return b.apply(op, std::span(operands, info(op).arity));
        }
    }
  }

  FnRef function() {
    terms = {b.param(Type::I64)};
    for (int k = below(60) + 1; k > 0; k--) terms.push_back(next());
    std::vector<Id> results;
    for (int k = below(5) + 1; k > 0; k--) results.push_back(any());
    return b.finish(results);
  }
};

}  // namespace wf
