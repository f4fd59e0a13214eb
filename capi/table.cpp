// Functions that need no context: versions, types, operations.
#include "checks/guard.h"
#include "ops/printable.h"

using namespace wf;
using namespace wf::capi;

int32_t wf_abi_version(void) { return WF_ABI_VERSION; }

const char* wf_version(void) { return WF_VERSION; }

static bool is_type(int32_t type) { return type >= 0 && type < type_count; }

const char* wf_type_name(int32_t type) { return is_type(type) ? name(static_cast<Type>(type)).data() : nullptr; }

int64_t wf_type_size(int32_t type) { return is_type(type) ? int64_t(size_of(static_cast<Type>(type))) : 0; }

int32_t wf_type_of_name(const char* name, int32_t* type) {
  return guarded("wf_type_of_name", [&](Call&) {
    require(name, "name");
    require(type, "type");
    for (int32_t k = 0; k < type_count; k++)
      if (type_table[k].name == name) {
        *type = k;
        return;
      }
    throw TypeError("name is \"" + printable(name, 40) + "\"; expected bool, u8, i32, u32, i64, u64, f32 or f64");
  });
}

namespace {
struct OpText {
  const char* name;
  const char* signature;
};
constexpr OpText op_texts[] = {
#define OP(name, arity, on, result, laws, identity, bits, cost, monoid, meaning) {#name, #name " " #arity " " #on " " #result},
#include "ops/ops.def"
};
}  // namespace

const char* wf_op_name(int32_t k) { return k >= 0 && k < op_count ? op_texts[k].name : nullptr; }

const char* wf_op_signature(int32_t k) { return k >= 0 && k < op_count ? op_texts[k].signature : nullptr; }
