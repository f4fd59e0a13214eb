// The files of skeletons/ and the files that they include, as headers for NVRTC. embed.py defines them at build time.
#pragma once

namespace wf::cuda {

extern const int skeleton_count;
extern const char* const skeleton_names[];
extern const char* const skeleton_texts[];

}  // namespace wf::cuda
