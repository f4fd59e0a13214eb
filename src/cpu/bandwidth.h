// The machine's copy bandwidth, the reference for reports.
#pragma once

namespace wf::cpu {

// Bytes read and written per second by all cores, in buffers much larger than the caches; measured at the first call.
double copy_bandwidth();

}  // namespace wf::cpu
