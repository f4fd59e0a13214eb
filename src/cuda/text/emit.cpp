#include "cuda/text/emit.h"

#include <algorithm>

#include "cuda/row_form.h"
#include "cuda/text/emitter.h"
#include "expr/guards/guard.h"

namespace wf::cuda {
namespace {

// Returns true if the results do not depend on the association, to the last bit.
bool associates_exactly(const Fn& combine) {
  std::optional<Op> op = as_op(combine);
  return op && (info(*op).laws & Comm) && (!is_in(combine.params[0].type, Float) || (info(*op).laws & Idem));
}

constexpr uint32_t shared_memory = 220 << 10, most_threads_of_held = 1024;  // of a multiprocessor
constexpr size_t most_values_of_two_blocks = 112;

}  // namespace

Emitter::Emitter(const Kernel& kernel, const Form& form)
    : kernel_(kernel),
      form_(form),
      literals_(literals_of(kernel)),
      body_(*kernel.body),
      columns_(kernel.has_scan() ? uint32_t(kernel.scan[0].values.size()) : 0),
      chained_(form.skeleton == Skeleton::Scan),
      small_(form.skeleton == Skeleton::Small),
      rows_(form.skeleton == Skeleton::Rows),
      along_(form.skeleton == Skeleton::Along) {
  for (const Reduction& r : kernel.reductions) by_law_.push_back(form.by_law && r.by_law);
  collect_columns();
}

Emitted Emitter::run() {
  std::string program = "struct Program : Defaults<Program, Args> {\n" + constants() + structures() + folds();
  if (small_) program += segment_functions() + chain() + early() + late_of_few();
  else if (rows_) program += visit_row();
  else if (form_.filter) program += chain() + inner_range() + filter_functions();
  else if (chained_) program += chain() + staged_fetches() + stores() + early() + late() + flush();
  else if (along_) program += chain() + fetches() + stores() + early() + late();
  else if (form_.window) program += visit_element() + visit_strips();
  else program += fetches() + stores() + visit() + visit_bytes();
  program += finish();
  program += "};\n";
  const std::string structure = arguments();
  emitted_.arguments_in_memory = 8 * signature_.arguments.size() > most_parameter_bytes;
  emitted_.text = operations() + "\n" + structure + "\n" + program + "\n}  // namespace wf\n\n" + entry(kernel_name, skeleton_function());
  if (form_.uneven) emitted_.text += "\n" + entry(second_kernel_name, "long_rows");
  emitted_.signature = std::move(signature_);
  return std::move(emitted_);
}

// Returns the kernel itself, which runs the skeleton.
std::string Emitter::entry(const std::string& name, const std::string& skeleton) const {
  const bool in_memory = emitted_.arguments_in_memory;
  return "extern \"C\" __global__ void __launch_bounds__(" + launch_bounds() + ") " + name + "(const " +
         (in_memory ? "wf::Args* a" : "__grid_constant__ wf::Args a") + ") {\n  wf::" + skeleton + "<wf::Program>(" +
         (in_memory ? "*a" : "a") + ");\n}\n";
}

const char* Emitter::skeleton_function() const {
  switch (form_.skeleton) {
    case Skeleton::Map: return form_.window ? "strips" : "map";
    case Skeleton::Reduce: return "reduce";
    case Skeleton::Scan: return form_.filter ? "filter" : "scan";
    case Skeleton::Along: return "scan_along";
    case Skeleton::Rows: return "rows";
    case Skeleton::Small: break;
  }
  return "small";
}

// Returns the threads per block. A scan also states the blocks per multiprocessor that its shared memory allows, at most three if it gathers. So
// registers do not lower the occupancy, and the compiler does not spill them for an occupancy that shared memory rules out. A filter's threads
// have 40 registers if their packs fill at most 16, otherwise 64.
std::string Emitter::launch_bounds() const {
  const std::string threads = str(uint64_t(form_.threads));
  if (form_.staged && sums_.size() <= 4) return threads + ", 6";
  if (form_.row_capacity > 0) return threads + ", " + str(blocks_of_kept_rows());
  if (form_.held > 0) return threads + ", " + str(most_threads_of_held / uint64_t(form_.threads));
  // Strips of little more than 128 registers are faster with 128, and twice as many threads (bench/results/gpu_arrays.md).
  if (form_.window && strip_values_ <= most_values_of_two_blocks) return threads + ", " + str(512 / uint64_t(form_.threads));
  if (!chained_) return threads;
  if (form_.filter)
    return threads + ", " +
           str(uint64_t(std::max(1, (size_t(form_.rows) * form_.filter->reads.size() <= 4 ? 1536 : 1024) / form_.threads)));
  return threads + ", " + str(std::clamp<uint32_t>(shared_memory / emitted_.shared_bytes, 1, form_.gathers ? 3 : 5));
}

// Returns the blocks per multiprocessor that shared memory allows for rows that are kept there, if they are not too many threads.
uint32_t Emitter::blocks_of_kept_rows() const {
  const uint32_t most_threads = form_.held > 0 ? most_threads_of_held : 1536;  // with 64 registers, or 42
  return std::clamp<uint32_t>(shared_memory / emitted_.shared_bytes, 1, std::max<uint32_t>(1, most_threads / uint32_t(form_.threads)));
}

void Emitter::collect_columns() {
  if (form_.by_law) {
    const Type type = scan_type(0);
    sums_.push_back({type, "total"});
    if (overflow_check() == OverflowCheck::Magnitude) sums_.push_back({type, "magnitude"});
  }
  for (uint32_t r = 0; r < kernel_.reductions.size(); r++) {
    const std::vector<Type> types = kernel_.reductions[r].combine->result_types();
    for (uint32_t c = 0; c < types.size(); c++) sums_.push_back({types[c], sum_name(r, c)});
    if (by_law_[r] && overflow_check() == OverflowCheck::Extremes) sums_.push_back({types[0], opposite_name(r)});
  }
  if (!chained_ && !small_ && !along_) return;
  for (uint32_t c = 0; c < columns_; c++) local_.push_back({scan_type(c), "c" + str(c)});
  carry_ = local_;
  for (uint32_t k = 0; k < kernel_.compactions.size(); k++) {
    local_.push_back({small_ ? Type::I64 : Type::U32, "n" + str(k)});
    carry_.push_back({Type::I64, "n" + str(k)});
  }
}

// Writes the constants that differ from those of Defaults (skeletons/program.cuh).
std::string Emitter::constants() {
  has_finish_ = kernel_.finish != nullptr || !kernel_.compactions.empty();
  std::string text = "  static constexpr int threads = " + str(uint64_t(form_.threads)) + ";\n";
  auto number = [&](const char* name, int value) {
    if (value != 1) text += std::string("  static constexpr int ") + name + " = " + std::to_string(value) + ";\n";
  };
  auto truth = [&](const char* name, bool value) {
    if (value) text += std::string("  static constexpr bool ") + name + " = true;\n";
  };
  auto truth_of = [&](const char* name, bool value) {
    if (value) text += function(std::string("bool ") + name + "(const Args&)", "    return true;\n");
  };
  truth_of("has_sums", !sums_.empty());
  truth_of("has_finish", has_finish_);
  if (small_) {
    truth_of("has_locals", !local_.empty());
    return text;
  }
  if (rows_) {
    text += "  static constexpr int slices = " + str(uint64_t(form_.slices)) + ", fold_bytes = " + str(fold_bytes(kernel_)) + ";\n";
    text += std::string("  static constexpr bool across = ") + (form_.across ? "true" : "false") +
            ", parts = " + (form_.parts ? "true" : "false") + ", flat = " + (form_.flat ? "true" : "false") +
            ", uneven = " + (form_.uneven ? "true" : "false") + ", reduces = " + (form_.reduces ? "true" : "false") +
            ", shares = " + (form_.shares ? "true" : "false") +
            ", kept = " + (form_.row_capacity > 0 || form_.held > 0 ? "true" : "false") +
            ", ahead = " + (form_.row_capacity > 0 && form_.held > 0 ? "true" : "false") + ";\n";
    text += "  static constexpr int held = " + str(uint64_t(form_.held)) + ";\n";
    if (form_.uneven)
      text += "  static constexpr int64_t limit = " + str(uint64_t(longest_of_slices(form_))) +
              ", part = " + str(uint64_t(part_of_long_row)) + ";\n";
    return text;
  }
  number("pack", form_.pack);
  number("rows", form_.rows);
  if (along_) {
    text += "  static constexpr int down = " + std::to_string(form_.down) + ";\n";
    text += std::string("  static constexpr bool columns = ") + (form_.across ? "true" : "false") + ";\n";
    for (size_t k : {0, 1})
      text += function(std::string("int64_t ") + (k == 0 ? "length" : "inner") + "(const Args& a)",
                       "    return " + literal(literals_.scan_axis[k]) + ";\n");
    return text;
  }
  truth("rolled", form_.rolled);
  truth("numbers", finds_segments_by_tile());
  truth("ordered", reduces_in_order(kernel_, form_.by_law));
  if (!chained_) {
    truth("staged", form_.staged);
    truth("draws", draws(kernel_));
    truth("by_law", sums_of_integers());
    truth("by_bytes", form_.by_bytes);
    if (const std::optional<Window>& w = form_.window)
      text += "  static constexpr int width = " + str(uint64_t(w->width)) + ", margin = " + str(uint64_t(w->margin)) +
              ", high = " + str(uint64_t(w->high)) + ", together = " + str(uint64_t(w->together)) +
              ", first = " + str(uint64_t(w->first())) + ", packs = " + str(uint64_t(w->packs())) + ";\n";
    if (form_.tiles)
      text += "  static constexpr int64_t inner = " + str(uint64_t(form_.tiles->inner)) + ", below = " + str(uint64_t(form_.tiles->below)) +
              ", extent = " + str(uint64_t(form_.tiles->extent)) + ";\n";
    return text;
  }
  const bool exact = std::ranges::all_of(kernel_.reductions, [&](auto& r) { return associates_exactly(*r.combine); });
  truth("bulk", form_.bulk);
  truth("per_tile", !sums_.empty() && !exact);
  truth("compacts", !kernel_.compactions.empty());
  truth("gathers", form_.gathers && sums_.empty());
  truth("counts", columns_ == 0 && kernel_.compactions.size() == 1);
  truth("exact", !kernel_.has_scan() || associates_exactly(*kernel_.scan[0].combine));
  return text;
}

std::string Emitter::arguments() {
  std::string text = "struct Args {\n";
  auto add = [&](Argument::Kind kind, const std::string& declaration, uint32_t value = 0) {
    text += "  alignas(8) " + declaration + ";\n";
    signature_.arguments.push_back({kind, value});
  };
  using enum Argument::Kind;
  add(Count, "int64_t n");
  signature_.has_checks = has_checks(kernel_);
  if (signature_.has_checks) add(Fault, "wf::Fault* fault");
  signature_.checks_offsets = has_segments(kernel_);
  if (signature_.checks_offsets) add(OffsetsFault, "wf::Fault* offsets_fault");
  if (has_finish_) add(Results, "uint64_t* results");
  if (!form_.row_terms.empty() || !kernel_.elements.empty()) add(RowCount, "int64_t row_count");
  if (form_.uneven) {
    add(Capacity, "int64_t capacity");
    add(Queued, "unsigned long long* queued");
    add(Tasks, "void* tasks");
  }
  if (form_.parts) {
    signature_.fold_bytes = uint32_t(fold_bytes(kernel_));
    if (!form_.uneven) add(Parts, "int64_t parts");
    add(FoldPartials, "void* fold_partials");
    add(FoldCounters, "unsigned* fold_counters");
  }
  if (form_.skeleton == Skeleton::Reduce || chained_ || form_.reduces) {
    add(Counters, "wf::Counters* counters");
    add(Partials, "void* partials");
  }
  if (chained_) {
    add(TileWords, "uint64_t* tile_words");
    add(TileValues, "void* tile_values");
    add(GroupWords, "uint64_t* group_words");
    add(GroupValues, "void* group_values");
    add(Total, "void* total");
  }
  for (uint32_t k = 0; k < kernel_.inputs.size(); k++) {
    add(Input, "const " + type_text(kernel_.inputs[k].source_type()) + "* in" + str(k), k);
    add(InputLength, "int64_t length" + str(k), k);
  }
  if (form_.full_groups) {
    add(Full, "wf::FullGroups full", 0);
    for (uint32_t word : {1, 2}) signature_.arguments.push_back({Full, word});
  }
  for (uint32_t k = 0; k < kernel_.outputs.size(); k++) add(Output, type_text(kernel_.outputs[k]) + "* out" + str(k), k);
  const std::vector<Type> types = literal_types();
  for (uint32_t k = 0; k < types.size(); k++) add(Literal, type_text(types[k]) + " k" + str(k), k);
  return text + "};\n";
}

// Returns the types of the arguments that are literals, in order.
std::vector<Type> Emitter::literal_types() const {
  std::vector<Type> types(literals_.values.size());
  auto of_site = [&](auto& self, const Site& site) -> void {
    if (!site.fn) return;
    for (Id id = 0; id < site.literal_of.size(); id++)
      if (site.literal_of[id] != Site::in_text) types[site.literal_of[id]] = (*site.fn)[id].type;
    for (const Site& loop : site.loops) self(self, loop);
    for (const Site& combine : site.combines) self(self, combine);
  };
  of_site(of_site, literals_.body);
  of_site(of_site, literals_.finish);
  for (const Site& site : literals_.scan) of_site(of_site, site);
  for (const Site& site : literals_.reductions) of_site(of_site, site);
  for (const Site& site : literals_.elements) of_site(of_site, site);
  for (uint32_t c = 0; c < literals_.scan_identity.size(); c++) types[literals_.scan_identity[c]] = scan_type(c);
  for (uint32_t number : literals_.scan_axis) types[number] = Type::I64;
  for (uint32_t r = 0; r < literals_.reduction_identity.size(); r++)
    for (uint32_t c = 0; c < literals_.reduction_identity[r].size(); c++)
      types[literals_.reduction_identity[r][c]] = kernel_.reductions[r].combine->params[c].type;
  return types;
}

bool has_checks(const Kernel& kernel) { return has_checks(*kernel.body) || (kernel.finish && has_checks(*kernel.finish)); }

Emitted emit(const Kernel& kernel, const Form& form) { return Emitter(kernel, form).run(); }

}  // namespace wf::cuda
