// Plans kept for graphs of the same form: the same functions, lengths, types and edges over any data.
//
// The key of a graph is a list of numbers. A function is represented by its address, which is unique since the entry keeps the function
// alive. If no plan is found, each function is replaced by one of equal structure that was planned before: primitives that are composed of
// others make their functions anew at each call. Graphs with foreign functions, which may own memory of the user, are not kept, and neither
// are large graphs.
//
// Programs whose lengths change at each step, such as those over the diagonals of a matrix, would plan each step. So a form that returns with
// other lengths is planned once for all lengths: nothing is proven by a length, and kernels read it where they need it. Its steps are copied
// with the lengths of the graph.
#include <algorithm>
#include <atomic>

#include "expr/recent.h"
#include "plan/plan.h"

namespace wf {
namespace {

constexpr size_t most_plans = 128, most_functions = 1024;

struct Planned {
  Few<std::shared_ptr<Step>> steps;
  std::vector<FnRef> functions;  // alive, so that no other function gets their addresses
};

using Cache = Recent<std::vector<uint64_t>, std::shared_ptr<const Planned>>;

// A graph's form without its lengths.
struct PlannedForm {
  enum Use : uint8_t { once, for_all_lengths, never } use;  // never: the steps need the lengths
  std::shared_ptr<const Planned> planned;
  std::vector<int64_t> lengths;  // the distinct lengths of the graph that was planned
};
using Forms = Recent<std::vector<uint64_t>, PlannedForm>;

Cache& cache() {
  static Cache* one = new Cache(most_plans);  // never destroyed: threads may still plan while the process ends
  return *one;
}

Forms& forms() {
  static Forms* one = new Forms(most_plans);
  return *one;
}

// A function as the key of a table: equal to those of the same terms and literals.
struct Structure {
  FnRef fn;
  bool operator==(const Structure& other) const { return same_structure(*fn, *other.fn, true); }
};

// The first planned function of this structure.
FnRef first_of_structure(const FnRef& fn) {
  static auto* known = new Recent<Structure, FnRef>(most_functions);
  const uint64_t hash = structure_hash(*fn, true);
  if (auto first = known->find(hash, Structure{fn})) return *std::move(first);
  known->keep(hash, {fn}, fn);
  return fn;
}

uint64_t hash_of(const std::vector<uint64_t>& key) {
  uint64_t hash = key.size();
  for (size_t k = 0; k < key.size(); k += 2) hash = mix(hash ^ key[k], k + 1 < key.size() ? key[k + 1] : 0);
  return hash;
}

// The most numbers of the key of a vertex.
size_t words_of(const GraphVertex& v) {
  constexpr size_t always = 6, axis = 2;
  const size_t of_definition = v.definition ? v.definition->identity.size() + v.definition->arguments.size() + axis : 0;
  return always + v.types.size() + v.inputs.size() + v.lengths.size() + of_definition;
}

// Returns false if the graph is not to be kept. number_of(function) represents a function.
template <class Number> bool write_down(const Graph& graph, const PlanOptions& options, PlanKey& whole, const Number& number_of) {
  std::vector<uint64_t>& key = whole.words;
  key.clear(), whole.lengths.clear();
  if (graph.vertices.size() > largest_kept_graph) return false;
  size_t words = 2;
  for (const GraphVertex& v : graph.vertices) words += words_of(v);
  key.resize(words);
  uint64_t* next = key.data();
  *next = 0;
#define OPTIONAL(name, fact) *next = *next << 1 | options.name;
#include "plan/passes.def"
  *next = *next << 2 | uint64_t(options.columns) << 1 | uint64_t(options.identities);
  *next = *next << 16 | uint64_t(options.shortest_row);
  next++;
  *next++ = reinterpret_cast<uintptr_t>(options.shares_neighbours);
  for (const GraphVertex& v : graph.vertices) {
    const Definition* const definition = v.definition.get();
    const bool inclusive = definition && definition->inclusive, is_view = definition && definition->view;
    const size_t n_types = v.types.size(), n_inputs = v.inputs.size();
    *next++ = uint64_t(v.kind) | uint64_t(v.manifest != nullptr) << 8 | uint64_t(v.scalar) << 9 | uint64_t(v.demanded) << 10 |
              uint64_t(inclusive) << 11 | uint64_t(v.optional) << 12 | uint64_t(is_view) << 13 | uint64_t(v.again) << 14 |
              uint64_t(v.held) << 15 | uint64_t(n_types) << 16 | uint64_t(n_inputs) << 32;
    for (Type t : v.types) *next++ = uint64_t(t);
    whole.lengths.push_back(size_t(next - key.data()));
    *next++ = uint64_t(v.length);
    // The domain and the inputs, two to a number.
    uint64_t half = v.domain;
    for (size_t k = 0; k < n_inputs; k++) {
      if (k % 2) half = v.inputs[k];
      else *next++ = half << 32 | v.inputs[k];
    }
    if (n_inputs % 2 == 0) *next++ = half;
    for (auto& [slot, count] : v.lengths) *next++ = uint64_t(slot) << 32 | count;
    if (!definition) continue;
    if (definition->fn && has_foreign(*definition->fn)) return false;
    *next++ = number_of(definition->fn);
    *next++ = definition->viewed;
    for (Bits64 bits : definition->arguments) *next++ = size_class(bits);
    if (v.kind == NodeKind::Call) {
      const Routine& routine = definition->routine;
      *next++ = uint64_t(routine.kind) | uint64_t(routine.descending) << 8 | uint64_t(routine.checks) << 9 |
                uint64_t(routine.lacks_end) << 10 | uint64_t(routine.replaces) << 11 | uint64_t(routine.keys) << 16;
    }
    for (Bits64 bits : definition->identity) *next++ = bits;
    if (v.kind == NodeKind::Scan) *next++ = uint64_t(definition->axis.length), *next++ = uint64_t(definition->axis.inner);
  }
  key.resize(size_t(next - key.data()));
  return true;
}

bool divides(const Fn& fn) {
  return std::ranges::any_of(
      fn.terms, [](const Term& t) { return t.kind == Kind::Apply && (t.op == Op::div_ || t.op == Op::rem_) && t.type == Type::I64; });
}

// Returns true if the plan of the vertex may serve all lengths. Folds are computed in ways that depend on lengths, and digits of indices are
// simplified by them.
bool may_serve_all_lengths(const GraphVertex& v) {
  if (v.manifest || !v.definition) return true;
  const Definition& d = *v.definition;
  if (v.kind == NodeKind::Call || v.kind == NodeKind::Parameter || d.view || d.axis.exists()) return false;
  return !d.fn || (!has_folds(*d.fn) && !divides(*d.fn));
}

// The distinct lengths of at least 2, in the order of the vertices. They become their numbers in `words`.
std::vector<int64_t> take_lengths(std::vector<uint64_t>& words, const std::vector<size_t>& positions) {
  constexpr uint64_t is_number = uint64_t(1) << 63;
  std::vector<int64_t> lengths;
  for (size_t at : positions) {
    const auto length = int64_t(words[at]);
    if (length < 2) continue;
    const auto known = std::ranges::find(lengths, length);
    words[at] = is_number | uint64_t(known - lengths.begin());
    if (known == lengths.end()) lengths.push_back(length);
  }
  return lengths;
}

// Copies of the steps with the lengths of the graph.
Few<std::shared_ptr<Step>> for_lengths(const PlannedForm& form, const Graph& graph, const std::vector<int64_t>& lengths) {
  Few<std::shared_ptr<Step>> steps;
  for (const std::shared_ptr<Step>& planned : form.planned->steps) {
    auto step = std::make_shared<Step>(*planned);
    const auto number = std::ranges::find(form.lengths, step->domain.n) - form.lengths.begin();
    if (size_t(number) < lengths.size()) step->domain.n = lengths[size_t(number)];
    for (size_t k = 0; k < step->sources.size(); k++) step->lengths[k] = graph.vertices[step->sources[k].vertex].length;
    steps.push_back(std::move(step));
  }
  return steps;
}

// Looks for steps that serve all lengths. Notes whether the form was planned before.
bool find_form(Graph& graph, const PlanOptions& options, PlanKey& key) {
  key.form.clear(), key.is_recurring = false;
  if (options.given || options.shares_neighbours || !std::ranges::all_of(graph.vertices, may_serve_all_lengths)) return false;
  key.form = key.words;
  const std::vector<int64_t> lengths = take_lengths(key.form, key.lengths);
  const auto known = forms().find(hash_of(key.form), key.form);
  key.is_recurring = known && known->use == PlannedForm::once;
  if (known && known->use == PlannedForm::never) key.form.clear();
  if (!known || known->use != PlannedForm::for_all_lengths) return false;
  graph.steps = for_lengths(*known, graph, lengths);
  return true;
}

}  // namespace

bool find_planned(Graph& graph, const PlanOptions& options, PlanKey& key) {
  auto found = [&] {
    const auto known = cache().find(hash_of(key.words), key.words);
    if (known) graph.steps = (*known)->steps;
    return known.has_value();
  };
  key.functions.clear();
  key.form.clear(), key.is_recurring = false;
  auto address = [](const FnRef& fn) { return reinterpret_cast<uintptr_t>(fn.get()); };
  if (!write_down(graph, options, key, address)) return key.words.clear(), false;
  if (found() || find_form(graph, options, key)) return true;
  write_down(graph, options, key, [&](const FnRef& fn) {
    if (!fn) return uintptr_t(0);
    key.functions.push_back(first_of_structure(fn));
    return address(key.functions.back());
  });
  return found() || find_form(graph, options, key);
}

void keep_planned(Graph& graph, PlanKey& key, bool for_all_lengths) {
  static std::atomic<uint64_t> next_id{1};
  for (const auto& step : graph.steps) step->kernel.id = next_id.fetch_add(1, std::memory_order_relaxed);
  if (key.words.empty()) return;
  auto planned = std::make_shared<Planned>(Planned{graph.steps, std::exchange(key.functions, {})});
  if (!key.form.empty()) {
    const auto use = for_all_lengths ? PlannedForm::for_all_lengths : key.is_recurring ? PlannedForm::never : PlannedForm::once;
    std::vector<uint64_t> words = key.words;
    forms().keep(hash_of(key.form), key.form, {use, planned, take_lengths(words, key.lengths)});
  }
  if (!for_all_lengths) cache().keep(hash_of(key.words), key.words, std::move(planned));
}

}  // namespace wf
