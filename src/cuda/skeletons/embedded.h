// The files of skeletons/ and what they include, as NVRTC takes them; made at build by embed.py.
#pragma once

namespace wf::cuda {

extern const int skeleton_count;
extern const char* const skeleton_names[];
extern const char* const skeleton_texts[];

}  // namespace wf::cuda
