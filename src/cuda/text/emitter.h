// The parts of a kernel's text, by file:
//   emit.cpp             the whole text, its constants and its argument
//   emit_operations.cpp  the includes and the operations that the kernel uses
//   emit_memory.cpp      data structures, loads and stores
//   emit_folds.cpp       folds of partial results
//   emit_bytes.cpp       four elements per word (SWAR)
//   emit_elements.cpp    the evaluation of one element, and the scalars at the end
//   filters/emit_filter.cpp  the mask of a filter's packs, and its kept elements
//   emit_strips.cpp      the evaluation of neighbourhoods in strips
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cuda/text/emit.h"
#include "cuda/text/literals.h"
#include "cuda/text/statements.h"

namespace wf::cuda {

// Returns the text before a kernel's structures: includes of these skeletons, source functions, and the lines of ops.def that the kernel's
// functions use, and `more`.
std::string includes_and_operations(const Kernel& kernel, const std::vector<std::string>& skeletons, const std::vector<Op>& more = {});

class Emitter {
 public:
  Emitter(const Kernel& kernel, const Form& form);
  Emitted run();

 private:
  // A column of Sums, Local or Carry.
  struct Column {
    Type type;
    std::string name;
  };

  // emit.cpp
  void collect_columns();
  std::string entry(const std::string& name, const std::string& skeleton) const;
  const char* skeleton_function() const;
  std::string launch_bounds() const;
  uint32_t blocks_of_kept_rows() const;
  std::string constants();
  std::string arguments();
  std::vector<Type> literal_types() const;

  // emit_memory.cpp
  std::string structures();
  std::string stage_and_kept();
  std::string rows_and_outs() const;
  std::string fetches() const;
  std::string staged_fetches() const;
  std::string full_groups();
  std::string stores();
  std::string flush() const;
  std::string stream_index(Id at, const std::string& index) const;
  std::string stream_address(size_t s, const std::string& index) const;
  std::string segment_number(Id at, const std::string& index) const;
  std::string number_of_segments(uint32_t slot) const;
  std::string segment_functions() const;
  std::string walk_address(Statements& statements, size_t s) const;
  std::string kept_place(uint32_t output) const;
  // Tiles of a map are visited in their order, by whole blocks, unless the body is written once.
  bool finds_segments_by_tile() const { return form_.skeleton == Skeleton::Map && !form_.rolled && has_segments(kernel_); }
  Type stream_type(size_t s) const { return body_[form_.streams[s].term].type; }

  // emit_operations.cpp
  std::string operations() const;

  // emit_folds.cpp
  std::string folds();
  std::string chain();
  std::string join(const char* name, bool is_one);
  std::string over_warp() const;
  std::string found_behind(Statements& s, uint32_t r);
  std::string chain_fold(const std::string& head, const std::string& result, const char* x, const char* y);
  std::string chain_identity(const std::string& name);
  // Writes the statements that set target's columns to one combine function's results.
  void combine(Statements& s, const Site& site, const std::vector<std::string>& left, const std::vector<std::string>& right,
               const std::vector<std::string>& target);
  std::vector<std::string> sum_members(const std::string& object, uint32_t r) const;
  std::string reduction_identity(uint32_t r, uint32_t c) const { return literal(literals_.reduction_identity[r][c]); }

  // Sums under min and max by the law may wrap or become infinite. The check detects it from the greatest magnitude of floats or from
  // both extremes of integers; it is None if neither can happen.
  enum class OverflowCheck { None, Magnitude, Extremes };
  bool sums_under_extremes() const { return form_.by_law && as_op(*kernel_.scan[0].combine) == Op::add_; }
  OverflowCheck overflow_check() const {
    if (!sums_under_extremes() || form_.bounded) return OverflowCheck::None;
    return is_in(scan_type(0), Float) ? OverflowCheck::Magnitude : OverflowCheck::Extremes;
  }
  // Returns true if all reductions are of prefixes, and these are sums of integers.
  bool sums_of_integers() const {
    return sums_under_extremes() && !is_in(scan_type(0), Float) && std::ranges::all_of(by_law_, [](bool lawful) { return lawful; });
  }
  bool finds_least(uint32_t r) const { return as_op(*kernel_.reductions[r].combine) == Op::min_; }
  bool is_inclusive(uint32_t r) const { return body_[body_.results[kernel_.reductions[r].values[0]]].slot > columns_; }
  std::string found_in_none(uint32_t r) const;
  std::string extremes(const std::string& object, uint32_t r) const;

  // emit_bytes.cpp
  std::string visit_bytes() const;
  std::vector<std::string> words(Statements& s, Id result) const;

  // emit_elements.cpp
  std::string visit();
  std::string visit_row();
  std::string keep_row();
  void wait_for_row(Statements& s);
  void visit_elements(Statements& s, const std::vector<std::string>& row);
  uint32_t input_of_fold(uint32_t fold) const;
  std::string stored_value(uint32_t fold, const std::string& position) const;
  std::string row_term(uint32_t function, Id id, const std::string& position) const;
  std::string early();
  std::string late();
  std::string late_of_few();
  std::string recorder() const;
  std::vector<bool> early_terms() const;
  std::string finish();
  std::vector<std::string> body(Statements& s, const std::vector<uint32_t>& wanted, const std::string& checks = {},
                                const std::vector<bool>& recorded = {});
  std::string row_element(Id id) const;
  void set_outputs(Statements& s, const std::vector<std::string>& results);
  std::string scatter_text(size_t k, const char* function, const std::string& more, const std::string& index,
                           const std::string& value) const;
  void add_to_sums(Statements& s, const std::vector<std::string>& results);

  // emit_filter.cpp
  std::string windows() const;
  std::string known_inside(Id id) const;
  std::string inner_range() const;
  std::string filter_functions() const;

  // emit_strips.cpp
  Site site_of_part(const Fn& part) const;
  std::string visit_element() const;
  void load_fixed(const Fn& step, std::string& members, Statements& loads, std::vector<std::string>& elements) const;
  void load_row(const Fn& step, std::string& members, Statements& loads, Statements& prefetches, std::vector<std::string>& elements) const;
  void prepare_divisors(const Site& site, const std::vector<Stage>& stages, std::string& members, Statements& loads) const;
  std::string visit_strips();

  static std::string str(uint64_t k) { return std::to_string(k); }
  static std::string literal(uint32_t argument) { return "a.k" + str(argument); }
  static std::string sum_name(uint32_t r, uint32_t c) { return "r" + str(r) + "_" + str(c); }
  static std::string opposite_name(uint32_t r) { return "opposite" + str(r); }
  static std::string function(const std::string& head, const std::string& body) {
    return "  static WF_MEMBER " + head + " {\n" + body + "  }\n";
  }
  static uint32_t bytes_of(const std::vector<Column>& columns) { return uint32_t(8 * columns.size() + 8); }
  static std::vector<Type> types_of(const std::vector<Column>& columns) {
    std::vector<Type> types;
    for (const Column& c : columns) types.push_back(c.type);
    return types;
  }
  Type scan_type(uint32_t c) const { return kernel_.scan[0].combine->params[c].type; }

  const Kernel& kernel_;
  const Form& form_;
  Literals literals_;
  const Fn& body_;
  const uint32_t columns_;  // the scan's columns
  const bool chained_, small_, rows_, along_;
  std::vector<bool> by_law_;  // per reduction
  std::vector<Column> sums_, local_, carry_;
  bool has_finish_ = false;  // the kernel writes results
  size_t strip_values_ =
      0;  // in registers of a thread of strips: those that it keeps, and the elements that are loaded at once or for all steps
  Signature signature_;
  Emitted emitted_;
};

}  // namespace wf::cuda
