#include "cuda/text/statements.h"

#include <algorithm>
#include <cstdio>

#include "cuda/row_form.h"
#include "cuda/text/foreign.h"
#include "expr/guards/guard.h"
#include "expr/terms.h"

namespace wf::cuda {

std::string type_text(Type type) {
  switch (type) {
#define TYPE(id, name, ctype, klass) \
  case Type::id: {                   \
    return #ctype;                   \
  }
#include "ops/types.def"
  }
  return {};
}

// Floats are written as bits, so that no digit is lost and NaN can be written.
std::string literal_text(Type type, Bits64 bits) {
  char text[64];
  switch (type) {
    case Type::Bool: return bits & 1 ? "true" : "false";
    case Type::F32: std::snprintf(text, sizeof text, "__uint_as_float(0x%xu)", unsigned(bits)); break;
    case Type::F64: std::snprintf(text, sizeof text, "__longlong_as_double(0x%llxll)", static_cast<unsigned long long>(bits)); break;
    default: std::snprintf(text, sizeof text, "%s(0x%llxull)", type_text(type).c_str(), static_cast<unsigned long long>(bits));
  }
  return text;
}

namespace {

std::string numbered(const char* prefix, uint32_t k) { return prefix + std::to_string(k); }

std::string argument_list(const Fn& fn, const Term& term, const std::vector<std::string>& names) {
  std::string list;
  for (Id arg : fn.args(term)) list += (list.empty() ? "" : ", ") + names[arg];
  return list;
}

// Places of Checks: those of a fold's values follow those of all terms before the fold, position by position.
constexpr uint64_t positions_of_fold = uint64_t(1) << 40;
std::string first_place(Id fold) { return std::to_string((fold + uint64_t(1)) * 2 * positions_of_fold) + "ull"; }

// Returns the type in which an operation computes: that of its last operand (`where` and the comparisons also involve bool).
Type operand_type_of(const Fn& fn, const Term& term) { return fn[fn.args(term)[term.count - 1]].type; }

// A quotient or remainder by a literal, as of the indices of views: in 32 bits if the dividend fits, which is the same for almost all threads.
// Empty for other operations.
std::string small_quotient(const Fn& fn, const Term& term, const std::vector<std::string>& names) {
  if ((!is_op(term, Op::div_) && !is_op(term, Op::rem_)) || term.type != Type::I64) return {};
  const Id x = fn.args(term)[0], by = fn.args(term)[1];
  if (!is_literal(fn[by]) || fn[by].bits == 0 || fn[by].bits > INT32_MAX) return {};
  const std::string small =
      std::string("unsigned(") + names[x] + ") " + (term.op == Op::div_ ? "/ " : "% ") + std::to_string(fn[by].bits) + "u";
  return "uint64_t(" + names[x] + ") < 0x80000000u ? int64_t(" + small + ") : op_" + std::string(name(term.op)) + "<int64_t>(" +
         argument_list(fn, term, names) + ")";
}

Type narrowed(Type type) { return type == Type::I64 ? Type::I32 : type; }

// An operation on integers that fit into 32 bits, or that wrap as their sums do. A sum with a small constant does not wrap (cuda/window.cpp); written
// plainly, it becomes the offset of an address.
std::string narrow_text(const Fn& fn, const Term& term, const std::vector<std::string>& names) {
  constexpr int64_t most = int64_t(1) << 30;
  const Term& last = fn[fn.args(term)[term.count - 1]];
  const int64_t offset = is_literal(last) ? from_bits<int64_t>(last.bits) : most;
  if (term.op == Op::add_ && -most < offset && offset < most) return names[fn.args(term)[0]] + " + " + names[fn.args(term)[1]];
  return "op_" + std::string(name(term.op)) + "<int32_t>(" + argument_list(fn, term, names) + ")";
}

// Folds use the hardware's float minimum and maximum.
std::string apply_text(const Fn& fn, const Term& term, const std::vector<std::string>& names, bool folds) {
  if (term.op == Op::where_) {
    std::span<const Id> args = fn.args(term);
    return names[args[0]] + " ? " + names[args[1]] + " : " + names[args[2]];
  }
  if (folds && (term.op == Op::min_ || term.op == Op::max_) && is_in(term.type, Float))
    return "fold_" + std::string(name(term.op)) + "(" + argument_list(fn, term, names) + ")";
  if (const std::string quotient = small_quotient(fn, term, names); !quotient.empty()) return quotient;
  return "op_" + std::string(name(term.op)) + "<" + type_text(operand_type_of(fn, term)) + ">(" + argument_list(fn, term, names) + ")";
}

}  // namespace

std::vector<std::string> Statements::terms(const Environment& environment) {
  const Fn& fn = *environment.site->fn;
  std::vector<std::string> names(fn.terms.size());
  std::vector<std::vector<std::string>> tuples(fn.terms.size());  // the values of loops
  std::vector<std::string> tests(fn.terms.size());                // the variables that say whether a Check's index is in range
  std::string place = environment.place, failed = environment.failed;
  if (failed.empty() && !fn.loops.empty() && has_checks(fn)) line("bool " + (failed = fresh()) + " = false;");
  // An index of 32 bits is tested and added to an address as it is.
  auto index_name = [&](Id id) {
    if (fn[id].kind == Kind::Check) id = fn.args(id)[0];
    const bool is_small = fn[id].kind == Kind::Cast && fn[id].type == Type::I64 && fn[fn.args(id)[0]].type == Type::I32;
    return names[is_small && !environment.is_narrow ? fn.args(id)[0] : id];
  };
  auto is_in_range = [&](Id id) { return environment.in_range && (*environment.in_range)[id]; };
  auto write = [&](Id id) {
    const Term& term = fn[id];
    std::span<const Id> args = fn.args(term);
    std::string value;
    switch (term.kind) {
      case Kind::Param: names[id] = environment.params[term.slot]; return;
      case Kind::Literal: names[id] = leaf(environment, id); return;
      case Kind::Argument: throw std::logic_error("cuda: a kernel's arguments are literals by now");
      case Kind::Fold:
        tuples[id] = fold(environment, id, names, failed);
        if (!environment.slice.empty()) place = first_place(id) + " + " + std::to_string(positions_of_fold);
        return;
      case Kind::Pick: names[id] = tuples[args[0]][term.slot]; return;
      case Kind::Loop: tuples[id] = loop(environment, term, names, failed); return;
      case Kind::Check: {
        names[id] = names[args[0]];
        if (!environment.is_tested || is_in_range(id)) return;
        const bool is_recorded = environment.recorded && (*environment.recorded)[id];
        const std::string fails = names[args[2]] + " && uint64_t(" + names[args[0]] + ") >= uint64_t(" + names[args[1]] + ")";
        const std::string note = failed.empty() ? "" : failed + " |= ";
        if (!environment.outside.empty()) {
          line(environment.outside + " |= " + fails + ";");
          if (!failed.empty()) line(note + environment.outside + ";");
        } else if (is_recorded) {
          if (!failed.empty()) line(note + fails + ";");
        } else if (place.empty() && !environment.checks.empty()) {
          tests[id] = fresh();
          line("const bool " + tests[id] + " = " + environment.checks + ".check(" + environment.index + ", " + index_name(args[0]) + ", " +
               names[args[1]] + ", " + names[args[2]] + ");");
          if (!failed.empty()) line(note + names[args[2]] + " && !" + tests[id] + ";");
        } else {
          const std::string record = place.empty() ? "check(a.fault, " : "check_in_row(a.fault, ";
          line(note + record + environment.index + (place.empty() ? "" : ", " + place) + ", " + names[args[0]] + ", " + names[args[1]] +
               ", " + names[args[2]] + ");");
        }
        return;
      }
      case Kind::Require: names[id] = names[args[0]]; return;
      case Kind::Foreign: tuples[id] = source_call(fn, term, names); return;
      case Kind::Length: value = leaf(environment, id); break;
      case Kind::Apply:
        if (environment.loaded) value = environment.loaded(id);
        if (value.empty() && environment.is_narrow && operand_type_of(fn, term) == Type::I64 && term.op != Op::where_)
          value = narrow_text(fn, term, names);
        if (value.empty()) value = apply_text(fn, term, names, environment.folds);
        break;
      case Kind::Cast: value = "cast<" + type_text(term.type) + ">(" + names[args[0]] + ")"; break;
      case Kind::At:
        if (environment.loaded) value = environment.loaded(id);
        if (value.empty() && is_in_range(id))
          value = (environment.streamed && (*environment.streamed)[id] ? "load_streamed(" : "load(") + numbered("a.in", term.slot) + " + " +
                  names[args[0]] + ")";
        if (value.empty() && environment.checked && std::ranges::count(*environment.checked, id) > 0 && !tests[args[0]].empty())
          value = "load_if(" + tests[args[0]] + ", " + numbered("a.in", term.slot) + " + " + index_name(args[0]) + ")";
        if (value.empty())
          value = "element(" + numbered("a.in", term.slot) + ", " + numbered("a.length", term.slot) + ", " + index_name(args[0]) + ")";
        break;
    }
    names[id] = fresh();
    line("const " + type_text(environment.is_narrow ? narrowed(term.type) : term.type) + " " + names[id] + " = " + value + ";");
  };
  if (!environment.stages) {
    for (Id id = 0; id < fn.terms.size(); id++)
      if (!environment.needed || (*environment.needed)[id]) write(id);
    return names;
  }
  for (const Stage& stage : *environment.stages) {
    for (Id id : stage.terms) write(id);
    for (const Batch& some : stage.batches) batch(environment, some, names);
  }
  return names;
}

void Statements::batch(const Environment& environment, const Batch& batch, std::vector<std::string>& names) {
  const Fn& fn = *environment.site->fn;
  const std::string operands = fresh(), results = fresh(), count = "[" + std::to_string(batch.terms.size()) + "]";
  std::string list;
  for (size_t k = 0; k < batch.terms.size(); k++) {
    list += (k == 0 ? "" : ", ") + names[fn.args(batch.terms[k])[0]];
    names[batch.terms[k]] = results + "[" + std::to_string(k) + "]";
  }
  line("const float " + operands + count + " = {" + list + "};");
  line("float " + results + count + ";");
  if (batch.divisor == no_id) line("roots(" + operands + ", " + results + ");");
  else line("quotients(" + operands + ", " + environment.divisor(batch.divisor) + ", " + results + ");");
}

std::vector<std::string> Statements::loop(const Environment& environment, const Term& term, const std::vector<std::string>& names,
                                          const std::string& failed) {
  const Fn& fn = *environment.site->fn;
  const Fn::LoopInfo& info = fn.loops[term.slot];
  std::span<const Id> args = fn.args(term);
  std::vector<std::string> variables;
  Environment inside{.site = &environment.site->loops[term.slot],
                     .params = {},
                     .index = environment.index,
                     .loaded = {},
                     .failed = failed,
                     .place = environment.place};
  for (uint32_t k = 0; k < args.size(); k++) {
    if (k >= info.variables) {
      inside.params.push_back(names[args[k]]);
      continue;
    }
    variables.push_back(fresh());
    inside.params.push_back(variables.back());
    line(type_text(info.body->params[k].type) + " " + variables.back() + " = " + names[args[k]] + ";");
  }
  line("while (true) {");
  indent_ += "  ";
  const std::vector<std::string> body = terms(inside);
  line("if (!(" + body[info.body->results[0]] + ")" + (failed.empty() ? "" : " || " + failed) + ") break;");
  // All variables are assigned at once.
  std::vector<std::string> next;
  for (uint32_t k = 0; k < info.variables; k++) {
    next.push_back(fresh());
    line("const " + type_text(info.body->params[k].type) + " " + next.back() + " = " + body[info.body->results[k + 1]] + ";");
  }
  for (uint32_t k = 0; k < info.variables; k++) line(variables[k] + " = " + next[k] + ";");
  indent_.resize(indent_.size() - 2);
  line("}");
  return variables;
}

std::string Statements::leaf(const Environment& environment, Id id) {
  const Term& term = (*environment.site->fn)[id];
  if (term.kind == Kind::Param) return environment.params[term.slot];
  if (term.kind == Kind::Length) return numbered("a.length", term.slot);
  const uint32_t argument = environment.site->literal_of[id];
  if (environment.is_narrow && term.type == Type::I64)
    return "int32_t(" + (argument == Site::in_text ? std::to_string(int32_t(term.bits)) : numbered("a.k", argument)) + ")";
  return argument == Site::in_text ? literal_text(term.type, term.bits) : numbered("a.k", argument);
}

void Statements::lambda(const std::string& head, const std::string& type, const Environment& inside, std::span<const Id> results,
                        const std::string& first) {
  line("const auto " + head + " -> " + type + " {");
  indent_ += "  ";
  if (!first.empty()) line(first);
  const std::vector<std::string> values = terms(inside);
  std::string list;
  for (Id r : results) list += (list.empty() ? "" : ", ") + values[r];
  line("return {" + list + "};");
  indent_.resize(indent_.size() - 2);
  line("};");
}

// A fold's columns are a structure. Its value and its function are lambdas.
std::vector<std::string> Statements::fold(const Environment& environment, Id id, const std::vector<std::string>& names,
                                          const std::string& failed) {
  const Fn& fn = *environment.site->fn;
  const Term& term = fn[id];
  const Fn::LoopInfo& info = fn.loops[term.slot];
  std::span<const Id> args = fn.args(term);
  const std::vector<Type> types = info.combine->result_types();
  const std::string result = fresh(), structure = "Fold_" + result;
  auto members = [&](const std::string& object) {
    std::vector<std::string> all;
    for (size_t c = 0; c < types.size(); c++) all.push_back(object + ".c" + std::to_string(c));
    return all;
  };

  size_t largest = 4;
  std::string columns, identity;
  for (size_t c = 0; c < types.size(); c++) {
    largest = std::max(largest, size_of(types[c]));
    columns += type_text(types[c]) + " c" + std::to_string(c) + "; ";
    identity += (c ? ", " : "") + literal_text(types[c], info.identity[c]);
  }
  line("struct alignas(" + std::to_string(largest) + ") " + structure + " { " + columns + "};");
  Environment combine{
      .site = &environment.site->combines[term.slot], .params = members("x"), .loaded = {}, .folds = !environment.slice.empty()};
  for (const std::string& member : members("y")) combine.params.push_back(member);
  lambda("combine_" + result + " = [&](const " + structure + "& x, const " + structure + "& y)", structure, combine, info.combine->results);
  const std::string start = names[args[0]] + ", " + structure + "{" + identity + "}",
                    functions = ", value_" + result + ", combine_" + result;
  const std::string stored = environment.stored_in_fold ? environment.stored_in_fold(term.slot, "j") : "";
  const std::string position = environment.has_places ? "Place" : "int";
  const std::string store = stored.empty() ? "" : ", [&](" + position + " j, const " + structure + "& x) { " + stored + " = x.c0; }";
  Environment value{.site = &environment.site->loops[term.slot],
                    .params = {"j_" + result},
                    .index = environment.index,
                    .loaded = {},
                    .place = environment.place};
  for (Id x : args.subspan(1)) value.params.push_back(names[x]);
  if (environment.loaded_in_fold) value.loaded = [&, slot = term.slot](Id t) { return environment.loaded_in_fold(slot, t, "j_" + result); };
  if (environment.slice.empty()) {
    value.failed = failed;
    lambda("value_" + result + " = [&](int64_t j_" + result + ")", structure, value, info.body->results);
    line("const " + structure + " " + result + " = fold_alone(" + start + functions + (failed.empty() ? "" : ", " + failed) + ");");
    return members(result);
  }
  std::string in_range = linear_tests(value, *info.body, names[args[0]], result, environment.is_flat ? environment.slice : "");
  const std::string arguments = values_in_row(environment, id, names, result, !in_range.empty());
  const std::string order = commutes(*info.combine) ? "true" : "false";
  std::string more = store;
  if (!failed.empty()) {
    line("const auto is_after_" + result + " = [&](const Context_" + result + "& row, int64_t j) { return is_after_fault(a.fault, row.i, " +
         first_place(id) + " + uint64_t(j)); };");
    more = (store.empty() ? ", NoStore{}" : store) + ", stops_if(is_after_" + result + ")";
  }
  line("const " + structure + " " + result + " = " + environment.slice + ".template fold<" + order + ", " +
       std::to_string(known_count(fn, id)) + ">(" + start + ", " + (in_range.empty() ? "true" : in_range) + arguments + functions + more +
       ");");
  line("if (" + environment.slice + ".stopped) return;");
  if (!stored.empty() && !environment.has_places) line(environment.slice + ".wait_for_slices();");
  return members(result);
}

// Returns the condition under which all indices that are linear in the position are in range; values are then computed without tests of them.
// It is empty if there is no such index. The first index at position 0 is stored in flat_slice, unless that is empty.
std::string Statements::linear_tests(const Environment& value, const Fn& inner, const std::string& count, const std::string& result,
                                     const std::string& flat_slice) {
  std::string in_range;
  for (const LinearReads::Test& test : linear_reads(inner).tests) {
    const std::vector<bool> needed = needed_for(inner, {&test.index, 1});
    Environment of_index = value;
    of_index.needed = &needed;
    of_index.is_tested = false;
    const std::string name = "index_" + result + "_" + std::to_string(test.index);
    std::vector<Id> terms = test.terms;
    std::erase_if(terms, [&](Id t) { return value.loaded && !value.loaded(t).empty(); });
    if (terms.empty()) continue;
    lambda(name + " = [&](int64_t " + value.params[0] + ")", "int64_t", of_index, {&test.index, 1});
    if (in_range.empty() && !flat_slice.empty()) line(flat_slice + ".start = " + name + "(0);");
    for (Id t : terms) {
      const std::string length = inner[t].kind == Kind::Check ? leaf(value, inner.args(t)[1]) : numbered("a.length", inner[t].slot);
      in_range += (in_range.empty() ? "" : " && ") + ("is_in_range(" + name + ", " + count + ", " + length + ")");
    }
  }
  return in_range;
}

// Writes a row's Context, which is all that values need to know of the row, and the functions from a context and a position to a value.
// Returns the arguments: the context, and the function for rows whose linear indices are in range.
std::string Statements::values_in_row(const Environment& environment, Id id, const std::vector<std::string>& names,
                                      const std::string& result, bool is_tested) {
  const Fn& fn = *environment.site->fn;
  const Fn::LoopInfo& info = fn.loops[fn[id].slot];
  const std::string context = "Context_" + result, j = "j_" + result, row = "row_" + result, place = "place_" + result;
  std::string declarations = "int64_t i; ", known = environment.index;
  Environment value{.site = &environment.site->loops[fn[id].slot],
                    .params = {j},
                    .index = row + ".i",
                    .loaded = {},
                    .place = first_place(id) + " + uint64_t(" + j + ")"};
  const std::string& at = environment.has_places ? place : j;
  if (environment.loaded_in_fold) value.loaded = [&](Id t) { return environment.loaded_in_fold(fn[id].slot, t, at); };
  const std::span<const Id> captured = fn.args(fn[id]).subspan(1);
  for (size_t k = 0; k < captured.size(); k++) {
    declarations += type_text(fn[captured[k]].type) + " x" + std::to_string(k) + "; ";
    known += ", " + names[captured[k]];
    value.params.push_back(row + ".x" + std::to_string(k));
  }
  line("struct " + context + " { " + declarations + "};");
  line("const " + context + " context_" + result + "{" + known + "};");
  const std::string head =
      result + " = [&](const " + context + "& " + row + std::string(environment.has_places ? ", Place " : ", int64_t ") + at + ")";
  const std::string first = environment.has_places ? "const int64_t " + j + " = " + place + ".j;" : "";
  lambda("value_" + head, "Fold_" + result, value, info.body->results, first);
  if (!is_tested) return ", context_" + result + ", value_" + result;
  const LinearReads linear = linear_reads(*info.body);
  value.in_range = &linear.is_in_range;
  value.streamed = &linear.is_streamed;
  if (environment.is_flat) value.outside = environment.slice + ".outside";
  lambda("fast_" + head, "Fold_" + result, value, info.body->results, first);
  return ", context_" + result + ", fast_" + result;
}

std::vector<std::string> Statements::source_call(const Fn& fn, const Term& term, const std::vector<std::string>& names) {
  const Foreign& f = *fn.foreigns[term.slot];
  const std::string call = callable_name(f) + "(" + argument_list(fn, term, names);
  std::vector<std::string> results;
  for (size_t k = 0; k < f.results.size(); k++) results.push_back(fresh());
  if (results.size() == 1) {
    line("const " + type_text(f.results[0]) + " " + results[0] + " = " + call + ");");
    return results;
  }
  std::string outputs;
  for (size_t k = 0; k < results.size(); k++) {
    line(type_text(f.results[k]) + " " + results[k] + ";");
    outputs += ", " + results[k];
  }
  line(call + outputs + ");");
  return results;
}

std::vector<std::string> Statements::call(const Environment& environment) {
  names_ = terms(environment);
  std::vector<std::string> results;
  for (Id id : environment.site->fn->results) results.push_back(names_[id]);
  return results;
}

}  // namespace wf::cuda
