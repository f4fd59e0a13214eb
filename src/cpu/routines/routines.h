// Routines of the CPU engine: sort, merge, scatter, iterate, segment ids and join (Routine, lazy/node.h).
#pragma once

#include <memory>

#include "engine/engine.h"

namespace wf::cpu {

// Fills the launch's outputs. Working memory comes from the pool: at most 48 bytes an element, and
// the keys that a function computes.
void run_routine(const RoutineCall& call, Launch& launch, const std::shared_ptr<Pool>& pool);

// The routine Scatter. Working memory: at most 4 MiB a worker, 32 MiB of tables for floats, or 12 bytes per update and 16 per element in buckets.
void scatter(const RoutineCall& call, Launch& launch, const std::shared_ptr<Pool>& pool);

// The routine Iterate, by one thread. Without working memory.
void iterate(const RoutineCall& call, Launch& launch);

// The routine Join.
void join(const RoutineCall& call, Launch& launch);

// The routine SegmentIds. Throws RangeError if the offsets do not cut the positions into segments.
void segment_ids(const RoutineCall& call, Launch& launch);
// The same check for a kernel that reads n numbers of segments.
void check_offsets(const InputBuffer& offsets, bool lacks_end, int64_t n);

}  // namespace wf::cpu
