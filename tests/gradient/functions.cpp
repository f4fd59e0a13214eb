// Derivatives of functions in the written form: each line of derivatives.def against differences, and the rules for terms.
#include <cmath>
#include <random>
#include <vector>

#include <warpfold/warpfold.hpp>

#include "check.h"

using namespace warpfold;

namespace {

wf_fn* function(const std::string& text) {
  wf_fn* f = nullptr;
  detail::check(wf_fn_create(text.c_str(), nullptr, 0, &f));
  return f;
}
wf_fn* gradient(const wf_fn* f, int32_t forward = 0) {
  wf_fn* g = nullptr;
  detail::check(wf_fn_gradient(f, forward, &g));
  return g;
}
using Columns = std::vector<std::vector<double>>;

// f of columns of numbers, all of one type, whose results are floats.
template <class T> Columns values_of(const wf_fn* f, const Columns& columns) {
  const Context cpu("cpu");
  std::vector<Seq<T>> sequences;
  std::vector<wf_seq*> raw;
  for (const auto& column : columns) sequences.emplace_back(std::vector<T>(column.begin(), column.end()), cpu);
  for (const auto& s : sequences) raw.push_back(s.raw());
  wf_seq* out = nullptr;
  detail::check(wf_map(f, raw.data(), static_cast<int32_t>(raw.size()), &out));
  int32_t n_columns = 0;
  detail::check(wf_column_count(out, &n_columns));
  Columns results;
  for (int32_t c = 0; c < n_columns; c++) {
    std::vector<double> column(columns[0].size());
    detail::check(wf_to_host(out, c, 0, static_cast<int64_t>(column.size()), column.data(), WF_F64, 1));
    results.push_back(std::move(column));
  }
  wf_release(out);
  return results;
}

struct OpLine {
  std::string op;
  std::vector<double> domains;
  std::vector<std::string> partials;
};
std::vector<OpLine> op_lines() {
  std::vector<OpLine> lines;
#define UNPACK(...) \
  { __VA_ARGS__ }
#define D(op, domains, a, b, c) lines.push_back({#op, UNPACK domains, {a, b, c}});
#define CONSTANT(op)
#define MISSING(name, operand, reason) \
  for (OpLine & line : lines)          \
    if (line.op == #name) line.partials[operand] = "missing";
#include "ops/derivatives.def"
  return lines;
}

// A function of the operands in which those without a partial are literals.
std::string text_of_line(const OpLine& line, const std::vector<double>& fixed, const std::string& type) {
  std::string params, operands;
  for (size_t k = 0; k < fixed.size(); k++) {
    const std::string name(1, static_cast<char>('a' + k));
    const bool is_missing = line.partials[k] == "missing";
    if (!is_missing) params += "(" + name + " " + type + ")";
    operands += is_missing ? " " + std::to_string(fixed[k]) + ":" + type : " " + name;
  }
  return "(fn (" + params + ") (" + line.op + operands + "))";
}

}  // namespace

TEST(partials_equal_differences) {
  std::mt19937 random(5);
  const size_t n = 2000;
  for (const OpLine& line : op_lines()) {
    const size_t arity = line.domains.size() / 2;
    std::vector<double> fixed;
    Columns at;
    for (size_t k = 0; k < arity; k++) {
      std::uniform_real_distribution<double> in(line.domains[2 * k], line.domains[2 * k + 1]);
      fixed.push_back(in(random));
      if (line.partials[k] == "missing") continue;
      at.emplace_back();
      for (size_t i = 0; i < n; i++) at.back().push_back(line.domains[2 * k] == line.domains[2 * k + 1] ? fixed[k] : in(random));
    }
    wf_fn *f = function(text_of_line(line, fixed, "f64")), *g = gradient(f), *f32 = function(text_of_line(line, fixed, "f32")),
          *g32 = gradient(f32);
    Columns with_seed = at;
    with_seed.emplace_back(n, 1.0);
    const Columns found = values_of<double>(g, with_seed), found32 = values_of<float>(g32, with_seed);
    for (size_t k = 0, column = 0; k < arity; k++) {
      if (line.partials[k] == "missing") continue;
      Columns up = at, down = at;
      std::vector<double> h;
      for (size_t i = 0; i < n; i++) {
        h.push_back(std::cbrt(2.2e-16) * std::max(1.0, std::abs(at[column][i])));
        up[column][i] += h[i], down[column][i] -= h[i];
      }
      const auto above = values_of<double>(f, up)[0], below = values_of<double>(f, down)[0];
      double worst = 0, worst32 = 0;
      for (size_t i = 0; i < n; i++) {
        const bool jumps = (line.op == "rem" || line.op == "min" || line.op == "max" || line.op == "abs" || line.op == "rectify") &&
                           (std::abs(above[i] - below[i]) > 1 || std::abs(at[0][i] - (arity > 1 ? at[1][i] : 0)) < 1e-4);
        if (jumps) continue;
        const double expected = (above[i] - below[i]) / (up[column][i] - down[column][i]), scale = std::max(1.0, std::abs(expected));
        worst = std::max(worst, std::abs(found[column][i] - expected) / scale);
        worst32 = std::max(worst32, std::abs(found32[column][i] - found[column][i]) / scale);
      }
      if (!(worst < 1e-6)) check::fail(__FILE__, __LINE__, line.op + " operand " + std::to_string(k) + ": " + std::to_string(worst));
      if (!(worst32 < 1e-3))
        check::fail(__FILE__, __LINE__, line.op + " operand " + std::to_string(k) + " of f32: " + std::to_string(worst32));
      column++;
    }
    for (wf_fn* each : {f, g, f32, g32}) wf_fn_release(each);
  }
}
