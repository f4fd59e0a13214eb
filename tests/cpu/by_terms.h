// A function evaluated term by term, one element at a time: the reference for the block evaluator.
#pragma once

#include <cstring>
#include <optional>
#include <vector>

#include "cpu/loops/loops.h"
#include "expr/fn.h"

namespace by_terms {

using wf::Bits64;

struct Column {
  wf::Type type;
  std::vector<std::byte> bytes;

  int64_t length() const { return int64_t(bytes.size() / wf::size_of(type)); }
  Bits64 operator[](int64_t k) const {
    Bits64 bits = 0;
    std::memcpy(&bits, bytes.data() + size_t(k) * wf::size_of(type), wf::size_of(type));
    return bits;
  }
};

template <class T> Column column(const std::vector<T>& values) {
  Column c{wf::type_of<T>, std::vector<std::byte>(values.size() * sizeof(T))};
  if (!values.empty()) std::memcpy(c.bytes.data(), values.data(), c.bytes.size());
  return c;
}

// Elementary functions have the bits of this processor's instruction set; tests/cpu/math.cpp tests their values.
inline Bits64 apply(wf::Op op, wf::Type type, Bits64 a, Bits64 b, Bits64 c) {
  return wf::is_exact(op) ? wf::evaluate(op, type, a, b, c) : wf::cpu::loops().single[int(op)][int(type)](a, b, c);
}

// The results for these parameters; `fault` is set to the first index that a check found out of range.
inline std::vector<Bits64> evaluate(const wf::Fn& f, const std::vector<Bits64>& params, const std::vector<Column>& inputs,
                                    std::optional<int64_t>& fault) {
  using wf::Kind;
  std::vector<std::vector<Bits64>> values(f.terms.size());
  for (wf::Id t = 0; t < f.terms.size(); t++) {
    const wf::Term& term = f[t];
    std::vector<Bits64> a;
    for (wf::Id x : f.args(t)) a.push_back(values[x][0]);
    switch (term.kind) {
      case Kind::Param: values[t] = {params[term.slot]}; break;
      case Kind::Literal: values[t] = {term.bits}; break;
      case Kind::Length: values[t] = {Bits64(inputs[term.slot].length())}; break;
      case Kind::Cast: values[t] = {wf::convert(f[f.args(t)[0]].type, term.type, a[0])}; break;
      case Kind::Pick: values[t] = {values[f.args(t)[0]][term.slot]}; break;
      case Kind::At: values[t] = {a[0] < Bits64(inputs[term.slot].length()) ? inputs[term.slot][int64_t(a[0])] : 0}; break;
      case Kind::Require: values[t] = {a[0]}; break;
      case Kind::Check:
        if (a[2] && a[0] >= a[1] && !fault) fault = int64_t(a[0]);
        values[t] = {a[0]};
        break;
      case Kind::Apply:
        a.resize(3);
        values[t] = {apply(term.op, f[f.args(t).back()].type, a[0], a[1], a[2])};
        break;
      case Kind::Loop: {
        const wf::Fn::LoopInfo& loop = f.loops[term.slot];
        std::vector<Bits64> now = a;
        for (;;) {
          std::vector<Bits64> next = evaluate(*loop.body, now, inputs, fault);
          if (!next[0]) break;
          std::copy(next.begin() + 1, next.end(), now.begin());
        }
        now.resize(loop.variables);
        values[t] = now;
        break;
      }
      case Kind::Argument: throw std::logic_error("by_terms does not evaluate arguments");
      case Kind::Fold: throw std::logic_error("by_terms evaluates kernels, whose folds are loops");
      case Kind::Foreign: throw std::logic_error("by_terms does not evaluate foreign functions");
    }
  }
  std::vector<Bits64> results;
  for (wf::Id r : f.results) results.push_back(values[r][0]);
  return results;
}

}  // namespace by_terms
