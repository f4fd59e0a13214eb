#include "cpu/routines/comparison.h"

#include <utility>

#include "cpu/native/merging.h"
#include "cpu/native/native_program.h"
#include "expr/recent.h"
#include "plan/kernel.h"

namespace wf::cpu {
namespace {

constexpr uint32_t is_less = 0;  // the only result

bool becomes_native(const Comparison& comparison) {
  return !has_foreign(*comparison.fn) && native::covers_merging(comparison.program->impl(), isa());
}

struct Structure {
  FnRef fn;
  bool operator==(const Structure& other) const { return same_structure(*fn, *other.fn, true); }
};

}  // namespace

Comparison::Comparison(FnRef f, std::vector<Type> columns)
    : fn(std::move(f)), types(std::move(columns)), program(BlockProgram::compile(*fn, {&is_less, 1}, false)), tier(becomes_native(*this)) {
  if (native::interpretation() == native::Setting::off && becomes_native(*this)) compile_native();
}

int64_t Comparison::price_of_native() const { return native::price({&program, 1}, {}); }

void Comparison::compile_native() const {
  if (price_of_native() > native::most_price) return;
  try {
    native::compile_merging(*program, types);
  } catch (const std::exception&) {
    // The comparison stays interpreted.
  }
}

// Comparisons with foreign functions are not kept: they hold memory of the user's.
std::shared_ptr<const Comparison> find_comparison(const RoutineCall& call) {
  static auto& recent = *new Recent<Structure, std::shared_ptr<const Comparison>>(16);  // never destroyed: LLVM may be destroyed before
  if (has_foreign(*call.fn)) return std::make_shared<const Comparison>(call.fn, call.types);
  const uint64_t hash = structure_hash(*call.fn, true);
  if (auto known = recent.find(hash, Structure{call.fn})) return std::move(*known);
  auto comparison = std::make_shared<const Comparison>(call.fn, call.types);
  recent.keep(hash, {call.fn}, comparison);
  return comparison;
}

}  // namespace wf::cpu
