// Contexts: an engine and its memory.
#include <memory>
#include <mutex>
#include <unordered_map>

#include "checks/guard.h"

using namespace wf;
using namespace wf::capi;

// A context has at most one handle at a time, so that callers can compare contexts by their pointers. The lock guards the table and the
// release of a handle's last reference, which may coincide with a request for another one.
struct Handles {
  std::mutex mutex;
  std::unordered_map<const Context*, wf_context*> of;
};
static Handles& handles() {
  static Handles& all = *new Handles;  // never destroyed: threads may still release contexts while the process ends
  return all;
}

// The context's handle, with a new reference for the caller.
static wf_context* acquire_handle(const std::shared_ptr<Context>& context) {
  std::lock_guard lock(handles().mutex);
  wf_context*& handle = handles().of[context.get()];
  if (handle) {
    handle->references.fetch_add(1, std::memory_order_relaxed);
  } else {
    handle = new wf_context;
    handle->context = context;
  }
  return handle;
}

int32_t wf_context_create(const char* name, wf_context** out) {
  return guarded("wf_context_create", [&](Call&) {
    prepare(out);
    *out = acquire_handle(make_context(name ? name : "auto"));
  });
}

void wf_context_retain(wf_context* context) {
  if (context && context->mark == wf_context::living) context->references.fetch_add(1, std::memory_order_relaxed);
}

void wf_context_release(wf_context* context) {
  if (!context || context->mark != wf_context::living) return;
  std::unique_ptr<wf_context> last;  // deleted after the lock is released: it may free the context's memory
  std::lock_guard lock(handles().mutex);
  if (context->references.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  handles().of.erase(context->context.get());
  last.reset(context);
}

int32_t wf_context_close(wf_context* context) {
  return guarded("wf_context_close", [&](Call&) {
    const auto& closed = look(context);
    closed->closed.store(true);
    closed->pool->trim();
  });
}

int32_t wf_context_name(wf_context* context, char* buffer, int64_t capacity, int64_t* needed) {
  return guarded("wf_context_name", [&](Call&) { give_text(look(context)->name, buffer, capacity, needed); });
}

int32_t wf_context_memory(wf_context* context, int64_t* live, int64_t* cached, int64_t* peak, int64_t* limit) {
  return guarded("wf_context_memory", [&](Call&) {
    const Pool& pool = *look(context)->pool;
    if (live) *live = pool.live();
    if (cached) *cached = pool.cached();
    if (peak) *peak = pool.peak();
    if (limit) *limit = pool.limit();
  });
}

int32_t wf_context_reset_peak(wf_context* context) {
  return guarded("wf_context_reset_peak", [&](Call&) { look(context)->pool->reset_peak(); });
}

int32_t wf_context_set_limit(wf_context* context, int64_t bytes) {
  return guarded("wf_context_set_limit", [&](Call&) {
    const auto& limited = look(context);
    if (bytes < -1) throw SizeError("bytes is " + std::to_string(bytes) + "; expected a size, or -1 for no limit");
    limited->pool->set_limit(bytes);
  });
}

int32_t wf_context_trim(wf_context* context, int64_t* freed) {
  return guarded("wf_context_trim", [&](Call&) {
    int64_t bytes = look(context)->pool->trim();
    if (freed) *freed = bytes;
  });
}

int32_t wf_context_fail_allocation(wf_context* context, int64_t k) {
  return guarded("wf_context_fail_allocation", [&](Call&) {
    const auto& failing = look(context);
    if (k < 0) throw SizeError("k is " + std::to_string(k) + "; expected 1 for the next allocation, or 0 for none");
    failing->pool->fail_after(k);
  });
}

int32_t wf_context_ranks(wf_context* context, int32_t* rank, int32_t* ranks) {
  return guarded("wf_context_ranks", [&](Call&) {
    const Context& of = *look(context);
    if (rank) *rank = of.rank();
    if (ranks) *ranks = of.ranks();
  });
}

int32_t wf_context_of(const wf_seq* s, wf_context** out) {
  return guarded("wf_context_of", [&](Call&) {
    prepare(out);
    *out = acquire_handle(std::static_pointer_cast<Context>(look(s).context()));
  });
}
