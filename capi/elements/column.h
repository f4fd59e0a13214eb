// A computed column.
#pragma once

#include "checks/guard.h"

namespace wf::capi {

struct ForcedColumn {
  Node& node;  // the caller's
  Type type;
  const Column* column;  // of the node
  int64_t length;

  int64_t offset() const { return column->offset * int64_t(size_of(type)); }  // bytes
  const void* data() const { return column->buffer->host() + offset(); }
};

ForcedColumn force_column(Call& call, wf_seq* s, int32_t column);

}  // namespace wf::capi
