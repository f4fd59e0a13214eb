// The order of segments by their content, as of words in a dictionary.
#include "lazy/composed/segments.h"
#include "lazy/compose.h"
#include "lazy/composed/groups.h"
#include "prelude/compose.h"
#include "prelude/prelude.h"

namespace wf::prelude {
namespace {

// The function of this text of each element. It captures sequences.
NodeRef captured(const std::string& text, const std::vector<NodeRef>& captures, const std::vector<NodeRef>& inputs) {
  CaptureTypes types;
  for (const NodeRef& s : captures) types.push_back(s->types());
  const Lifted f = parse_cached(text, types);
  return map({f.fn, captures, f.arguments}, inputs);
}

// The number of elements before each one in the order of sort.
NodeRef ranks_of(const NodeRef& s) {
  const auto keys = int32_t(s->types().size());
  return search({keys}, sort(s, keys, false), s, false);
}

}  // namespace

// Prefix doubling (R. M. Karp, R. E. Miller, A. L. Rosenberg, 1972): from the ranks of each value and its next step - 1 in the segment follow those of
// twice as many. -1 is the rank of no values.
NodeRef segment_ranks(const Arguments& of) {
  const NodeRef &values = of.arrays[0], &offsets = of.arrays[1];
  const int64_t longest = integer(of.numbers[0], "longest");
  const NodeRef stops = captured("(fn ((i i64)) (at $0 (add i 1:i64)))", {offsets}, {segment_ids(offsets, values->length())});
  NodeRef ranks = ranks_of(values);
  for (int64_t step = 1; step < longest; step *= 2) {
    const std::string next = "(add k " + std::to_string(step) + ":i64)";
    const NodeRef pairs[] = {ranks, captured("(fn ((k i64) (stop i64)) (where (lt " + next + " stop) (at $0 " + next + ") -1:i64))",
                                             {ranks}, {positions(ranks), stops})};
    ranks = ranks_of(zip(pairs));
  }
  return captured("(fn ((k i64)) (let ((start (at $0 k))) (where (lt start (at $0 (add k 1:i64))) (at $1 start) -1:i64)))",
                  {offsets, ranks}, {positions(offsets, offsets->length() - 1)});
}

}  // namespace wf::prelude
