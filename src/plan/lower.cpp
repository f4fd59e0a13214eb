// The lower pass: engines run loops only, so the folds of kernels and of routines' functions become loops. A step with folds keeps the kernel
// as it was, for explain.
#include "plan/plan.h"

namespace wf {

void pass_lower(Plan& plan) {
  for (const auto& step : plan.steps) {
    if (step->call) {
      if (step->call->less) step->call->less = lower_folds(step->call->less);
      continue;
    }
    if (!has_folds(step->kernel)) continue;
    step->written = std::make_shared<const Kernel>(step->kernel);
    step->kernel = lower_folds(*step->written);
  }
}

}  // namespace wf
