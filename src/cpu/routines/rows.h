// The elements of a routine's inputs, numbered one after another: those of the first input, then those of the second.
#pragma once

#include <cstring>
#include <type_traits>
#include <vector>

#include "engine/engine.h"

namespace wf::cpu {

struct Rows {
  Rows(const RoutineCall& call, const Launch& launch);

  int columns() const { return int(types.size()); }
  const std::byte* at(int column, int64_t row) const {
    const int64_t size = int64_t(size_of(types[column]));
    return row < split ? first[column] + row * size : second[column] + (row - split) * size;
  }

  std::vector<Type> types;
  std::vector<const std::byte*> first, second;  // element 0 of each column
  int64_t split, n;                             // elements of the first input, and of both
  std::vector<std::byte*> outputs;              // null: the column is not wanted
};

void sort_by_keys(const RoutineCall& call, const Rows& rows, const std::shared_ptr<Pool>& pool);
// The same for all elements as one sequence and all positions; for the wanted positions, unless sorting all is faster (then it returns false); and
// for rows of call.parameters[0] elements, which are sorted by column 0 each on its own.
void sort_whole(const RoutineCall& call, const Rows& rows, const std::shared_ptr<Pool>& pool);
bool select_by_keys(const RoutineCall& call, const Rows& rows, const std::shared_ptr<Pool>& pool);
void sort_rows(const RoutineCall& call, const Rows& rows, const std::shared_ptr<Pool>& pool);
void sort_by_function(const RoutineCall& call, const Rows& rows, const std::shared_ptr<Pool>& pool);

// Calls f with an integral constant of that many bytes: 1, 4 or 8.
template <class F> void visit_size(size_t bytes, const F& f) {
  if (bytes == 1) f(std::integral_constant<size_t, 1>());
  else if (bytes == 4) f(std::integral_constant<size_t, 4>());
  else f(std::integral_constant<size_t, 8>());
}

// outputs[column][k] = row numbers(k), for all k.
template <class Numbers> void gather(const Rows& rows, int column, int64_t begin, int64_t end, Numbers numbers) {
  visit_size(size_of(rows.types[column]), [&](auto size) {
    constexpr size_t bytes = decltype(size)::value;
    for (int64_t k = begin; k < end; k++) std::memcpy(rows.outputs[column] + k * int64_t(bytes), rows.at(column, numbers(k)), bytes);
  });
}

}  // namespace wf::cpu
