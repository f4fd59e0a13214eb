// The kernels of a plan, for tests.
#pragma once

#include <string>

#include "oracle/graph.h"

// The kernels that forcing these together would run, as explain summarises them: "scan(add), reduce(min); i < 1000 | ...".
inline std::string kernels(const graph::Nodes& nodes) {
  const std::string text = wf::explain(nodes, wf::ExplainFormat::Text);
  std::string found;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    if (line.starts_with("kernel ")) found += (found.empty() ? "" : " | ") + line.substr(line.find(": ") + 2);
    at = end + 1;
  }
  return found;
}
