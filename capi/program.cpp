// Programs: functions of sequences that are traced once and run many times.
#include "eval/program.h"

#include <memory>

#include "checks/guard.h"
#include "eval/eval.h"
#include "lazy/check.h"

using namespace wf;
using namespace wf::capi;

struct wf_program {
  static constexpr uint64_t living = 0x77662d70726f67;
  volatile uint64_t mark = living;
  std::atomic<int64_t> references{1};
  const Program program;
  ~wf_program() { mark = 0; }
};

static bool is_living(const wf_program* program) { return program && program->mark == wf_program::living; }

static const Program& look(const wf_program* program) {
  if (!program) throw ArgumentError("program is NULL; expected a program");
  if (!is_living(program)) throw ArgumentError("program is not a valid program: it was released, or is a handle of another kind");
  return program->program;
}

int32_t wf_parameter(wf_seq* like, wf_seq** out) {
  return making("wf_parameter", out, [&](Call& call) {
    const NodeRef node = sequence(call, like, "like");
    forced_length(node);
    return parameter(node->context(), node->shape(), node->types());
  });
}

int32_t wf_program_create(wf_seq* const* parameters, int32_t n_parameters, wf_seq* const* results, int32_t n_results, wf_program** out) {
  return guarded("wf_program_create", [&](Call& call) {
    prepare(out);
    const Few<NodeRef> from = sequences(call, parameters, n_parameters, "parameters");
    const Few<NodeRef> to = sequences(call, results, n_results, "results");
    *out = new wf_program{.program = Program(from, to)};
  });
}

void wf_program_retain(wf_program* program) {
  if (is_living(program)) program->references.fetch_add(1, std::memory_order_relaxed);
}

void wf_program_release(wf_program* program) {
  if (is_living(program) && program->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete program;
}

// The results of a program are computed at once and have no history, so a gradient through them would be 0 without a word.
static void require_constants(const Few<NodeRef>& arguments) {
  for (size_t k = 0; k < arguments.size(); k++)
    if (arguments[k]->is_tracked())
      throw ArgumentError(
          ordinal(k, arguments.size(), "argument") +
          " is a variable, or made from one, and the results of a program have no gradients; expected wf_constant of it, or the "
          "gradient as a result of the program");
}

int32_t wf_program_run(const wf_program* program, wf_seq* const* arguments, int32_t n_arguments, wf_seq** results, int32_t n_results,
                       int32_t* fits) {
  return guarded("wf_program_run", [&](Call& call) {
    if (n_results > 0) require(results, "results");
    for (int32_t k = 0; k < n_results; k++) results[k] = nullptr;
    const Program& made = look(program);
    if (n_results < 0 || size_t(n_results) != made.result_count())
      throw ArgumentError("n_results is " + std::to_string(n_results) + "; expected " + std::to_string(made.result_count()) +
                          ", the number of the program's results");
    Few<NodeRef> values = sequences(call, arguments, n_arguments, "arguments");
    require_constants(values);
    if (!fits) made.require_fits(values);
    else if (!(*fits = made.fits(values))) return;
    values = made.run(std::move(values));
    for (int32_t k = 0; k < n_results; k++) results[k] = give(std::move(values[size_t(k)]));
  });
}

int32_t wf_program_explain(const wf_program* program, int32_t format, char* buffer, int64_t capacity, int64_t* needed) {
  return guarded("wf_program_explain", [&](Call&) {
    const Program& made = look(program);
    give_text(made.explain(format_of_code(format)), buffer, capacity, needed);
  });
}
