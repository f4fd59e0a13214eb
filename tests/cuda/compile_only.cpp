#include "cuda/compile_only.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>

#include "cuda/compile.h"
#include "cuda/device/driver.h"
#include "cuda/routines/atomics.h"
#include "cuda/routines/full_groups.h"
#include "cuda/routines/routines.h"
#include "cuda/routines/sort_text.h"
#include "cuda/row_form.h"
#include "cuda/text/emit.h"
#include "cuda/text/literals.h"
#include "cuda/text/split.h"
#include "cuda/window.h"
#include "expr/folds/merge.h"
#include "expr/hoist.h"
#include "oracle/engine.h"

namespace compile_only {
namespace {

int number_seen = 0;

const bool hip = std::getenv("WARPFOLD_TEST_HIP") != nullptr;
const char* const architectures[] = {hip ? "gfx90a" : "sm_80", hip ? "gfx1030" : "sm_90"};

class CompileOnly : public wf::Engine {
 public:
  std::string name() const override { return "nvrtc"; }
  double copy_bandwidth() override { return 1; }
  bool scatters_in_kernels() const override { return true; }
  bool numbers_segments() const override { return true; }
  bool sorts_rows(std::span<const wf::Type> types, int64_t n) const override { return wf::cuda::sorts_rows(types, n); }
  bool scans_along(const wf::ScanAxis& axis, int64_t elements, const wf::Fn&) const override {
    return wf::cuda::scans_along(axis, elements);
  }

  void call(const wf::RoutineCall& call, wf::Launch& launch) override {
    if (call.routine.kind == wf::Routine::Scatter) {
      const wf::Type index = launch.kernel->inputs[call.types.size()].type;
      for (wf::Type type : call.types)
        for (bool wide : {false, true})
          if (call.routine.replaces) compile(wf::cuda::replace_text(type, index, wide, call.routine.checks));
      if (call.routine.replaces) return slow_->call(call, launch);
      compile(wf::cuda::full_groups_text());
      for (uint32_t c = 0; c < call.types.size(); c++) {
        const auto op = call.fn ? wf::column_op(*call.fn, c) : std::nullopt;
        for (bool checks : {false, true})
          if (is_in(call.types[c], wf::Float)) compile(wf::cuda::scatter_floats_text(*op, call.types[c], index, checks));
          else
            for (const auto& [in_table, looks] : {std::pair(false, false), {false, true}, {true, false}})
              compile(wf::cuda::scatter_text(op, call.types[c], index, in_table, in_table && index == wf::Type::U8, checks, looks));
      }
    } else if (call.routine.kind == wf::Routine::Iterate) {
      std::vector<wf::Type> element;
      for (size_t k = call.types.size(); k < launch.inputs.size(); k++) element.push_back(launch.kernel->inputs[k].type);
      compile(wf::cuda::iterate_text(call, element).text);
    } else if (call.routine.kind == wf::Routine::SegmentIds) {
      compile(wf::cuda::segment_ids_text(call.types[0]));
    } else if (call.routine.kind == wf::Routine::Join) {
      for (wf::Type type : call.types) compile(wf::cuda::join_text(type));
    } else if (call.routine.kind == wf::Routine::Sort && !call.parameters.empty()) {
      compile(wf::cuda::sort_rows_text(call, wf::from_bits<int64_t>(call.parameters[0])).text);
    } else {
      compile(wf::cuda::sort_text(call).text);
    }
    slow_->call(call, launch);
  }

  void run(wf::Launch& launch) override {
    wf::Kernel bound = wf::with_values(*launch.kernel, launch.arguments);
    bound.body = wf::hoist_invariants(wf::merge_folds(bound.body, wf::cuda::groups_of_folds));
    compile_rows(bound, launch);
    if (const auto window = wf::cuda::unrolled_window(bound)) compile_window(*window, launch.inputs, launch.n);
    compile_window(bound, launch.inputs, launch.n);
    if (bound.elements.empty()) {
      compile_lowered(bound, launch.inputs, launch.n);
    } else {
      const wf::InTwo two = wf::in_two(bound);
      std::vector<wf::InputBuffer> inputs(launch.inputs.begin(), launch.inputs.end());
      inputs.resize(two.second.inputs.size(), {nullptr, launch.n});
      compile_lowered(two.first, launch.inputs, launch.n);
      compile_lowered(two.second, inputs, launch.n * two.count);
    }
    slow_->run(launch);
  }

 private:
  void compile_lowered(const wf::Kernel& bound, std::span<const wf::InputBuffer> inputs, int64_t n) {
    const wf::Kernel kernel = wf::lower_folds(bound);
    if (wf::cuda::needs_split(kernel)) {
      const wf::cuda::Split parts = wf::cuda::split(kernel);
      compile_forms(parts.first, inputs, n);
      std::vector<wf::InputBuffer> columns(parts.second.inputs.size(), {nullptr, n});
      compile_forms(parts.second, columns, n);
    } else {
      compile_forms(kernel, inputs, n);
    }
  }

  // Compiles the kernel once for aligned inputs and once for odd addresses.
  void compile_forms(const wf::Kernel& kernel, std::span<const wf::InputBuffer> inputs, int64_t n) {
    for (uint64_t address : {0, 1}) {
      std::vector<wf::cuda::InputView> views;
      for (size_t k = 0; k < inputs.size(); k++)
        views.push_back({address + uint64_t(inputs[k].offset) * wf::size_of(kernel.inputs[k].type), inputs[k].length});
      for (bool by_law : {false, true}) {
        if (by_law && !(kernel.has_scan() && kernel.scan[0].by_law && kernel.compactions.empty())) continue;
        wf::cuda::Form form = wf::cuda::choose_form(kernel, views, n, by_law);
        compile_text_of(kernel, form);
        const bool is_map = form.skeleton == wf::cuda::Skeleton::Map && !form.rolled;
        if (!form.filter && !(is_map && (wf::has_segments(kernel) || !kernel.scatters.empty()))) continue;
        form.rows = 4;  // as for many elements
        if (!kernel.scatters.empty() && wf::cuda::may_look(kernel.scatters[0].op, kernel.outputs[kernel.scatters[0].output]))
          form.full_groups = true, form.threads = 1024;
        compile_text_of(kernel, form);
      }
    }
  }

  // Compiles the kernel as blocks of elements, as if there were many, if it reads neighbourhoods.
  void compile_window(const wf::Kernel& kernel, std::span<const wf::InputBuffer> inputs, int64_t n) {
    constexpr int64_t times = 1 << 9;
    std::vector<wf::cuda::InputView> views;
    for (const wf::InputBuffer& input : inputs) views.push_back({0, input.length * times});
    const wf::cuda::Form form = wf::cuda::choose_form(kernel, views, n * times, false);
    if (form.window) compile_text_of(kernel, form);
  }

  // Compiles the kernel for these rows, and for more and fewer of them.
  void compile_rows(const wf::Kernel& kernel, const wf::Launch& launch) {
    std::vector<int64_t> lengths;
    for (const wf::InputBuffer& input : launch.inputs) lengths.push_back(input.length);
    for (int64_t n : {int64_t(4), int64_t(1000), int64_t(100000), launch.n})
      for (int64_t longer : {int64_t(1), int64_t(1) << 10, int64_t(1) << 20}) {
        std::vector<int64_t> scaled = lengths;
        for (int64_t& length : scaled) length *= longer;
        if (const auto rows = wf::cuda::choose_rows(kernel, scaled, n)) compile_text_of(kernel, rows->form);
      }
  }

  // Kernels for which KernelCache finds one executable, since they differ in arguments alone, must have the same text.
  void compile_text_of(const wf::Kernel& kernel, const wf::cuda::Form& form) {
    Emitted emitted{kernel, form, wf::cuda::literals_of(kernel).in_text, wf::cuda::emit(kernel, form).text};
    compile(emitted.text);
    std::vector<Emitted>& alike = emitted_[wf::structure_hash(kernel, false)];
    for (const Emitted& other : alike)
      if (other.form == form && other.in_text == emitted.in_text && wf::same_structure(other.kernel, kernel, false)) {
        if (other.text != emitted.text)
          throw std::logic_error("kernels that share an executable have different texts:\n" + other.text + emitted.text);
        return;
      }
    alike.push_back(std::move(emitted));
  }

  // For one architecture and another in turns, which takes minutes less: every kind of kernel has several texts.
  void compile(const std::string& text) {
    if (!seen_.insert(text).second || ++number_seen % every_ != 0) return;
    wf::cuda::compile(text, architectures[number_seen / every_ % 2]);
  }

  struct Emitted {
    wf::Kernel kernel;
    wf::cuda::Form form;
    std::vector<wf::Bits64> in_text;
    std::string text;
  };
  std::map<uint64_t, std::vector<Emitted>> emitted_;
  std::unique_ptr<wf::Engine> slow_ = oracle::make_engine();
  std::set<std::string> seen_;
  const int every_ = std::getenv("WARPFOLD_TEST_EVERY") ? std::atoi(std::getenv("WARPFOLD_TEST_EVERY")) : 1;
};

}  // namespace

int compiled() { return number_seen; }

std::unique_ptr<wf::Engine> make_engine(std::string& why) {
  try {
    hip ? wf::cuda::hiprtc() : wf::cuda::nvrtc();
  } catch (const wf::DeviceError& e) {
    why = e.what();
    return nullptr;
  }
  return std::make_unique<CompileOnly>();
}

}  // namespace compile_only
