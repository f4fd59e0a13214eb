// The written form of a trace (docs/written-form.md).
//
// A term that is used more than once is bound by a `let`, in the outermost scope that has all its operands. So the length
// of the text is linear in the length of the trace. A term that would be nested too deeply is bound as well.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "warpfold/expressions/trace.hpp"

namespace warpfold::tracing {

inline constexpr const char* type_names[] = {"bool", "u8", "i32", "u32", "i64", "u64", "f32", "f64"};

template <class T> uint64_t to_bits(T x) {
  uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof(T));
  return bits;
}
template <class T> T from_bits(uint64_t bits) {
  T x;
  std::memcpy(&x, &bits, sizeof(T));
  return x;
}

template <class T> void write_number(std::string& out, T x) {
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
}
// The shortest decimal that is read back as x, with a point or an exponent.
template <class T> void write_float(std::string& out, T x) {
  if (std::isnan(x)) return void(out += "nan");
  if (std::isinf(x)) return void(out += x < 0 ? "-inf" : "inf");
  size_t start = out.size();
  write_number(out, x);
  if (out.find_first_of(".e", start) == std::string::npos) out += ".0";
}

inline void write_literal(std::string& out, int32_t type, uint64_t bits) {
  switch (type) {
    case WF_BOOL: out += bits ? "true" : "false"; return;
    case WF_I32: write_number(out, from_bits<int32_t>(bits)); break;
    case WF_I64: write_number(out, from_bits<int64_t>(bits)); break;
    case WF_F32: write_float(out, from_bits<float>(bits)); break;
    case WF_F64: write_float(out, from_bits<double>(bits)); break;
    default: write_number(out, bits);
  }
  out += ':';
  out += type_names[type];
}

class Writer {
 public:
  Writer(const Trace& trace, std::string& out) : trace_(trace), terms_(trace.terms()), out_(out), notes_(trace.n_terms()) {}

  // "(fn ((x f32)) body)": the parameters are the trace's first terms.
  void function(uint32_t n_parameters, const Id* results, uint32_t n_results) {
    n_parameters_ = n_parameters;
    std::vector<Id> roots(results, results + n_results);
    for (Id& root : roots) root = trace_.number_of(root);
    choose_bound_terms(roots.data(), n_results);
    out_ += "(fn (";
    for (uint32_t k = 0; k < n_parameters; k++) {
      out_ += k ? " (" : "(";
      parameter_name(k);
      out_ += ' ';
      out_ += type_names[terms_[k].type];
      out_ += ')';
    }
    out_ += ") ";
    body(0, roots.data(), n_results);
    out_ += ')';
  }

 private:
  static constexpr uint32_t max_height = 100;
  // The marks of a term.
  struct Note {
    uint32_t n_uses = 0, height = 0, mark = 0;
    uint32_t label = 0;     // of a bound term that is no loop or fold
    bool is_bound = false;  // by a `let`
  };
  static bool has_links(const Term& t) { return t.kind == Kind::Loop || t.kind == Kind::Form; }
  static bool is_atom(const Term& t) {
    return t.kind == Kind::Parameter || t.kind == Kind::Literal || t.kind == Kind::Variable || t.kind == Kind::Length ||
           t.kind == Kind::Captured;
  }

  template <class F> void each_operand(const Term& t, F&& f) {
    if (has_links(t)) {
      const Id* links = trace_.links(t);
      const uint32_t n_links = t.kind == Kind::Loop ? 2 * t.n_values + 1 : t.operands[1] + t.operands[2];
      for (uint32_t k = 0; k < n_links; k++) f(links[k]);
    } else {
      for (uint32_t k = 0; k < t.arity; k++) f(t.operands[k]);
    }
  }

  // Marks the terms from `begin` on that the roots depend on; counts uses if count_uses.
  uint32_t mark_reachable(Id begin, const Id* roots, uint32_t n_roots, bool count_uses) {
    uint32_t mark = ++last_mark_;
    Id top = begin;
    auto reach = [&](Id id) {
      if (id < begin) return;
      notes_[id].mark = mark;
      if (count_uses) notes_[id].n_uses++;
      if (id > top) top = id;
    };
    for (uint32_t k = 0; k < n_roots; k++) reach(roots[k]);
    for (Id id = top + 1; id-- > begin;)
      if (notes_[id].mark == mark) each_operand(terms_[id], reach);
    return mark;
  }

  void choose_bound_terms(const Id* results, uint32_t n_results) {
    uint32_t mark = mark_reachable(0, results, n_results, true);
    for (Id id = 0; id < notes_.size(); id++) {
      const Term& t = terms_[id];
      Note& note = notes_[id];
      if (note.mark != mark || is_atom(t)) continue;
      each_operand(t, [&](Id x) { note.height = std::max(note.height, notes_[x].height + 1); });
      note.is_bound = t.n_values > 0 || (t.kind != Kind::Value && (note.n_uses > 1 || note.height >= max_height));
      if (note.is_bound) note.height = 0;
    }
  }

  // Writes the roots, inside the bindings of those terms of this scope that they need.
  void body(uint32_t scope, const Id* roots, uint32_t n_roots) {
    Id begin = trace_.scope_begin(scope);
    uint32_t mark = mark_reachable(begin, roots, n_roots, false);
    bool has_let = false;
    for (Id id = begin; id < notes_.size(); id++) {
      if (notes_[id].mark != mark || !notes_[id].is_bound || terms_[id].scope != scope) continue;
      out_ += has_let ? " " : "(let (";
      has_let = true;
      binding(id);
      mark = remark(mark, begin, roots, n_roots);
    }
    if (has_let) out_ += ") ";
    values(roots, n_roots);
    if (has_let) out_ += ')';
  }

  // Writing a loop's body overwrites the marks; this restores the caller's.
  uint32_t remark(uint32_t mark, Id begin, const Id* roots, uint32_t n_roots) {
    return mark == last_mark_ ? mark : mark_reachable(begin, roots, n_roots, false);
  }

  void binding(Id id) {
    const Term& t = terms_[id];
    out_ += '(';
    if (t.n_values > 0) {
      if (t.n_values > 1) out_ += '(';
      for (uint32_t k = 0; k < t.n_values; k++) {
        if (k) out_ += ' ';
        variable_name(t.label + k);
      }
      if (t.n_values > 1) out_ += ')';
      out_ += ' ';
      if (t.kind == Kind::Loop) loop(t);
      else form(t);
    } else {
      notes_[id].label = n_bound_++;
      bound_name(notes_[id].label);
      out_ += ' ';
      if (t.kind == Kind::Form) form(t);
      else operation(t);
    }
    out_ += ')';
  }

  void loop(const Term& t) {
    uint32_t n = t.n_values;
    const Id* initial = trace_.links(t);
    const Id* condition = initial + n;
    uint32_t scope = loop_scope(t);
    out_ += "(loop (";
    for (uint32_t k = 0; k < n; k++) {
      out_ += k ? " (" : "(";
      variable_name(t.label + k);
      out_ += ' ';
      value(initial[k]);
      out_ += ')';
    }
    out_ += ") ";
    body(scope, condition, 1);
    out_ += ' ';
    body(scope, condition + 1, n);
    out_ += ')';
  }
  void form(const Term& t) {
    const Id* results = trace_.links(t);
    const auto [n_parameters, n_results, n_operands] = std::array{t.operands[0], t.operands[1], t.operands[2]};
    const uint32_t scope = loop_scope(t);
    out_ += '(';
    out_ += t.name;
    if (t.bits) out_ += ' ', out_ += trace_.form_text(t);
    for (uint32_t k = 0; k < n_parameters; k++) {
      const Id variable = trace_.scope_begin(scope) + k;
      out_ += k ? " (" : " ((";
      value(variable);
      out_ += ' ';
      out_ += type_names[terms_[variable].type];
      out_ += k + 1 < n_parameters ? ")" : ")) ";
    }
    if (n_results > 0) body(scope, results, n_results);
    for (uint32_t k = 0; k < n_operands; k++) out_ += ' ', value(results[n_results + k]);
    out_ += ')';
  }
  static uint32_t loop_scope(const Term& t) { return static_cast<uint32_t>(t.slot); }

  void values(const Id* ids, uint32_t n) {
    if (n == 1) return value(ids[0]);
    out_ += "(tuple";
    for (uint32_t k = 0; k < n; k++) out_ += ' ', value(ids[k]);
    out_ += ')';
  }

  void value(Id id) {
    const Term& t = terms_[id];
    if (notes_[id].is_bound) return bound_name(notes_[id].label);
    switch (t.kind) {
      case Kind::Parameter: return parameter_name(t.label);
      case Kind::Length: return length(t);
      case Kind::Captured: return slot(t);
      case Kind::Form: return form(t);
      case Kind::Literal: return write_literal(out_, t.type, t.bits);
      case Kind::Variable:
      case Kind::Value: return variable_name(t.label);
      default: return operation(t);
    }
  }

  void slot(const Term& t) { out_ += '$', write_number(out_, t.slot); }
  void length(const Term& t) {
    out_ += "(length ";
    slot(t);
    out_ += ')';
  }

  void operation(const Term& t) {
    out_ += '(';
    if (t.kind == Kind::At) {
      out_ += "at ";
      slot(t);
      if (t.column >= 0) out_ += '.', write_number(out_, t.column);
    } else if (t.kind == Kind::Cast) {
      out_ += "cast ";
      out_ += type_names[t.type];
    } else {
      out_ += t.name;
    }
    for (uint32_t k = 0; k < t.arity; k++) out_ += ' ', value(t.operands[k]);
    out_ += ')';
  }

  // x; or a, b, c, ...
  void parameter_name(uint32_t k) {
    if (n_parameters_ == 1) return void(out_ += 'x');
    if (k < 19) return void(out_ += static_cast<char>('a' + k));  // a to s; t and v are prefixes of other names
    out_ += 'x';
    write_number(out_, k);
  }
  void bound_name(uint32_t label) { out_ += 't', write_number(out_, label); }
  void variable_name(uint32_t label) { out_ += 'v', write_number(out_, label); }

  const Trace& trace_;
  const Term* const terms_;
  std::string& out_;
  std::vector<Note> notes_;  // by term
  uint32_t n_parameters_ = 0, n_bound_ = 0, last_mark_ = 0;
};

}  // namespace warpfold::tracing
