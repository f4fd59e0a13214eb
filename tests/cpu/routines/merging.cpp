// Native merges next to a plain loop: columns of every type, runs of which one ends early, and a comparison that is no order.
#include <cstring>
#include <random>

#include "check.h"
#include "cpu/loops/isa.h"
#include "cpu/native/library.h"
#include "cpu/native/merging.h"

using namespace wf;
using cpu::native::MergeLane;
using std::vector;

namespace {

struct Element {
  uint64_t a;
  float b;
  uint8_t c;
  uint8_t d;  // a bool
  double e;
  int32_t f;
};
const vector<Type> types = {Type::U64, Type::F32, Type::U8, Type::Bool, Type::F64, Type::I32};
const char* const parameters = "(fn ((a u64) (b f32) (c u8) (d bool) (e f64) (f i32) (g u64) (h f32) (k u8) (l bool) (m f64) (n i32)) ";

template <class T> std::byte* bytes(vector<T>& x) { return reinterpret_cast<std::byte*>(x.data()); }

struct Columns {
  explicit Columns(size_t n) : a(n), b(n), c(n), d(n), e(n), f(n) {}
  vector<std::byte*> data() { return {bytes(a), bytes(b), bytes(c), bytes(d), bytes(e), bytes(f)}; }
  Element at(int64_t i) const { return {a[size_t(i)], b[size_t(i)], c[size_t(i)], d[size_t(i)], e[size_t(i)], f[size_t(i)]}; }
  bool operator==(const Columns&) const = default;

  vector<uint64_t> a;
  vector<float> b;
  vector<uint8_t> c, d;
  vector<double> e;
  vector<int32_t> f;
};

// Merges lanes of different lengths, 1 and several at once.
template <class Less> void verify(const char* text, Less less) {
  if (!cpu::native::llvm()) throw check::Skip{cpu::native::reason_without_llvm()};
  const uint32_t result = 0;
  const auto program = cpu::BlockProgram::compile(*parse(parameters + std::string(text) + ")"), {&result, 1}, false);
  CHECK(cpu::native::covers_merging(program->impl(), cpu::isa()));
  cpu::native::compile_merging(*program, types);
  CHECK(program->native() != nullptr);

  constexpr int64_t n = 3000;
  std::mt19937 random(1);
  Columns x(n), expected(n), found(n);
  for (size_t i = 0; i < size_t(n); i++) {
    x.a[i] = random() % 9, x.b[i] = float(random() % 5), x.c[i] = uint8_t(random()), x.d[i] = random() % 2, x.e[i] = double(random() % 7);
    x.f[i] = int32_t(i);
  }
  vector<MergeLane> lanes;
  for (int64_t begin = 0; begin < n;) {
    const int64_t end = std::min<int64_t>(n, begin + 2 + int64_t(random() % 200)),
                  middle = begin + 1 + int64_t(random()) % (end - begin - 1);
    if (n - end < 2) break;
    lanes.push_back({begin, middle, middle, end, begin, end});
    begin = end;
  }
  const auto to = expected.data(), from = x.data();
  for (MergeLane lane : lanes)
    for (; lane.out < lane.out_end; lane.out++) {
      const bool from_b = lane.b < lane.b_end && (lane.a == lane.a_end || less(x.at(lane.b), x.at(lane.a)));
      const int64_t next = from_b ? lane.b++ : lane.a++;
      for (size_t k = 0; k < types.size(); k++) {
        const size_t size = size_of(types[k]);
        std::memcpy(to[k] + size_t(lane.out) * size, from[k] + size_t(next) * size, size);
      }
    }
  const vector<const std::byte*> columns(from.begin(), from.end());
  cpu::native::Merger merger(*program, columns, columns, found.data());
  std::span<MergeLane> left = lanes;
  for (; left.size() >= size_t(cpu::native::merges_at_once); left = left.subspan(cpu::native::merges_at_once)) {
    const auto several = left.first(cpu::native::merges_at_once);
    int64_t steps = INT64_MAX;
    for (const MergeLane& lane : several) steps = std::min(steps, lane.out_end - lane.out);
    merger.run(several, steps);
    for (MergeLane& lane : several)
      if (lane.out < lane.out_end) merger.run({&lane, 1}, lane.out_end - lane.out);
  }
  for (MergeLane& lane : left) merger.run({&lane, 1}, lane.out_end - lane.out);
  CHECK(found == expected);
}

}  // namespace

TEST(merges_by_a_comparison_of_both_elements) {
  verify("(lt (mul a (cast u64 (add n 1:i32))) (mul g (cast u64 (add f 1:i32))))",
         [](const Element& x, const Element& y) { return x.a * uint64_t(y.f + 1) < y.a * uint64_t(x.f + 1); });
}

TEST(merges_by_columns_of_several_types) {
  verify("(or (and l (lt b h)) (and (gt m e) (ne c k)))",
         [](const Element& x, const Element& y) { return (y.d && x.b < y.b) || (y.e > x.e && x.c != y.c); });
}

TEST(merges_by_what_is_no_order) {
  verify("true", [](const Element&, const Element&) { return true; });
  verify("(ne (and (add a g) 3:u64) 0:u64)", [](const Element& x, const Element& y) { return ((x.a + y.a) & 3) != 0; });
}
