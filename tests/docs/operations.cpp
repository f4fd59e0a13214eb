// docs/operations.md, generated from the tables. `operations` prints the page; `operations FILE` fails if FILE differs from it.

#include <sstream>
#include <string>

#include "ops/ops.h"
#include "page.h"

namespace {

using namespace wf;

constexpr const char* head = R"(# Operations

Generated from `src/ops/*.def` by `build/tests/docs/operations`; a test checks that this page is up to date.

In the written form an operation precedes its operands: `(add x 1:i32)`. In C++ it is an operator or a function of the same name,
unless [functions.def](../include/warpfold/expressions/functions.def) or [operations.hpp](../include/warpfold/expressions/operations.hpp) define another name.

## Types

The table is in the order of promotion: operands of different types are converted to the later one.

| type | bytes | class |
|---|---|---|
)";

constexpr const char* operations_head = R"(
## Operations of scalars

*On* is the class of types T that an operation takes: Truth is bool, Int the integers, Float f32 and f64; Num = Int or Float, Bits = Truth or
Int, Any = all. An operand below that class is promoted: a bool in arithmetic is an i32, an integer in a Float function an f64. The operands
share one T, except the first operand of `where`, a bool. The result is a T, or a bool if *result* states it. *Laws*: associative,
commutative, idempotent; `reduce` and `scan` reject operations that are not associative. *Identity*: the e with op(e, x) = x, the default of
`reduce`. *Bits*: exact, the same on every engine; or the largest error in f32 and in f64, in ULP or relative. *Meaning* is a C++ expression of
a, b, c. In it, U is the unsigned type in which T wraps (T itself for floats); the functions that it calls are in
[meaning.h](../src/ops/meaning.h).

Elementary functions have the same bits on GPUs and on processors with AVX2 or AVX-512, apart from those of a NaN: one text
([src/ops/elementary](../src/ops/elementary)) is compiled for all of them. The exception is `rsqrt` in f32, which GPUs have as an instruction,
within 2 ULP. Processors without fma (`WARPFOLD_ISA=baseline`) stay within 2 ULP. The errors are bounds of those that `tests/cpu/math.cpp`
measures: in f32 over all floats (10^8 points for two operands), in f64 over 10^8 points. Infinities, zeros and their signs, NaN and angles of
any size are treated as in C's libm.

Special functions, from `sigmoid` to `bessel_i1` in the table, are one text for all engines, too ([src/ops/special](../src/ops/special)).
`tests/cpu/special.cpp` compares them with Boost.Math at 10^7 random points. Near a zero, the error of `lgamma` and `lfact` below 0, and of
`digamma` below 0, is measured in ULP of the terms whose difference the value is, and that of `bessel_j0` to `bessel_y1` in ULP of the
amplitude sqrt(2 / (pi x)). Errors of functions of several operands are relative to the value (to the greater of it and 1 for `logaddexp`,
`lchoose`, `lbeta`, `mvlgamma` and `mvdigamma`). Those of `gamma_p(a, x)`, `gamma_q(a, x)` and `ibeta(a, b, x)` hold for a and b from 0.1 to
10^4. `log1mexp(x)` is log(1 - exp(-x)), `lfact(x)` log gamma(1 + x), `ndtr` the normal distribution function and `ndtri` its inverse.
Outside of a function's domain the value is NaN. At poles, `tgamma` and `digamma` are NaN (at 0, infinite), and `lgamma` and `trigamma` are
infinite. `lchoose(n, k)` is log |gamma(n + 1) / (gamma(k + 1) gamma(n - k + 1))| for all n > -1 and all k: -inf where the binomial coefficient is
0. `lbeta(a, b)` is defined for a and b from 0 on. `mvlgamma(x, p)` and `mvdigamma(x, p)` are defined for whole numbers p from 0 to 65536 and
x > (p - 1) / 2; so `mvlgamma(x, 1)` is `lgamma(x)` for x > 0 alone. In f32, functions compute in f32 on all engines, apart from `gamma_p`,
`gamma_q` and `ibeta`, which need f64.

Operands are evaluated, with two exceptions: `where` evaluates only the operand that it chooses, and `and` and `or` of bools evaluate b only
if a does not decide the result. This matters if an operand reads an element at an index that may be outside
([written-form.md](written-form.md)).

| operation | on | result | laws | identity | bits | meaning |
|---|---|---|---|---|---|---|
)";

constexpr const char* laws_head = R"(
## Laws between two operations

f(x, g(y, z)) = g(f(x, y), f(x, z)). With such a pair, `reduce` by g of a `scan` by f needs no carry from chunk to chunk.

| f | g |
|---|---|
)";

std::string class_name(TypeClass on) {
  switch (on) {
    case Truth: return "Truth";
    case Int: return "Int";
    case Float: return "Float";
    case Num: return "Num";
    case Bits: return "Bits";
    case Any: return "Any";
  }
  return "";
}

std::string identity_name(Identity identity) {
  constexpr const char* names[] = {"", "0", "1", "all bits", "highest", "lowest"};
  return names[static_cast<int>(identity)];
}

std::string law_names(const OpInfo& op) {
  std::string names;
#define NOT_ASSOCIATIVE(f) \
  if (op.name == #f) names = "not assoc";
#include "ops/laws.def"
  auto add = [&](Laws law, const char* name) {
    if (op.laws & law) names.append(names.empty() ? "" : ", ").append(name);
  };
  add(Assoc, "assoc");
  add(Comm, "comm");
  add(Idem, "idem");
  return names;
}

// A bar would end the table cell.
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string bits(const OpInfo& op) {
  std::ostringstream text;
#define ERROR(function, f32, f64) \
  if (op.name == #function) text << f32 << ", " << f64 << " ULP";
#define RELATIVE_ERROR(function, f32, f64) \
  if (op.name == #function) text << f32 << ", " << f64 << " relative";
#include "ops/errors.def"
  return op.bits == Exactness::exact ? "exact" : text.str();
}

std::string call(const OpInfo& op) {
  std::ostringstream text;
  text << '(' << op.name;
  for (int k = 0; k < op.arity; k++) text << ' ' << "abc"[k];
  text << ')';
  return text.str();
}

std::string page() {
  std::ostringstream out;
  out << head;
  for (const TypeInfo& type : type_table) out << "| " << type.name << " | " << type.size << " | " << class_name(type.klass) << " |\n";
  out << operations_head;
  for (const OpInfo& op : op_table)
    out << "| `" << call(op) << "` | " << class_name(op.on) << " | " << (op.result == Result::Truth ? "bool" : "T") << " | "
        << law_names(op) << " | " << identity_name(op.identity) << " | " << bits(op) << " | `" << escaped(op.meaning) << "` |\n";
  out << laws_head;
  for (const OpInfo& f : op_table)
    for (const OpInfo& g : op_table)
      if (distributes(*find_op(f.name), *find_op(g.name))) out << "| " << f.name << " | " << g.name << " |\n";
  return out.str();
}

}  // namespace

int main(int argc, char** argv) { return print_or_compare(page(), "src/ops", argc, argv); }
