// An engine that runs every kernel by the instructions that the CUDA engine would interpret, on the host: each of a few threads in
// its turn. Kernels that are not interpreted are run by the oracle's engine.
#pragma once

#include <memory>

#include "engine/engine.h"

namespace bytecode_engine {

std::unique_ptr<wf::Engine> make_engine();
// Kernels that were run by their instructions so far.
int interpreted();

}  // namespace bytecode_engine
