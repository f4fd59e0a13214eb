// The programs written with Thrust, for peers.cu.
#pragma once

#include "peers.h"

namespace bench {

// As open_gpu_peer. The input of breadth_first_search is a Graph, of k_means a ClusterInput, of primes nothing, of others the elements; the
// output of word_counts is a WordCounts, of k_means the Centres.
GpuPeer* open_program(const char* work, int k, const void* input, int64_t n, const char** name);

}  // namespace bench
