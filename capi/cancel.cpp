// Cancellation of calls.
#include "engine/cancellation.h"

#include "checks/arguments.h"

using namespace wf;
using namespace wf::capi;

int32_t wf_cancel(wf_context* context) {
  return looking("wf_cancel", [&] { (context ? look(context)->cancellations : all_cancellations).cancel(); });
}

int32_t wf_cancel_on_signal(int32_t signal, int32_t on) {
  return looking("wf_cancel_on_signal", [&] {
    try {
      cancel_on_signal(signal, flag(on, "on"));
    } catch (const std::invalid_argument& e) { throw ArgumentError(e.what()); }
  });
}

int32_t wf_cancel_on_poll(int32_t (*poll)(void)) {
  Computation::set_poll(poll);
  return WF_OK;
}
