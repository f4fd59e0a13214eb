#include "cpu/neighbours.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "cpu/program/compile.h"
#include "cpu/worker.h"
#include "expr/indices/neighbours.h"
#include "expr/rewrite.h"

namespace wf::cpu {
namespace {

constexpr int64_t shortest_walked_row = 256;  // that repays a run
constexpr int64_t farthest = 8;               // neighbours; a power of two
constexpr size_t most_terms = 1000;           // of a body with unrolled folds

// Copies the function of an inner element's column and row as one of the index row * stride + column, with the stride of the first input that is read
// at neighbours.
class OfFlatIndex : public Copy {
 public:
  OfFlatIndex(Builder& builder, const Fn& element, Neighbours& found)
      : Copy(builder, element), result(found), all(planes(element)), i(builder.param(Type::I64, "i")), none(builder.constant(int64_t(0))) {
    result.stride = result.width;
    for (Id id = Id(element.terms.size()); id-- > 0;)
      if (element[id].kind == Kind::At && all[element.args(id)[0]].y > 0) result.stride = all[element.args(id)[0]].y;
  }

  FnRef run() {
    for (Id id = 0; id < from.terms.size(); id++)
      if (from[id].kind != Kind::At && !all[id].known)
        fails = fails || std::ranges::any_of(from.args(id), [&](Id x) { return depends(x); });
    const Id params[] = {none, none};
    const std::vector<Id> results = copy_terms(*this, params);
    for (Id id : from.results) fails = fails || depends(id);
    return fails ? nullptr : to.finish(results);
  }

  Id apply(Id id, std::span<const Id> x) {
    if (all[id].known) return none;
    std::vector<Id> operands(x.begin(), x.end());
    for (size_t k = 0; k < operands.size(); k++)
      if (const Plane& plane = all[from.args(id)[k]]; plane.known) operands[k] = to.constant(plane.constant);
    return to.apply_typed(from[id].op, operands);
  }
  Id at(Id id, Id) {
    const Plane& plane = all[from.args(id)[0]];
    fails = fails || !plane.known || (plane.x != 0 && plane.x != 1);
    result.reads.push_back({from[id].slot, plane});
    Id index = to.constant(plane.constant);
    const int64_t step = plane.y - plane.x * result.stride;
    if (plane.x != 0) index = to.apply(Op::add_, {i, index});
    if (step != 0) index = to.apply(Op::add_, {index, argument_of(step)});
    return to.at(from[id].slot, from[id].column, from[id].type, index);
  }
  Id check(Id, std::span<const Id> x) {
    fails = true;
    return x[0];
  }

 private:
  bool depends(Id id) const { return all[id].known && (all[id].x != 0 || all[id].y != 0); }
  Id argument_of(int64_t step) {
    const auto known = std::ranges::find(result.steps, step);
    const auto k = uint32_t(known - result.steps.begin());
    if (known == result.steps.end()) result.steps.push_back(step);
    return to.argument(result.first_argument + k, Type::I64);
  }

  Neighbours& result;
  const std::vector<Plane> all;
  const Id i, none;
  bool fails = false;
};

uint32_t arguments_of(const Fn& fn) {
  uint32_t count = 0;
  for (const Term& t : fn.terms)
    if (t.kind == Kind::Argument) count = std::max(count, t.slot + 1);
  return count;
}

FnRef inner_function(Neighbours& found, int64_t height, int64_t margin) {
  const Range columns{margin, found.width - margin - 1}, rows{margin, margin > 0 ? height - margin - 1 : INT64_MAX};
  found.margin = margin;
  found.steps.clear();
  found.reads.clear();
  const FnRef element = without_proven_checks(body_of_pack(*found.body, found.width, 1, columns, rows), std::array{columns, rows});
  if (std::ranges::any_of(element->terms,
                          [](const Term& t) { return is_repeated(t) || t.kind == Kind::Foreign || t.kind == Kind::Require; }))
    return nullptr;
  Builder builder;
  builder.reads_cannot_fail();
  return OfFlatIndex(builder, *element, found).run();
}

std::shared_ptr<const BlockProgram> program_of(const Fn& fn, bool reads_neighbours) {
  std::vector<uint32_t> early(fn.results.size());
  std::iota(early.begin(), early.end(), 0u);
  return BlockProgram::compile(fn, {.early = early, .indexed = true, .neighbours = reads_neighbours});
}

// See Neighbours::edges. The elements to the left of the border belong to the row before it. Margins are powers of two, so that numbers are divided
// by shifts, which vectors compute faster than the runs of digits that they are.
FnRef edge_function(const Neighbours& found, int64_t height) {
  const FnRef element = body_of_pack(*found.body, found.width, 1, {0, found.width - 1}, {0, height - 1});
  Builder b;
  b.reads_cannot_fail();
  auto number = [&](int64_t x) { return b.constant(x); };
  const Id i = b.param(Type::I64, "i"), row = b.apply(Op::shr_, {i, number(std::countr_zero(uint64_t(2 * found.margin)))}),
           k = b.apply(Op::and_, {i, number(2 * found.margin - 1)}), is_left = b.apply(Op::lt_, {k, number(found.margin)});
  const Id right = b.apply(Op::sub_, {k, number(found.margin)});
  const Id column = b.apply(Op::where_, {is_left, b.apply(Op::add_, {right, number(found.width)}), right});
  const Id params[] = {column, b.apply(Op::where_, {is_left, b.apply(Op::sub_, {row, number(1)}), row})};
  return b.finish(b.inline_call(*element, params));
}

}  // namespace

Neighbours::Way Neighbours::way(int64_t n, std::span<const InputView> inputs, bool in_place) const {
  if (n % width != 0 || (length != 0 && n != length) || n / width <= 2 * margin) return Way::by_body;
  const Range columns{margin, width - margin - 1}, rows{margin, n / width - margin - 1};
  const bool are_within = std::ranges::all_of(reads, [&](const Read& read) {
    return indices_of(read.plane, columns, rows).is_in({0, Wide(inputs[read.slot].length) - 1});
  });
  if (!are_within) return Way::by_body;
  if (through_rows && !in_place) return Way::through_rows;
  return width >= shortest_walked_row ? Way::by_rows : Way::by_body;
}

std::optional<Neighbours> neighbours_of(const Kernel& kernel, int64_t n) {
  const auto has_columns = [](const Fn& fn) {
    return std::ranges::any_of(fn.terms, [&](const Term& t) { return is_digit_of_index(fn, t, Op::rem_); });
  };
  if (!only_stores(kernel) || has_segments(kernel) || has_parts(kernel) || !has_columns(*kernel.body)) return std::nullopt;
  Neighbours found{.body = kernel.body,
                   .inner = nullptr,
                   .width = 0,
                   .stride = 0,
                   .length = 0,
                   .margin = 0,
                   .first_argument = arguments_of(*kernel.body),
                   .steps = {},
                   .reads = {},
                   .edges = nullptr};
  if (has_folds(*kernel.body)) found.body = unroll_folds(kernel.body, most_terms);
  const std::optional<int64_t> width = found.body ? neighbourhood_width(*found.body) : std::nullopt;
  if (!width || n % *width != 0) return std::nullopt;
  found.width = *width;
  for (int64_t margin = 0; margin <= farthest && (margin == 0 || n / *width > 2 * margin); margin = std::max<int64_t>(1, 2 * margin)) {
    const FnRef inner = inner_function(found, n / *width, margin);
    if (!inner) continue;
    found.through_rows = found.steps.empty() && found.stride == found.width;
    if (!found.through_rows && found.width < shortest_walked_row) return std::nullopt;
    found.inner = program_of(*inner, true);
    if (found.through_rows && margin > 0) found.edges = program_of(*edge_function(found, n / *width), false);
    found.length = margin > 0 ? n : 0;
    return found;
  }
  return std::nullopt;
}

// ---- runs ---------------------------------------------------------------------------------------------------------------------

// Computes elements of a row from `at` on: inner ones, or the others up to the next inner one. Returns their number.
int64_t Worker::run_row(int64_t at, int64_t end) {
  const Neighbours& neighbours = *compiled_.neighbours;
  const int64_t width = neighbours.width, margin = neighbours.margin, n = run_->launch.n, row = at / width, column = at % width;
  if (!neighbours.is_inner_row(row, n) || column < margin || column >= width - margin) {
    const int64_t next = neighbours.is_inner_row(row, n) && column < margin ? row : std::max(row + 1, margin);
    return run_block(at, neighbours.is_inner_row(next, n) ? std::min(end, next * width + margin) : end);
  }
  // The inputs are bound again where the arguments change.
  if (inner_row_ < 0 || (inner_row_ != row && !neighbours.steps.empty())) {
    inner_arguments_.assign(run_->launch.arguments.begin(), run_->launch.arguments.end());
    inner_arguments_.resize(neighbours.first_argument + neighbours.steps.size());
    for (size_t k = 0; k < neighbours.steps.size(); k++)
      inner_arguments_[neighbours.first_argument + k] = to_bits(row * neighbours.steps[k]);
    inner_->bind_inputs(run_->inputs, inner_arguments_);
    inner_row_ = row;
  }
  return run_inner(row * neighbours.stride + column, at, std::min(end, at - column + width - margin) - at);
}

// Computes at most `count` elements from `at` on by the function of inner elements, whose index is `index` there. Returns their number.
int64_t Worker::run_inner(int64_t index, int64_t at, int64_t count) {
  place_results(*inner_, at, count);
  if (count > compiled_.neighbours->inner->block() && inner_->span(index, count) < count) {
    count = compiled_.neighbours->inner->block();
    place_results(*inner_, at, count);
  }
  inner_->run(0, index, count);
  for (const Store& s : compiled_.kernel.stores) store(s.output, inner_->result(s.value), at, count);
  return count;
}

// The body computes the elements before the first whole tile of the run of inner elements, and after the last one.
void Worker::run_through_rows(int64_t begin, int64_t end) {
  const Neighbours& neighbours = *compiled_.neighbours;
  const int64_t outside = neighbours.margin * (neighbours.width + 1), first = (outside + tile - 1) / tile * tile,
                last = (run_->launch.n - outside) / tile * tile;
  const int64_t from = std::clamp(first, begin, end), to = std::clamp(last, from, end);
  for (int64_t at = begin; at < from;) at += run_block(at, from);
  for (int64_t at = from; at < to;) at += run_inner(at, at, to - at);
  if (edges_ && from < to) store_edges(from, to);
  for (int64_t at = to; at < end;) at += run_block(at, end);
}

// Computes the elements next to borders between rows in [begin, end), which the run of inner elements has made wrong.
void Worker::store_edges(int64_t begin, int64_t end) {
  const Neighbours& neighbours = *compiled_.neighbours;
  const int64_t width = neighbours.width, margin = neighbours.margin, per_row = 2 * margin;
  const int64_t first = ((begin - margin) / width + 1) * per_row, last = (end + margin + width - 1) / width * per_row;
  for (int64_t k = first, count; k < last; k += count) {
    count = std::min(last - k, neighbours.edges->block());
    edges_->run(0, k, count);
    auto copy = [&]<class T>(const Store& s, T) {
      const auto* values = static_cast<const T*>(edges_->result(s.value));
      auto* const out = reinterpret_cast<T*>(run_->outputs[s.output]);
      for (int64_t at = k / per_row * width - margin, j = 0; j < count; at += width, j += per_row) {
        if (per_row == 2 && at >= begin && at + 2 <= end) {  // the usual case
          out[at] = values[j], out[at + 1] = values[j + 1];
          continue;
        }
        const int64_t to = std::min(at + per_row, end);
        for (int64_t i = std::max(at, begin); i < to; i++) out[i] = values[j + i - at];
      }
    };
    for (const Store& s : compiled_.kernel.stores) {
      const size_t size = size_of(compiled_.kernel.outputs[s.output]);
      if (size == 1) copy(s, uint8_t());
      else if (size == 4) copy(s, uint32_t());
      else copy(s, uint64_t());
    }
  }
}

}  // namespace wf::cpu
