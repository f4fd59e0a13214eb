// Random programs as a wf::Program, which is made once and runs several times.
#include <algorithm>

#include "eval/program.h"
#include "properties/program.h"

namespace properties {

void Program::run_traced(const std::vector<const Entry*>& group) {
  graph::Nodes results;
  for (const Entry* entry : group) results.push_back(entry->node);
  const bool must_fail = std::ranges::any_of(group, [](const Entry* entry) { return entry->value->has_fault(); });
  const bool may_fail = std::ranges::any_of(group, [](const Entry* entry) { return entry->value->may_fail; });
  const wf::Program program(parameters_, results);
  bool failed = false;
  for (int run = 0; run < 2 && wrong_.empty(); run++) {
    text_ += "run of " + std::to_string(group.size()) + " results" +
             (must_fail  ? " (an error)"
              : may_fail ? " (may be an error)"
                         : "") +
             "\n";
    try {
      const auto values = program.run(wf::Few<wf::NodeRef>(std::vector(arguments_)));
      if (must_fail) wrong_ = "it is no error";
      for (size_t k = 0; k < group.size() && wrong_.empty(); k++) {
        const std::string fault = oracle::difference(*group[k]->value, oracle::read(*values[k]));
        if (!fault.empty()) wrong_ = group[k]->name + ": " + fault;
      }
    } catch (const wf::RangeError& error) {
      errors_++;
      failed = true;
      if (!may_fail) wrong_ = std::string("it is an error: ") + error.what();
      if (!names_an_index_outside(error.what()) && !names_a_wrong_offset(error.what()))
        wrong_ = std::string("the error names no index outside: ") + error.what();
    } catch (const std::exception& error) { wrong_ = std::string("run throws: ") + error.what(); }
  }
  // The sequences without errors have their values alone.
  if (failed && group.size() > 1)
    for (const Entry* entry : group)
      if (!entry->value->may_fail && wrong_.empty()) run_traced({entry});
}

}  // namespace properties
