// A kernel under construction: values of vertices at an index become terms of its body, by substitution.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "expr/numbering.h"
#include "expr/range.h"
#include "plan/plan.h"
#include "plan/reads/index.h"

namespace wf {

class Weaver {
 public:
  Weaver(const Plan& plan, int level, LoopDomain domain, const PlanOptions& options);

  // Adds v, one of the stored vertices of this level and domain, to what the kernel computes.
  void add(VertexId v);
  // Returns true if adding v, an optional vertex, changes nothing else that the kernel computes, and costs but one more fold.
  bool takes_along(VertexId v) const;
  // Terms so far; a kernel that has grown large is finished and another begun.
  uint32_t size() const { return static_cast<uint32_t>(body_.builder.so_far().terms.size()); }
  Step finish();

 private:
  // The body is computed for each index, the epilogue once, after the loop. A region inside one of them is the function of a loop or fold.
  struct Region {
    enum Kind : uint8_t { Body, Epilogue, Inside } kind = Body;
    Builder builder = {};
    std::map<std::pair<VertexId, Id>, std::vector<Id>> values = {};
  };
  // One scan; vertices that scan the same values by the same function share it.
  struct ScanPart {
    std::vector<VertexId> vertices;
    std::vector<Id> exclusive, inclusive;  // prefix parameters of the body
    std::vector<uint32_t> values;          // the scanned values, as body results
  };
  // The scalar of each parameter of the epilogue. Parameters are made in the order of discovery.
  struct Scalar {
    bool total;  // of scan part `index`; otherwise reduction `index`
    uint32_t index, column;
  };

  struct Woven;
  const std::vector<Id>& expand(Region& region, VertexId v, Id index);
  // The vertex whose value at the index is that of v: v, unless it is a filter.
  VertexId valued(const Region& region, VertexId v, Id index) const;
  // Returns true if the value is that of a function of the index, and is not known yet.
  bool is_computed(const Region& region, VertexId v, Id index) const;
  const std::vector<Id>& keep_pull(Region& region, std::pair<VertexId, Id> key, std::vector<Id> values);
  // The results of fn, which is v's function or a function inside it.
  std::vector<Id> expand_function(Region& region, VertexId v, const Fn& fn, std::span<const Id> args);
  FnRef expand_inside(VertexId v, const Fn& inside);
  std::vector<Id> expand_scalar(Region& region, VertexId v);
  std::vector<Id> load(Region& region, VertexId v, Id index);
  Id canonical(Region& region, VertexId input, Id index);
  Bounds bounds(const Region& region, VertexId input, const Affine& index) const;
  // The element that a function reads of a captured sequence, given the sequence's value at the index.
  Id captured(Region& region, VertexId input, Id index, Id value);
  Id length_of(Region& region, VertexId reader, uint32_t slot);

  bool is_own_index(const Region& region, VertexId v, Id index) const;
  bool is_available(VertexId v) const;
  uint32_t argument_slot(VertexId v, uint32_t slot);
  uint32_t input_slot(VertexId v, uint32_t column);
  uint32_t result(Id value);
  Id mask_of(VertexId filter);
  uint32_t scan_part(VertexId v);
  // The parameters of the epilogue for the columns of a Reduce, Total or Count of this kernel.
  const std::vector<Id>& scalar_params(VertexId v);
  std::vector<Bits64> starts_of(const Definition& fold) const;
  std::vector<Id> after_identity(const Definition& scan, std::vector<Id> prefixes);
  void unless_empty(VertexId v, std::vector<Id>& results);
  Id scalar_param(Type type, bool is_total, uint32_t index, uint32_t column);
  uint32_t add_reduction(FnRef combine, std::vector<Bits64> identity, const std::vector<Id>& values, VertexId domain);

  void store(VertexId v);
  void compact(VertexId v, Id mask, const std::vector<Id>& values);
  void finish_scan();
  void choose_under_masks();
  FnRef guard_results(FnRef body) const;
  Range index_range() const;
  FnRef without_proven(FnRef body, std::vector<Range> known) const;
  void finish_body();
  void finish_epilogue();

  const Plan& plan_;
  int level_;
  const PlanOptions& options_;
  Step step_;
  Region body_, epilogue_;
  Id index_;
  Numbering<uint64_t> sources_;  // vertex and column of each input
  Numbering<Id> result_numbers_;
  std::vector<Id> results_;          // body results by number
  std::vector<uint32_t> output_of_;  // of a result that is stored; no_output
  std::vector<ScanPart> scans_;
  std::unordered_map<VertexId, std::vector<Id>> scalar_params_;
  std::vector<Scalar> epilogue_params_;
  std::vector<std::pair<ColumnRef, Id>> scalars_;  // the results of the epilogue
  static constexpr Id no_id = ~0u;
  static constexpr uint32_t no_output = ~0u;
};

}  // namespace wf
