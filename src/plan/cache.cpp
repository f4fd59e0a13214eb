// Plans kept for graphs of the same form: the same functions, lengths, types and edges over any data.
//
// A graph is written down as a list of numbers; functions stand in it by address, which is theirs alone since the entry keeps them
// alive. Functions that hold a user's memory (foreign ones) are not kept, and neither are large graphs.
#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "plan/plan.h"

namespace wf {
namespace {

constexpr size_t largest_graph = 96;  // vertices; a stretch of a long chain (eval/stretches.h) has up to 86
constexpr size_t entries = 128;

struct Entry {
  uint64_t hash = 0, used = 0;
  std::vector<uint64_t> key;
  std::vector<FnRef> functions;
  std::vector<std::shared_ptr<Step>> steps;
};

struct Cache {
  std::mutex mutex;
  std::array<Entry, entries> kept;
  uint64_t clock = 0;
};

Cache& cache() {
  static Cache* one = new Cache;  // never destroyed: threads may still plan while the process ends
  return *one;
}

uint64_t hash_of(const std::vector<uint64_t>& key) {
  uint64_t hash = 0x9e3779b97f4a7c15;
  for (uint64_t word : key) {
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return hash;
}

bool has_foreign(const Fn& fn) {
  if (!fn.foreigns.empty()) return true;
  return std::ranges::any_of(fn.loops, [](const Fn::LoopInfo& loop) { return has_foreign(*loop.body); });
}

// False where the graph is not to be kept.
bool write_down(const Plan& plan, const PlanOptions& options, std::vector<uint64_t>& key) {
  if (plan.vertices.size() > largest_graph) return false;
  key.reserve(12 * plan.vertices.size());
  key.push_back(options.law | options.alias << 1 | options.share << 2);
  for (const Vertex& v : plan.vertices) {
    bool inclusive = v.definition && v.definition->inclusive;
    key.push_back(uint64_t(v.kind) | uint64_t(v.manifest != nullptr) << 8 | uint64_t(v.scalar) << 9 | uint64_t(v.demanded) << 10 |
                  uint64_t(inclusive) << 11 | uint64_t(v.types.size()) << 16 | uint64_t(v.inputs.size()) << 32);
    for (Type t : v.types) key.push_back(uint64_t(t));
    key.push_back(uint64_t(v.length));
    key.push_back(v.domain);
    for (VertexId input : v.inputs) key.push_back(input);
    for (auto& [slot, count] : v.lengths) key.push_back(uint64_t(slot) << 32 | count);
    if (!v.definition) continue;
    key.push_back(reinterpret_cast<uintptr_t>(v.definition->fn.get()));
    key.insert(key.end(), v.definition->identity.begin(), v.definition->identity.end());
    if (v.definition->fn && has_foreign(*v.definition->fn)) return false;
  }
  return true;
}

}  // namespace

bool find_planned(Plan& plan, const PlanOptions& options, std::vector<uint64_t>& key) {
  if (!write_down(plan, options, key)) return key.clear(), false;
  uint64_t hash = hash_of(key);
  Cache& c = cache();
  std::lock_guard lock(c.mutex);
  for (Entry& entry : c.kept)
    if (entry.hash == hash && entry.key == key) {
      entry.used = ++c.clock;
      plan.steps = entry.steps;
      return true;
    }
  return false;
}

void keep_planned(const Plan& plan, std::vector<uint64_t> key) {
  static std::atomic<uint64_t> next_id{1};
  for (const auto& step : plan.steps) step->kernel.id = next_id.fetch_add(1, std::memory_order_relaxed);
  if (key.empty()) return;
  Entry entry;
  entry.hash = hash_of(key);
  entry.key = std::move(key);
  entry.steps = plan.steps;
  for (const Vertex& v : plan.vertices)
    if (v.definition && v.definition->fn) entry.functions.push_back(v.definition->fn);
  Cache& c = cache();
  std::lock_guard lock(c.mutex);
  entry.used = ++c.clock;
  std::swap(*std::ranges::min_element(c.kept, {}, &Entry::used), entry);  // what it held before dies outside of the lock
}

}  // namespace wf
