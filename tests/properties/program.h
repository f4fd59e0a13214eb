// Random programs: a list of steps, each of which makes sequences from those before it, forces some, or lets go of one. A
// program runs twice, as values by the oracle and as a graph by the engine, and the results are compared.
//
// A step is a few numbers of which any are valid, so that RapidCheck can leave steps out and make numbers smaller.
#pragma once

#include <string>
#include <vector>

#include "oracle/graph.h"
#include "properties/functions.h"

namespace properties {

struct Step {
  uint8_t action;
  uint8_t first, second;  // which sequences, counted back from the last, taken modulo how many there are
  uint8_t size;           // of functions
  uint32_t seed;          // of the functions, types and numbers that the action needs
};

class Program {
 public:
  // Most sequences have length n. A stack has at most that many levels.
  explicit Program(int64_t n, int most_levels) : n_(n), most_levels_(most_levels) {}
  // The step that makes a stack on the last sequence.
  static Step stack_on_last(uint32_t seed);
  // Runs all steps, then forces what has not been forced. Returns what was wrong first, with the program up to there as
  // text; empty if nothing was.
  std::string run(const std::vector<Step>& steps);

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
  void know_length(const Entry& entry);
  // n, or the length of a sequence that exists: plain sequences come to lie next to filtered ones.
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
  void make_zip(const Step& step);
  void make_columns(const Step& step, Random& random);
  void make_length(const Step& step);
  void make_stack(const Step& step, Random& random);
  void take_other_handle(const Step& step, Random& random);
  void force_some(const Step& step, Random& random);
  void force(const std::vector<const Entry*>& group);

  int64_t n_;
  int most_levels_;
  std::vector<Entry> entries_;
  oracle::Oracle graphs_;  // what the graphs of entries mean
  std::string text_, wrong_;
  int names_ = 0;
};

}  // namespace properties
