// Programs of primitives that are composed of others: segments, runs, searches, sets and iterate.
#include <algorithm>

#include "cuda/agree.h"
#include "cuda/programs/programs.h"
#include "lazy/composed/groups.h"
#include "lazy/composed/iterate.h"

namespace programs {

using graph::fn, graph::map, graph::source;
using wf::NodeRef;

namespace {
const char* const add_i32 = "(fn ((a i32) (b i32)) (add a b))";
const char* const compose = "(fn ((a i32) (b i32) (c i32) (d i32)) (tuple (mul a c) (add (mul b c) d)))";
}  // namespace

void segments(int64_t n) {
  std::mt19937 random{unsigned(n)};
  std::vector<int64_t> at{0};
  at.resize(random() % 2 ? 50 : 1);  // empty segments at the begin
  while (at.back() < n) {
    at.push_back(std::min<int64_t>(n, at.back() + (random() % 3 ? random() % 40 : 0)));
    if (random() % 200 == 0) at.resize(at.size() + random() % 150, at.back());  // more empty ones than a warp has lanes
  }
  at.resize(at.size() + 1 + random() % 70, n);
  const NodeRef offsets = source(at), x = numbers<int32_t>(n, -50, 50), y = map("(fn ((x i32)) (tuple (sub x 1:i32) x))", {x});
  agree({wf::segment_reduce(fn(add_i32), {0}, x, offsets), wf::segment_reduce(fn(compose), {1, 0}, y, offsets)});
  for (const bool inclusive : {false, true}) {
    const wf::ScanResult scanned = wf::segment_scan(fn(compose), {1, 0}, y, offsets, inclusive);
    agree({scanned.prefixes, scanned.total});
  }
  const wf::Segmented some = wf::segment_filter(fn("(fn ((x i32)) (gt x 7:i32))"), x, offsets);
  agree({some.values, some.offsets});
  const NodeRef ids = wf::segment_ids(offsets, n), base = source(std::vector<int64_t>(1 << 15, 5));
  agree({map("(fn ((x i32) (k i64)) (add k (cast i64 x)))", {x, ids}), map("(fn ((k i64)) (rem k 7:i64))", {ids})});
  const wf::Closure add = fn("(fn ((a i64) (b i64)) (add a b))");
  agree({wf::scatter(&add, base, map("(fn ((k i64)) (rem (mul k 11:i64) 20000:i64))", {ids}), map("(fn ((k i64)) 3:i64)", {ids}))});
  std::string mixed = "k";  // a long body, which is written once
  for (int k = 0; k < 150; k++) mixed = "(rem (add (mul " + mixed + " 7:i64) 3:i64) 1009:i64)";
  agree({map("(fn ((k i64)) " + mixed + ")", {ids})});
  agree({wf::segment_ids(offsets, n), wf::offsets(map("(fn ((x i32)) (and x 15:i32))", {x}))});
}

// Marks at elements that a segment's positions name. Most are there already.
void marks(int64_t n) {
  std::mt19937 random{unsigned(n)};
  std::vector<int64_t> at{0};
  while (at.back() < n) at.push_back(std::min<int64_t>(n, at.back() + random() % 40));
  const int64_t all = n / 5 + 3;
  const NodeRef ids = wf::segment_ids(source(at), n), shift = numbers<int32_t>(int64_t(at.size()), 0, 1000);
  const NodeRef to =
      map("(fn ((k i64)) (rem (add (mul k 7919:i64) (cast i64 (at $0 k))) " + std::to_string(all) + ":i64))", {ids}, {shift});
  for (const char* op : {"or", "and"})
    for (int64_t few : {1, 40}) {
      const wf::Closure f = fn(std::string("(fn ((a bool) (b bool)) (") + op + " a b))");
      const std::string often = "(ne (rem i " + std::to_string(few) + ":i64) 0:i64)";
      const NodeRef base = graph::tabulate("(fn ((i i64)) " + (op == std::string("or") ? often : "(not " + often + ")") + ")", all);
      agree({wf::scatter(&f, base, to, map("(fn ((k i64)) (eq (rem k 3:i64) 0:i64))", {ids})),
             wf::scatter(&f, base, to, map(std::string("(fn ((k i64)) ") + (*op == 'o' ? "true" : "false") + ")", {ids}))});
    }
}

void runs(int64_t n) {
  const NodeRef x = numbers<int32_t>(n, 0, 2), y = numbers<float>(n, -1, 1), both[] = {x, y};
  agree({wf::runs(x, 1), wf::unique(x, 1)});
  agree({wf::runs(wf::zip(both), 2), wf::unique(wf::zip(both), 2)});
  agree({wf::runs(fn("(fn ((a i32) (b i32)) (eq (and a 1:i32) (and b 1:i32)))"), x)});
  const wf::Segmented pieces = wf::split(fn("(fn ((x i32)) (eq x 1:i32))"), x);
  agree({pieces.values, pieces.offsets});
}

void searches(int64_t n) {
  const wf::ElementOrder up{1, false, nullptr}, down{1, true, nullptr};
  const NodeRef x = wf::sort(numbers<int32_t>(n, -300, 300), 1, false), y = numbers<int32_t>(n / 2, -320, 320);
  const NodeRef z = wf::sort(map("(fn ((x i32)) (div (cast f32 x) 0.0:f32))", {y}), 1, true), s = wf::sort(y, 1, false);
  agree({wf::search(up, x, y, false), wf::search(up, x, y, true), wf::search(down, z, z, false)});
  agree({wf::intersection(up, x, s), wf::difference(up, x, s)});
  agree({wf::difference(wf::order_of(fn("(fn ((a i32) (b i32)) (lt a b))"), x->types()), x, s)});
  agree({wf::iterate(fn("(fn ((a i32) (k i64) (x i32)) (tuple (sub x a) (add k 1:i64)))"), {0, 0}, x)});
}

}  // namespace programs
