// A function as straight-line statements, one per term.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cuda/text/literals.h"
#include "expr/fn.h"

namespace wf::cuda {

std::string type_text(Type type);  // int32_t, float, ...
std::string literal_text(Type type, Bits64 bits);

// Quotients by one literal, or square roots, of f32, none of which depends on another. They are computed together (skeletons/rounded.cuh).
struct Batch {
  Id divisor;  // no_id: roots
  std::vector<Id> terms;
};

// A part of a function: terms in their order, and then batches whose operands are terms of this part or of earlier ones.
struct Stage {
  std::vector<Id> terms;
  std::vector<Batch> batches;
};

// The names to which a function's text refers.
struct Environment {
  const Site* site;
  std::vector<std::string> params;  // one expression per parameter
  std::string index = "-1";         // the domain index, which a fault reports
  // Returns the expression of a term that is known otherwise, such as a load from a stream, or an empty string. Optional.
  std::function<std::string(Id)> loaded;
  const std::vector<bool>* needed = nullptr;    // the terms to write; null: all
  bool folds = false;                           // the function combines partial results
  const std::vector<bool>* in_range = nullptr;  // the Checks and reads whose index is known to be in range; null: none
  const std::vector<bool>* streamed = nullptr;  // the reads among these of elements that only this row reads; null: none
  std::string checks = {};                      // the Checks that get indices (skeletons/memory.cuh); empty: faults are recorded
  const std::vector<bool>* recorded = nullptr;  // the Checks that another function records; null: none
  const std::vector<Id>* checked = nullptr;     // the reads that need no test but the Check that is their index (form.h); null: none
  bool is_tested = true;                        // Checks are written
  std::string outside = {};                     // the variable that is set if a Check fails, instead of a record; empty: it is recorded
  std::string failed = {};                      // the variable that is set as well, at which loops end; empty: the function has its own
  bool is_narrow = false;                       // integers of 64 bits are known to fit into 32, and so are computed
  std::string slice = {};                       // the Slice that computes folds (skeletons/rows.cuh); empty: each thread computes its own
  bool is_flat = false;                         // the Slice needs the index that a row reads at position 0, if one is linear
  bool has_places = false;                      // positions in a row are Places (skeletons/rows.cuh)
  std::string place = {};                       // the place of Checks in the order of a row that threads share; empty: one thread
  const std::vector<Stage>* stages = nullptr;   // all terms to write, in an order with batches; null: in their order, one by one
  std::function<std::string(Id)> divisor = {};  // returns the Divisor of a batch's literal
  // As `loaded`, for the value of a fold at a position; the fold is a number in Fn::loops. Optional.
  std::function<std::string(uint32_t fold, Id id, const std::string& position)> loaded_in_fold = {};
  // Returns the place in which a fold's value at a position is stored as well, or an empty string. Optional.
  std::function<std::string(uint32_t fold, const std::string& position)> stored_in_fold = {};
};

class Statements {
 public:
  explicit Statements(std::string indent) : indent_(std::move(indent)) {}

  // Writes the function's terms and returns the names of its results. Throws UnsupportedError for a function without source.
  std::vector<std::string> call(const Environment& environment);
  // Returns the names of all terms of the last call that was written.
  const std::vector<std::string>& names() const { return names_; }
  void line(const std::string& text) { text_ += indent_ + text + "\n"; }
  const std::string& text() const { return text_; }
  // Returns the name of a literal, a length or a parameter.
  static std::string leaf(const Environment& environment, Id id);

 private:
  std::vector<std::string> terms(const Environment& environment);
  void batch(const Environment& environment, const Batch& batch, std::vector<std::string>& names);
  std::vector<std::string> loop(const Environment& environment, const Term& term, const std::vector<std::string>& names,
                                const std::string& failed);
  std::vector<std::string> fold(const Environment& environment, Id id, const std::vector<std::string>& names, const std::string& failed);
  // Writes a lambda that returns these results. `first` is its first line, if it is not empty.
  void lambda(const std::string& head, const std::string& type, const Environment& inside, std::span<const Id> results,
              const std::string& first = {});
  std::string linear_tests(const Environment& value, const Fn& inner, const std::string& count, const std::string& result,
                           const std::string& flat_slice);
  std::string values_in_row(const Environment& environment, Id id, const std::vector<std::string>& names, const std::string& result,
                            bool is_tested);
  std::vector<std::string> source_call(const Fn& fn, const Term& term, const std::vector<std::string>& names);
  std::string fresh() { return "v" + std::to_string(next_++); }

  std::string indent_, text_;
  uint32_t next_ = 0;
  std::vector<std::string> names_;
};

}  // namespace wf::cuda
