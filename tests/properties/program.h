// Random programs: a list of steps, each of which makes sequences from earlier ones, forces some, or releases one. A program runs
// twice, on values by the oracle and as a graph by the engine, and the results are compared.
//
// Some programs evaluate indices outside of captured sequences. The oracle says which results must then be errors:
//
//   an element of the result evaluates an index outside     forcing the result is a range error
//   only other elements of what the result is made of do    it may be one, since the engine may compute more than is read
//   nothing that the result is made of does                 it is none
//
// A step is a few numbers, all of them valid, so that RapidCheck can omit steps and shrink numbers.
#pragma once

#include <string>
#include <vector>

#include "oracle/graph.h"
#include "properties/functions.h"

namespace properties {

struct Step {
  uint8_t action;
  uint8_t first, second;  // indices of sequences, counted back from the last, modulo their number
  uint8_t size;           // of functions
  uint32_t seed;          // of the functions, types and numbers that the action needs
};

// Returns true if the message of a range error names an index that is outside, or an offset of segments that is wrong.
bool names_an_index_outside(const std::string& message);
bool names_a_wrong_offset(const std::string& message);

class Program {
 public:
  // Most sequences have length n. A stack has at most `most_levels` levels.
  // If is_traced, the sources are parameters of a wf::Program, which computes all sequences.
  Program(int64_t n, int most_levels, bool is_traced = false) : n_(n), most_levels_(most_levels), is_traced_(is_traced) {}
  // The step that makes a stack on the last sequence.
  static Step stack_on_last(uint32_t seed);
  // Runs all steps, then forces the sequences that are not yet forced. Returns the first difference, with the text of the program
  // up to it; empty if there is none.
  std::string run(const std::vector<Step>& steps);
  // The number of forces, or of runs, that were range errors, as they had to be or could be.
  int errors() const { return errors_; }

 private:
  struct Entry {
    std::string name;
    wf::NodeRef node;
    oracle::ValueRef value;
  };

  void take(const Step& step);
  void add(const std::string& how, wf::NodeRef node, oracle::Value value);
  const Entry& pick(uint8_t which) const { return entries_[entries_.size() - 1 - which % entries_.size()]; }
  const Entry* pick_vector(uint8_t which) const;
  // A sequence over the same indices as `entry`; itself if there is no other.
  const Entry& pick_beside(const Entry& entry, uint8_t which) const;
  std::vector<const Entry*> random_captures(Random& random) const;
  // Makes the length of a filtered sequence known. Returns false if that is an error, as it may be.
  bool know_length(const Entry& entry);
  // n, or the length of an existing sequence, so that plain sequences are combined with filtered ones.
  int64_t random_length(Random& random) const;
  Entry mapped(const Entry& s, const Monoid& monoid, const Step& step);

  void make_source(Random& random);
  void make_tabulate(const Step& step, Random& random);
  void make_map(const Step& step, Random& random);
  void make_filter(const Step& step, Random& random);
  void make_reduce(const Step& step, Random& random);
  void make_scan(const Step& step, Random& random);
  void make_law(const Step& step, Random& random);
  void make_view(const Step& step, Random& random);
  void make_append(const Step& step);
  void make_sort(const Step& step, Random& random);
  void make_scatter(const Step& step, Random& random);
  // composed.cpp
  void add_composed(const std::string& how, const wf::NodeRef& node);
  wf::NodeRef random_offsets(int64_t n, Random& random, std::string& how);
  void make_segments(const Step& step, Random& random);
  void make_runs(const Step& step, Random& random);
  void make_sets(const Step& step, Random& random);
  void make_iteration(const Step& step, Random& random);
  void make_elements_of_rows(const Step& step, Random& random);
  void make_zip(const Step& step);
  void make_columns(const Step& step, Random& random);
  void make_length(const Step& step);
  void make_stack(const Step& step, Random& random);
  void take_other_handle(const Step& step, Random& random);
  void force_some(const Step& step, Random& random);
  void force(const std::vector<const Entry*>& group);
  // Forces the sequences together. Returns false if that is a range error.
  bool is_forced(const std::vector<const Entry*>& group);
  void compare(const Entry& entry);
  // traced.cpp
  void run_traced(const std::vector<const Entry*>& group);

  int64_t n_;
  int most_levels_;
  std::vector<Entry> entries_;
  oracle::Oracle graphs_;  // computes the meaning of the entries' graphs
  std::string text_, wrong_;
  int names_ = 0;
  bool daring_ = false;  // indices may lie outside
  bool is_traced_;
  graph::Nodes parameters_, arguments_;  // if it is traced
  int errors_ = 0;
};

}  // namespace properties
