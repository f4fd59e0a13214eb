// Random functions for property tests.
#pragma once

#include <algorithm>
#include <random>

#include "expr/fn.h"

namespace random_function {

using namespace wf;

inline const CaptureTypes captures{{Type::I32}, {Type::F32, Type::I64}};

struct Options {
  int terms = 20;
  bool has_products = true;  // float products, which contraction may round differently
  int loop_depth = 1;
  std::vector<Type> types{Type::Bool, Type::U8, Type::I32, Type::U32, Type::I64, Type::U64, Type::F32, Type::F64};
};

class Maker {
 public:
  Maker(uint64_t seed, Options options) : random_(seed), options_(std::move(options)) {}

  FnRef function() {
    Builder builder;
    const int params = below(4);
    for (int k = 0; k < params; k++) builder.param(any_type(), below(2) ? std::string(1, char('a' + k)) : "");
    builder.param(Type::I64, "i");
    grow(builder, options_.terms);
    std::vector<Id> results;
    for (int k = 1 + below(3); k > 0; k--) results.push_back(recent(builder));
    return builder.finish(results);
  }

  Bits64 any_bits(Type type) {
    static constexpr double edges[] = {0, 1, -1, 2, 3, 0.5, 1e10, -1e10, 255, 0.1, 1e-40, 1e300};
    const int kind = below(8);
    if (is_in(type, Float) && kind == 0) return convert(Type::F64, type, to_bits(-0.0));
    if (is_in(type, Float) && kind == 1) return convert(Type::F64, type, to_bits(__builtin_inf()));
    if (is_in(type, Float) && kind == 2) return convert(Type::F64, type, to_bits(__builtin_nan("")));
    if (kind < 6) return convert(Type::F64, type, to_bits(edges[below(12)]));
    return convert(Type::U64, type, random_());
  }
  int below(int n) { return int(random_() % uint64_t(n)); }

 private:
  Type any_type() { return options_.types[below(int(options_.types.size()))]; }

  bool is_value(const Builder& b, Id id) { return b[id].kind != Kind::Loop && b[id].kind != Kind::Fold && b[id].kind != Kind::Foreign; }
  Id recent(Builder& b) {
    const int n = int(b.so_far().terms.size());
    while (true) {
      const Id id = below(3) ? Id(n - 1 - below(std::min(n, 8))) : Id(below(n));
      if (is_value(b, id)) return id;
    }
  }
  Id of_type(Builder& b, Type type) {
    for (int attempt = 0; attempt < 8; attempt++)
      if (Id id = recent(b); b.type(id) == type) return id;
    return b.cast(type, recent(b));
  }
  // Small indices, so that some are in range.
  Id index(Builder& b) {
    return b.apply(Op::sub_, {b.apply(Op::rem_, {of_type(b, Type::I64), b.constant<int64_t>(9)}), b.constant<int64_t>(1)});
  }

  void operation(Builder& b) {
    const Op op = static_cast<Op>(below(op_count));
    if (op == Op::where_) return void(b.apply(op, {of_type(b, Type::Bool), recent(b), recent(b)}));
    std::vector<Id> x;
    for (int k = 0; k < info(op).arity; k++) x.push_back(recent(b));
    const bool is_float = std::ranges::any_of(x, [&](Id id) { return is_in(b.type(id), Float); });
    if (is_float && op == Op::mul_ && !options_.has_products) return;
    if (is_float && !(info(op).on & Float)) return;
    if (op == Op::and_ || op == Op::or_) b.logical(op, x[0], x[1]);
    else b.apply(op, x);
  }

  // Values from outside, as parameters of a body.
  std::vector<Id> free_values(Builder& b, Builder& body) {
    std::vector<Id> free;
    for (int k = below(3); k > 0; k--) {
      free.push_back(recent(b));
      body.param(b.type(free.back()));
    }
    return free;
  }
  void grow_body(Builder& body) {
    const int outer_depth = options_.loop_depth--;
    grow(body, 6);
    options_.loop_depth = outer_depth;
  }

  // A loop of at most a few iterations, whose body uses some values from outside.
  void loop(Builder& b) {
    Builder body;
    std::vector<Id> inits{b.constant<int32_t>(0), recent(b)};
    const Id counter = body.param(Type::I32, "k");
    body.param(b.type(inits[1]), below(2) ? "z" : "x0");
    const std::vector<Id> free = free_values(b, body);
    grow_body(body);
    const Id goes_on = body.apply(Op::lt_, {counter, body.constant<int32_t>(3)});
    const Id condition = below(2) ? goes_on : body.logical(Op::and_, goes_on, of_type(body, Type::Bool));
    const Id next = of_type(body, b.type(inits[1]));
    b.loop(inits, free, body.finish({condition, body.apply(Op::add_, {counter, body.constant<int32_t>(1)}), next}));
  }

  // A sum of at most a few values, which use some values from outside.
  void fold(Builder& b) {
    Builder body;
    body.param(Type::I64, "j");
    const std::vector<Id> free = free_values(b, body);
    grow_body(body);
    const Id value = of_type(body, Type::I64), zero = b.constant<int64_t>(0);
    const Id count = below(3) ? b.apply(Op::rem_, {of_type(b, Type::I64), b.constant<int64_t>(4)}) : b.constant<int64_t>(below(4));
    b.fold(count, {&zero, 1}, free, body.finish({value}), op_fn(Op::add_, Type::I64));
  }

  void grow(Builder& b, int steps) {
    for (int step = 0; step < steps; step++) {
      const int kind = below(20);
      if (kind == 0) b.literal(Type::I64, any_bits(Type::I64));
      else if (kind < 4) {
        const Type t = any_type();
        b.literal(t, any_bits(t));
      } else if (kind == 4) b.cast(any_type(), recent(b));
      else if (kind == 5) b.length(below(2));
      else if (kind < 9) element(b);
      else if (kind == 9 && options_.loop_depth > 0) below(2) ? loop(b) : fold(b);
      else if (kind < 13) b.apply(Op::where_, {of_type(b, Type::Bool), recent(b), recent(b)});
      else operation(b);
    }
  }

  void element(Builder& b) {
    const uint32_t slot = uint32_t(below(2)), column = slot ? uint32_t(below(2)) : 0;
    const Type type = captures[slot][column];
    const Id i = index(b);
    b.at(slot, column, type, below(6) ? b.check(i, b.length(slot), b.constant(true)) : i);
  }

  std::mt19937_64 random_;
  Options options_;
};

}  // namespace random_function
