#include "eval/context.h"

#include <string_view>

#include "cpu/engine.h"
#include "cuda/engine.h"
#include "engine/variables.h"
#include "ops/printable.h"

namespace wf {

// Returns true if the name is "cuda:N" or "opencl:N" with a number N.
static bool is_device(std::string_view name) {
  const size_t digits = name.find(':') + 1;
  const std::string_view driver = name.substr(0, digits);
  return (driver == "cuda:" || driver == "opencl:") && name.size() > digits && name.size() < digits + 6 &&
         name.find_first_not_of("0123456789", digits) == name.npos;
}

static std::shared_ptr<Context> on_cpu() {
  auto context = std::make_shared<Context>();
  context->name = "cpu";
  context->pool = std::make_shared<Pool>();
  context->engine = cpu::make_engine(context->pool);
  return context;
}

static std::shared_ptr<Context> on_gpu(std::string_view driver, int number) {
  cuda::Opened opened = cuda::open(driver, number, cpu::make_engine);
  auto context = std::make_shared<Context>();
  context->name = opened.engine->name();
  context->pool = std::move(opened.pool);
  context->engine = std::move(opened.engine);
  return context;
}

// The number N of "parts:N", or 0.
static int parts_of(std::string_view name) {
  constexpr std::string_view prefix = "parts:";
  constexpr int most = 1024;
  if (!name.starts_with(prefix) || name.size() == prefix.size() || name.size() > prefix.size() + 4) return 0;
  if (name.find_first_not_of("0123456789", prefix.size()) != name.npos) return 0;
  const int parts = std::stoi(std::string(name.substr(prefix.size())));
  return parts <= most ? parts : 0;
}

static std::shared_ptr<Context> in_parts(int parts) {
  std::shared_ptr<Context> context = on_cpu();
  context->name = "parts:" + std::to_string(parts);
  context->communicator = parts_of_one_process(parts);
  return context;
}

static std::shared_ptr<Context> on_processes() {
  std::shared_ptr<Context> context = on_cpu();
  context->name = "mpi";
  try {
    context->communicator = parts_of_mpi();
  } catch (const UnsupportedError& e) {
    throw ContextError(
        std::string("\"mpi\" is not available: ") + e.what() +
        "; expected an MPI (Debian: openmpi-bin), and libwarpfold_mpi.so next to the library, which is built where mpicc is found "
        "(libopenmpi-dev)");
  }
  return context;
}

std::shared_ptr<Context> make_context(const std::string& name) {
  if (const std::string unknown = unknown_value(); !unknown.empty()) throw ContextError(unknown);
  if (name == "cpu") return on_cpu();
  if (name == "mpi") return on_processes();
  if (name == "auto") {
    try {
      if (cuda::device_count() > 0) return on_gpu("cuda", 0);
    } catch (const DeviceError&) {  // too old or not supported: the CPU is used
    }
    return on_cpu();
  }
  if (const int parts = parts_of(name)) return in_parts(parts);
  if (!is_device(name))
    throw ContextError("\"" + printable(name, 40) +
                       "\" is not a valid context; expected \"cpu\", \"cuda:N\", \"opencl:N\", \"parts:N\", \"mpi\" or \"auto\"");
  const size_t colon = name.find(':');
  try {
    return on_gpu(name.substr(0, colon), std::stoi(name.substr(colon + 1)));
  } catch (const DeviceError& e) { throw DeviceError("\"" + name + "\" is not available: " + e.what() + "; use \"cpu\" or \"auto\""); }
}

}  // namespace wf
