// Random programs of arrays: views of views, maps between them, joins, and reductions, scans and sorts along axes, against plain loops on whole
// arrays. Arrays are forced early, late, together, or never.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>

#include "check.h"
#include "lazy/arrays/along.h"
#include "lazy/arrays/arrays.h"
#include "oracle/graph.h"

namespace {

using Extents = std::vector<int64_t>;
using wf::NodeRef;

constexpr int64_t most_elements = 40000;

struct Array {
  NodeRef node;
  Extents extents;
  std::vector<int64_t> values;
};

int64_t product(const Extents& extents) { return wf::length_of(extents); }

// The index of each axis of row-major element i.
Extents indices_of(int64_t i, const Extents& extents) {
  Extents all(extents.size());
  for (size_t k = extents.size(); k-- > 0; i /= extents[k]) all[k] = i % extents[k];
  return all;
}
int64_t index_of(const Extents& indices, const Extents& extents) {
  int64_t i = 0;
  for (size_t k = 0; k < extents.size(); k++) i = i * extents[k] + indices[k];
  return i;
}

class Program {
 public:
  explicit Program(unsigned seed) : random_(seed) {}

  void run() {
    add_source();
    for (int64_t steps = 4 + below(12); steps > 0; steps--) {
      if (arrays_.size() < 2 || below(9) == 0) add_source();
      step();
      if (below(9) == 0) force_some(1 + size_t(below(3)));
    }
    force_some(arrays_.size());
    for (const Array& a : arrays_) compare(a);
  }
  const std::string& text() const { return text_; }

 private:
  int64_t below(int64_t n) { return n <= 0 ? 0 : int64_t(random_() % uint64_t(n)); }
  // Mostly the latest, so that chains grow long.
  const Array& any() { return below(4) ? arrays_.back() : arrays_[size_t(below(int64_t(arrays_.size())))]; }
  void note(const std::string& line) { text_ += line + "\n"; }

  void force_some(size_t count) {
    std::vector<NodeRef> nodes;
    for (size_t k = 0; k < count; k++) nodes.push_back(count == arrays_.size() ? arrays_[k].node : any().node);
    note("force " + std::to_string(count));
    wf::force(nodes);
  }

  void compare(const Array& a) {
    CHECK_EQ(wf::text_of(a.node->shape().extents()), wf::text_of(a.extents));
    const std::vector<int64_t> got = graph::elements<int64_t>(a.node);
    if (got == a.values) return;
    for (size_t i = 0; i < got.size(); i++)
      if (got[i] != a.values[i]) {
        CHECK_EQ(text_ + "element " + std::to_string(i) + ": " + std::to_string(got[i]), std::to_string(a.values[i]));
        return;
      }
  }

  template <class Value> void keep(NodeRef node, Extents extents, const std::string& line, const Value& value) {
    Array made{std::move(node), std::move(extents), {}};
    const int64_t n = product(made.extents);
    for (int64_t i = 0; i < n; i++) made.values.push_back(value(i));
    note("s" + std::to_string(arrays_.size()) + " = " + line + "    ; " + wf::text_of(made.extents));
    arrays_.push_back(std::move(made));
  }

  void add_source() {
    static constexpr int64_t some[] = {0, 1, 2, 3, 17, 257, 2, 3, 4, 6, 12, 17};
    Extents extents;
    for (int64_t axes = 1 + below(4) - (below(20) == 0); axes > 0; axes--) {
      extents.push_back(some[size_t(1 + below(24) % 11 - (below(40) == 0))]);
      if (product(extents) > most_elements / 8) extents.back() = 1;
    }
    const int64_t n = product(extents);
    NodeRef s = graph::tabulate("(fn ((i i64)) (rem (mul i 7919:i64) 1009:i64))", n);
    if (below(2)) wf::force({&s, 1});
    keep(wf::reshape(s, extents), extents, "source", [](int64_t i) { return i * 7919 % 1009; });
  }

  std::vector<int32_t> order(size_t rank) {
    std::vector<int32_t> axes(rank);
    std::iota(axes.begin(), axes.end(), 0);
    std::shuffle(axes.begin(), axes.end(), random_);
    return axes;
  }

  void step() {
    const Array a = any();
    const std::string name = wf::text_of(a.extents);
    switch (below(11)) {
      case 0: return reshape(a);
      case 1:
      case 2: return permute(a);
      case 3: return broadcast(a);
      case 4: return slice(a);
      case 5: return view(a);
      case 6: return join(a);
      case 7: return reduce(a);
      case 8: return below(2) ? scan(a) : sort(a);
      default: map(a); return below(2) ? reshape(arrays_.back()) : permute(arrays_.back());
    }
  }

  void reshape(Array a) {
    // Splits and merges of axes.
    Extents extents = a.extents;
    if (!extents.empty() && below(2)) {
      const size_t k = size_t(below(int64_t(extents.size())));
      for (int64_t d : {17, 3, 2})
        if (extents[k] > d && extents[k] % d == 0 && extents.size() < 8) {
          extents.insert(extents.begin() + ptrdiff_t(k), extents[k] / d);
          extents[k + 1] = d;
          break;
        }
    }
    for (int64_t times = below(3); times > 0 && extents.size() > 1; times--) {
      const size_t k = size_t(below(int64_t(extents.size()) - 1));
      extents[k] *= extents[k + 1];
      extents.erase(extents.begin() + ptrdiff_t(k) + 1);
    }
    keep(wf::reshape(a.node, extents), extents, "reshape", [&](int64_t i) { return a.values[size_t(i)]; });
  }

  void permute(Array a) {
    const std::vector<int32_t> axes = order(a.extents.size());
    Extents extents;
    for (int32_t axis : axes) extents.push_back(a.extents[size_t(axis)]);
    keep(wf::permute(a.node, axes), extents, "permute", [&](int64_t i) {
      const Extents at = indices_of(i, extents);
      Extents from(at.size());
      for (size_t k = 0; k < at.size(); k++) from[size_t(axes[k])] = at[k];
      return a.values[size_t(index_of(from, a.extents))];
    });
  }

  void broadcast(const Array& a) {
    Extents extents = a.extents;
    for (int64_t& n : extents)
      if (n == 1) n = 1 + below(5);
    if (extents.size() < 6 && below(2)) extents.insert(extents.begin(), 1 + below(4));
    if (product(extents) > most_elements) return;
    keep(wf::broadcast(a.node, extents), extents, "broadcast", [&](int64_t i) {
      const Extents at = indices_of(i, extents);
      Extents from(at.end() - ptrdiff_t(a.extents.size()), at.end());
      for (size_t k = 0; k < from.size(); k++) from[k] = a.extents[k] == 1 ? 0 : from[k];
      return a.values[size_t(index_of(from, a.extents))];
    });
  }

  void slice(const Array& a) {
    Extents starts, counts, steps;
    for (int64_t n : a.extents) {
      int64_t step = below(3) == 0 ? -1 - below(2) : 1 + below(3),
              count = n == 0 ? 0 : 1 + below((n + std::abs(step) - 1) / std::abs(step));
      if (below(3)) step = 1, count = n;
      const int64_t reach = count > 0 ? std::abs(step) * (count - 1) : 0, first = below(n - reach);
      starts.push_back(step < 0 ? first + reach : first);
      counts.push_back(count), steps.push_back(step);
    }
    keep(wf::slice(a.node, starts, counts, steps.data()), counts, "slice", [&](int64_t i) {
      Extents at = indices_of(i, counts);
      for (size_t k = 0; k < at.size(); k++) at[k] = starts[k] + steps[k] * at[k];
      return a.values[size_t(index_of(at, a.extents))];
    });
  }

  void view(const Array& a) {
    const int64_t n = product(a.extents);
    Extents extents, strides;
    int64_t offset = below(n), low = offset, high = offset;
    if (n == 0) return;
    for (int64_t axes = below(4); axes > 0; axes--) {
      const int64_t stride = below(8) - 2, extent = 1 + below(9);
      const int64_t reach = stride * (extent - 1);
      if (low + std::min<int64_t>(reach, 0) < 0 || high + std::max<int64_t>(reach, 0) >= n) continue;
      low += std::min<int64_t>(reach, 0), high += std::max<int64_t>(reach, 0);
      extents.push_back(extent), strides.push_back(stride);
    }
    keep(wf::view(a.node, offset, extents, strides), extents, "view", [&](int64_t i) {
      const Extents at = indices_of(i, extents);
      return a.values[size_t(std::inner_product(at.begin(), at.end(), strides.begin(), offset))];
    });
  }

  void join(const Array& a) {
    if (a.extents.empty()) return;
    const size_t axis = size_t(below(int64_t(a.extents.size())));
    Extents others = a.extents;
    others[axis] = below(4);
    const NodeRef other = wf::reshape(graph::tabulate("(fn ((i i64)) (neg i))", product(others)), others);
    Extents extents = a.extents;
    extents[axis] = 2 * a.extents[axis] + others[axis];
    if (product(extents) > most_elements) return;
    keep(wf::join({a.node, other, a.node}, int32_t(axis)), extents, "join", [&](int64_t i) {
      Extents at = indices_of(i, extents);
      const int64_t n = a.extents[axis], m = others[axis];
      if (at[axis] >= n && at[axis] < n + m) {
        at[axis] -= n;
        return -index_of(at, others);
      }
      if (at[axis] >= n) at[axis] -= n + m;
      return a.values[size_t(index_of(at, a.extents))];
    });
  }

  void map(const Array& a) {
    for (const Array& other : arrays_)
      if (other.extents == a.extents && below(2)) {
        const std::vector<int64_t> x = a.values, y = other.values;
        return keep(graph::map("(fn ((a i64) (b i64)) (sub (mul a 2:i64) b))", {a.node, other.node}), a.extents, "map of two",
                    [&](int64_t i) { return int64_t(2 * uint64_t(x[size_t(i)]) - uint64_t(y[size_t(i)])); });
      }
    keep(graph::map("(fn ((x i64)) (add (mul x 3:i64) 1:i64))", {a.node}), a.extents, "map",
         [&](int64_t i) { return int64_t(3 * uint64_t(a.values[size_t(i)]) + 1); });
  }

  static wf::Closure add() { return {wf::parse("(fn ((a i64) (b i64)) (add a b))"), {}, {}}; }

  void reduce(const Array& a) {
    std::vector<int32_t> axes = order(a.extents.size());
    axes.resize(size_t(below(int64_t(axes.size()) + 1)));
    const bool keeps = below(2);
    Extents kept = a.extents, extents;
    for (int32_t axis : axes) kept[size_t(axis)] = 1;
    for (size_t k = 0; k < kept.size(); k++)
      if (keeps || std::ranges::count(axes, int32_t(k)) == 0) extents.push_back(kept[k]);
    std::vector<int64_t> sums(size_t(product(kept)));
    for (int64_t i = 0; i < product(a.extents); i++) {
      Extents at = indices_of(i, a.extents);
      for (int32_t axis : axes) at[size_t(axis)] = 0;
      int64_t& sum = sums[size_t(index_of(at, kept))];
      sum = int64_t(uint64_t(sum) + uint64_t(a.values[size_t(i)]));
    }
    keep(wf::reduce_axes(add(), {0}, a.node, axes, keeps), extents, "reduce", [&](int64_t i) { return sums[size_t(i)]; });
  }

  // The vectors along an axis, changed by f.
  template <class F> std::vector<int64_t> along(const Array& a, size_t axis, const F& f) {
    std::vector<int64_t> result(a.values.size());
    for (int64_t i = 0; i < product(a.extents); i++) {
      Extents at = indices_of(i, a.extents);
      if (at[axis] != 0) continue;
      std::vector<int64_t> vector;
      for (at[axis] = 0; at[axis] < a.extents[axis]; at[axis]++) vector.push_back(a.values[size_t(index_of(at, a.extents))]);
      f(vector);
      for (at[axis] = 0; at[axis] < a.extents[axis]; at[axis]++) result[size_t(index_of(at, a.extents))] = vector[size_t(at[axis])];
    }
    return result;
  }

  void scan(const Array& a) {
    if (a.extents.empty()) return;
    const size_t axis = size_t(below(int64_t(a.extents.size())));
    const bool inclusive = below(2);
    const std::vector<int64_t> expected = along(a, axis, [&](std::vector<int64_t>& v) {
      uint64_t sum = 0;
      for (int64_t& x : v) {
        const uint64_t before = sum;
        sum += uint64_t(x);
        x = int64_t(inclusive ? sum : before);
      }
    });
    keep(wf::scan_axis(add(), {0}, a.node, int32_t(axis), inclusive).prefixes, a.extents, "scan",
         [&](int64_t i) { return expected[size_t(i)]; });
  }

  void sort(const Array& a) {
    if (a.extents.empty()) return;
    const size_t axis = size_t(below(int64_t(a.extents.size())));
    const bool descending = below(2);
    const std::vector<int64_t> expected = along(a, axis, [&](std::vector<int64_t>& v) {
      std::ranges::sort(v);
      if (descending) std::ranges::reverse(v);
    });
    keep(wf::sort_axis(a.node, int32_t(axis), descending), a.extents, "sort", [&](int64_t i) { return expected[size_t(i)]; });
  }

  std::mt19937_64 random_;
  std::vector<Array> arrays_;
  std::string text_;
};

}  // namespace

TEST(random_programs_of_arrays) {
  const char* given = std::getenv("WARPFOLD_ARRAY_PROGRAMS");
  const unsigned count = given ? unsigned(std::atoi(given)) : 1000;
  for (unsigned seed = 0; seed < count; seed++) {
    Program program(seed);
    try {
      program.run();
    } catch (const std::exception& error) { CHECK_EQ("program " + std::to_string(seed) + "\n" + program.text() + error.what(), ""); }
  }
}
