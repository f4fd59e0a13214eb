// Random numbers that are computed without elementary functions, whose bits are therefore the oracle's.
#include "random/random.h"

#include "cuda/agree.h"
#include "cuda/programs/programs.h"

namespace programs {

using graph::filter, graph::map, graph::reduce, graph::source;
using wf::NodeRef, wf::Type;

namespace {

NodeRef number(double x) { return wf::constant(graph::context(), Type::F64, wf::to_bits(x)); }
NodeRef integer(int64_t x) { return wf::constant(graph::context(), Type::I64, wf::to_bits(x)); }
NodeRef draw(std::string_view distribution, const NodeRef& key, const std::vector<NodeRef>& parameters, int64_t n, Type type) {
  return wf::random::draw(distribution, key, parameters, n, type);
}

}  // namespace

void random_numbers(int64_t n) {
  const NodeRef key = wf::random::key(graph::context(), 0x123456789abcdef0), other = wf::random::split(key, n);
  const NodeRef x = draw("uniform", key, {}, n, Type::F32), y = draw("uniform", other, {}, n, Type::F64);
  agree({x, y});
  agree(
      {draw("uniform", key, {numbers<float>(n, -9, 0), number(2.5)}, n, Type::F32), draw("bernoulli", key, {number(0.3)}, n, Type::Bool)});
  agree({draw("key", key, {}, n, Type::U64)});
  agree({draw("uniform", draw("key", key, {}, n, Type::U64), {}, n, Type::F32)});
  // Words of which a part is rejected, in loops.
  agree({draw("uniform_int", key, {integer(-5), integer(3000000000)}, n, Type::I64)});
  agree({draw("uniform_int", key, {integer(-1), integer(int64_t(1) << 61)}, n, Type::U64)});
  agree({draw("uniform_int", key, {integer(0), numbers<int64_t>(n, -1, 1000000000)}, n, Type::I32)});
  // Parts that begin within a block.
  if (n > 3) agree({wf::subseq(x, 3, n - 3), wf::rev(x), wf::subseq(y, 1, n - 2)});
  agree({reduce("(fn ((a i64) (b i64)) (add a b))", "0:i64",
                map("(fn ((x f32) (y f64)) (where (lt (add (mul x x) (mul y y)) 1.0:f64) 1:i64 0:i64))", {x, y}))});
  agree({filter("(fn ((x f32)) (lt x 0.125:f32))", x)});
  // A stream per element, and a key that depends on the element.
  agree({map("(fn ((i i64)) (philox32 1:i64 7:i64 i))", {numbers<int64_t>(n, 0, 99)}),
         map("(fn ((i i64)) (philox64 i 7:i64 2:i64))", {numbers<int64_t>(n, 0, 99)})});
}

}  // namespace programs
