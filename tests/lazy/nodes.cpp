#include <pthread.h>

#include <array>
#include <thread>

#include "check.h"
#include "eval/context.h"
#include "lazy/node.h"
#include "memory/buffer.h"

using namespace wf;

static std::shared_ptr<Context> context() {
  static auto shared = [] {
    auto c = std::make_shared<Context>();
    c->pool = std::make_shared<Pool>();
    return c;
  }();
  return shared;
}

static NodeRef numbers(std::vector<int32_t> values, std::shared_ptr<Context> where = context()) {
  BufferRef buffer = Buffer::make(where->pool, values.size() * 4);
  std::copy(values.begin(), values.end(), reinterpret_cast<int32_t*>(buffer->host_for_writing()));
  return source(where, Shape::vector(int64_t(values.size())), {Type::I32}, {{buffer, 0}});
}
static NodeRef counting(int64_t n) { return tabulate(context(), {parse("(fn ((i i64)) (cast i32 i))"), {}}, n); }
static Closure fn(const char* text, std::vector<NodeRef> captures = {}) {
  CaptureTypes types;
  for (auto& c : captures) types.push_back(c->types());
  return {parse(text, types), captures};
}
static Closure is_positive() { return fn("(fn ((x i32)) (gt x 0:i32))"); }
static Closure twice() { return fn("(fn ((x i32)) (mul x 2:i32))"); }
static Closure sum() { return fn("(fn ((a i32) (b i32)) (add a b))"); }
static std::string written(const NodeRef& s) { return print(*s->state().definition->fn); }
static NodeKind kind(const NodeRef& s) { return s->state().definition->kind; }

static std::shared_ptr<const Manifest> manifest_of_length(int64_t n) {
  BufferRef buffer = Buffer::make(context()->pool, size_t(n) * 4);
  return std::make_shared<const Manifest>(Manifest{{{buffer, 0}}, n, nullptr});
}

// The message of the error that `body` throws.
template <class Error, class Body> static std::string message(Body body) {
  try {
    body();
  } catch (const Error& error) { return error.what(); }
  return "no error";
}
#define CHECK_CONTAINS(text, part) \
  CHECK_EQ(std::string(text).find(part) == std::string::npos ? std::string(text) : std::string(part), std::string(part))

TEST(scalars_are_arguments_unless_folding_looks_at_them) {
  auto definition = [](auto x) -> Closure {
    const NodeRef node = constant(context(), type_of<decltype(x)>, to_bits(x));
    const DefinitionRef made = node->state().definition;
    return {made->fn, {}, made->arguments};
  };
  std::thread([&] {
    CHECK(definition(2.5f).fn == definition(3.5f).fn);
    CHECK(definition(2.5).fn == definition(-0.25).fn);
    CHECK(definition(2.5f).fn != definition(2.5).fn);
    CHECK_EQ(print(*with_values(definition(3.5f).fn, std::array{definition(3.5f).arguments[0]})), "(fn ((i i64)) 3.5:f32)");
    for (float x : {0.0f, -0.0f, 1.0f, -1.0f, __builtin_nanf("")}) CHECK(definition(x).arguments.empty());
    CHECK(definition(2).fn == definition(-300).fn);
    for (int32_t x : {0, 1, -1}) CHECK_EQ(print(*definition(x).fn), "(fn ((i i64)) " + std::to_string(x) + ":i32)");
  }).join();
}

TEST(a_source_is_manifest) {
  NodeRef s = numbers({1, 2, 3});
  CHECK(s->is_manifest());
  CHECK_EQ(s->length(), 3);
  CHECK_EQ(s->rank(), 1);
  CHECK(s->domain() == nullptr);
}

TEST(tabulate_checks_its_function_and_length) {
  NodeRef s = counting(10);
  CHECK_EQ(s->length(), 10);
  CHECK(s->types() == std::vector{Type::I32});
  CHECK(kind(s) == NodeKind::Pull);
  CHECK_CONTAINS(message<TypeError>([] { tabulate(context(), twice(), 10); }),
                 "f is (i32) -> (i32); expected 1 parameter (i64), the index");
  CHECK_CONTAINS(message<SizeError>([] { counting(-1); }), "-1");
  CHECK_CONTAINS(message<SizeError>([] { counting(INT64_MAX / 2); }), "overflow");
}

TEST(map_reads_inputs_at_its_index) {
  NodeRef s = numbers({1, 2, 3});
  NodeRef r = map(twice(), std::array{s});
  CHECK_EQ(written(r), "(fn ((i i64)) (mul (load $0 i) 2:i32))");
  CHECK_EQ(r->length(), 3);
}

TEST(functions_of_nodes_are_shared_by_equal_splits_alone) {
  NodeRef s = numbers({1, 2, 3});
  NodeRef pair = zip(std::array{s, s});
  Closure f = sum();
  auto made = [](const NodeRef& r) { return r->state().definition->fn; };
  NodeRef apart = map(f, std::array{s, s});
  CHECK(made(apart) == made(map(f, std::array{s, s})));
  NodeRef joined = map(f, std::array{pair});  // this may replace the other in the cache
  CHECK(made(joined) == made(map(f, std::array{pair})));
  CHECK_CONTAINS(written(apart), "$1");
  CHECK(written(joined).find("$1") == std::string::npos);
  // However many other functions are mapped in between.
  for (int k = 0; k < 1000; k++) map(fn(("(fn ((x i32)) (mul x " + std::to_string(k) + ":i32))").c_str()), std::array{s});
  CHECK(made(apart) == made(map(f, std::array{s, s})));
}

TEST(a_definition_ends_with_its_last_reference) {
  NodeRef input = numbers({1, 2, 3});
  NodeRef r = map(twice(), std::array{input});
  CHECK_EQ(input->references(), 2);
  {
    const DefinitionRef held = r->state().definition;
    r->publish(manifest_of_length(3));
    CHECK(!r->state().definition);
    CHECK_EQ(input->references(), 2);
    CHECK(held->inputs[0] == input);
  }
  CHECK_EQ(input->references(), 1);
}

TEST(captures_come_behind_the_sequences) {
  NodeRef s = numbers({1, 2, 3}), a = numbers({4, 5}), b = numbers({6});
  NodeRef r = map(fn("(fn ((x i32) (y i32)) (add (at $1 (cast i64 x)) (cast i32 (length $0))))", {a, b}), std::array{s, s});
  auto definition = r->state().definition;
  CHECK_EQ(definition->inputs.size(), size_t(4));
  CHECK(definition->inputs[2] == a && definition->inputs[3] == b);
  std::string text = written(r);
  CHECK_CONTAINS(text, "$3");
  CHECK_CONTAINS(text, "(length $2)");
  CHECK(text.find("$1") == std::string::npos);
}

TEST(captures_in_loops_are_renumbered) {
  NodeRef s = numbers({1, 2, 3}), a = numbers({4, 5});
  NodeRef r = map(fn("(fn ((x i32)) (loop ((k x)) (lt k 10:i32) (add k (at $0 (cast i64 k)))))", {a}), std::array{s});
  auto f = r->state().definition->fn;
  CHECK_EQ(f->loops.size(), size_t(1));
  int reads = 0;
  for (const Term& t : f->loops[0].body->terms)
    if (t.kind == Kind::At) reads++, CHECK_EQ(t.slot, 1u);
  CHECK_EQ(reads, 1);
}

TEST(map_names_types_and_lengths) {
  NodeRef s = numbers({1, 2, 3}), t = numbers({1, 2});
  CHECK_CONTAINS(message<TypeError>([&] { map(fn("(fn ((x f32)) x)"), std::array{s}); }),
                 "f is (f32) -> (f32); expected 1 parameter (i32)");
  CHECK_CONTAINS(message<TypeError>([&] { map(twice(), std::array{s, s}); }), "2 parameters (i32, i32)");
  CHECK_CONTAINS(message<SizeError>([&] {
                   map(sum(), std::array{s, t});
                 }),
                 "the 2nd sequence has length 2 but the 1st sequence has length 3");
  CHECK_CONTAINS(message<SizeError>([&] { map(sum(), std::array{s, nth(s, 0)}); }), "rank 0");
  CHECK_THROWS(ArgumentError, map(twice(), {}));
}

TEST(contexts_do_not_mix) {
  auto other = std::make_shared<Context>();
  other->pool = std::make_shared<Pool>();
  NodeRef s = numbers({1}), t = numbers({1}, other);
  CHECK_THROWS(ArgumentError, map(sum(), std::array{s, t}));
  CHECK_THROWS(ArgumentError, zip(std::array{s, t}));
  CHECK_THROWS(ArgumentError, append({s, t}));
  CHECK_THROWS(ArgumentError, map(fn("(fn ((x i32)) (at $0 0:i64))", {t}), std::array{s}));
  CHECK_THROWS(ArgumentError, tabulate(context(), fn("(fn ((i i64)) (at $0 i))", {t}), 1));
}

TEST(columns_and_zip_of_manifest_sequences_are_manifest) {
  NodeRef s = numbers({1, 2, 3}), t = numbers({4, 5, 6});
  NodeRef pairs = zip(std::array{s, t});
  CHECK(pairs->is_manifest());
  CHECK_EQ(pairs->types().size(), size_t(2));
  NodeRef second = columns(pairs, std::array{1});
  CHECK(second->state().manifest->columns[0].buffer == t->state().manifest->columns[0].buffer);
  CHECK_CONTAINS(message<IndexError>([&] { columns(pairs, std::array{0, 2}); }), "the 2nd column is 2");
  CHECK_THROWS(IndexError, columns(pairs, std::array{-1}));
  CHECK_THROWS(ArgumentError, columns(pairs, {}));
  CHECK(!zip(std::array{s, counting(3)})->is_manifest());
  CHECK(zip(std::array{s}) == s);
}

TEST(reduce_and_scan_check_the_combining_function) {
  NodeRef s = numbers({1, 2, 3});
  NodeRef total = reduce(sum(), {0}, s);
  CHECK_EQ(total->rank(), 0);
  CHECK_EQ(total->length(), 1);
  CHECK_CONTAINS(message<TypeError>([&] { reduce(twice(), {0}, s); }), "f is (i32) -> (i32); expected (i32, i32) -> (i32)");
  CHECK_CONTAINS(message<TypeError>([&] { reduce(sum(), {0, 0}, s); }), "identity has 2 values");
  CHECK_CONTAINS(message<ArgumentError>([&] { reduce(fn("(fn ((a i32) (b i32)) (add a (at $0 0:i64)))", {s}), {0}, s); }), "captures");
  CHECK_THROWS(SizeError, reduce(sum(), {0}, total));
  CHECK_THROWS(SizeError, scan(sum(), {0}, total, false));
  auto [prefixes, last] = scan(sum(), {0}, s, true);
  CHECK(kind(prefixes) == NodeKind::Scan && prefixes->state().definition->inclusive);
  CHECK(kind(last) == NodeKind::Total && last->rank() == 0);
  CHECK(last->state().definition->inputs[0] == prefixes);
}

TEST(a_filter_has_an_unknown_length) {
  NodeRef s = numbers({1, -2, 3});
  NodeRef kept = filter(is_positive(), s);
  CHECK_EQ(kept->length(), -1);
  CHECK_EQ(kept->shape().length(), -1);
  CHECK(kind(length(kept)) == NodeKind::Count);
  CHECK(kind(length(s)) == NodeKind::Pull);
  CHECK_THROWS(TypeError, filter(twice(), s));
  CHECK_THROWS(SizeError, filter(is_positive(), nth(s, 0)));

  NodeRef doubled = map(twice(), std::array{kept});
  NodeRef pairs = zip(std::array{kept, doubled});
  NodeRef sums = scan(sum(), {0}, doubled, false).prefixes;
  for (const NodeRef& r : {doubled, pairs, sums}) {
    CHECK(r->domain() == kept.get());
    CHECK_EQ(r->length(), -1);
  }
  NodeRef again = filter(is_positive(), doubled);
  CHECK(again->domain() == again.get());
  CHECK(length(doubled)->state().definition->inputs[0] == kept);

  for (const NodeRef& other : {again, filter(is_positive(), s), s}) {
    CHECK_CONTAINS(message<SizeError>([&] { zip(std::array{kept, other}); }), "force");
    CHECK_CONTAINS(message<SizeError>([&] { zip(std::array{other, kept}); }), "force");
  }
  CHECK_CONTAINS(message<SizeError>([&] { zip(std::array{s, doubled, doubled}); }), "force");
  CHECK_THROWS(SizeError, rev(kept));
  CHECK_THROWS(SizeError, nth(kept, 0));
  CHECK_THROWS(SizeError, subseq(kept, 0, 1));
  CHECK_THROWS(SizeError, append({s, kept}));
}

TEST(a_filter_that_has_run_tells_the_length) {
  NodeRef s = numbers({1, -2, 3}), t = numbers({7, 8});
  NodeRef kept = filter(is_positive(), s);
  NodeRef doubled = map(twice(), std::array{kept});
  kept->publish(manifest_of_length(2));
  CHECK(kept->is_manifest());
  CHECK_EQ(doubled->length(), 2);
  NodeRef pairs = zip(std::array{doubled, t});
  CHECK_EQ(pairs->length(), 2);
  CHECK(pairs->domain() == nullptr);
  CHECK(kind(length(doubled)) == NodeKind::Pull);
  CHECK_EQ(rev(doubled)->length(), 2);
  CHECK_THROWS(SizeError, zip(std::array{doubled, s}));
}

TEST(views_of_manifest_sequences_are_manifest) {
  NodeRef s = numbers({1, 2, 3, 4});
  NodeRef part = subseq(s, 1, 2);
  CHECK_EQ(part->state().manifest->columns[0].offset, 1);
  CHECK_EQ(subseq(part, 1, 1)->state().manifest->columns[0].offset, 2);
  CHECK_EQ(nth(part, 1)->state().manifest->columns[0].offset, 2);
  CHECK_EQ(nth(part, 1)->rank(), 0);
  CHECK(subseq(s, 0, 4) == s);
  CHECK_EQ(subseq(s, 4, 0)->length(), 0);
  CHECK_CONTAINS(message<IndexError>([&] { nth(s, 4); }), "i is 4, but s has length 4; expected 0 to 3");
  CHECK_THROWS(IndexError, nth(s, -1));
  CHECK_THROWS(IndexError, nth(subseq(s, 0, 0), 0));
  CHECK_CONTAINS(message<IndexError>([&] { subseq(s, 3, 2); }), "start is 3 and length is 2, but s has length 4");
  CHECK_THROWS(IndexError, subseq(s, -1, 2));
  CHECK_THROWS(IndexError, subseq(s, 1, -1));
  CHECK_THROWS(IndexError, subseq(s, INT64_MAX, INT64_MAX));
}

TEST(views_of_delayed_sequences_are_index_arithmetic) {
  NodeRef s = counting(10);
  CHECK_CONTAINS(written(subseq(s, 3, 4)), "3:i64");
  CHECK_CONTAINS(written(rev(s)), "(sub 9:i64 i)");
  NodeRef joined = append({s, subseq(s, 0, 0), counting(5), s});
  CHECK_EQ(joined->length(), 25);
  CHECK_EQ(joined->state().definition->inputs.size(), size_t(3));
  std::string text = written(joined);
  CHECK_CONTAINS(text, "(lt i 10:i64)");
  CHECK_CONTAINS(text, "(lt i 15:i64)");
  CHECK(append(Few<NodeRef>{s}) == s);
  CHECK_EQ(append({rev(counting(0)), counting(0)})->length(), 0);
  CHECK_THROWS(TypeError, append({s, map(fn("(fn ((x i32)) (cast f32 x))"), std::array{s})}));
  CHECK_THROWS(ArgumentError, append({}));
  NodeRef huge = tabulate(context(), fn("(fn ((i i64)) true)"), INT64_MAX / 2);
  CHECK_THROWS(SizeError, append({huge, huge, huge}));
}

static void* drop_on_a_small_stack(void* node) {
  *static_cast<NodeRef*>(node) = NodeRef();
  return nullptr;
}

TEST(a_million_maps_are_released_on_a_small_stack) {
  NodeRef s = numbers({1, 2, 3});
  Closure f = twice();
  NodeRef chain = s;
  for (int k = 0; k < 1000000; k++) chain = map(f, std::array{chain});
  CHECK_EQ(chain->length(), 3);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 128 << 10);
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, &attributes, drop_on_a_small_stack, &chain), 0);
  pthread_join(thread, nullptr);
  CHECK_EQ(s->references(), 1);
}

TEST(publish_drops_the_definition_outside_of_its_lock) {
  NodeRef r;
  int dropped = 0;
  static int32_t data[] = {1, 2};
  {
    BufferRef buffer = Buffer::adopt(data, sizeof data, [&] { dropped += r->is_manifest(); });
    NodeRef s = source(context(), Shape::vector(2), {Type::I32}, {{buffer, 0}});
    r = map(twice(), std::array{s});
  }
  CHECK_EQ(dropped, 0);
  auto first = manifest_of_length(2);
  r->publish(first);
  CHECK_EQ(dropped, 1);
  r->publish(manifest_of_length(2));
  CHECK(r->state().manifest == first);
  CHECK(!r->state().definition);
}

TEST(references_are_counted_from_any_thread) {
  NodeRef s = counting(5);
  NodeRef r = map(twice(), std::array{s});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++)
    threads.emplace_back([s, r] {
      for (int k = 0; k < 10000; k++) {
        NodeRef copy = k % 2 ? s : r;
        NodeRef other = map(twice(), std::array{copy});
        copy = other;
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK_EQ(r->references(), 1);
}
