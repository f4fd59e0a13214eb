// A computed column.
#pragma once

#include "checks/guard.h"

namespace wf::capi {

struct ForcedColumn {
  NodeRef node;
  Type type;
  const Column* column;  // valid as long as the node is
  int64_t length;

  int64_t offset() const { return column->offset * int64_t(size_of(type)); }  // bytes
  const void* data() const { return column->buffer->host() + offset(); }
};

ForcedColumn force_column(Call& call, wf_seq* s, int32_t column);

}  // namespace wf::capi
