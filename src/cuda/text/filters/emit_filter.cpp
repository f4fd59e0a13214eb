#include "cuda/text/emitter.h"
#include "cuda/text/filters/filter_form.h"
#include "expr/terms.h"

namespace wf::cuda {

// A Row is a window of each group of reads.
std::string Emitter::windows() const {
  std::string members;
  Statements fetch("    ");
  for (size_t g = 0; g < form_.filter->reads.size(); g++) {
    const FilterForm::Reads& reads = form_.filter->reads[g];
    const std::string window = "w" + str(g);
    members += "    Window<" + type_text(kernel_.inputs[reads.slot].type) + ", pack, " + str(uint64_t(reads.packed - reads.first)) + ", " +
               str(uint64_t(reads.last - reads.packed)) + "> " + window + ";\n";
    fetch.line(std::string("fetch_window<") + (reads.is_aligned() ? "true" : "false") + ">(a.in" + str(reads.slot) + " + (i + " +
               literal_text(Type::I64, to_bits(reads.packed)) + "), row." + window + ");");
  }
  if (members.empty()) return {};
  return "  struct Row {\n" + members + "  };\n" + function("void fetch(const Args& a, int64_t i, Row& row)", fetch.text());
}

// Returns the element of a window that the mask reads, or the value of a comparison that is decided, or an empty string.
std::string Emitter::known_inside(Id id) const {
  for (const FilterForm::Decided& d : form_.filter->decided)
    if (d.term == id) return d.value ? "true" : "false";
  const Term& at = body_[id];
  if (at.kind != Kind::At) return {};
  const Affine index = index_of_read(body_, at);
  if (index.sign <= 0) return {};
  for (size_t g = 0; g < form_.filter->reads.size(); g++) {
    const FilterForm::Reads& reads = form_.filter->reads[g];
    if (reads.slot == at.slot && reads.first <= index.offset && index.offset <= reads.last)
      return "row.w" + str(g) + ".all[p + " + str(uint64_t(index.offset - reads.first)) + "]";
  }
  return {};
}

std::string Emitter::inner_range() const {
  Statements s("    ");
  s.line("IndexRange r{0, a.n - 1};");
  const auto limit = [&](bool is_lowest, const std::string& bound) {
    const std::string end = is_lowest ? "r.low" : "r.high";
    s.line("if (" + bound + (is_lowest ? " > " : " < ") + end + ") " + end + " = " + bound + ";");
  };
  const auto number = [](int64_t x) { return literal_text(Type::I64, to_bits(x)); };
  for (const FilterForm::Reads& reads : form_.filter->reads) {
    limit(true, number(reads.margin - reads.first));
    limit(false, "a.length" + str(reads.slot) + " - 1 - " + number(reads.last + reads.margin));
  }
  for (const FilterForm::Decided& d : form_.filter->decided) {
    const Term& bound = body_[d.bound];
    const uint32_t argument = literals_.body.literal_of[d.bound];
    const std::string text = bound.kind == Kind::Length  ? "a.length" + str(bound.slot)
                             : argument == Site::in_text ? literal_text(Type::I64, bound.bits)
                                                         : literal(argument);
    limit(d.is_lowest, text + " + " + number(d.distance));
    if (body_[d.term].kind == Kind::Check) limit(true, number(d.distance + 1));
  }
  s.line("return r;");
  return function("IndexRange inner(const Args& a)", s.text());
}

// Writes the mask of an element inside and at an edge, and the store of a kept element.
std::string Emitter::filter_functions() const {
  const Compact& c = kernel_.compactions[0];
  const Id mask = body_.results[c.mask];
  const std::vector<bool> of_mask = needed_for(body_, {&mask, 1});
  std::vector<bool> in_range(body_.terms.size());
  for (Id id = 0; id < body_.terms.size(); id++)
    in_range[id] = body_[id].kind == Kind::Check && affine(body_, body_.args(body_[id])[0]).sign > 0;
  Environment environment{.site = &literals_.body, .params = {"i"}, .index = "i", .loaded = {}, .needed = &of_mask};
  Statements edge("    "), inside("    "), keep("    ");
  edge.line("return " + edge.call(environment)[c.mask] + ";");
  environment.loaded = [this](Id id) { return known_inside(id); };
  environment.in_range = &in_range;
  inside.line("return " + inside.call(environment)[c.mask] + ";");
  std::vector<Id> ids;
  for (uint32_t value : c.values) ids.push_back(body_.results[value]);
  const std::vector<bool> of_values = needed_for(body_, ids);
  for (Id id = 0; id < body_.terms.size(); id++) in_range[id] = body_[id].kind == Kind::Check && of_mask[id];  // the mask has checked them
  environment.needed = &of_values;
  environment.loaded = [mask](Id id) { return std::string(id == mask ? "true" : ""); };
  const std::vector<std::string> values = keep.call(environment);
  for (size_t v = 0; v < c.values.size(); v++) keep.line("a.out" + str(c.outputs[v]) + "[to] = " + values[c.values[v]] + ";");
  return function("bool is_kept(const Args& a, int64_t i, const Row& row, int p)", inside.text()) +
         function("bool is_kept_at_edge(const Args& a, int64_t i)", edge.text()) +
         function("void keep(const Args& a, int64_t i, int64_t to)", keep.text());
}

}  // namespace wf::cuda
