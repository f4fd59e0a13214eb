// Sequences with indices out of range, and the messages of their errors.
#pragma once

#include <string>
#include <vector>

#include "oracle/graph.h"

namespace range {

inline const char* const add = "(fn ((a i32) (b i32)) (add a b))";
inline const char* const at_i = "(fn ((i i64)) (at $0 i))";

// The error message of forcing s; empty if there is none.
inline std::string error(const wf::NodeRef& s) {
  try {
    wf::force({&s, 1});
  } catch (const wf::RangeError& e) { return e.what(); }
  return "";
}

inline bool names(const std::string& message, const std::string& part) { return message.find(part) != std::string::npos; }

inline wf::NodeRef three() { return graph::source(std::vector<int32_t>{5, 6, 7}); }
// 5, 6, 7, then only errors.
inline wf::NodeRef beyond(int64_t n) { return graph::tabulate(at_i, n, {three()}); }
inline wf::NodeRef sum(const wf::NodeRef& s) { return graph::reduce(add, "0:i32", s); }

}  // namespace range
