// The primitives on values.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "oracle/oracle.h"

namespace oracle {

Value no_length(std::vector<Type> types, const Fault& fault) {
  Value result(std::move(types), 0);
  result.length_fault = fault;
  result.may_fail = true;
  return result;
}

namespace {

// A sequence may fail if one that it is made from may fail.
void inherit(Value& result, const std::vector<const Value*>& from) {
  for (const Value* s : from) result.may_fail |= s->may_fail;
}

const Value* without_length(const std::vector<const Value*>& sequences) {
  for (const Value* s : sequences)
    if (s->length_fault) return s;
  return nullptr;
}

Row all_faulty(size_t columns, const Fault& fault) {
  return {std::vector<Bits64>(columns), std::vector<std::optional<Fault>>(columns, fault)};
}

// r[i] = row(i), made from these sequences.
template <class MakeRow> Value by_rows(std::vector<Type> types, int64_t n, const std::vector<const Value*>& from, MakeRow row) {
  Value result(std::move(types), n);
  inherit(result, from);
  for (int64_t i = 0; i < n; i++) result.set_row(i, row(i));
  return result;
}

// The same, with r[k] the element of a sequence at an index: place(k) is both.
template <class Place> Value by_places(std::vector<Type> types, int64_t n, const std::vector<const Value*>& from, Place place) {
  Value result(std::move(types), n);
  inherit(result, from);
  for (int64_t k = 0; k < n; k++) {
    const std::pair<const Value*, int64_t> element = place(k);
    for (size_t c = 0; c < result.columns.size(); c++)
      result.set(c, k, element.first->columns[c][element.second], element.first->fault(c, element.second));
  }
  return result;
}

std::vector<Type> all_types(const std::vector<const Value*>& sequences) {
  std::vector<Type> types;
  for (const Value* s : sequences) types.insert(types.end(), s->types.begin(), s->types.end());
  return types;
}

// The results of the last run are element i of `to`.
void set_results(Value& to, int64_t i, const Interpreter& call) {
  for (size_t k = 0; k < to.columns.size(); k++) to.set(k, i, call.result(k), call.fault(k));
}

}  // namespace

Value tabulate(const wf::Fn& f, const Captures& captures, int64_t n) {
  Interpreter call(f, captures);
  Value result(f.result_types(), n);
  inherit(result, captures);
  const Interpreter::Faults none(1);
  for (int64_t i = 0; i < n; i++) {
    const Bits64 index = wf::to_bits(i);
    call.run({&index, 1}, none);
    set_results(result, i, call);
  }
  return result;
}

Value map(const wf::Fn& f, const Captures& captures, std::vector<const Value*> sequences) {
  if (const Value* s = without_length(sequences)) return no_length(f.result_types(), *s->length_fault);
  Interpreter call(f, captures);
  Value result(f.result_types(), sequences[0]->length);
  inherit(result, sequences);
  inherit(result, captures);
  std::vector<Bits64> args;
  Interpreter::Faults faults;
  for (int64_t i = 0; i < result.length; i++) {
    args.clear(), faults.clear();
    for (const Value* s : sequences)
      for (size_t k = 0; k < s->columns.size(); k++) args.push_back(s->columns[k][i]), faults.push_back(s->fault(k, i));
    call.run(args, faults);
    set_results(result, i, call);
  }
  return result;
}

namespace {

// A running total of rows: its values and faults are the left operands of `call`.
class Total {
 public:
  Total(const wf::Fn& f, const Captures& captures, const std::vector<Bits64>& identity)
      : call_(f, captures), sides_(identity), faults_(2 * identity.size()), kept_(identity.size()) {
    sides_.resize(2 * identity.size());
  }

  void set_first(const Value& s) {
    for (size_t k = 0; k < kept_.size(); k++) set(k, s.columns[k][0], s.fault(k, 0));
  }
  void add(const Value& s, int64_t i) {
    const size_t columns = kept_.size();
    for (size_t k = 0; k < columns; k++) sides_[columns + k] = s.columns[k][i], faults_[columns + k] = s.fault(k, i);
    call_.run(sides_, faults_);
    // A result's fault may be that of another column's left operand.
    std::vector<std::optional<Fault>> next;
    for (size_t k = 0; k < columns; k++)
      if (call_.fault(k)) next.resize(columns), next[k] = *call_.fault(k);
    for (size_t k = 0; k < columns; k++) set(k, call_.result(k), next.empty() || !next[k] ? nullptr : &*next[k]);
  }
  void store(Value& to, int64_t i) const {
    for (size_t k = 0; k < kept_.size(); k++) to.set(k, i, sides_[k], faults_[k]);
  }

 private:
  void set(size_t k, Bits64 value, const Fault* fault) {
    sides_[k] = value;
    if (fault) kept_[k] = *fault;
    faults_[k] = fault ? &kept_[k] : nullptr;
  }

  Interpreter call_;
  std::vector<Bits64> sides_;
  Interpreter::Faults faults_;
  std::vector<Fault> kept_;
};

}  // namespace

Scanned scan(const wf::Fn& f, const Captures& captures, const std::vector<Bits64>& identity, const Value& s, bool inclusive) {
  Scanned result{Value(s.types, s.length), Value(s.types, 1)};
  inherit(result.prefixes, {&s});
  inherit(result.total, {&s});
  if (s.length_fault) {
    result.total.set_row(0, all_faulty(s.types.size(), *s.length_fault));
    return {no_length(s.types, *s.length_fault), std::move(result.total)};
  }
  Total total(f, captures, identity);
  for (int64_t i = 0; i < s.length; i++) {
    if (!inclusive) total.store(result.prefixes, i);
    if (i > 0) total.add(s, i);
    else total.set_first(s);
    if (inclusive) total.store(result.prefixes, i);
  }
  total.store(result.total, 0);
  return result;
}

Value select(const Value& s, const Value& mask) {
  if (const Value* unknown = without_length({&s, &mask})) return no_length(s.types, *unknown->length_fault);
  if (!mask.faults[0].empty()) return no_length(s.types, mask.faults[0].begin()->second);
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < s.length; i++)
    if (mask.columns[0][i]) kept.push_back(i);
  return by_places(s.types, int64_t(kept.size()), {&s, &mask}, [&](int64_t k) { return std::pair(&s, kept[k]); });
}

Value count(const Value& s) {
  return by_rows({Type::I64}, 1, {&s}, [&](int64_t) {
    Row row{{wf::to_bits(s.length)}};
    if (s.length_fault) row.faults = {s.length_fault};
    return row;
  });
}

Value zip(std::vector<const Value*> sequences) {
  if (const Value* s = without_length(sequences)) return no_length(all_types(sequences), *s->length_fault);
  Value result({}, sequences[0]->length);
  result.types = all_types(sequences);
  inherit(result, sequences);
  for (const Value* s : sequences) {
    result.columns.insert(result.columns.end(), s->columns.begin(), s->columns.end());
    result.faults.insert(result.faults.end(), s->faults.begin(), s->faults.end());
  }
  return result;
}

Value columns(const Value& s, const std::vector<int32_t>& which) {
  Value result({}, s.length);
  inherit(result, {&s});
  for (int32_t k : which) {
    result.types.push_back(s.types[k]);
    result.columns.push_back(s.columns[k]);
    result.faults.push_back(s.faults[k]);
  }
  return s.length_fault ? no_length(result.types, *s.length_fault) : result;
}

Value subseq(const Value& s, int64_t start, int64_t n) {
  return by_places(s.types, n, {&s}, [&](int64_t i) { return std::pair(&s, start + i); });
}

Value rev(const Value& s) {
  return by_places(s.types, s.length, {&s}, [&](int64_t i) { return std::pair(&s, s.length - 1 - i); });
}

Value append(std::vector<const Value*> sequences) { return join(std::move(sequences), 1); }

Value join(std::vector<const Value*> sequences, int64_t rows) {
  std::vector<std::pair<const Value*, int64_t>> places;
  for (int64_t row = 0; row < rows; row++)
    for (const Value* s : sequences)
      for (int64_t i = s->length / rows * row; i < s->length / rows * (row + 1); i++) places.push_back({s, i});
  return by_places(sequences[0]->types, int64_t(places.size()), sequences, [&](int64_t i) { return places[i]; });
}

namespace {

// The first key column in which they differ decides; numbers by value, -0 before 0, NaN last.
bool comes_first(const wf::Routine& routine, const Value& s, int64_t i, int64_t j) {
  for (size_t k = 0; k < routine.keys; k++) {
    const int order = wf::visit(s.types[k], [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T x = wf::from_bits<T>(s.columns[k][i]), y = wf::from_bits<T>(s.columns[k][j]);
      if constexpr (std::is_floating_point_v<T>) {
        if (x != x || y != y) return int(x != x) - int(y != y);
        if (x == y) return int(std::signbit(y)) - int(std::signbit(x));
      }
      return int(x > y) - int(x < y);
    });
    if (order != 0) return routine.descending ? order > 0 : order < 0;
  }
  return false;
}

}  // namespace

// An element that has a fault leaves the place of every other element unknown.
Value sort(const wf::Routine& routine, const wf::FnRef& less, const Value& s) {
  if (s.length_fault) return no_length(s.types, *s.length_fault);
  for (const auto& column : s.faults)
    if (!column.empty())
      return by_rows(s.types, s.length, {&s}, [&](int64_t) { return all_faulty(s.types.size(), column.begin()->second); });
  std::vector<int64_t> order(s.length);
  std::iota(order.begin(), order.end(), int64_t(0));
  std::optional<Interpreter> call;
  if (less) call.emplace(*less);
  const size_t columns = s.columns.size();
  std::vector<Bits64> both(2 * columns);
  const Interpreter::Faults none(both.size());
  std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    if (!call) return comes_first(routine, s, i, j);
    for (size_t k = 0; k < columns; k++) both[k] = s.columns[k][i], both[columns + k] = s.columns[k][j];
    call->run(both, none);
    return call->result(0) != 0;
  });
  return by_places(s.types, s.length, {&s}, [&](int64_t k) { return std::pair(&s, order[k]); });
}

Value sort_rows(const wf::Routine& routine, int64_t length, const Value& s) {
  if (s.length_fault || s.length == 0) return s;
  std::vector<Value> rows;
  for (int64_t begin = 0; begin < s.length; begin += length) rows.push_back(sort(routine, nullptr, subseq(s, begin, length)));
  std::vector<const Value*> all;
  for (const Value& row : rows) all.push_back(&row);
  return append(all);
}

// A routine fails as a whole if one of its inputs does.
static std::optional<Fault> fault_of_any(std::initializer_list<const Value*> inputs) {
  for (const Value* v : inputs) {
    if (!v) continue;
    if (v->length_fault) return v->length_fault;
    for (const auto& column : v->faults)
      if (!column.empty()) return column.begin()->second;
  }
  return {};
}

Value iterate(const wf::FnRef& f, const Value& initial, const Value& s) {
  if (s.length_fault) return no_length(initial.types, *s.length_fault);
  const std::optional<Fault> fault = fault_of_any({&initial, &s});
  Interpreter next(*f);
  Row state = initial.row(0);
  return by_rows(initial.types, s.length + 1, {&initial, &s}, [&](int64_t k) {
    if (fault) return all_faulty(initial.types.size(), *fault);
    if (k == 0) return state;
    state.append(s.row(k - 1));
    return state = next(state);
  });
}

std::optional<Outside> first_outside(const Value& indices, int64_t length) {
  for (int64_t i = 0; i < indices.length; i++) {
    const int64_t k = int64_t(wf::convert(indices.types[0], Type::I64, indices.columns[0][i]));
    if (k < 0 || k >= length) return Outside{i, {k, length}};
  }
  return {};
}

std::optional<Outside> first_wrong_offset(const Value& offsets, int64_t n) {
  int64_t begin = 0;
  for (int64_t k = 0; k < offsets.length; k++) {
    const auto end = int64_t(offsets.columns[0][k]);
    if (k == 0) begin = end;
    // A length below 0 is read as one above all indices from 0 on.
    if (end >= -1 ? begin < 0 || begin > end : begin < 0 && begin > end) return Outside{k, {begin, end + 1}};
    if (end < 0 || end > n) return Outside{k, {end, n + 1}};
    if (k == 0 && begin > 0) return Outside{k, {begin, 1}};
    if (k + 1 == offsets.length && end < n) return Outside{k, {n, end + 1}};
    begin = end;
  }
  return {};
}

Value offsets_of(Value offsets, bool lacks_end, int64_t n) {
  if (!lacks_end) return offsets;
  offsets.columns[0].push_back(Bits64(n));
  offsets.length++;
  return offsets;
}

Value segment_ids(const std::vector<Type>& types, const Value& offsets, int64_t n) {
  std::optional<Fault> fault = fault_of_any({&offsets});
  if (const auto wrong = first_wrong_offset(offsets, n); wrong && !fault) fault = wrong->fault;
  if (fault) return by_rows(types, n, {&offsets}, [&](int64_t) { return all_faulty(types.size(), *fault); });
  Value result(types, n);
  result.may_fail = true;
  for (int64_t k = 0; k + 1 < offsets.length; k++)
    for (auto p = int64_t(offsets.columns[0][k]); p < int64_t(offsets.columns[0][k + 1]); p++)
      result.columns[0][p] = wf::convert(Type::I64, types[0], Bits64(k));
  return result;
}

Value scatter(const wf::FnRef& f, const Value& base, const Value& indices, const Value* values) {
  if (base.length_fault) return no_length(base.types, *base.length_fault);
  std::optional<Fault> fault = fault_of_any({&base, &indices, values});
  if (const auto outside = first_outside(indices, base.length); outside && !fault) fault = outside->fault;
  if (fault) return by_rows(base.types, base.length, {&base}, [&](int64_t) { return all_faulty(base.types.size(), *fault); });
  Value result = base;
  result.may_fail |= indices.may_fail || (values && values->may_fail);
  std::optional<Interpreter> call;
  if (f) call.emplace(*f);
  for (int64_t i = 0; i < indices.length; i++) {
    const int64_t k = int64_t(wf::convert(indices.types[0], Type::I64, indices.columns[0][i]));
    if (!values) {
      result.columns[0][k]++;
      continue;
    }
    Row row = values->row(i);
    if (f) {
      row = result.row(k);
      row.append(values->row(i));
      row = (*call)(row);
    }
    for (size_t c = 0; c < base.types.size(); c++) result.columns[c][k] = row.values[c];
  }
  return result;
}

}  // namespace oracle
