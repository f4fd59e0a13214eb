// The form of filters without scans: masks that read neighbours and compare the index with the ends are evaluated in packs.
#include "cuda/text/filters/filter_form.h"

#include "check.h"
#include "cuda/text/emit.h"
#include "lazy/composed/groups.h"
#include "oracle/graph.h"
#include "plan/plan.h"

using wf::NodeRef;
using wf::cuda::FilterForm;
using wf::cuda::Form;

namespace {

constexpr int64_t elements = 5000;

struct Chosen {
  Form form;
  std::string text;
};

// The form of the node's only kernel over inputs at this address, for n elements; the node's source has `elements`.
Chosen chosen(const NodeRef& node, int64_t n, uint64_t address = 0) {
  const wf::Plan plan = wf::make_plan({&node, 1}, {});
  CHECK_EQ(plan.steps.size(), size_t(1));
  const wf::Kernel& kernel = plan.steps[0]->kernel;
  const std::vector<wf::cuda::InputView> inputs(kernel.inputs.size(), {address, elements});
  const Form form = wf::cuda::choose_form(kernel, inputs, n, false);
  return {form, wf::cuda::emit(kernel, form).text};
}

NodeRef bytes() { return graph::source(std::vector<uint8_t>(elements)); }

// The indices i < n at which the mask, of i and the captured bytes, is true.
NodeRef indices(const std::string& mask, int64_t n) {
  const NodeRef is_kept = graph::tabulate("(fn ((i i64)) " + mask + ")", n, {bytes()});
  const std::vector<NodeRef> both{is_kept, graph::tabulate("(fn ((i i64)) i)", n)};
  return graph::filter("(fn ((kept bool) (i i64)) kept)", wf::zip(both));
}

}  // namespace

TEST(runs_are_filtered_in_packs) {
  const Chosen runs = chosen(wf::runs(bytes(), 1), elements + 1);
  CHECK(runs.form.filter.has_value());
  CHECK_EQ(runs.form.pack, 16);
  CHECK(runs.form.filter->reads == (std::vector<FilterForm::Reads>{{0, -1, 0, 0, 0}}));
  CHECK_EQ(runs.form.filter->decided.size(), size_t(2));  // neither the first position nor the last one
  CHECK(runs.text.find("Window<uint8_t, pack, 1, 0>") != std::string::npos);
  CHECK(runs.text.find("fetch_window<true>") != std::string::npos);
}

TEST(packs_at_odd_addresses_read_more) {
  const Chosen runs = chosen(wf::runs(bytes(), 1), elements + 1, 2);
  CHECK(runs.form.filter->reads == (std::vector<FilterForm::Reads>{{0, -1, 0, -1, 16}}));
  CHECK(runs.text.find("fetch_window<false>") != std::string::npos);
  // If the left neighbours are aligned, they are the pack.
  CHECK(chosen(wf::runs(bytes(), 1), elements + 1, 1).form.filter->reads == (std::vector<FilterForm::Reads>{{0, -1, 0, -1, 0}}));
}

// The guard of a Check depends on elements, so inner indices are those at which its index is in range.
TEST(checks_hold_for_inner_elements) {
  const Chosen checked = chosen(indices("(lt (at $0 (add i 1:i64) (gt (load $0 i) 3:u8)) 9:u8)", elements), elements);
  CHECK(checked.form.filter.has_value());
  CHECK_EQ(checked.form.filter->decided.size(), size_t(1));
  CHECK_EQ(checked.form.filter->decided[0].distance, -2);  // i + 1 < 5000
  const size_t inside = checked.text.find("bool is_kept("), edge = checked.text.find("bool is_kept_at_edge(");
  const size_t check = checked.text.find("check(a.fault");
  CHECK(inside < edge && edge < check);
  CHECK(check != std::string::npos);
}

TEST(reads_that_are_far_apart_are_groups) {
  const int64_t n = elements - 40;
  const Chosen far = chosen(indices("(eq (load $0 i) (load $0 (add i 40:i64)))", n), n);
  CHECK(far.form.filter->reads == (std::vector<FilterForm::Reads>{{0, 0, 0, 0, 0}, {0, 40, 40, 40, 16}}));
}

TEST(elements_that_are_tested_are_packed_in_place) {
  CHECK(!chosen(graph::filter("(fn ((x u8)) (lt x 9:u8))", bytes()), elements).form.filter);
  CHECK(chosen(indices("(lt (load $0 i) 9:u8)", elements), elements).form.filter.has_value());
}

TEST(other_masks_go_by_element) {
  const int64_t n = elements;
  // The index is compared with its middle; elements are read backwards, or where other elements say.
  const Chosen middle = chosen(indices("(where (lt i 2500:i64) (lt (load $0 i) 9:u8) (gt (load $0 i) 9:u8))", n), n);
  CHECK(middle.form.filter.has_value());
  CHECK(middle.form.filter->decided.empty());
  CHECK(!chosen(indices("(lt (load $0 (sub 4999:i64 i)) 9:u8)", n), n).form.filter);
  CHECK(!chosen(indices("(lt (load $0 (cast i64 (load $0 i))) 9:u8)", n), n).form.filter);
  // Half of the reads are out of range.
  CHECK(!chosen(indices("(eq (load $0 i) (load $0 (add i 2500:i64)))", n), n).form.filter);
}
