#include "random/distributions.h"

#include "expr/library.h"
#include "lazy/check.h"
#include "ops/printable.h"
#include "random/functions.h"

namespace wf::random {
namespace {

constexpr Distribution distributions[] = {
#define DISTRIBUTION(name, values) {#name, Values::values},
#include "random/distributions.def"
};

constexpr size_t most_parameters = 5;

// The end of a function's name, its name in errors, and the distributions made from several nodes that have one, too.
struct FunctionKind {
  const char* suffix;
  const char* words;
  const char* composed;
};
constexpr FunctionKind function_kinds[] = {{"", "draws", ""},
                                           {"/log-density", "log density", ", permutation, dirichlet, categorical"},
                                           {"/distribution", "distribution function", ", categorical"}};

const Fn* find_function(const Distribution& d, size_t parameters, const FunctionKind& kind, Type real) {
  return function(std::string(d.name) + "/" + std::to_string(parameters) + kind.suffix, real);
}

// "0 or 2"
std::string counts_of(const Distribution& d, const FunctionKind& kind, Type real) {
  std::string counts;
  for (size_t n = 0; n <= most_parameters; n++)
    if (find_function(d, n, kind, real)) counts += (counts.empty() ? "" : " or ") + std::to_string(n);
  return counts;
}

}  // namespace

const Distribution& find_distribution(std::string_view name, const std::string& others) {
  std::string all;
  for (const Distribution& d : distributions) {
    if (d.name == name) return d;
    all += (all.empty() ? "" : ", ") + std::string(d.name);
  }
  throw ArgumentError("distribution is \"" + printable(name, 40) + "\"; expected one of " + all + others);
}

Type real_of(const Distribution& d, Type type) {
  const bool fits = d.values == Values::Real  ? is_in(type, Float)
                    : d.values == Values::Key ? type == Type::U64
                                              : d.values == Values::Truth || type != Type::Bool;
  if (!fits)
    throw TypeError("type is " + std::string(name(type)) + "; expected " +
                    (d.values == Values::Real  ? "f32 or f64"
                     : d.values == Values::Key ? "u64"
                                               : "a type of numbers"));
  return d.values == Values::Real ? type : Type::F64;
}

std::pair<const Fn*, std::string> function_of(const Distribution& d, size_t parameters, Asked asked, Type real) {
  const FunctionKind& kind = function_kinds[size_t(asked)];
  const Fn* f = parameters <= most_parameters ? find_function(d, parameters, kind, real) : nullptr;
  if (f) return {f, std::string(d.name) + "/" + std::to_string(parameters) + kind.suffix};
  if (const std::string counts = counts_of(d, kind, real); !counts.empty())
    throw ArgumentError(std::string(d.name) + " has " + count(parameters, "parameter") + "; expected " + counts);
  reject_asked(d.name, asked);
}

void reject_asked(std::string_view name, Asked asked) {
  const FunctionKind& kind = function_kinds[size_t(asked)];
  std::string all;
  for (const Distribution& d : distributions)
    if (!counts_of(d, kind, Type::F64).empty()) all += (all.empty() ? "" : ", ") + std::string(d.name);
  throw ArgumentError(std::string(name) + " has no " + kind.words + "; expected one of " + all + kind.composed);
}

}  // namespace wf::random

const wf::Fn& wf::draw_function(std::string_view distribution, size_t parameters, Type type) {
  const random::Distribution& d = random::find_distribution(distribution);
  return *random::function_of(d, parameters, random::Asked::Draw, random::real_of(d, type)).first;
}
