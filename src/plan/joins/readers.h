// The steps that read what a call of a routine makes, for passes that let them do without the call.
#pragma once

#include "plan/plan.h"

namespace wf {

// Returns true if the step needs the vertex to be stored.
bool depends_on(const Step& step, VertexId v);

// Returns true if the kernel's body reads the vertex at its own index alone, and no other part of the step needs it.
bool reads_at_own_index(const Step& step, VertexId v);

}  // namespace wf
