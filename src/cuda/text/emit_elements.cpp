#include "cuda/routines/atomics.h"
#include "cuda/row_form.h"
#include "cuda/text/emitter.h"
#include "expr/terms.h"

namespace wf::cuda {

std::string Emitter::row_element(Id id) const {
  for (size_t s = 0; s < form_.streams.size(); s++)
    if (form_.streams[s].term == id) return "row.s" + str(s) + ".at[p]";
  return body_[id].kind == Kind::At && kernel_.inputs[body_[id].slot].of_segments ? segment_number(id, "i") : std::string();
}

// Writes the body's terms that those results need. Returns one name per body result, which is empty if it was not written.
std::vector<std::string> Emitter::body(Statements& s, const std::vector<uint32_t>& wanted, const std::string& checks,
                                       const std::vector<bool>& recorded) {
  std::vector<Id> ids;
  for (uint32_t value : wanted) ids.push_back(body_.results[value]);
  const std::vector<bool> needed = needed_for(body_, ids);
  Environment environment{.site = &literals_.body,
                          .params = {"i"},
                          .index = "i",
                          .loaded = [this](Id id) { return row_element(id); },
                          .needed = &needed,
                          .checks = checks,
                          .recorded = recorded.empty() ? nullptr : &recorded,
                          .checked = &form_.checked};
  std::vector<bool> within(body_.terms.size());
  if (form_.narrow) {
    s.line("const int32_t narrow_i = int32_t(i);");
    for (Id id : form_.within) within[id] = true;
    environment.params[0] = "narrow_i", environment.is_narrow = true, environment.in_range = &within;
  }
  if (rows_) {
    environment.slice = "slice", environment.place = "0", environment.has_places = form_.held > 0, environment.is_flat = form_.flat;
    environment.loaded_in_fold = [this](uint32_t fold, Id id, const std::string& position) { return row_term(fold, id, position); };
    environment.stored_in_fold = [this](uint32_t fold, const std::string& position) { return stored_value(fold, position); };
  }
  for (const char* prefix : {"before", "after"})
    for (uint32_t c = 0; c < columns_; c++) environment.params.push_back(std::string(prefix) + ".c" + str(c));
  return s.call(environment);
}

void Emitter::set_outputs(Statements& s, const std::vector<std::string>& results) {
  for (const Store& store : kernel_.stores) s.line("out.o" + str(store.output) + ".at[p] = " + results[store.value] + ";");
  for (size_t k = 0; k < kernel_.scatters.size(); k++) {
    s.line("out.i" + str(k) + ".at[p] = " + results[kernel_.scatters[k].index] + ";");
    s.line("out.x" + str(k) + ".at[p] = " + results[kernel_.scatters[k].value] + ";");
  }
}

// Returns a call that combines values with the elements at their indices, in memory.
std::string Emitter::scatter_text(size_t k, const char* function, const std::string& more, const std::string& index,
                                  const std::string& value) const {
  const Scatter& scatter = kernel_.scatters[k];
  return std::string(function) + "<Scatter" + str(k) + ">(a.out" + str(scatter.output) + ", a.length" + str(scatter.base) + more + ", " +
         index + ", " + value + ");";
}

// Joins the element's contribution to `sums`.
void Emitter::add_to_sums(Statements& s, const std::vector<std::string>& results) {
  if (sums_.empty()) return;
  s.line("Sums one;");
  if (form_.by_law) {
    const std::string& x = results[kernel_.scan[0].values[0]];
    s.line("one.total = " + x + ";");
    if (overflow_check() == OverflowCheck::Magnitude) s.line("one.magnitude = op_abs<" + type_text(scan_type(0)) + ">(" + x + ");");
  }
  for (uint32_t r = 0; r < kernel_.reductions.size(); r++) {
    const Reduction& reduction = kernel_.reductions[r];
    if (by_law_[r]) continue;
    for (uint32_t c = 0; c < reduction.values.size(); c++) {
      std::string value = results[reduction.values[c]];
      if (reduction.mask != no_mask) value = results[reduction.mask] + " ? " + value + " : " + reduction_identity(r, c);
      s.line("one." + sum_name(r, c) + " = " + value + ";");
    }
  }
  s.line(std::string("sums = ") + (small_ ? "join" : "join_one") + "(a, sums, one);");
}

std::string Emitter::recorder() const {
  return has_checks(kernel_) ? function("Checks recorder(const Args& a)", "    return {a.fault, true};\n") : "";
}

std::string Emitter::visit() {
  Statements s("    ");
  const std::vector<std::string> results = body(s, sink_values(kernel_, form_.by_law), "checks");
  set_outputs(s, results);
  add_to_sums(s, results);
  return recorder() +
         function("void visit(const Args& a, int64_t i, const Row& row, int p, Out& out, Sums& sums, Checks& checks)", s.text());
}

// Writes the function that begins to copy a row to shared memory, and the names of the memory.
std::string Emitter::keep_row() {
  if (form_.row_capacity == 0) return {};
  emitted_.shared_bytes = uint32_t(kept_bytes(kernel_, form_));
  Statements copies("    ");
  std::string memory;
  int64_t place = 0;
  for (uint32_t slot : inputs_of(kernel_, form_.row_terms)) {
    const std::string type = type_text(kernel_.inputs[slot].type), number = str(slot);
    memory += "  template <class Part> static WF_MEMBER " + type + "* memory" + number + "() { return Part::template kept<" + type + ">(" +
              str(uint64_t(place)) + ", " + str(uint64_t(form_.row_capacity)) + "); }\n";
    copies.line("Part::keep(a.in" + number + " + i * a.row_count, a.row_count, memory" + number + "<Part>());");
    place += int64_t(size_of(kernel_.inputs[slot].type)) * form_.row_capacity * (form_.threads / form_.slices);
  }
  return memory + "  template <class Part>\n" + function("void keep_row(const Args& a, int64_t i)", copies.text());
}

// Waits until the row's elements are kept or held. If they were copied ahead, begins to copy the next row.
void Emitter::wait_for_row(Statements& s) {
  if (form_.row_capacity == 0 && form_.held == 0) return;
  const std::vector<uint32_t> inputs = inputs_of(kernel_, form_.row_terms);
  if (form_.held == 0) {
    s.line("slice.wait_for_slices();");
    s.line("keep_row<Part>(a, i);");
    s.line("slice.wait_for_row();");
    for (uint32_t slot : inputs) s.line("auto* const kept" + str(slot) + " = memory" + str(slot) + "<Part>();");
    return;
  }
  const bool ahead = form_.row_capacity > 0;
  if (ahead) s.line("slice.wait_for_row();");
  for (uint32_t slot : inputs) {
    const std::string number = str(slot);
    s.line("Held<" + type_text(kernel_.inputs[slot].type) + ", held> kept" + number + ";");
    if (ahead) s.line("slice.take(memory" + number + "<Part>(), int(a.row_count), kept" + number + ");");
    else s.line("slice.load(a.in" + number + " + i * a.row_count, int(a.row_count), kept" + number + ");");
  }
  if (!ahead) return;
  s.line("slice.wait_for_slices();");
  s.line("if (slice.next >= 0) keep_row<Part>(a, slice.next);");
}

// Returns the input of which the fold reads kept elements.
uint32_t Emitter::input_of_fold(uint32_t fold) const {
  const auto read =
      std::ranges::find_if(form_.row_terms, [&](const RowTerm& t) { return t.function == fold && t.kind == RowTerm::Element; });
  return (*body_.loops[fold].body)[read->term].slot;
}

// Returns the place in which the fold stores its value at a position, or an empty string.
std::string Emitter::stored_value(uint32_t fold, const std::string& position) const {
  const auto shared = std::ranges::find_if(form_.row_terms, [&](const RowTerm& t) { return t.kind == RowTerm::Value && t.fold == fold; });
  return shared == form_.row_terms.end() ? "" : "kept" + str(input_of_fold(fold)) + "[" + position + "]";
}

// Returns the expression of a term that follows from the row and the position, or an empty string.
std::string Emitter::row_term(uint32_t function, Id id, const std::string& position) const {
  for (const RowTerm& t : form_.row_terms) {
    if (t.function != function || t.term != id) continue;
    if (t.kind == RowTerm::Position) return "int64_t(j)";
    if (t.kind == RowTerm::Row) return "i";
    if (t.kind == RowTerm::Value) return "kept" + str(input_of_fold(t.fold)) + "[" + position + "]";
    const Fn& fn = function == RowTerm::of_elements ? *kernel_.elements[0].value : *body_.loops[function].body;
    return "kept" + str(fn[id].slot) + "[" + position + "]";
  }
  return {};
}

// The slices of a row compute and store its elements. Quotients by a value of the row are computed for a pack at once.
void Emitter::visit_elements(Statements& s, const std::vector<std::string>& row) {
  const RowElements& elements = kernel_.elements[0];
  const Fn& value = *elements.value;
  std::vector<Id> stored;
  std::vector<std::string> divisors;  // by store; empty: it stores the value itself
  std::string members, values;
  for (const Store& store : elements.stores) {
    members += type_text(kernel_.outputs[store.output]) + " o" + str(store.output) + "; ";
    const Id result = value.results[store.value];
    const std::span<const Id> operands = value.args(result);
    const bool divides = value[result].type == Type::F32 && is_op(value[result], Op::div_) && value[operands[1]].kind == Kind::Param;
    stored.push_back(divides ? operands[0] : result);
    divisors.push_back(divides ? "divisor" + str(store.output) : "");
    if (divides) s.line("const Divisor " + divisors.back() + " = divisor_of(" + row[elements.row[value[operands[1]].slot - 1]] + ");");
  }
  s.line("struct Element { " + members + "};");
  const std::string at = form_.held > 0 ? "place" : "j";
  s.line("slice.template each<Element>(int(a.row_count), [&](" + (form_.held > 0 ? "Place place" : std::string("int j")) +
         ") -> Element {");
  if (form_.held > 0) s.line("  const int j = place.j;");
  s.line("  const int64_t number = i * a.row_count + j;");
  const std::vector<bool> needed = needed_for(value, stored);
  Environment environment{.site = &literals_.elements[0],
                          .params = {"number"},
                          .loaded = [&](Id id) { return row_term(RowTerm::of_elements, id, at); },
                          .needed = &needed};
  for (uint32_t k : elements.row) environment.params.push_back(row[k]);
  s.call(environment);
  for (Id id : stored) values += (values.empty() ? "" : ", ") + s.names()[id];
  s.line("  return {" + values + "};");
  s.line("}, [&](auto count, int j, const Element* x) {");
  for (size_t k = 0; k < elements.stores.size(); k++) {
    const std::string output = str(elements.stores[k].output), to = "(a.out" + output + " + i * a.row_count + j, ",
                      get = "[&](int p) { return x[p].o" + output + "; });";
    if (divisors[k].empty()) s.line("  store_elements<decltype(count)::value>" + to + get);
    else s.line("  store_quotients<decltype(count)::value>" + to + divisors[k] + ", " + get);
  }
  s.line("});");
}

// The first slice of a row stores, one element at a time.
std::string Emitter::visit_row() {
  Statements s("    ");
  wait_for_row(s);
  const std::vector<std::string> results = body(s, sink_values(kernel_, false));
  if (!kernel_.elements.empty()) visit_elements(s, results);
  s.line("if (!slice.leads) return;");
  for (const Store& store : kernel_.stores) s.line("a.out" + str(store.output) + "[i] = " + results[store.value] + ";");
  add_to_sums(s, results);
  return keep_row() + "  template <class Part>\n" + function("void visit_row(const Args& a, int64_t i, Part& slice, Sums& sums)", s.text());
}

// The terms that early() evaluates, whose Checks late() need not record; empty if there is no early().
std::vector<bool> Emitter::early_terms() const {
  if (local_.empty()) return {};
  std::vector<Id> ids;
  for (uint32_t value : early_values(kernel_)) ids.push_back(body_.results[value]);
  return needed_for(body_, ids);
}

std::string Emitter::early() {
  if (local_.empty()) return {};
  Statements s("    ");
  const std::vector<std::string> results = body(s, early_values(kernel_), "checks");
  s.line("Local r;");
  for (uint32_t c = 0; c < columns_; c++) s.line("r.c" + str(c) + " = " + results[kernel_.scan[0].values[c]] + ";");
  for (size_t k = 0; k < kernel_.compactions.size(); k++)
    s.line("r.n" + str(k) + " = " + results[kernel_.compactions[k].mask] + " ? 1 : 0;");
  s.line("return r;");
  return recorder() +
         function(std::string("Local early(const Args& a, int64_t i, ") + (small_ ? "" : "const Row& row, int p, ") + "Checks& checks)",
                  s.text());
}

// Outputs are stored directly, one element at a time.
std::string Emitter::late_of_few() {
  Statements s("    ");
  const std::vector<std::string> results = body(s, sink_values(kernel_, form_.by_law), "", early_terms());
  for (const Store& store : kernel_.stores) s.line("a.out" + str(store.output) + "[i] = " + results[store.value] + ";");
  for (size_t k = 0; k < kernel_.scatters.size(); k++)
    s.line(scatter_text(k, "scatter_one", "", results[kernel_.scatters[k].index], results[kernel_.scatters[k].value]));
  for (size_t k = 0; k < kernel_.compactions.size(); k++) {
    const Compact& c = kernel_.compactions[k];
    for (size_t v = 0; v < c.values.size(); v++)
      s.line("if (" + results[c.mask] + ") a.out" + str(c.outputs[v]) + "[before.n" + str(k) + "] = " + results[c.values[v]] + ";");
  }
  add_to_sums(s, results);
  return function("void late(const Args& a, int64_t i, const Local& before, const Local& after, Sums& sums)", s.text());
}

std::string Emitter::late() {
  Statements s("    ");
  const std::vector<std::string> results = body(s, sink_values(kernel_, form_.by_law), "", early_terms());
  set_outputs(s, results);
  add_to_sums(s, results);
  for (size_t k = 0; k < kernel_.compactions.size(); k++) {
    const Compact& c = kernel_.compactions[k];
    if (c.outputs.empty()) continue;
    s.line("if (" + results[c.mask] + ") {");
    s.line("  const int at = first + int(within.n" + str(k) + ");");
    for (size_t v = 0; v < c.values.size(); v++) s.line("  " + kept_place(c.outputs[v]) + "[at] = " + results[c.values[v]] + ";");
    s.line("}");
  }
  if (along_)
    return function("void late(const Args& a, int64_t i, const Row& row, int p, const Local& before, const Local& after, Out& out)",
                    s.text());
  return function(
      "void late(const Args& a, int64_t i, const Row& row, int p, const Carry& before, const Carry& after, "
      "int first, const Local& within, Stage& stage, Kept& kept, Out& out, Sums& sums)",
      s.text());
}

std::string Emitter::finish() {
  Statements s("    ");
  if (kernel_.finish) {
    Environment environment{.site = &literals_.finish, .params = {}, .index = "0", .loaded = {}};
    for (uint32_t r = 0; r < kernel_.reductions.size(); r++) {
      std::vector<std::string> found = sum_members("sums", r);
      if (by_law_[r] && sums_under_extremes())
        found = s.call({.site = &literals_.reductions[r], .params = {reduction_identity(r, 0), found[0]}, .loaded = {}});
      environment.params.insert(environment.params.end(), found.begin(), found.end());
    }
    for (uint32_t c = 0; c < columns_; c++) environment.params.push_back(chained_ || small_ ? "total.c" + str(c) : "sums.total");
    for (size_t k = 0; k < kernel_.compactions.size(); k++) environment.params.push_back("total.n" + str(k));
    const std::vector<std::string> results = s.call(environment);
    signature_.scalars = uint32_t(results.size());
    for (size_t k = 0; k < results.size(); k++)
      s.line("a.results[" + str(k) + "] = bits_of<" + type_text((*kernel_.finish)[kernel_.finish->results[k]].type) + ">(" + results[k] +
             ");");
  }
  signature_.counts = uint32_t(kernel_.compactions.size());
  for (size_t k = 0; k < signature_.counts; k++) s.line("a.results[" + str(signature_.scalars + k) + "] = total.n" + str(k) + ";");
  signature_.law_flag = overflow_check() != OverflowCheck::None;
  if (signature_.law_flag) {
    std::string held = overflow_check() == OverflowCheck::Magnitude ? "law_holds(a.n, sums.total, sums.magnitude)" : "true";
    for (uint32_t r = 0; r < kernel_.reductions.size(); r++)
      if (by_law_[r] && overflow_check() == OverflowCheck::Extremes) held += " && law_holds(" + extremes("sums", r) + ")";
    s.line("a.results[" + str(signature_.scalars + signature_.counts) + "] = " + held + ";");
  }
  if (s.text().empty()) return {};
  s.line("announce(a.results);");
  return function(std::string("void finish(const Args& a, const Sums& sums") + (small_     ? ", const Local& total)"
                                                                                : chained_ ? ", const Carry& total)"
                                                                                           : ")"),
                  s.text());
}

}  // namespace wf::cuda
