// An engine that interprets, on the host, the instructions that the CUDA engine would interpret, for a few threads in turn. Kernels
// that are not interpreted are run by the oracle's engine.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace bytecode_engine {

std::unique_ptr<wf::Engine> make_engine();
// The number of kernels interpreted so far.
int interpreted();

}  // namespace bytecode_engine
