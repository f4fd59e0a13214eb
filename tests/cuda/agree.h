// Shared by the programs: random input, and the comparison with the oracle.
#pragma once

#include <random>
#include <vector>

#include "check.h"
#include "oracle/graph.h"

namespace programs {

// Checks that the engine's results, all forced together, equal the oracle's.
inline void agree(const std::vector<wf::NodeRef>& nodes) {
  oracle::Oracle oracle;
  std::vector<oracle::ValueRef> expected;
  for (const wf::NodeRef& node : nodes) expected.push_back(oracle.value(node));
  wf::force(nodes);
  for (size_t k = 0; k < nodes.size(); k++) CHECK_EQ(oracle::difference(*expected[k], oracle::read(*nodes[k])), "");
}

template <class T> wf::NodeRef numbers(int64_t n, int low, int high) {
  std::mt19937 random(unsigned(n) * 31 + unsigned(high));
  std::vector<T> all;
  all.resize(size_t(n));
  for (auto&& x : all) x = T(low + int(random() % unsigned(high - low + 1)));
  return graph::source(all);
}

}  // namespace programs
