// The elements of rows (RowElements in plan/kernel.h): one thread's evaluation of their values.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "cpu/program/columns.h"
#include "plan/kernel.h"

namespace wf::cpu {

// The value of an element, compiled. The rows' values are repeated parameters if rows are long, and columns otherwise.
struct ElementCode {
  explicit ElementCode(const RowElements& elements);

  int64_t count;  // of a row
  bool by_row;
  std::vector<Type> types;  // of the rows' values
  std::shared_ptr<const BlockProgram> program;
};

class ElementFrame {
 public:
  explicit ElementFrame(const ElementCode& code);

  void bind_inputs(std::span<const InputView> inputs, std::span<const Bits64> arguments) { frame_.bind_inputs(inputs, arguments); }
  // Evaluates the elements of `rows` rows from row `first` on. values[k] is column k of the rows' values. Calls
  // sink(first element, count) for each block of elements; their values are then those of result().
  void run(int64_t first, int64_t rows, std::span<const void* const> values, const std::function<void(int64_t, int64_t)>& sink);
  const void* result(uint32_t k) const { return frame_.result(k); }

 private:
  void run_row(int64_t row, int64_t place, std::span<const void* const> values, const std::function<void(int64_t, int64_t)>& sink);

  const ElementCode& code_;
  Frame frame_;
  ColumnBlock columns_;  // a block of each of the rows' values: one tile if they are repeated parameters
};

}  // namespace wf::cpu
