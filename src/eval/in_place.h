// Results in place: an output of a plan's last kernel takes over the buffer of an input that nothing else can read.
//
// The input's node must be unreachable from outside of the plan. A thread that can reach the demanded node may compute it, from the same
// inputs, at any time. So only the owner of the only reference to a node may force it in place (force_in_place), and no other force is.
#pragma once

#include <optional>
#include <vector>

#include "engine/engine.h"
#include "plan/plan.h"

namespace wf {

// For each vertex of a plan whose steps have not run: true if only the plan leads to its node, through nodes for which this holds too. Of the
// nodes in `owned`, the caller has references[k] further ones.
struct OwnedNode {
  const Node* node;
  int64_t references;
};
std::vector<bool> reached_only_by(const Graph& graph, std::span<const OwnedNode> owned);

// For each input of a step: true if its buffer may become the buffer of an output. The step is a kernel that only stores values and cannot fail
// once it has begun. Every input with that buffer is read at the index of the element that is stored, and all results depend on
// values computed from it rather than on its memory. Or the step scatters into one column, which checks all indices and allocates all memory
// before it writes: then the input is its base.
std::vector<bool> inputs_read_in_place(const Step& step, std::span<const InputBuffer> inputs);

// The input of the step with which an output begins, if the step scatters into it.
std::optional<uint32_t> base_of_output(const Step& step, uint32_t output);

// Scatters in place: drops the plan's references to the nodes of bases that it computes, if only the scatter's node leads to them. Then their
// values are not published, so the scatter's result may take over their buffers.
void release_bases(Graph& graph);

}  // namespace wf
