#include "cuda/text/foreign.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "engine/engine.h"

namespace wf::cuda {
namespace {

bool function_calls_foreign(const FnRef& fn) {
  return fn && (!fn->foreigns.empty() ||
                std::ranges::any_of(fn->loops, [](const Fn::LoopInfo& loop) { return function_calls_foreign(loop.body); }));
}

FnRef for_device(const FnRef& fn) {
  if (!function_calls_foreign(fn)) return fn;
  auto copy = std::make_shared<Fn>(*fn);
  for (auto& foreign : copy->foreigns) {
    auto device_side = std::make_shared<Foreign>(*foreign);
    device_side->scalar = nullptr;
    device_side->block = nullptr;
    device_side->user = nullptr;
    foreign = std::move(device_side);
  }
  for (Fn::LoopInfo& loop : copy->loops) loop.body = for_device(loop.body);
  return copy;
}

// Returns a namespace named by the text's FNV-1a hash, so that equal functions are defined once.
std::string namespace_of(const Foreign& function) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : function.name + "\n" + function.source) hash = (hash ^ c) * 0x100000001b3;
  char text[32];
  std::snprintf(text, sizeof text, "source_%016llx", static_cast<unsigned long long>(hash));
  return text;
}

std::string definition(const Foreign& function) {
  std::string text =
      "\nnamespace " + namespace_of(function) + " {\nusing wf::uint8_t, wf::int32_t, wf::uint32_t, wf::int64_t, wf::uint64_t;\n";
  text += "#line 1 \"" + function.name + "\"\n" + function.source;
  return text + "\n#line 1 \"the kernel that calls " + function.name + "\"\n}\n";
}

void define(const FnRef& fn, std::set<std::string>& defined, std::string& text) {
  if (!fn) return;
  for (const auto& foreign : fn->foreigns)
    if (defined.insert(namespace_of(*foreign)).second) text += definition(*foreign);
  for (const Fn::LoopInfo& loop : fn->loops) define(loop.body, defined, text);
}

}  // namespace

std::string source_definitions(const Kernel& kernel) {
  std::set<std::string> defined;
  std::string text;
  define(kernel.body, defined, text);
  for (const Scan& scan : kernel.scan) define(scan.combine, defined, text);
  for (const Reduction& r : kernel.reductions) define(r.combine, defined, text);
  define(kernel.finish, defined, text);
  return text;
}

std::string callable_name(const Foreign& function) {
  if (function.source.empty())
    throw UnsupportedError("the function \"" + function.name +
                           "\" has host code only, so a GPU cannot call it; add CUDA source, or "
                           "compute this sequence in a \"cpu\" context");
  return namespace_of(function) + "::" + function.name;
}

bool calls_foreign(const Kernel& kernel) {
  auto in_combine = [](const auto& part) { return function_calls_foreign(part.combine); };
  return function_calls_foreign(kernel.body) || function_calls_foreign(kernel.finish) || std::ranges::any_of(kernel.scan, in_combine) ||
         std::ranges::any_of(kernel.reductions, in_combine);
}

Kernel for_device(const Kernel& kernel) {
  Kernel copy = kernel;
  copy.id = 0;
  copy.body = for_device(kernel.body);
  copy.finish = for_device(kernel.finish);
  for (Scan& scan : copy.scan) scan.combine = for_device(scan.combine);
  for (Reduction& r : copy.reductions) r.combine = for_device(r.combine);
  return copy;
}

}  // namespace wf::cuda
