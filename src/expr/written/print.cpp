// Prints the written form of a function. A `let` binds each term that is used more than once or would be nested too deep; every other term is
// printed inside its user. So the depth of recursion is bounded, however deep the function is.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "expr/fn.h"
#include "expr/terms.h"
#include "expr/written/lexer.h"

namespace wf {

namespace {

constexpr uint32_t deepest_expression = 100;  // parentheses in one expression

// Fresh names v0, v1, ..., which no parameter has.
class Names {
 public:
  explicit Names(const Fn& f) { reserve(f, f.params.size()); }
  std::string fresh() {
    while (true) {
      std::string name = "v";
      name += std::to_string(next_++);
      if (!reserved_.contains(name)) return name;
    }
  }
  // The parameter's own name, or a fresh name if its own is invalid or in scope already.
  std::string of_param(const Param& p) {
    const bool is_own = is_name(p.name) && !in_scope_.contains(p.name);
    std::string name = is_own ? p.name : fresh();
    in_scope_.insert(name);
    return name;
  }
  void leave(const std::string& name) { in_scope_.erase(name); }

 private:
  void reserve(const Fn& f, size_t params) {
    for (const Param& p : std::span(f.params).first(params)) reserved_.insert(p.name);
    for (const Fn::LoopInfo& loop : f.loops) {
      reserve(*loop.body, loop.variables);
      if (loop.is_fold()) reserve(*loop.combine, loop.combine->params.size());
    }
  }
  std::set<std::string> reserved_, in_scope_;
  uint32_t next_ = 0;
};

using Slots = std::vector<bool>;  // true for each captured sequence that has no other known column than 0

// Prints expressions of one function, or of one loop's body.
class Printer {
 public:
  Printer(const Fn& f, std::vector<std::string> params, const Slots& single, Names& names, std::string& out)
      : f_(f), params_(std::move(params)), single_(single), names_(names), out_(out) {}

  // One expression with the values of `roots`, in a `let` that binds the terms which they share.
  void expression(std::span<const Id> roots) {
    plan(roots);
    bool has_lets = false;
    for (Id id = 0; id < f_.terms.size(); id++) {
      if (!is_bound_[id]) continue;
      out_ += has_lets ? " (" : "(let ((";
      has_lets = true;
      bind(id);
      out_ += ')';
    }
    if (has_lets) out_ += ") ";
    if (roots.size() != 1) out_ += "(tuple";
    for (Id id : roots) {
      if (roots.size() != 1) out_ += ' ';
      mention(id);
    }
    if (roots.size() != 1) out_ += ')';
    if (has_lets) out_ += ')';
  }

 private:
  bool is_atom(Id id) const {
    const Kind kind = f_[id].kind;
    return kind == Kind::Param || kind == Kind::Literal || kind == Kind::Argument || kind == Kind::Length;
  }
  bool is_tuple(Id id) const { return is_repeated(f_[id]) || f_[id].kind == Kind::Foreign; }
  size_t value_count(Id id) const {
    const Term& t = f_[id];
    if (t.kind == Kind::Loop) return f_.loops[t.slot].variables;
    return t.kind == Kind::Fold ? f_.loops[t.slot].identity.size() : f_.foreigns[t.slot]->results.size();
  }
  // Returns true if the index is checked against the length of the same sequence: such an element is written (at $0 i).
  bool is_checked_at(const Term& t) const {
    if (t.kind != Kind::At) return false;
    const Term& check = f_[f_.args(t)[0]];
    if (check.kind != Kind::Check) return false;
    const Term& length = f_[f_.args(check)[1]];
    return length.kind == Kind::Length && length.slot == t.slot;
  }
  // The operands that are printed inside the term's text, in order.
  void parts(Id id, std::vector<Id>& out) const {
    const Term& t = f_[id];
    std::span<const Id> args = f_.args(t);
    out.clear();
    if (t.kind == Kind::Check || is_checked_at(t)) {
      std::span<const Id> check = t.kind == Kind::Check ? args : f_.args(args[0]);
      out.push_back(check[0]);
      if (t.kind == Kind::Check) out.push_back(check[1]);
      if (!is_true(f_[check[2]])) out.push_back(check[2]);
    } else if (t.kind == Kind::Pick && value_count(args[0]) == 1) {
      std::span<const Id> inner = f_.args(args[0]);
      out.assign(inner.begin(), inner.end());
    } else {
      out.assign(args.begin(), args.end());
    }
  }
  // The number of parts, the last ones, that are printed inside the body of a loop or fold: they need names.
  size_t free_count(Id id) const {
    const Term* t = &f_[id];
    if (t->kind == Kind::Pick && value_count(f_.args(*t)[0]) == 1) t = &f_[f_.args(*t)[0]];
    return is_repeated(*t) ? t->count - f_.loops[t->slot].variables : 0;
  }

  // Decides which terms are bound. First count uses, from users to operands; then measure heights, from operands to users.
  void plan(std::span<const Id> roots) {
    const size_t n = f_.terms.size();
    std::vector<uint32_t> mentions(n), height(n);
    std::vector<Id> operands;
    for (Id id : roots) mentions[id]++;
    for (Id id = Id(n); id-- > 0;) {
      if (!mentions[id]) continue;
      parts(id, operands);
      const size_t named = operands.size() - free_count(id);
      for (size_t k = 0; k < operands.size(); k++) mentions[operands[k]] += k < named ? 1 : 2;
    }
    is_bound_.assign(n, false);
    name_.assign(n, {});
    for (Id id = 0; id < n; id++) {
      if (!mentions[id] || is_atom(id)) continue;
      if (is_tuple(id)) {
        is_bound_[id] = true;
        continue;
      }
      const bool is_of_bound = f_[id].kind == Kind::Pick && value_count(f_.args(id)[0]) != 1;
      if (is_of_bound) continue;
      parts(id, operands);
      for (Id x : operands) height[id] = std::max(height[id], height[x] + 1);
      is_bound_[id] = mentions[id] > 1 || height[id] >= deepest_expression;
      if (is_bound_[id]) height[id] = 0;
    }
  }

  void bind(Id id) {
    if (is_tuple(id)) {
      std::vector<std::string> names;
      for (size_t k = value_count(id); k > 0; k--) names.push_back(names_.fresh());
      out_ += '(';
      for (const std::string& name : names) out_ += (&name == &names[0] ? "" : " ") + name;
      out_ += ") ";
      tuple_text(id);
      tuple_names_[id] = std::move(names);
    } else {
      std::string name = names_.fresh();
      out_ += name + ' ';
      text(id);
      name_[id] = std::move(name);
    }
  }

  const std::string& name_of_pick(const Term& pick) const { return tuple_names_.at(f_.args(pick)[0])[pick.slot]; }

  void mention(Id id) {
    const Term& t = f_[id];
    if (is_bound_[id]) out_ += name_[id];
    else if (t.kind == Kind::Pick && value_count(f_.args(t)[0]) != 1) out_ += name_of_pick(t);
    else text(id);
  }
  void mentions(std::span<const Id> ids) {
    for (Id id : ids) {
      out_ += ' ';
      mention(id);
    }
  }

  void text(Id id) {
    const Term& t = f_[id];
    std::span<const Id> args = f_.args(t);
    switch (t.kind) {
      case Kind::Param: out_ += params_[t.slot]; return;
      case Kind::Literal: out_ += print_literal(t.type, t.bits); return;
      case Kind::Argument: out_ += "(argument " + std::to_string(t.slot) + ' ' + std::string(name(t.type)) + ')'; return;
      case Kind::Length: out_ += "(length $" + std::to_string(t.slot) + ")"; return;
      case Kind::Pick: tuple_text(args[0]); return;
      case Kind::Loop:
      case Kind::Fold:
      case Kind::Foreign: tuple_text(id); return;
      case Kind::Apply: out_ += '(' + std::string(name(t.op)); break;
      case Kind::Cast: out_ += "(cast " + std::string(name(t.type)); break;
      case Kind::Check: out_ += "(check"; break;
      case Kind::Require: out_ += "(require"; break;
      case Kind::At:
        out_ += (is_checked_at(t) ? "(at $" : "(load $") + std::to_string(t.slot);
        if (t.slot >= single_.size() || !single_[t.slot]) out_ += '.' + std::to_string(t.column);
        break;
    }
    std::vector<Id> operands;
    parts(id, operands);
    mentions(operands);
    out_ += ')';
  }

  void tuple_text(Id id) {
    const Term& t = f_[id];
    std::span<const Id> args = f_.args(t);
    if (t.kind == Kind::Foreign) {
      out_ += "(foreign " + f_.foreigns[t.slot]->name;
      mentions(args);
      out_ += ')';
      return;
    }
    if (t.kind == Kind::Fold) fold_text(id);
    else loop_text(id);
  }

  void fold_text(Id id) {
    const Fn::LoopInfo& fold = f_.loops[f_[id].slot];
    const std::span<const Id> args = f_.args(id);
    std::vector<std::string> sides;
    out_ += "(fold (";
    for (const Param& p : fold.combine->params) {
      sides.push_back(names_.of_param(p));
      out_ += (sides.size() > 1 ? " (" : "(") + sides.back() + ' ' + std::string(name(p.type)) + ')';
    }
    out_ += ") ";
    Printer(*fold.combine, sides, single_, names_, out_).expression(fold.combine->results);
    for (const std::string& side : sides) names_.leave(side);
    out_ += fold.identity.size() == 1 ? " " : " (tuple ";
    for (size_t k = 0; k < fold.identity.size(); k++)
      out_ += (k ? " " : "") + print_literal(fold.combine->params[k].type, fold.identity[k]);
    if (fold.identity.size() != 1) out_ += ')';
    std::vector<std::string> params{names_.of_param(fold.body->params[0])};
    out_ += " ((" + params[0] + ' ';
    mention(args[0]);
    out_ += ")) ";
    for (Id x : args.subspan(1)) params.push_back(mentioned(x));
    Printer(*fold.body, params, single_, names_, out_).expression(fold.body->results);
    out_ += ')';
    names_.leave(params[0]);
  }

  void loop_text(Id id) {
    const Term& t = f_[id];
    std::span<const Id> args = f_.args(t);
    const Fn::LoopInfo& loop = f_.loops[t.slot];
    const Fn& body = *loop.body;
    std::vector<std::string> params;
    out_ += "(loop (";
    for (uint32_t k = 0; k < loop.variables; k++) {
      params.push_back(names_.of_param(body.params[k]));
      out_ += (k ? " (" : "(") + params[k] + ' ';
      mention(args[k]);
      out_ += ')';
    }
    out_ += ") ";
    for (uint32_t k = loop.variables; k < t.count; k++) params.push_back(mentioned(args[k]));
    Printer inner(body, params, single_, names_, out_);
    inner.expression(std::span(body.results).first(1));
    out_ += ' ';
    inner.expression(std::span(body.results).subspan(1));
    out_ += ')';
    for (uint32_t k = 0; k < loop.variables; k++) names_.leave(params[k]);
  }

  std::string mentioned(Id id) {
    const size_t before = out_.size();
    mention(id);
    std::string text = out_.substr(before);
    out_.resize(before);
    return text;
  }

  const Fn& f_;
  std::vector<std::string> params_;
  const Slots& single_;
  Names& names_;
  std::string& out_;
  std::vector<bool> is_bound_;
  std::vector<std::string> name_;
  std::unordered_map<Id, std::vector<std::string>> tuple_names_;
};

void find_columns(const Fn& f, Slots& single) {
  for (const Term& t : f.terms) {
    if (t.kind != Kind::At) continue;
    if (t.slot >= single.size()) single.resize(t.slot + 1, true);
    if (t.column != 0) single[t.slot] = false;
  }
  for (const Fn::LoopInfo& loop : f.loops) find_columns(*loop.body, single);
}

}  // namespace

std::string print(const Fn& f, const CaptureTypes& captures) {
  Slots single;
  if (captures.empty()) find_columns(f, single);
  else
    for (const auto& columns : captures) single.push_back(columns.size() == 1);
  Names names(f);
  std::vector<std::string> params;
  std::string out = "(fn (";
  for (const Param& p : f.params) {
    params.push_back(names.of_param(p));
    out += (params.size() > 1 ? " (" : "(") + params.back() + ' ' + std::string(name(p.type)) + ')';
  }
  out += ") ";
  Printer(f, params, single, names, out).expression(f.results);
  return out + ')';
}

}  // namespace wf
