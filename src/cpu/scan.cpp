#include "cpu/scan.h"

#include "cpu/scan_tree.h"

namespace wf::cpu {
namespace {

class RegisterPrefixer : public Prefixer {
 public:
  RegisterPrefixer(const Combine& combine, int64_t block) : combine_(combine), unwanted_(combine.types, block) {}

  void bind_inputs(std::span<const InputView>) override {}

  void run(std::span<const void* const> columns, int64_t count, std::span<Bits64> carry,
           const PrefixTargets& targets) override {
    for (int k = 0; k < combine_.columns(); k++) {
      auto* prefix = simd_tables().prefixes.prefix[int(combine_.monoids[k])][int(combine_.types[k])];
      std::byte *exclusive = targets.exclusive[k], *inclusive = targets.inclusive[k];
      if (!exclusive && !inclusive) inclusive = unwanted_.at(k);  // only the carry is wanted
      prefix(columns[k], count, combine_.neutral[k], &carry[k], exclusive, inclusive);
    }
  }

  void note_fault(RangeFault&) const override {}

 private:
  const Combine& combine_;
  Block unwanted_;
};

}  // namespace

std::unique_ptr<Prefixer> make_prefixer(const Combine& combine, int64_t block) {
  if (combine.in_registers()) return std::make_unique<RegisterPrefixer>(combine, block);
  return std::make_unique<TreePrefixer>(combine);
}

}  // namespace wf::cpu
