// A pause of a thread between two looks at a word that another thread will change.
#pragma once

#include <thread>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace wf::cpu {

// `looks` is how often it has looked in vain: after a thousand times, the other thread may have lost its core.
inline void pause(int looks) {
  if (looks >= 1000) return std::this_thread::yield();
#if defined(__SSE2__)
  _mm_pause();
#endif
}

}  // namespace wf::cpu
