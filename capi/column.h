// A column's values, computed.
#pragma once

#include "guard.h"

namespace wf::capi {

struct ForcedColumn {
  NodeRef node;
  Type type;
  const void* data;  // valid as long as the node is
  int64_t length;
};

ForcedColumn force_column(Call& call, wf_seq* s, int32_t column);

}  // namespace wf::capi
