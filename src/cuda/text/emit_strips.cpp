#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "cuda/strip.h"
#include "cuda/text/emitter.h"
#include "cuda/window.h"
#include "expr/terms.h"

namespace wf::cuda {
namespace {

// Returns the terms that the results need, without the indices of loaded elements.
std::vector<bool> needed_with(const Fn& fn, const std::vector<std::string>& loaded) {
  std::vector<bool> needed(fn.terms.size());
  for (Id id : fn.results) needed[id] = true;
  for (Id id = Id(fn.terms.size()); id-- > 0;)
    if (needed[id] && loaded[id].empty())
      for (Id x : fn.args(id)) needed[x] = true;
  return needed;
}

// Returns true for a term of a batch. Sets its divisor.
bool is_batched(const Fn& fn, const Term& t, Id& divisor) {
  if (t.type != Type::F32) return false;
  divisor = is_op(t, Op::div_) ? fn.args(t)[1] : no_id;
  return is_op(t, Op::sqrt_) || (divisor != no_id && is_literal(fn[divisor]));
}

// The needed terms by stages: a term is one stage after the batches of which it uses results.
std::vector<Stage> stages_of(const Fn& fn, const std::vector<bool>& needed, const std::vector<std::string>& loaded) {
  std::vector<size_t> stage_of(fn.terms.size());
  std::vector<Stage> stages(1);
  for (Id id = 0; id < fn.terms.size(); id++) {
    if (!needed[id]) continue;
    Id divisor = no_id;
    const bool is_loaded = !loaded[id].empty(), in_batch = !is_loaded && is_batched(fn, fn[id], divisor);
    size_t stage = 0;
    for (Id x : is_loaded ? std::span<const Id>() : fn.args(id)) stage = std::max(stage, stage_of[x]);
    stages.resize(std::max(stages.size(), stage + 2));
    stage_of[id] = stage + (in_batch ? 1 : 0);
    if (!in_batch) {
      stages[stage].terms.push_back(id);
      continue;
    }
    std::vector<Batch>& batches = stages[stage].batches;
    auto batch = std::ranges::find(batches, divisor, &Batch::divisor);
    if (batch == batches.end()) batch = batches.insert(batch, {divisor, {}});
    batch->terms.push_back(id);
  }
  return stages;
}

}  // namespace

// Literals of other types than the indices' are those of the body, and so are their arguments.
Site Emitter::site_of_part(const Fn& part) const {
  Site site = site_in_text(part);
  for (Id id = 0; id < part.terms.size(); id++)
    for (Id own = 0; own < body_.terms.size(); own++)
      if (is_literal(part[id]) && is_literal(body_[own]) && part[id].type == body_[own].type && part[id].bits == body_[own].bits)
        site.literal_of[id] = literals_.body.literal_of[own];
  return site;
}

// The element in column x and row y, anywhere.
std::string Emitter::visit_element() const {
  const FnRef element = body_of_pack(body_, form_.window->width, 1, {0, form_.window->width - 1}, {0, INT32_MAX});
  const Site site = site_of_part(*element);
  const std::vector<bool> in_range(element->terms.size(), true);
  Statements s("    ");
  const std::vector<std::string> results =
      s.call({.site = &site, .params = {"x", "y"}, .loaded = {}, .in_range = &in_range, .is_narrow = true});
  for (const Store& store : kernel_.stores)
    s.line("a.out" + str(store.output) + "[int64_t(y) * width + x] = " + results[store.value] + ";");
  return function("void visit_element(const Args& a, int32_t x, int32_t y)", s.text());
}

// Loads the elements that all steps of all strips read, such as the weights of a convolution. Adds the expression of each read.
void Emitter::load_fixed(const Fn& step, std::string& members, Statements& loads, std::vector<std::string>& elements) const {
  const std::vector<Plane> all = planes(step);
  for (Id id = 0; id < step.terms.size(); id++) {
    const Term& t = step[id];
    if (t.kind != Kind::At) continue;
    const Plane& plane = all[step.args(t)[0]];
    if (!plane.known || plane.x != 0 || plane.y != 0) continue;
    const std::string name = "f" + str(id);
    members += "    " + type_text(t.type) + " " + name + ";\n";
    loads.line("fixed." + name + " = load(a.in" + str(t.slot) + " + " + std::to_string(plane.constant) + ");");
    elements[id] = "fixed." + name;
  }
}

// Loads the words of the inputs' rows that a step reads. Adds the expression of each read.
void Emitter::load_row(const Fn& step, std::string& members, Statements& loads, Statements& prefetches,
                       std::vector<std::string>& elements) const {
  const std::vector<Plane> all = planes(step);
  std::map<std::tuple<uint32_t, int64_t, int64_t>, std::string> bases;           // by input and factors
  std::map<std::tuple<uint32_t, int64_t, int64_t, int64_t>, std::string> words;  // and the first element
  for (Id id = 0; id < step.terms.size(); id++) {
    const Term& t = step[id];
    if (t.kind != Kind::At) continue;
    const Plane& plane = all[step.args(t)[0]];
    if (plane.y == 0) continue;
    const std::string type = type_text(t.type);
    std::string& base = bases[{t.slot, plane.x, plane.y}];
    if (base.empty()) {
      base = "row" + str(bases.size());
      const std::string address = "a.in" + str(t.slot) + " + (y * " + std::to_string(plane.y) + " + x * " + std::to_string(plane.x) + ")";
      loads.line("const " + type + "* const " + base + " = " + address + ";");
      prefetches.line("prefetch(" + address + ");");
    }
    const int64_t length = std::min<int64_t>(form_.window->alignment, int64_t(16 / size_of(t.type)));
    const int64_t place = plane.constant & (length - 1), first = plane.constant - place;
    std::string& word = words[{t.slot, plane.x, plane.y, first}];
    if (word.empty()) {
      word = "w" + str(words.size());
      members += "    Pack<" + type + ", " + str(uint64_t(length)) + "> " + word + ";\n";
      loads.line("load_pack(" + base + " + " + std::to_string(first) + ", row." + word + ");");
    }
    elements[id] = "row." + word + ".at[" + str(uint64_t(place)) + "]";
  }
}

// Prepares the divisors of batches.
void Emitter::prepare_divisors(const Site& site, const std::vector<Stage>& stages, std::string& members, Statements& loads) const {
  std::set<Id> all;
  for (const Stage& stage : stages)
    for (const Batch& batch : stage.batches)
      if (batch.divisor != no_id && all.insert(batch.divisor).second) {
        members += "    Divisor d" + str(batch.divisor) + ";\n";
        loads.line("fixed.d" + str(batch.divisor) + " = divisor_of(" +
                   Statements::leaf({.site = &site, .params = {}, .loaded = {}}, batch.divisor) + ");");
      }
}

// The step of a strip from column x on, whose newest row is y.
std::string Emitter::visit_strips() {
  const Window& window = *form_.window;
  const Strip strip = *strip_of(*body_of_strip(body_, window, window.pack));
  const Fn& step = *strip.step;
  Statements row_loads("    "), row_prefetches("    "), fixed_loads("    "), s("    ");
  std::string row, fixed, kept;
  std::vector<std::string> elements(step.terms.size());
  load_row(step, row, row_loads, row_prefetches, elements);
  load_fixed(step, fixed, fixed_loads, elements);
  const std::vector<bool> needed = needed_with(step, elements), in_range(step.terms.size(), true);
  const Site site = site_of_part(step);
  const std::vector<Stage> stages = stages_of(step, needed, elements);
  Environment environment{.site = &site, .params = {"x", "y"}, .loaded = {}, .in_range = &in_range, .is_narrow = true, .stages = &stages};
  environment.divisor = [](Id literal) { return "fixed.d" + str(literal); };
  prepare_divisors(site, stages, fixed, fixed_loads);
  for (size_t k = 2; k < step.params.size(); k++) {
    kept += "    " + type_text(step.params[k].type) + " k" + str(k) + " = 0;\n";
    environment.params.push_back("kept.k" + str(k));
  }
  environment.loaded = [&](Id id) { return elements[id]; };
  const std::vector<std::string> results = s.call(environment);
  const auto number_of = [&](const char* prefix) {
    return size_t(std::ranges::count_if(elements, [&](const std::string& e) { return e.starts_with(prefix); }));
  };
  strip_values_ = step.params.size() - 2 + number_of("row.") * size_t(window.together) + number_of("fixed.");
  const size_t columns = body_.results.size(), outputs = columns * size_t(window.pack);
  const std::string aligned = str(uint64_t(std::gcd(window.pack, window.width)));
  s.line("if (stores) {");
  s.line("  const int64_t i = int64_t(y - lag) * width + x;");
  for (const Store& store : kernel_.stores) {
    std::string values;
    for (size_t p = 0; p < size_t(window.pack); p++) values += (p == 0 ? "" : ", ") + results[p * columns + store.value];
    const std::string type = type_text(kernel_.outputs[store.output]), name = "o" + str(store.output);
    s.line("  const " + type + " " + name + "[pack] = {" + values + "};");
    s.line("  store_row<" + aligned + ", pack>(a.out" + str(store.output) + " + i, " + name + ");");
  }
  s.line("}");
  for (size_t k = 2; k < step.params.size(); k++)
    s.line("const " + type_text(step.params[k].type) + " next" + str(k) + " = " + results[outputs + k - 2] + ";");
  for (size_t k = 2; k < step.params.size(); k++) s.line("kept.k" + str(k) + " = next" + str(k) + ";");
  return "  static constexpr int lag = " + std::to_string(strip.lag) + ", depth = " + std::to_string(strip.depth) + ";\n" +
         "  struct Fixed {\n" + fixed + "  };\n  struct Row {\n" + row + "  };\n  struct Kept {\n" + kept + "  };\n" +
         function("void load_fixed(const Args& a, Fixed& fixed)", fixed_loads.text()) +
         function("void load_row(const Args& a, int32_t x, int32_t y, Row& row)", row_loads.text()) +
         function("void prefetch_row(const Args& a, int32_t x, int32_t y)", row_prefetches.text()) +
         function("void step(const Args& a, int32_t x, int32_t y, const Fixed& fixed, const Row& row, Kept& kept, bool stores)", s.text());
}

}  // namespace wf::cuda
