#include "cuda/emitter.h"

namespace wf::cuda {

void Emitter::combine(Statements& s, const Site& site, const std::vector<std::string>& left, const std::vector<std::string>& right,
                      const std::vector<std::string>& target) {
  Scope scope{.site = &site, .params = left, .loaded = {}, .folds = true};
  scope.params.insert(scope.params.end(), right.begin(), right.end());
  const std::vector<std::string> results = s.call(scope);
  for (size_t k = 0; k < target.size(); k++) s.line(target[k] + " = " + results[k] + ";");
}

std::vector<std::string> Emitter::sum_members(const std::string& object, uint32_t r) const {
  std::vector<std::string> names;
  for (uint32_t c = 0; c < kernel_.reductions[r].values.size(); c++) names.push_back(object + "." + sum_name(r, c));
  return names;
}

std::string Emitter::folds() {
  Statements none("    ");
  none.line("Sums r;");
  if (form_.by_law) {
    none.line("r.total = " + literal(literals_.scan_identity[0]) + ";");
    none.line("r.magnitude = 0;");
  }
  for (uint32_t r = 0; r < kernel_.reductions.size(); r++)
    for (uint32_t c = 0; c < kernel_.reductions[r].values.size(); c++)
      none.line("r." + sum_name(r, c) + " = " + reduction_identity(r, c) + ";");
  none.line("return r;");

  return function("Sums none(const Args& a)", none.text()) + join("join", true) + join("join_one", false);
}

// x then y; y may be of no elements, or is of one.
std::string Emitter::join(const char* name, bool may_be_none) {
  Statements s("    ");
  s.line("Sums r;");
  for (uint32_t r = 0; r < kernel_.reductions.size(); r++) {
    std::vector<std::string> right = sum_members("y", r);
    // By the law, what the right part found is moved by the left part's total; where it is of no elements it stays as it is.
    if (by_law_[r]) {
      const std::string best = s.call({.site = &literals_.scan[0], .params = {"x.total", right[0]}, .loaded = {}})[0];
      right[0] = may_be_none && needs_guard() ? "(" + right[0] + " == " + reduction_identity(r, 0) + " ? " + right[0] + " : " + best + ")" : best;
    }
    combine(s, literals_.reductions[r], sum_members("x", r), right, sum_members("r", r));
  }
  if (form_.by_law) {
    combine(s, literals_.scan[0], {"x.total"}, {"y.total"}, {"r.total"});
    s.line("r.magnitude = op_max(x.magnitude, y.magnitude);");
  }
  s.line("return r;");
  return function(std::string("Sums ") + name + "(const Args& a, const Sums& x, const Sums& y)", s.text());
}

// Of the look-back: a Local is of one tile, a Carry of all before; both have the same columns by name.
std::string Emitter::chain_fold(const std::string& head, const std::string& result, const char* x, const char* y) {
  Statements s("    ");
  s.line(result + " r;");
  if (columns_ > 0) {
    std::vector<std::string> left, right, target;
    for (uint32_t c = 0; c < columns_; c++) {
      left.push_back(std::string(x) + ".c" + str(c));
      right.push_back(std::string(y) + ".c" + str(c));
      target.push_back("r.c" + str(c));
    }
    combine(s, literals_.scan[0], left, right, target);
  }
  for (size_t k = 0; k < kernel_.compactions.size(); k++) s.line("r.n" + str(k) + " = " + x + ".n" + str(k) + " + " + y + ".n" + str(k) + ";");
  s.line("return r;");
  return function(head, s.text());
}

std::string Emitter::chain_identity(const std::string& name) {
  Statements s("    ");
  s.line(name + " r;");
  for (uint32_t c = 0; c < columns_; c++) s.line("r.c" + str(c) + " = " + literal(literals_.scan_identity[c]) + ";");
  for (size_t k = 0; k < kernel_.compactions.size(); k++) s.line("r.n" + str(k) + " = 0;");
  s.line("return r;");
  return s.text();
}

std::string Emitter::chain() {
  return function("Local local_identity(const Args& a)", chain_identity("Local")) +
         function("Carry carry_identity(const Args& a)", chain_identity("Carry")) +
         chain_fold("Local combine(const Args& a, const Local& x, const Local& y)", "Local", "x", "y") +
         chain_fold("Carry advance(const Args& a, const Carry& x, const Local& y)", "Carry", "x", "y") +
         chain_fold("Carry append(const Args& a, const Carry& x, const Carry& y)", "Carry", "x", "y");
}

}  // namespace wf::cuda
