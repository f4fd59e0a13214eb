// The indices that vertices and kernels range over.
//
// A vertex ranges over [0, n), or over the result of a delayed filter F. A kernel can compute a vertex over F in two ways, and which of
// them applies depends on the kernel's level alone, so that all vertices over F agree in a kernel:
//
//   masked    up to the level that stores F: the loop ranges over F's input, the vertex is used if F's condition holds, and its
//             stores are compactions
//   indexed   on the levels above: the loop ranges over F's result, and stored sequences over F are loaded at the same index
#pragma once

#include "plan/plan.h"

namespace wf {

// Sets the domain of v, the last vertex, from those of its inputs. A Pull ranges over F only if its elements are computed from elements
// over F at its own index and from nothing else that depends on the index. Any other vertex has a known length, and reads vertices
// over F after they are stored.
void set_domain(Graph& graph, VertexId v);

// Returns true if kernels of `level` can load v: it is manifest, or stored on a level below.
bool is_available(const Plan& plan, VertexId v, int level);
// Returns true if v ranges over a filter that no level below `level` stores.
bool is_masked(const Plan& plan, VertexId v, int level);
// The domain of a kernel that computes v on `level`.
LoopDomain domain_of(const Plan& plan, VertexId v, int level);
constexpr double expensive = 40;  // the cost above which an element is stored rather than computed by kernels of two levels
// Returns true for routines whose results are elements of their inputs.
bool is_permutation(Routine::Kind kind);
// Bits of the columns by which such a call compares elements.
uint64_t compared(const Vertex& v);
// Sets the level of each vertex from what is stored and which barriers there are so far (level.cpp).
void assign_levels(Plan& plan);

}  // namespace wf
