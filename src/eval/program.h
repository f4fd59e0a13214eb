// A program: a function from sequences to sequences that is traced and planned once, and then runs on any sequences of the same types and
// shapes. A run makes no nodes but its results', and plans nothing.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "eval/eval.h"
#include "eval/run.h"

namespace wf {

class Program {
 public:
  // results: any nodes made from the parameters (lazy/node.h), and from other nodes, which are constants of the program: delayed ones are
  // computed in each run. Nothing runs. Throws ArgumentError.
  Program(std::span<const NodeRef> parameters, std::span<const NodeRef> results);

  size_t result_count() const { return results_.size(); }
  // Returns true if run() accepts the arguments. Forces filters, whose lengths it compares.
  bool fits(const Few<NodeRef>& arguments) const { return misfit(arguments).what == Misfit::None; }
  // Throws ArgumentError, TypeError or SizeError if it does not.
  void require_fits(const Few<NodeRef>& arguments) const;
  // The results, manifest. arguments: of the parameters' types and shapes; delayed ones are forced first. Any number of threads may run a program
  // at once. Throws as force does.
  Few<NodeRef> run(Few<NodeRef> arguments) const;

  // The plans of all runs, as of delayed nodes.
  std::string explain(ExplainFormat format) const { return wf::explain(results_, format); }

 private:
  // A value of a run: the number of a parameter, or of a stored result of a stage.
  using ValueId = uint32_t;
  static constexpr ValueId no_value = ~0u;
  struct ValueUse {
    VertexId vertex;  // of the stage; none of a result
    ValueId value;
    bool is_last = false;  // nothing uses the value after this
  };
  // The stages run in order; a small program is one stage.
  struct Stage {
    Graph graph;  // without nodes, definitions and manifests
    Few<Few<Bits64>> arguments;
    std::vector<ValueUse> inputs, outputs;
    std::vector<std::pair<VertexId, std::shared_ptr<const Manifest>>> constants;
  };

  struct Misfit {
    enum What : uint8_t { None, Number, Context, Types, Shape } what;
    size_t argument = 0;
  };

  Misfit misfit(const Few<NodeRef>& arguments) const;
  void add_stage(Graph&& graph);
  void find_last_uses();
  ValueId number_of(const Node* node) const;
  void make_ready(Few<NodeRef>& arguments) const;
  Few<NodeRef> run_ready(Few<NodeRef>& arguments) const;
  Few<NodeRef> run_stages(const Few<NodeRef>& arguments) const;

  std::shared_ptr<Context> context_;
  std::vector<NodeRef> parameters_, results_;
  std::vector<NodeRef> values_;          // by ValueId: the parameters, then the nodes that stages store
  std::vector<ValueUse> result_values_;  // one per result; no_value for a constant
  std::vector<Stage> stages_;
};

}  // namespace wf
