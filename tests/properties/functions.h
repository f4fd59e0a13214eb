// Random functions in the written form. They use only operations with one exact result, so that an engine must return the
// oracle's bits; see is_rounded_freely for the others.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ops/ops.h"

namespace properties {

using wf::Type;

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t bits();
  uint32_t below(uint32_t n) { return uint32_t(bits() % n); }
  bool once_in(uint32_t n) { return below(n) == 0; }
  template <class T> const T& of(const std::vector<T>& choices) { return choices[below(uint32_t(choices.size()))]; }

 private:
  uint64_t state_;
};

inline Type random_type(Random& random) { return static_cast<Type>(random.below(wf::type_count)); }
std::vector<Type> random_types(Random& random, uint32_t at_most);
// A random value, often small, sometimes an edge value of the type.
wf::Bits64 random_value(Random& random, Type t);

struct Captured {
  std::vector<Type> types;
  int64_t length;
};

// A function in the written form that is associative on a set; `elements` maps values into that set.
struct Monoid {
  std::string function;
  std::string identity;
  std::vector<Type> types;
  std::vector<std::string> elements;  // expressions in v0, v1, ...: any values of those types -> members of the set
};

class FunctionMaker {
 public:
  // A function of up to about `size` operations; a smaller size truncates the same function.
  // With `indices`, the first parameter is an i64 from 0 to indices - 1. If it may fail, it may evaluate indices outside of captures.
  FunctionMaker(uint64_t seed, int size, const std::vector<Type>& params, const std::vector<Captured>& captures, int64_t indices = -1,
                bool may_fail = false);
  std::string make(const std::vector<Type>& results);
  // A function into the monoid's set.
  std::string make_elements(const Monoid& monoid);

 private:
  struct Name {
    std::string text;
    Type type;
  };
  std::string fresh(char letter);
  std::string literal(Type t);
  std::string leaf(Type t);
  std::string expression(Type t, int depth);
  std::string operation(Type t, int depth);
  std::string truth(int depth);
  std::string mixed(Type t, int depth);
  std::string shared(Type t, int depth);
  std::string loop(Type t, int depth);
  std::string fold(Type t, int depth);
  std::string element(Type t, int depth);
  std::string anywhere(Type t, int depth, const Captured& captured, const std::string& slot,
                       const std::function<std::string(const std::string&)>& at);
  std::string header() const;

  Random random_;
  int size_, depth_;
  std::vector<Name> scope_;
  size_t params_;
  std::vector<Captured> captures_;
  int64_t indices_;
  bool may_fail_;
  int names_ = 0;
};

Monoid random_monoid(Random& random);
// Two operations f and g of laws.def on one type, f distributing over g.
struct Distributing {
  Monoid f, g;
};
Distributing random_law(Random& random);

}  // namespace properties
