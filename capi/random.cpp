// Random numbers. src/random has the distributions.
#include "random/random.h"

#include "checks/guard.h"
#include "eval/eval.h"

using namespace wf;
using namespace wf::capi;

int32_t wf_random_key(wf_context* context, int64_t seed, wf_seq** out) {
  return making("wf_random_key", out, [&](Call& call) { return random::key(context_of(call, context), uint64_t(seed)); });
}

int32_t wf_random_split(wf_seq* key, int64_t i, wf_seq** out) {
  return making("wf_random_split", out, [&](Call& call) { return random::split(sequence(call, key, "key"), i); });
}

static Few<NodeRef> measured(Call& call, wf_seq* const* parameters, int32_t n) {
  const Few<NodeRef> nodes = n == 0 ? Few<NodeRef>() : sequences(call, parameters, n, "parameters");
  for (const NodeRef& s : nodes)
    if (s->length() < 0) forced_length(s);
  return nodes;
}

int32_t wf_random(const char* distribution, wf_seq* key, wf_seq* const* parameters, int32_t n_parameters, int64_t n, int32_t type,
                  wf_seq** out) {
  return making("wf_random", out, [&](Call& call) {
    require(distribution, "distribution");
    const NodeRef from = sequence(call, key, "key");
    if (from->length() < 0) forced_length(from);
    return random::draw(distribution, from, measured(call, parameters, n_parameters), n, type_of_code(type));
  });
}

using OfValues = NodeRef(std::string_view, const NodeRef&, std::span<const NodeRef>);

static int32_t of_values(const char* function, OfValues* make, const char* distribution, wf_seq* x, wf_seq* const* parameters, int32_t n,
                         wf_seq** out) {
  return making(function, out, [&](Call& call) {
    require(distribution, "distribution");
    const NodeRef values = sequence(call, x, "x");
    if (n > 0 && values->length() < 0) forced_length(values);
    return make(distribution, values, measured(call, parameters, n));
  });
}

int32_t wf_log_density(const char* distribution, wf_seq* x, wf_seq* const* parameters, int32_t n_parameters, wf_seq** out) {
  return of_values("wf_log_density", random::log_density, distribution, x, parameters, n_parameters, out);
}

int32_t wf_distribution_function(const char* distribution, wf_seq* x, wf_seq* const* parameters, int32_t n_parameters, wf_seq** out) {
  return of_values("wf_distribution_function", random::distribution_function, distribution, x, parameters, n_parameters, out);
}
