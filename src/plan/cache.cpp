// Plans kept for graphs of the same form: the same functions, lengths, types and edges over any data.
//
// The key of a graph is a list of numbers. A function is represented by its address, which is unique since the entry keeps the function
// alive. If no plan is found, each function is replaced by one of equal structure that was planned before: primitives that are composed of
// others make their functions anew at each call. Graphs with foreign functions, which may own memory of the user, are not kept, and neither
// are large graphs.
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

Cache& cache() {
  static Cache* one = new Cache(most_plans);  // never destroyed: threads may still plan while the process ends
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
  return always + v.types.size() + v.inputs.size() + v.lengths.size() + (v.definition ? v.definition->identity.size() + axis : 0);
}

// Returns false if the graph is not to be kept. number_of(function) represents a function.
template <class Number>
bool write_down(const Graph& graph, const PlanOptions& options, std::vector<uint64_t>& key, const Number& number_of) {
  key.clear();
  if (graph.vertices.size() > largest_kept_graph) return false;
  size_t words = 2;
  for (const GraphVertex& v : graph.vertices) words += words_of(v);
  key.resize(words);
  uint64_t* next = key.data();
  *next++ = options.law | options.alias << 1 | options.share << 2 | options.apart << 3 | options.rows << 4 | options.scatters << 5 |
            options.segments << 6 | options.one_values << 7 | options.select << 8;
  *next++ = reinterpret_cast<uintptr_t>(options.shares_neighbours);
  for (const GraphVertex& v : graph.vertices) {
    const Definition* const definition = v.definition.get();
    const bool inclusive = definition && definition->inclusive, is_view = definition && definition->view;
    const size_t n_types = v.types.size(), n_inputs = v.inputs.size();
    *next++ = uint64_t(v.kind) | uint64_t(v.manifest != nullptr) << 8 | uint64_t(v.scalar) << 9 | uint64_t(v.demanded) << 10 |
              uint64_t(inclusive) << 11 | uint64_t(v.optional) << 12 | uint64_t(is_view) << 13 | uint64_t(v.again) << 14 |
              uint64_t(n_types) << 16 | uint64_t(n_inputs) << 32;
    for (Type t : v.types) *next++ = uint64_t(t);
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
    if (v.kind == NodeKind::Call) {
      const Routine& routine = definition->routine;
      *next++ = uint64_t(routine.kind) | uint64_t(routine.descending) << 8 | uint64_t(routine.checks) << 9 |
                uint64_t(routine.lacks_end) << 10 | uint64_t(routine.keys) << 16;
    }
    for (Bits64 bits : definition->identity) *next++ = bits;
    if (v.kind == NodeKind::Scan) *next++ = uint64_t(definition->axis.length), *next++ = uint64_t(definition->axis.inner);
  }
  key.resize(size_t(next - key.data()));
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
  auto address = [](const FnRef& fn) { return reinterpret_cast<uintptr_t>(fn.get()); };
  if (!write_down(graph, options, key.words, address)) return key.words.clear(), false;
  if (found()) return true;
  write_down(graph, options, key.words, [&](const FnRef& fn) {
    if (!fn) return uintptr_t(0);
    key.functions.push_back(first_of_structure(fn));
    return address(key.functions.back());
  });
  return found();
}

void keep_planned(const Graph& graph, PlanKey& key) {
  static std::atomic<uint64_t> next_id{1};
  for (const auto& step : graph.steps) step->kernel.id = next_id.fetch_add(1, std::memory_order_relaxed);
  if (key.words.empty()) return;
  auto planned = std::make_shared<Planned>(Planned{graph.steps, std::exchange(key.functions, {})});
  cache().keep(hash_of(key.words), key.words, std::move(planned));
}

}  // namespace wf
