// The machine's copy bandwidth, the yardstick for reports.
#pragma once

namespace wf::cpu {

// Bytes read and written a second by all cores, in buffers well beyond the caches; measured at the first call.
double copy_bandwidth();

}  // namespace wf::cpu
