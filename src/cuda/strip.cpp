#include "cuda/strip.h"

#include <algorithm>
#include <map>
#include <utility>

#include "expr/terms.h"

namespace wf::cuda {
namespace {

// The value of a term at a row: the base's value, `age` rows earlier. A base that does not vary has the same value at all rows.
struct RowStream {
  Id base = no_id;
  int64_t age = 0;
  bool varies = false;
};

class Retiming {
 public:
  explicit Retiming(const Fn& pack) : from_(pack), planes_(planes(pack)), streams_(pack.terms.size()) {
    to_.reads_cannot_fail();
    x_ = to_.param(Type::I64, "x"), y_ = to_.param(Type::I64, "y");
    known_[x_] = {x_, 0, false}, known_[y_] = {y_, 0, true};
  }

  std::optional<Strip> run() {
    for (Id id = 0; id < from_.terms.size(); id++)
      if (!translate(id)) return std::nullopt;
    int64_t lag = INT64_MIN, depth = 0;
    for (Id id : from_.results)
      if (streams_[id].varies) lag = std::max(lag, -streams_[id].age);
    if (lag == INT64_MIN) return std::nullopt;
    std::vector<Id> results;
    for (Id id : from_.results) {
      results.push_back(aged(streams_[id], lag));
      depth = std::max(depth, history_[results.back()]);
    }
    // A value that is d rows old was d - 1 rows old one row earlier.
    for (size_t k = 0; k < kept_.size(); k++) results.push_back(aged({kept_[k].base, kept_[k].age, true}, -1));
    return Strip{to_.finish(results), lag, depth};
  }

 private:
  struct Kept {
    Id base;
    int64_t age;
  };

  // The stream's value `later` rows after the row to which its age refers.
  Id aged(const RowStream& stream, int64_t later) {
    const int64_t age = stream.age + later;
    if (!stream.varies || age == 0) return stream.base;
    const auto [at, is_new] = ids_.try_emplace({stream.base, age}, no_id);
    if (is_new) {
      at->second = to_.param(to_.type(stream.base), "kept");
      kept_.push_back({stream.base, age});
      known_[at->second] = {stream.base, age, true};
      history_[at->second] = history_[stream.base] + age;
    }
    return at->second;
  }

  // The stream of a new term whose operands are these terms of the step.
  RowStream stream_of(Id id, std::span<const Id> operands, int64_t age) {
    const auto found = known_.find(id);
    if (found != known_.end()) return {found->second.base, found->second.age + age, found->second.varies};
    RowStream stream{id, 0, false};
    for (Id operand : operands) {
      stream.varies |= known_[operand].varies;
      history_[id] = std::max(history_[id], history_[operand]);
    }
    known_[id] = stream;
    return {id, age, stream.varies};
  }

  RowStream of_plane(Plane plane) {
    int64_t age = 0;
    if (plane.y != 0) {
      // The row whose index is nearest to 0 columns away.
      const int64_t length = std::abs(plane.y), middle = plane.constant + length / 2;
      const int64_t rows = middle >= 0 ? middle / length : -((length - 1 - middle) / length);
      plane.constant -= rows * length;
      age = plane.y > 0 ? -rows : rows;
    }
    Id id = to_.constant(plane.constant);
    std::vector<Id> operands;
    for (const auto& [factor, param] : {std::pair(plane.y, y_), std::pair(plane.x, x_)}) {
      if (factor == 0) continue;
      const Id scaled = factor == 1 ? param : to_.apply(Op::mul_, {param, to_.constant(factor)});
      id = operands.empty() && plane.constant == 0 ? scaled : to_.apply(Op::add_, {scaled, id});
      operands.push_back(param);
    }
    return stream_of(id, operands, age);
  }

  bool translate(Id id) {
    const Term& t = from_[id];
    if (planes_[id].known) {
      streams_[id] = of_plane(planes_[id]);
      return true;
    }
    int64_t age = INT64_MAX;
    for (Id x : from_.args(t))
      if (streams_[x].varies) age = std::min(age, streams_[x].age);
    if (age == INT64_MAX) age = 0;
    std::vector<Id> operands;
    for (Id x : from_.args(t)) operands.push_back(aged(streams_[x], -age));
    Id made;
    switch (t.kind) {
      case Kind::Literal: made = to_.literal(t.type, t.bits); break;
      case Kind::Apply: made = to_.apply_typed(t.op, operands); break;
      case Kind::Cast: made = to_.cast(t.type, operands[0]); break;
      case Kind::Length: made = to_.length(t.slot); break;
      case Kind::At:
        if (!planes_[from_.args(t)[0]].known) return false;
        made = to_.at(t.slot, t.column, t.type, operands[0]);
        break;
      default: return false;
    }
    streams_[id] = stream_of(made, operands, age);
    return true;
  }

  const Fn& from_;
  const std::vector<Plane> planes_;
  Builder to_;
  Id x_, y_;
  std::vector<RowStream> streams_;  // by term of the pack
  std::map<Id, RowStream> known_;   // by term of the step
  std::map<Id, int64_t> history_;   // rows before this one on which a term of the step depends
  std::map<std::pair<Id, int64_t>, Id> ids_;
  std::vector<Kept> kept_;
};

}  // namespace

std::optional<Strip> strip_of(const Fn& pack) { return Retiming(pack).run(); }

}  // namespace wf::cuda
