#include "properties/program.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace properties {

using oracle::Value;

namespace {

template <class T> std::vector<const Value*> values_of(const std::vector<const T*>& entries) {
  std::vector<const Value*> values;
  for (const T* entry : entries) values.push_back(entry->value.get());
  return values;
}

template <class T> graph::Nodes nodes_of(const std::vector<const T*>& entries) {
  graph::Nodes nodes;
  for (const T* entry : entries) nodes.push_back(entry->node);
  return nodes;
}

template <class T> std::string names_of(const std::vector<const T*>& entries) {
  std::string text;
  for (const T* entry : entries) text += " " + entry->name;
  return text;
}

template <class T> std::vector<Captured> captured(const std::vector<const T*>& entries) {
  std::vector<Captured> captures;
  for (const T* entry : entries) captures.push_back({entry->value->types, entry->value->length});
  return captures;
}

bool beside(const wf::Node& a, const wf::Node& b) {
  if (a.length() < 0 || b.length() < 0) return a.domain() == b.domain();
  return a.shape() == b.shape();
}

// A graph this small is also evaluated as a graph by the oracle, which distinguishes a fault of the nodes from one of the engine.
constexpr int64_t small = 100;

}  // namespace

// The actions; more frequent ones are repeated.
static constexpr std::string_view actions = "mmmmmmmmttvvvvffffrrrppplacznkkoow!!!!hhsdgguuqiee";
static char action_of(const Step& step) { return actions[step.action % actions.size()]; }

Step Program::stack_on_last(uint32_t seed) { return {uint8_t(actions.find('k')), 0, 0, 0, seed}; }

std::string Program::run(const std::vector<Step>& steps) {
  daring_ = Random(steps.empty() ? 0 : steps[0].seed).once_in(2);
  for (const Step& step : steps) {
    if (!wrong_.empty()) break;
    if (entries_.empty()) {
      Random random(step.seed);
      make_source(random);
    } else {
      try {
        take(step);
      } catch (const wf::ArgumentError& error) {
        const bool reads_length = is_traced_ && std::string_view(error.what()).find("parameter of a program") != std::string_view::npos;
        if (!reads_length) wrong_ = std::string("step ") + action_of(step) + " throws: " + error.what();
      } catch (const std::exception& error) { wrong_ = std::string("step ") + action_of(step) + " throws: " + error.what(); }
    }
  }
  std::vector<const Entry*> rest;
  for (const Entry& entry : entries_) rest.push_back(&entry);
  if (wrong_.empty() && !rest.empty()) is_traced_ ? run_traced(rest) : force(rest);
  for (const Entry* entry : rest)
    if (wrong_.empty() && entry->value->has_fault()) is_traced_ ? run_traced({entry}) : force({entry});
  return wrong_.empty() ? "" : text_ + wrong_;
}

void Program::take(const Step& step) {
  Random random(step.seed);
  switch (action_of(step)) {
    case 's': return make_source(random);
    case 't': return make_tabulate(step, random);
    case 'm': return make_map(step, random);
    case 'z': return make_zip(step);
    case 'c': return make_columns(step, random);
    case 'r': return make_reduce(step, random);
    case 'p': return make_scan(step, random);
    case 'f': return make_filter(step, random);
    case 'n': return make_length(step);
    case 'v': return make_view(step, random);
    case 'a': return make_append(step);
    case 'o': return make_sort(step, random);
    case 'w': return make_scatter(step, random);
    case 'g': return make_segments(step, random);
    case 'u': return make_runs(step, random);
    case 'q': return make_sets(step, random);
    case 'i': return make_iteration(step, random);
    case 'e': return make_elements_of_rows(step, random);
    case 'l': return make_law(step, random);
    case 'k': return make_stack(step, random);
    case 'h': return take_other_handle(step, random);
    case '!': return force_some(step, random);
    case 'd':
      text_ += "drop " + pick(step.first).name + "\n";
      if (std::ranges::find(parameters_, pick(step.first).node) == parameters_.end()) graphs_.forget(pick(step.first).node);
      entries_.erase(entries_.end() - 1 - step.first % entries_.size());
  }
}

void Program::add(const std::string& how, wf::NodeRef node, Value value) {
  entries_.push_back({"s" + std::to_string(names_++), std::move(node), std::make_shared<Value>(std::move(value))});
  const Entry& entry = entries_.back();
  text_ += entry.name + " = " + how + "    ; length " + std::to_string(entry.value->length) + "\n";
  if (entry.value->length <= small && entry.node->length() <= small) {
    const std::string fault = oracle::difference(*entry.value, *graphs_.value(entry.node));
    graphs_.remember(entry.node, entry.value);
    if (!fault.empty()) wrong_ = "the graph of " + entry.name + " means something else: " + fault;
  }
}

const Program::Entry* Program::pick_vector(uint8_t which) const {
  for (size_t k = 0; k < entries_.size(); k++)
    if (const Entry& entry = pick(uint8_t(which + k)); entry.node->rank() == 1) return &entry;
  return nullptr;
}

const Program::Entry& Program::pick_beside(const Entry& entry, uint8_t which) const {
  for (size_t k = 0; k < entries_.size(); k++)
    if (const Entry& other = pick(uint8_t(which + k)); beside(*entry.node, *other.node)) return other;
  return entry;
}

std::vector<const Program::Entry*> Program::random_captures(Random& random) const {
  std::vector<const Entry*> captures;
  if (!entries_.empty() && (daring_ || random.once_in(2)))
    for (uint32_t k = 0; k <= random.below(2); k++) captures.push_back(&pick(uint8_t(random.bits())));
  return captures;
}

bool Program::know_length(const Entry& entry) {
  if (entry.node->length() >= 0) return true;
  if (is_traced_) return false;
  text_ += "length of " + entry.name + "\n";
  try {
    const int64_t n = wf::forced_length(entry.node);
    if (entry.value->length_fault) wrong_ = "it is no error";
    else if (n != entry.value->length)
      wrong_ = "it is " + std::to_string(n) + " where " + std::to_string(entry.value->length) + " is right";
    return !entry.value->length_fault;
  } catch (const wf::RangeError& error) {
    if (!entry.value->may_fail) wrong_ = std::string("it is an error: ") + error.what();
    return false;
  }
}

int64_t Program::random_length(Random& random) const {
  if (entries_.empty() || random.once_in(2)) return n_;
  const Entry& entry = pick(uint8_t(random.bits()));
  return entry.node->rank() == 1 ? entry.value->length : n_;
}

// ---- the steps ---------------------------------------------------------------------------------------------------------

void Program::make_source(Random& random) {
  const int64_t n = random.once_in(6) ? random.below(70) : n_;
  Value value(random_types(random, 2), n);
  for (size_t k = 0; k < value.columns.size(); k++)
    for (auto& x : value.columns[k]) x = random_value(random, value.types[k]);
  auto node = graph::source(value);
  if (is_traced_) {
    arguments_.push_back(node);
    node = wf::parameter(graph::context(), wf::Shape::vector(n), value.types);
    parameters_.push_back(node);
    graphs_.remember(node, std::make_shared<Value>(value));
  }
  add("source", node, std::move(value));
}

void Program::make_tabulate(const Step& step, Random& random) {
  const auto captures = random_captures(random);
  const int64_t n = random_length(random);
  const std::string f = FunctionMaker(step.seed, step.size, {Type::I64}, captured(captures), n, daring_).make(random_types(random, 2));
  const auto closure = graph::fn(f, nodes_of(captures));
  add("tabulate " + f + " captures" + names_of(captures), wf::tabulate(graph::context(), closure, n),
      oracle::tabulate(*closure.fn, values_of(captures), n));
}

void Program::make_map(const Step& step, Random& random) {
  const Entry* vector = pick_vector(step.first);
  std::vector<const Entry*> sequences{vector && !random.once_in(5) ? vector : &pick(step.first)};
  if (random.once_in(2)) sequences.push_back(&pick_beside(*sequences[0], step.second));
  std::vector<Type> params;
  for (const Entry* s : sequences) params.insert(params.end(), s->value->types.begin(), s->value->types.end());
  const auto captures = random_captures(random);
  const std::string f = FunctionMaker(step.seed, step.size, params, captured(captures), -1, daring_).make(random_types(random, 3));
  const auto closure = graph::fn(f, nodes_of(captures));
  add("map " + f + names_of(sequences) + " captures" + names_of(captures), wf::map(closure, nodes_of(sequences)),
      oracle::map(*closure.fn, values_of(captures), values_of(sequences)));
}

void Program::make_filter(const Step& step, Random& random) {
  const Entry* s = pick_vector(step.first);
  if (!s) return;
  const auto captures = random_captures(random);
  const std::string f = FunctionMaker(step.seed, step.size, s->value->types, captured(captures), -1, daring_).make({Type::Bool});
  const auto closure = graph::fn(f, nodes_of(captures));
  add("filter " + f + " " + s->name + " captures" + names_of(captures), wf::filter(closure, s->node),
      oracle::select(*s->value, oracle::map(*closure.fn, values_of(captures), {s->value.get()})));
}

// s mapped into the monoid's set.
Program::Entry Program::mapped(const Entry& s, const Monoid& monoid, const Step& step) {
  const std::string f = FunctionMaker(step.seed, step.size, s.value->types, {}).make_elements(monoid);
  const auto closure = graph::fn(f);
  return {"(map " + f + " " + s.name + ")", wf::map(closure, {&s.node, 1}),
          std::make_shared<Value>(oracle::map(*closure.fn, {}, {s.value.get()}))};
}

void Program::make_reduce(const Step& step, Random& random) {
  const Entry* s = pick_vector(step.first);
  if (!s) return;
  const Monoid monoid = random_monoid(random);
  const Entry in = mapped(*s, monoid, step);
  const auto f = graph::fn(monoid.function);
  const auto identity = wf::parse_literals(monoid.identity, monoid.types);
  add("reduce " + monoid.function + " " + monoid.identity + " " + in.name, wf::reduce(f, identity, in.node),
      oracle::scan(*f.fn, {}, identity, *in.value, true).total);
}

void Program::make_scan(const Step& step, Random& random) {
  const Entry* s = pick_vector(step.first);
  if (!s) return;
  const Monoid monoid = random_monoid(random);
  const Entry in = mapped(*s, monoid, step);
  const bool inclusive = random.once_in(2);
  const auto f = graph::fn(monoid.function);
  const auto identity = wf::parse_literals(monoid.identity, monoid.types);
  const auto nodes = wf::scan(f, identity, in.node, inclusive);
  auto values = oracle::scan(*f.fn, {}, identity, *in.value, inclusive);
  const std::string how = (inclusive ? "inclusive scan " : "exclusive scan ") + monoid.function + " " + monoid.identity + " " + in.name;
  add(how, nodes.prefixes, std::move(values.prefixes));
  if (random.once_in(2)) add("total of " + how, nodes.total, std::move(values.total));
}

void Program::make_law(const Step& step, Random& random) {
  const Entry* s = pick_vector(step.first);
  if (!s) return;
  const auto [f, g] = random_law(random);
  const Entry in = mapped(*s, f, step);
  const bool inclusive = random.once_in(2);
  const auto f_identity = wf::parse_literals(f.identity, f.types), g_identity = wf::parse_literals(g.identity, g.types);
  const auto scan = graph::fn(f.function), combine = graph::fn(g.function);
  const auto nodes = wf::scan(scan, f_identity, in.node, inclusive);
  auto values = oracle::scan(*scan.fn, {}, f_identity, *in.value, inclusive);
  const std::string how = std::string(inclusive ? "inclusive" : "exclusive") + " scan " + f.function + " " + in.name;
  add("reduce " + g.function + " of " + how, wf::reduce(combine, g_identity, nodes.prefixes),
      oracle::scan(*combine.fn, {}, g_identity, values.prefixes, true).total);
  if (random.once_in(2)) add("total of " + how, nodes.total, std::move(values.total));
}

void Program::make_sort(const Step& step, Random& random) {
  const Entry* s = pick_vector(step.first);
  if (!s) return;
  const wf::Routine routine{wf::Routine::Sort, random.once_in(2), uint16_t(1 + random.below(uint32_t(s->value->types.size())))};
  add("sort " + s->name + " by " + std::to_string(routine.keys) + (routine.descending ? " descending" : ""),
      wf::sort(s->node, routine.keys, routine.descending), oracle::sort(routine, nullptr, *s->value));
}

// Values of a sequence at indices that depend on them, with an operation or with the last one winning.
void Program::make_scatter(const Step& step, Random& random) {
  const Entry* s = pick_vector(step.first);
  if (!s) return;
  const Entry in = mapped(*s, {"", "", {Type::I32}, {"v0"}}, step);
  const uint32_t kind = random.below(4), most[] = {1, 3, 64, 1000};
  const int64_t length = most[random.below(4)];
  const std::string n = std::to_string(length);
  const auto place = graph::fn("(fn ((x i32)) (rem (and x 2147483647:i32) " + n + ":i32))"),
             start = graph::fn("(fn ((i i64)) (cast i32 i))");
  const char* const texts[] = {"b", "(add a b)", "(max a b)", "(xor a b)"};
  const auto f = graph::fn(std::string("(fn ((a i32) (b i32)) ") + texts[kind] + ")");
  if (kind == 0 && in.value->may_fail) return;  // values that do not win are not evaluated
  const wf::NodeRef base = wf::tabulate(graph::context(), start, length), indices = wf::map(place, {&in.node, 1});
  const Value places = oracle::map(*place.fn, {}, {in.value.get()});
  add("scatter " + std::string(texts[kind]) + " into " + n + " of " + in.name, wf::scatter(kind ? &f : nullptr, base, indices, in.node),
      oracle::scatter(f.fn, oracle::tabulate(*start.fn, {}, length), places, in.value.get()));
}

void Program::make_zip(const Step& step) {
  const Entry& a = pick(step.first);
  const Entry& b = pick_beside(a, step.second);
  const graph::Nodes nodes{a.node, b.node};
  if (a.value->types.size() + b.value->types.size() > 6) return;
  add("zip " + a.name + " " + b.name, wf::zip(nodes), oracle::zip({a.value.get(), b.value.get()}));
}

void Program::make_columns(const Step& step, Random& random) {
  const Entry& s = pick(step.first);
  std::vector<int32_t> which(1 + random.below(2));
  std::string text = "columns";
  for (int32_t& k : which) k = int32_t(random.below(uint32_t(s.value->types.size()))), text += " " + std::to_string(k);
  add(text + " of " + s.name, wf::columns(s.node, which), oracle::columns(*s.value, which));
}

void Program::make_length(const Step& step) {
  const Entry& s = pick(step.first);
  add("length " + s.name, wf::length(s.node), oracle::count(*s.value));
}

void Program::make_view(const Step& step, Random& random) {
  const Entry* found = pick_vector(step.first);
  if (!found) return;
  const Entry s = *found;
  if (!know_length(s)) return;
  const int64_t n = s.value->length;
  switch (random.below(3)) {
    case 0: return add("rev " + s.name, wf::rev(s.node), oracle::rev(*s.value));
    case 1: {
      if (n == 0) return;
      const int64_t i = random.below(uint32_t(n));
      return add("nth " + s.name + " " + std::to_string(i), wf::nth(s.node, i), oracle::subseq(*s.value, i, 1));
    }
    default: {
      const int64_t start = random.below(uint32_t(n + 1)), count = random.below(uint32_t(n - start + 1));
      return add("subseq " + s.name + " " + std::to_string(start) + " " + std::to_string(count), wf::subseq(s.node, start, count),
                 oracle::subseq(*s.value, start, count));
    }
  }
}

void Program::make_append(const Step& step) {
  const Entry* found = pick_vector(step.first);
  if (!found) return;
  const Entry a = *found;
  std::vector<const Entry*> fitting;
  for (const Entry& entry : entries_)
    if (entry.node->rank() == 1 && entry.value->types == a.value->types) fitting.push_back(&entry);
  const Entry b = *fitting[step.second % fitting.size()];
  const size_t parts = step.seed % 3 == 2 ? 9 + step.seed / 3 % 4 : 2 + step.seed % 3;
  if (int64_t(parts) * (a.value->length + b.value->length) > 8 * n_ + 400) return;
  if (!know_length(a) || !know_length(b)) return;
  graph::Nodes nodes;
  std::vector<const Value*> values;
  std::string names;
  for (size_t k = 0; k < parts; k++) {
    const Entry& entry = k % 2 ? b : a;
    nodes.push_back(entry.node), values.push_back(entry.value.get());
    names += " " + entry.name;
  }
  add("append" + names, wf::append(nodes), oracle::append(values));
}

// Scans and filters on top of each other, one level each, with maps and other readers in between. Some intermediate results are kept.
void Program::make_stack(const Step& step, Random& random) {
  const Entry* found = pick_vector(step.first);
  if (!found) return;
  const std::string base = found->name;
  Entry top = mapped(*found, {"", "", {Type::I32}, {"v0"}}, step);
  const int height = int(random.below(uint32_t(most_levels_))) + 1;
  const auto add_up = graph::fn("(fn ((a i32) (b i32)) (add a b))"), thin = graph::fn("(fn ((x i32)) (ne (rem x 7:i32) 3:i32))"),
             both = graph::fn("(fn ((a i32) (b i32)) (sub (add a a) b))");
  for (int k = 0; k < height; k++) {
    const Entry below = top;
    top.name = "stack of " + std::to_string(k + 1) + " on " + base;
    switch (random.below(4)) {
      case 0: {
        top.node = wf::filter(thin, below.node);
        const auto mask = oracle::map(*thin.fn, {}, {below.value.get()});
        top.value = std::make_shared<Value>(oracle::select(*below.value, mask));
        break;
      }
      case 1: {
        const graph::Nodes two{wf::scan(add_up, {0}, below.node, true).prefixes, below.node};
        const auto prefixes = oracle::scan(*add_up.fn, {}, {0}, *below.value, true).prefixes;
        top.node = wf::map(both, two);
        top.value = std::make_shared<Value>(oracle::map(*both.fn, {}, {&prefixes, below.value.get()}));
        break;
      }
      default: {
        const bool inclusive = random.once_in(2);
        top.node = wf::scan(add_up, {0}, below.node, inclusive).prefixes;
        top.value = std::make_shared<Value>(oracle::scan(*add_up.fn, {}, {0}, *below.value, inclusive).prefixes);
      }
    }
    if (k + 1 == height || random.once_in(8)) add(top.name, top.node, *top.value);
  }
}

// The same node under another name, or all its columns, which are a separate node.
void Program::take_other_handle(const Step& step, Random& random) {
  const Entry entry = pick(step.first);
  if (random.once_in(2)) return add("the same as " + entry.name, entry.node, *entry.value);
  std::vector<int32_t> all(entry.value->types.size());
  std::iota(all.begin(), all.end(), 0);
  add("all columns of " + entry.name, wf::columns(entry.node, all), Value(*entry.value));
}

// Forces a few sequences together or one after another, and sometimes a second time.
void Program::force_some(const Step& step, Random& random) {
  if (is_traced_) return;
  std::vector<const Entry*> group{&pick(step.first)};
  while (random.once_in(2)) group.push_back(&pick(uint8_t(random.bits())));
  if (random.once_in(3))
    for (const Entry* entry : group) force({entry});
  else force(group);
  if (random.once_in(4) && wrong_.empty()) force(group);
}

// After an error, the sequences that have none are computed as if nothing had happened.
void Program::force(const std::vector<const Entry*>& group) {
  const bool done = is_forced(group);
  for (const Entry* entry : group) {
    if (!wrong_.empty()) return;
    if (done || (!entry->value->may_fail && is_forced({entry}))) compare(*entry);
    else if (entry->value->has_fault() && entry->node->is_manifest()) wrong_ = entry->name + " has a value after an error";
  }
}

// "index 5 at element 7 is out of range for a sequence of length 3; ..."
bool names_an_index_outside(const std::string& message) {
  long long index, length;
  const size_t place = message.find("length ");
  if (std::sscanf(message.c_str(), "index %lld", &index) != 1 || place == std::string::npos) return false;
  return std::sscanf(message.c_str() + place, "length %lld", &length) == 1 && (index < 0 || index >= length);
}

// "offset 2 of segments is 1, below offset 1, which is 4; ..." and its like.
bool names_a_wrong_offset(const std::string& message) {
  long long k, offset, other;
  const auto is = [&](const std::string& form) {
    return std::sscanf(message.c_str(), ("offset %lld of segments" + form).c_str(), &k, &offset, &other) == 3;
  };
  if (is(", the last one, is %lld; expected %lld")) return offset != other;
  if (is(" is %lld, below offset %*d, which is %lld")) return offset < other;
  if (is(" is %lld; expected at most %lld")) return offset > other;
  if (is(" is %lld; expected 0 to %lld")) return offset < 0;
  return is(" is %lld; expected %lld") && k == 0 && offset != 0 && other == 0;
}

bool Program::is_forced(const std::vector<const Entry*>& group) {
  const bool must_fail = std::ranges::any_of(group, [](const Entry* entry) { return entry->value->has_fault(); });
  const bool may_fail = std::ranges::any_of(group, [](const Entry* entry) { return entry->value->may_fail; });
  text_ += "force" + names_of(group) + (must_fail ? " (an error)" : may_fail ? " (may be an error)" : "") + "\n";
  try {
    wf::force(nodes_of(group));
  } catch (const wf::RangeError& error) {
    errors_++;
    if (!may_fail) wrong_ = std::string("it is an error: ") + error.what();
    if (!names_an_index_outside(error.what()) && !names_a_wrong_offset(error.what()))
      wrong_ = std::string("the error names no index outside: ") + error.what();
    return false;
  } catch (const std::exception& error) {
    wrong_ = std::string("force throws: ") + error.what();
    return false;
  }
  if (must_fail) wrong_ = "it is no error";
  return true;
}

void Program::compare(const Entry& entry) {
  const std::string fault = oracle::difference(*entry.value, oracle::read(*entry.node));
  if (!fault.empty()) wrong_ = entry.name + ": " + fault;
}

}  // namespace properties
