// A plan as text and as DOT, for people and for tests.
#include <algorithm>
#include <cstdio>

#include "expr/lift.h"
#include "expr/numbering.h"
#include "lazy/linear/routine.h"
#include "plan/split/split.h"

namespace wf {
namespace {

std::string combine_name(const Fn& combine) {
  std::optional<Op> op = as_op(combine);
  return op ? std::string(name(*op)) : "fn";
}

std::string literals(const Fn& combine, const std::vector<Bits64>& bits) {
  std::string text;
  std::vector<Type> types = combine.result_types();
  for (size_t k = 0; k < bits.size(); k++) text += (k ? " " : "") + print_literal(types[k], bits[k]);
  return text;
}

std::string bytes(double n) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  int unit = 0;
  while (n >= 10000 && unit < 4) n /= 1000, unit++;
  char text[32];
  std::snprintf(text, sizeof text, "%.4g %s", n, units[unit]);
  return text;
}

std::string domain_text(const Step& step) {
  if (step.domain.filter != no_vertex) return "i < length of sequence " + std::to_string(step.domain.filter);
  return "i < " + std::to_string(step.domain.n);
}

// "2 demanded, 1 read by a later kernel": the reasons for which a step keeps results.
std::string kept(const Step& step) {
  std::string text;
  for (int reason = int(Reason::Demanded); reason <= int(Reason::Apart); reason++) {
    const auto times = std::ranges::count(step.finished, Reason(reason), &Finished::reason);
    if (times > 0) text += (text.empty() ? "" : ", ") + std::to_string(times) + " " + std::string(name(Reason(reason)));
  }
  return text;
}

// "40 x 50, 3 x 4": the shapes of arrays of rank 2 or more that the step keeps.
std::string shapes(const Plan& plan, const Step& step) {
  std::string text;
  for (const Finished& f : step.finished)
    if (const Node* node = plan.vertices[f.vertex].node.get(); node && node->rank() > 1)
      text += (text.empty() ? "" : ", ") + text_of(node->shape().extents());
  return text;
}

std::string summary(const Kernel& kernel) {
  std::string text;
  auto part = [&](const std::string& p) { text += (text.empty() ? "" : ", ") + p; };
  if (kernel.has_scan())
    part("scan(" + combine_name(*kernel.scan[0].combine) + ")" + (kernel.scan[0].axis.exists() ? " along an axis" : ""));
  for (const Reduction& r : kernel.reductions)
    part("reduce(" + combine_name(*r.combine) + ")" + (r.by_law ? " by law" : "") + (r.mask != no_mask ? " masked" : ""));
  for (const Compact& c : kernel.compactions) part("filter(" + std::to_string(c.values.size()) + ")");
  if (!kernel.stores.empty()) part("store(" + std::to_string(kernel.stores.size()) + ")");
  for (const Scatter& s : kernel.scatters) part("scatter(" + std::string(name(s.op)) + ")");
  for (const RowElements& e : kernel.elements) {
    part("rows(" + std::to_string(e.count) + ")");
    part("store(" + std::to_string(e.stores.size()) + ")");
  }
  if (kernel.finish) part("finish(" + std::to_string(kernel.finish->results.size()) + ")");
  return text;
}

std::string describe(const Kernel& kernel, const std::string& indent) {
  std::string text;
  auto line = [&](const std::string& head, const std::string& rest) {
    text += indent + head + std::string(head.size() < 8 ? 8 - head.size() : 1, ' ') + rest + "\n";
  };
  std::string in;
  for (uint32_t k = 0; k < kernel.inputs.size(); k++)
    in += (k ? ", $" : "$") + std::to_string(k) + " " + std::string(name(kernel.inputs[k].type)) +
          (kernel.inputs[k].of_segments ? " numbers of segments"
           : kernel.inputs[k].of_parts  ? " in parts"
                                        : "");
  if (!in.empty()) line("in", in);
  if (!kernel.body->results.empty()) line("body", print(*kernel.body));
  auto numbers = [](const std::vector<uint32_t>& values) {
    std::string list;
    for (uint32_t v : values) list += (list.empty() ? "" : ", ") + std::to_string(v);
    return list;
  };
  if (kernel.has_scan()) {
    const Scan& s = kernel.scan[0];
    line("scan", "results " + numbers(s.values) + " by " + print(*s.combine) + " from " + literals(*s.combine, s.identity) +
                     (s.by_law ? ", chunks on their own (distributive law)" : "") +
                     (s.axis.exists()
                          ? ", along an axis of " + std::to_string(s.axis.length) + " elements, " + std::to_string(s.axis.inner) + " apart"
                          : ""));
  }
  for (const Reduction& r : kernel.reductions)
    line("reduce", "results " + numbers(r.values) + " by " + print(*r.combine) + " from " + literals(*r.combine, r.identity) +
                       (r.mask != no_mask ? " where result " + std::to_string(r.mask) : ""));
  for (const Compact& c : kernel.compactions) line("filter", "results " + numbers(c.values) + " where result " + std::to_string(c.mask));
  for (const Store& s : kernel.stores) line("store", "result " + std::to_string(s.value));
  for (const Scatter& s : kernel.scatters)
    line("scatter", "result " + std::to_string(s.value) + " at result " + std::to_string(s.index) + " by " + std::string(name(s.op)) +
                        " into $" + std::to_string(s.base));
  for (const RowElements& e : kernel.elements) {
    line("rows", "of " + std::to_string(e.count) + " elements each; result" + (e.row.size() == 1 ? " " : "s ") + numbers(e.row) + " by " +
                     print(*e.value));
    for (const Store& s : e.stores) line("store", "result " + std::to_string(s.value) + " of each element");
  }
  if (kernel.finish) line("finish", print(*kernel.finish));
  return text;
}

// "product(300 x 200 by 200 x 100)"
std::string linear_summary(const LinearRoutine& routine) {
  static constexpr const char* names[] = {"product",          "triangular product", "triangular solve",      "cholesky",        "eliminate",
                                          "solve eliminated", "orthogonal factors", "symmetric eigenvalues", "singular values", "fourier",
                                          "inverse fourier"};
  auto extents = [](int64_t rows, int64_t columns) { return std::to_string(rows) + " x " + std::to_string(columns); };
  const auto [op, batch, m, n, k, upper, unit, strict, a, b] = routine;
  std::string text = std::string(names[op]) + "(";
  if (op == LinearRoutine::Product) text += extents(m, k) + " by " + extents(k, n);
  else if (op == LinearRoutine::TriangularProduct || op == LinearRoutine::TriangularSolve) text += extents(m, m) + ", " + extents(m, n);
  else if (op == LinearRoutine::SolveEliminated) text += extents(n, n) + ", " + extents(n, m);
  else if (op == LinearRoutine::Orthogonal || op == LinearRoutine::SingularValues) text += extents(m, n);
  else if (is_fourier(routine)) text += std::to_string(n);
  else text += extents(n, n);
  const bool transposed_a = a.row == 1 && a.column != 1, transposed_b = b.row == 1 && b.column != 1;
  if (transposed_a || transposed_b)
    text += std::string(", ") + (transposed_a ? "a" : "") + (transposed_a && transposed_b ? " and " : "") + (transposed_b ? "b" : "") +
            " transposed";
  return text + (batch == 1 ? ")" : ", " + std::to_string(batch) + " times)");
}

std::string summary(const RoutineCall& call) {
  const size_t columns = call.types.size();
  if (call.routine.kind == Routine::Scatter) {
    std::string operations;
    for (size_t c = 0; call.fn && c < columns; c++) operations += (c ? ", " : "") + std::string(name(*column_op(*call.fn, c)));
    return "scatter(" + (call.fn ? operations : call.routine.replaces ? "replace" : "count") + ")";
  }
  if (call.routine.kind == Routine::Iterate) return "iterate";
  if (call.routine.kind == Routine::SegmentIds) return "segment_ids";
  if (call.routine.kind == Routine::Join) return "join";
  if (call.routine.kind == Routine::Linear) return linear_summary(linear_routine(call.parameters));
  std::string text = call.routine.kind == Routine::Sort ? "sort(" : "merge(";
  text += call.fn ? "fn" : std::to_string(call.routine.keys) + (call.routine.keys == 1 ? " key" : " keys");
  if (columns > 1) text += " of " + std::to_string(columns) + " columns";
  if (!call.parameters.empty()) text += ", rows of " + std::to_string(from_bits<int64_t>(call.parameters[0]));
  text += call.routine.descending ? ", descending)" : ")";
  for (const Positions& p : call.wanted)
    text += (&p == &call.wanted[0] ? " at " : ", ") + std::to_string(p.first) +
            (p.count > 1 ? " to " + std::to_string(p.first + p.count - 1) : "");
  return text;
}

std::string describe(const RoutineCall& call, const std::string& indent) {
  if (call.types.empty()) return {};
  std::string text = indent + "columns";
  for (Type type : call.types) text += " " + std::string(name(type));
  return text + "\n" + (call.fn ? indent + "fn      " + print(*call.fn) + "\n" : "");
}

// The numbers that a later run may change without a new kernel, and those that the kernel's form depends on.
std::string describe_numbers(const Kernel& kernel, std::span<const Bits64> arguments, const std::string& indent) {
  if (arguments.empty()) return {};
  static constexpr const char* reasons[] = {"", "", "divides an index", "is the distance of rows", "is the number of a fold's steps"};
  std::vector<std::string> varying(arguments.size()), fixed;
  for_each_function(kernel, [&](const FnRef& f) {
    for_each_body(*f, [&](const Fn& fn, bool) {
      for (const Term& t : fn.terms)
        if (t.kind == Kind::Argument) varying[t.slot] = print_literal(t.type, arguments[t.slot]);
    });
    for_index_numbers(*f, [&](const Term& t, InIndex part) {
      if (t.kind != Kind::Literal || part <= InIndex::Summand) return;
      const std::string text = print_literal(t.type, t.bits) + " " + reasons[size_t(part)];
      if (std::ranges::find(fixed, text) == fixed.end()) fixed.push_back(text);
    });
  });
  std::erase(varying, std::string());
  const auto line = [&](const char* name, const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? indent + name : std::string(", ")) + part;
    return text.empty() ? text : text + "\n";
  };
  return line("varies  ", varying) + line("fixed   ", fixed);
}

}  // namespace

std::string summary(const Step& step) { return step.call ? summary(*step.call) : summary(step.kernel); }

std::string describe(const Step& step, std::span<const Bits64> arguments, const std::string& indent) {
  if (step.call) return describe(*step.call, indent);
  return describe(with_values(step.kernel, arguments), indent) + describe_numbers(step.kernel, arguments, indent);
}

std::string describe(const Plan& plan) {
  size_t kernels = 0;
  for (const auto& step : plan.steps) kernels += step->runs();
  std::string text = std::to_string(kernels) + (kernels == 1 ? " kernel\n" : " kernels\n");
  size_t number = 0;
  for (const auto& planned : plan.steps) {
    const Step& step = *planned;
    uint32_t aliases = 0;
    for (const StoredColumn& c : step.stored) aliases += c.origin == StoredColumn::Alias;
    if (!step.runs()) {
      text += "views: " + std::to_string(aliases) + (aliases == 1 ? " column shares" : " columns share") + " memory, nothing runs\n";
      continue;
    }
    text += (step.call ? "call " : "kernel ") + std::to_string(++number) + ": " + summary(step) + "; " + domain_text(step) + "\n";
    text += describe(step, argument_values(plan, step), "  ");
    if (step.inlined) text += "  fused   " + std::to_string(step.inlined) + " delayed by substitution\n";
    if (step.masks) text += "  fused   " + std::to_string(step.masks) + " filtered by a mask, not compacted\n";
    if (aliases) text += "  views   " + std::to_string(aliases) + " share memory with other columns\n";
    if (const std::string parts = describe_split(step, argument_values(plan, step)); !parts.empty()) text += "  parts   " + parts + "\n";
    text += "  keeps   " + kept(step) + "\n";
    if (const std::string arrays = shapes(plan, step); !arrays.empty()) text += "  shape   " + arrays + "\n";
    if (step.domain.filter == no_vertex) {
      const Traffic t = traffic(plan, step);
      text += "  moves   " + bytes(static_cast<double>(t.read)) + " read, " + bytes(static_cast<double>(t.written)) +
              (step.kernel.compactions.empty() ? "" : " at most") + " written\n";
    }
  }
  return text;
}

std::string describe_dot(const Plan& plan, std::span<const std::string> computed) {
  std::string text = "digraph plan {\n  node [shape=box, fontname=monospace];\n";
  for (size_t k = 0; k < computed.size(); k++) text += "  c" + std::to_string(k) + " [label=\"" + computed[k] + "\", shape=ellipse];\n";
  std::vector<int> made_by(plan.vertices.size(), -1);
  for (size_t k = 0; k < plan.steps.size(); k++)
    for (const Finished& f : plan.steps[k]->finished) made_by[f.vertex] = static_cast<int>(k);
  for (size_t k = 0; k < plan.steps.size(); k++) {
    const Step& step = *plan.steps[k];
    text += "  k" + std::to_string(k) + " [label=\"" + (step.runs() ? summary(step) : "views") + "\\n" + domain_text(step) + "\"];\n";
    Numbering<VertexId> seen;
    auto edge = [&](VertexId v) {
      if (!seen.add(v).second) return;
      std::string from = made_by[v] >= 0 ? "k" + std::to_string(made_by[v]) : "s" + std::to_string(v);
      if (made_by[v] < 0) text += "  " + from + " [label=\"sequence\", shape=ellipse];\n";
      text += "  " + from + " -> k" + std::to_string(k) + ";\n";
    };
    for (const ColumnRef& source : step.sources) edge(source.vertex);
    if (step.domain.filter != no_vertex) edge(step.domain.filter);
  }
  return text + "}\n";
}

}  // namespace wf
