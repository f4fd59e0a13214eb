// Threads that help a caller with a job.
//
// The caller offers the job, works on it as well, withdraws the offer when nothing is left to do, and waits for the helpers that have joined. A helper
// that has no job looks for one for a while: it then joins within 0.2 us, where waking a thread takes 1 to 10 us. No job waits for a helper to come.
//
// oneTBB supplies the threads, so that a program that uses oneTBB shares them; with WF_STD_THREADS they are std::threads, for ThreadSanitizer. They
// run with all signals blocked.
#pragma once

#include <functional>

namespace wf::cpu {

// The number of threads that the machine allows this process.
int machine_threads();

// Calls work(0) on the caller's thread and work(1), work(2), ... on the helpers that join before work(0) has returned, at most `others`. `work` must
// not throw. A short job, one of less than 50 us, wakes no helpers unless another one came shortly before.
void with_helpers(int others, bool is_short, const std::function<void(int)>& work);

}  // namespace wf::cpu
