// Steps of random programs that make segments, runs, searches, sets and iterations. Their meaning is the oracle's of the graphs that they
// are composed of; test_segments compares these with plain loops.
#include "lazy/composed/groups.h"
#include "lazy/composed/iterate.h"
#include "properties/program.h"

namespace properties {

using wf::NodeRef;

namespace {

constexpr int64_t most_searched = 150000;  // a search takes the oracle 17 steps per needle then

std::string twice(const std::string& body) { return "(fn ((a i32) (b i32)) (lt " + body + "))"; }

}  // namespace

void Program::add_composed(const std::string& how, const NodeRef& node) {
  for (const Entry& entry : entries_) graphs_.remember(entry.node, entry.value);
  add(how, node, *graphs_.value(node));
}

// Offsets of segments of n elements: equal or growing lengths, some of them 0; in memory, delayed or scanned; in a daring program, wrong.
NodeRef Program::random_offsets(int64_t n, Random& random, std::string& how) {
  const std::vector<int64_t> counts{1, 3, n / 7 + 1, n / 100 + 2, n + 1};
  const int64_t segments = random.of(counts), end = n + (daring_ && random.once_in(8) ? 1 : 0);
  const bool grow = random.once_in(2);
  const std::string last = std::to_string(end) + ":i64", count = std::to_string(grow ? segments * segments : segments) + ":i64";
  const std::string at = "(fn ((i i64)) (div (mul " + std::string(grow ? "(mul i i) " : "i ") + last + ") " + count + "))";
  const NodeRef offsets = wf::tabulate(graph::context(), graph::fn(at), segments + 1);
  how += " with offsets " + at + " of " + std::to_string(segments);
  switch (random.below(3)) {
    case 0: return offsets;
    case 1:
      wf::force({&offsets, 1});
      how += " in memory";
      return offsets;
    default:
      how += " by lengths";
      const auto lengths = graph::fn("(fn ((i i64)) (sub (at $0 (add i 1:i64)) (at $0 i)))", {offsets});
      return wf::offsets(wf::tabulate(graph::context(), lengths, segments));
  }
}

void Program::make_segments(const Step& step, Random& random) {
  const Entry* found = pick_vector(step.first);
  if (!found) return;
  const Entry s = *found;
  if (s.value->length_fault) return;
  const uint32_t kind = random.below(5);
  if ((kind == 1 || random.once_in(2)) && !know_length(s)) return;
  const int64_t n = s.value->length;
  const Monoid monoid = random_monoid(random);
  const Entry in = mapped(s, monoid, step);
  const auto identity = wf::parse_literals(monoid.identity, monoid.types);
  const auto combine = graph::fn(monoid.function);
  std::string how = monoid.function + " " + in.name;
  const NodeRef offsets = random_offsets(n, random, how);
  const auto reduced = [&](const NodeRef& values, const NodeRef& at, const std::string& what) {
    add_composed("segment_reduce " + what, wf::segment_reduce(combine, identity, values, at));
  };
  if (kind == 0) return reduced(in.node, offsets, how);
  if (kind == 1) {
    const bool inclusive = random.once_in(2);
    const wf::ScanResult scanned = wf::segment_scan(combine, identity, in.node, offsets, inclusive);
    add_composed((inclusive ? "inclusive segment_scan " : "exclusive segment_scan ") + how, scanned.prefixes);
    if (random.once_in(2)) add_composed("totals of segment_scan " + how, scanned.total);
    return;
  }
  if (kind == 2) return add_composed("segment_ids " + how, wf::segment_ids(offsets, n));
  const std::string keeps = FunctionMaker(step.seed + 1, step.size, monoid.types, {}).make({Type::Bool});
  const wf::Segmented kept = wf::segment_filter(graph::fn(keeps), in.node, offsets);
  add_composed("segment_filter " + keeps + " " + how, kept.values);
  add_composed("offsets of segment_filter " + keeps + " " + how, kept.offsets);
  if (kind == 3) reduced(kept.values, kept.offsets, "of segment_filter " + keeps + " " + how);
}

void Program::make_runs(const Step& step, Random& random) {
  const Entry* found = pick_vector(step.first);
  if (!found || found->value->types.size() > 4) return;
  const Entry s = *found;
  if (!know_length(s)) return;
  const std::vector<Type>& types = s.value->types;
  std::vector<Type> both = types;
  both.insert(both.end(), types.begin(), types.end());
  const auto captures = random_captures(random);
  graph::Nodes nodes;
  std::vector<Captured> captured;
  for (const Entry* entry : captures) nodes.push_back(entry->node), captured.push_back({entry->value->types, entry->value->length});
  const uint32_t kind = random.below(5);
  if (kind < 2) {
    const int32_t keys = 1 + int32_t(random.below(uint32_t(types.size())));
    const std::string how = s.name + " by " + std::to_string(keys);
    return kind == 0 ? add_composed("runs " + how, wf::runs(s.node, keys)) : add_composed("unique " + how, wf::unique(s.node, keys));
  }
  FunctionMaker maker(step.seed, step.size, kind < 4 ? both : types, captured, -1, daring_);
  const std::string f = maker.make({Type::Bool}), how = f + " " + s.name;
  if (kind == 2) return add_composed("runs " + how, wf::runs(graph::fn(f, nodes), s.node));
  if (kind == 3) return add_composed("unique " + how, wf::unique(graph::fn(f, nodes), s.node));
  const wf::Segmented pieces = wf::split(graph::fn(f, nodes), s.node);
  add_composed("split " + how, pieces.values);
  add_composed("offsets of split " + how, pieces.offsets);
}

// Numbers of which many are equal, or any elements, in order; and needles or another sequence in order.
void Program::make_sets(const Step& step, Random& random) {
  const Entry* found = pick_vector(step.first);
  if (!found) return;
  std::vector<const Entry*> fitting;
  for (const Entry& entry : entries_)
    if (entry.node->rank() == 1 && entry.value->types == found->value->types) fitting.push_back(&entry);
  Entry a = *found, b = *fitting[step.second % fitting.size()];
  if (std::max(a.value->length, b.value->length) > most_searched || !know_length(a) || !know_length(b)) return;
  wf::ElementOrder order{int32_t(1 + random.below(uint32_t(a.value->types.size()))), random.once_in(2), nullptr};
  const bool by_function = random.once_in(3);
  const wf::Closure less = graph::fn(twice(random.once_in(2) ? "(and a 15:i32) (and b 15:i32)" : "b a"));
  if (by_function || random.once_in(2)) {
    const Monoid few{"", "", {Type::I32}, {random.once_in(3) ? "v0" : "(rem v0 37:i32)"}};
    a = mapped(a, few, step), b = mapped(b, few, step);
    order.keys = 1;
    if (by_function) order = wf::order_of(less, {Type::I32});
  }
  const auto sorted = [&](const NodeRef& s) { return by_function ? wf::sort(less, s) : wf::sort(s, order.keys, order.descending); };
  const NodeRef s = sorted(a.node), t = sorted(b.node);
  const std::string how = " of " + a.name + " and " + b.name + (by_function ? " by a function" : " by " + std::to_string(order.keys)) +
                          (order.descending ? " descending" : "");
  switch (random.below(5)) {
    case 0: return add_composed("intersection" + how, wf::intersection(order, s, t));
    case 1: return add_composed("difference" + how, wf::difference(order, s, t));
    case 2: return add_composed("search before" + how, wf::search(order, s, b.node, false));
    case 3: return add_composed("search after" + how, wf::search(order, s, t, true));
    default: return add_composed("merge" + how, by_function ? wf::merge(less, s, t) : wf::merge(s, t, order.keys, order.descending));
  }
}

void Program::make_iteration(const Step& step, Random& random) {
  const Entry* found = pick_vector(step.first);
  if (!found) return;
  const Entry s = *found;
  const bool prefixes = random.once_in(2);
  if ((prefixes || random.once_in(2)) && !know_length(s)) return;
  const std::vector<Type> state = random_types(random, 2);
  std::vector<Type> params = state;
  params.insert(params.end(), s.value->types.begin(), s.value->types.end());
  std::vector<wf::Bits64> initial;
  for (Type type : state) initial.push_back(random_value(random, type));
  const auto captures = random.once_in(2) ? random_captures(random) : std::vector<const Entry*>{};
  graph::Nodes nodes;
  std::vector<Captured> captured;
  for (const Entry* entry : captures) nodes.push_back(entry->node), captured.push_back({entry->value->types, entry->value->length});
  const std::string f = FunctionMaker(step.seed, step.size, params, captured, -1, daring_).make(state);
  const auto closure = graph::fn(f, nodes);
  const std::string how = f + " over " + s.name;
  if (prefixes) add_composed("iterate_prefixes " + how, wf::iterate_prefixes(closure, initial, s.node));
  else add_composed("iterate " + how, wf::iterate(closure, initial, s.node));
}

// A fold over each row of a sequence as a matrix, and a function of each element and of its row's fold.
void Program::make_elements_of_rows(const Step& step, Random& random) {
  const Entry* found = pick_vector(step.first);
  if (!found) return;
  const Entry s = *found;
  const int64_t m = random.of(std::vector<int64_t>{8, 9, 30, 64, 300});
  if (!know_length(s) || s.value->length < m) return;
  const int64_t rows = s.value->length / m;
  const std::string count = std::to_string(m) + ":i64";
  const Monoid monoid = random_monoid(random);
  const Entry in = mapped(s, monoid, step);
  const auto columns = [&](const std::string& index) {
    std::string all;
    for (size_t k = 0; k < monoid.types.size(); k++) all += " (at $0." + std::to_string(k) + " " + index + ")";
    return monoid.types.size() == 1 ? all : "(tuple" + all + ")";
  };
  const std::string fold = "(fn ((i i64)) (fold " + monoid.function.substr(4, monoid.function.size() - 5) + " " + monoid.identity +
                           " ((j " + count + ")) " + columns("(add (mul i " + count + ") j)") + "))";
  const NodeRef of_rows = wf::tabulate(graph::context(), graph::fn(fold, {in.node}), rows);
  const NodeRef of_row =
      wf::tabulate(graph::context(), graph::fn("(fn ((k i64)) " + columns("(div k " + count + ")") + ")", {of_rows}), rows * m);
  const NodeRef elements = wf::subseq(random.once_in(2) ? in.node : s.node, 0, rows * m);
  std::vector<Type> types(elements->types().begin(), elements->types().end());
  types.insert(types.end(), monoid.types.begin(), monoid.types.end());
  const std::string f = FunctionMaker(step.seed + 1, step.size, types, {}).make(random_types(random, 3));
  const NodeRef both[] = {elements, of_row};
  add_composed("map " + f + " over rows of " + count + " of " + s.name + " and " + fold, wf::map(graph::fn(f), both));
  if (random.once_in(3)) add_composed(fold + " of " + in.name, of_rows);
}

}  // namespace properties
