#include "cuda/text/emitter.h"

namespace wf::cuda {

void Emitter::combine(Statements& s, const Site& site, const std::vector<std::string>& left, const std::vector<std::string>& right,
                      const std::vector<std::string>& target) {
  Environment environment{.site = &site, .params = left, .loaded = {}, .folds = !small_};
  environment.params.insert(environment.params.end(), right.begin(), right.end());
  const std::vector<std::string> results = s.call(environment);
  for (size_t k = 0; k < target.size(); k++) s.line(target[k] + " = " + results[k] + ";");
}

std::vector<std::string> Emitter::sum_members(const std::string& object, uint32_t r) const {
  std::vector<std::string> names;
  for (uint32_t c = 0; c < kernel_.reductions[r].values.size(); c++) names.push_back(object + "." + sum_name(r, c));
  return names;
}

// Returns the result of a reduction of sums over no elements. The reduction's own identity precedes the first element and is not
// shifted by any total, so finish() combines it at the end.
std::string Emitter::found_in_none(uint32_t r) const {
  const Type type = kernel_.reductions[r].combine->params[0].type;
  return literal_text(type, *identity_bits(finds_least(r) ? Op::min_ : Op::max_, type));
}

std::string Emitter::extremes(const std::string& object, uint32_t r) const {
  const std::string found = object + "." + sum_name(r, 0), opposite = object + "." + opposite_name(r);
  return "Extremes<" + type_text(scan_type(0)) + ">{" + (finds_least(r) ? found + ", " + opposite : opposite + ", " + found) + "}";
}

std::string Emitter::folds() {
  if (sums_.empty()) return {};
  Statements none("    ");
  none.line("Sums r;");
  if (form_.by_law) {
    none.line("r.total = " + literal(literals_.scan_identity[0]) + ";");
    if (overflow_check() == OverflowCheck::Magnitude) none.line("r.magnitude = 0;");
  }
  for (uint32_t r = 0; r < kernel_.reductions.size(); r++) {
    for (uint32_t c = 0; c < kernel_.reductions[r].values.size(); c++)
      none.line("r." + sum_name(r, c) + " = " + (by_law_[r] && sums_under_extremes() ? found_in_none(r) : reduction_identity(r, c)) + ";");
    if (by_law_[r] && overflow_check() == OverflowCheck::Extremes)
      none.line("r." + opposite_name(r) + " = Integers<" + type_text(scan_type(0)) + ">::" + (finds_least(r) ? "lowest" : "highest") + ";");
  }
  none.line("return r;");

  const std::string text = function("Sums none(const Args& a)", none.text()) + join("join", false);
  return small_ ? text : text + join("join_one", true) + over_warp();
}

// Writes the fold over a warp's lanes, whose extremes have been shifted by the total of the lanes before.
std::string Emitter::over_warp() const {
  if (!sums_of_integers()) return {};
  Statements s("    ");
  s.line("Sums r = x;");
  for (uint32_t r = 0; r < kernel_.reductions.size(); r++) {
    auto over = [&](const std::string& column, bool least) {
      s.line("r." + column + " = " + (least ? "least" : "greatest") + "_of_warp(x." + column + ");");
    };
    over(sum_name(r, 0), finds_least(r));
    if (overflow_check() == OverflowCheck::Extremes) over(opposite_name(r), !finds_least(r));
  }
  s.line("return r;");
  return function("Sums over_warp(const Sums& x)", s.text()) +
         function("Sums fold_warp(const Args& a, const Sums& x)", "    return fold_by_law<Program>(a, x);\n");
}

// Returns y's extreme by the law, shifted by the total of x. It stays unchanged if y has no elements.
std::string Emitter::found_behind(Statements& s, uint32_t r) {
  const std::string found = "y." + sum_name(r, 0);
  if (overflow_check() == OverflowCheck::Extremes) {
    s.line("const auto moved" + str(r) + " = moved(x.total, " + extremes("y", r) + ");");
    return "moved" + str(r) + (finds_least(r) ? ".low" : ".high");
  }
  const std::string best = s.call({.site = &literals_.scan[0], .params = {"x.total", found}, .loaded = {}})[0];
  return sums_under_extremes() ? "(" + found + " == " + found_in_none(r) + " ? " + found + " : " + best + ")" : best;
}

// Folds x, then y. y has exactly one element if `is_one`; otherwise it may have none.
std::string Emitter::join(const char* name, bool is_one) {
  Statements s("    ");
  s.line("Sums r;");
  if (form_.by_law) combine(s, literals_.scan[0], {"x.total"}, {"y.total"}, {"r.total"});
  if (overflow_check() == OverflowCheck::Magnitude) s.line("r.magnitude = op_max(x.magnitude, y.magnitude);");
  for (uint32_t r = 0; r < kernel_.reductions.size(); r++) {
    std::vector<std::string> right = sum_members("y", r);
    if (by_law_[r]) right[0] = is_one ? (is_inclusive(r) ? "r.total" : "x.total") : found_behind(s, r);
    combine(s, literals_.reductions[r], sum_members("x", r), right, sum_members("r", r));
    if (!by_law_[r] || overflow_check() != OverflowCheck::Extremes) continue;
    const std::string opposite = is_one ? right[0] : "moved" + str(r) + (finds_least(r) ? ".high" : ".low");
    s.line("r." + opposite_name(r) + " = op_" + (finds_least(r) ? "max" : "min") + "(x." + opposite_name(r) + ", " + opposite + ");");
  }
  s.line("return r;");
  return function(std::string("Sums ") + name + "(const Args& a, const Sums& x, const Sums& y)", s.text());
}

// A fold of the look-back. A Local covers one tile, a Carry all tiles before; both have the same column names.
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
  for (size_t k = 0; k < kernel_.compactions.size(); k++)
    s.line("r.n" + str(k) + " = " + x + ".n" + str(k) + " + " + y + ".n" + str(k) + ";");
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
  if (local_.empty()) return {};
  const std::string text = function("Local local_identity(const Args& a)", chain_identity("Local")) +
                           chain_fold("Local combine(const Args& a, const Local& x, const Local& y)", "Local", "x", "y");
  if (small_ || along_) return text;
  return text + function("Carry carry_identity(const Args& a)", chain_identity("Carry")) +
         chain_fold("Carry advance(const Args& a, const Carry& x, const Local& y)", "Carry", "x", "y") +
         chain_fold("Carry append(const Args& a, const Carry& x, const Carry& y)", "Carry", "x", "y");
}

}  // namespace wf::cuda
