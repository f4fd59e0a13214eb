// The ways in which the CPU folds rows, as explain tells. Blocks and threads may choose different ways, so a run has a set of them.
#pragma once

#include <cstdint>
#include <string>

namespace wf::cpu {

enum class FoldWay : uint8_t { Along, InPlace, Together, Segments, SharedSegments, Lockstep, Across, Groups, Runs };

class FoldWays {
 public:
  void add(FoldWay way) { set_ |= uint16_t(1 << int(way)); }
  void add(FoldWays ways) { set_ |= ways.set_; }
  bool has(FoldWay way) const { return set_ >> int(way) & 1; }
  bool operator==(const FoldWays&) const = default;

  // The ways, separated by semicolons; empty if no row has a position.
  std::string describe() const {
    static constexpr const char* texts[] = {"each by one core, along it",
                                            "each by one core, along it, read in place",
                                            "each by one core, along it, computed with its neighbours",
                                            "each by one core, along it, in segments",
                                            "each by several cores, along it, in segments",
                                            "each by one lane",
                                            "each by one lane, across neighbouring rows",
                                            "each by one lane, across neighbouring rows, in groups of lanes",
                                            "each by one lane, across neighbouring rows, in runs of lanes"};
    std::string all;
    for (int way = 0; way < int(std::size(texts)); way++)
      if (has(FoldWay(way))) all.append(all.empty() ? "" : "; ").append(texts[way]);
    return all;
  }

 private:
  uint16_t set_ = 0;
};

}  // namespace wf::cpu
