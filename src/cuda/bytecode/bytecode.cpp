#include "cuda/bytecode/bytecode.h"

#include <algorithm>

#include "cuda/bytecode/function_writer.h"
#include "cuda/form.h"
#include "cuda/text/emit.h"
#include "cuda/text/foreign.h"
#include "expr/terms.h"

namespace wf::cuda {
namespace {

using namespace interpreter;

// Writes a kernel's functions as segments. Each segment stores its results in registers.
class Assembler {
 public:
  Assembler(const Kernel& kernel, const Literals& literals, bool folds)
      : kernel_(kernel),
        literals_(literals),
        folds_(folds),
        scan_columns_(kernel.has_scan() ? uint32_t(kernel.scan[0].values.size()) : 0) {}
  std::optional<Bytecode> run();

 private:
  bool reserve_words();
  void write_body();
  void write_stores(const FunctionWriter::Values& body);
  std::vector<Operand> summed(const FunctionWriter::Values& body);
  void write_combine();
  void write_join();
  void write_finish();
  void end_segment(Segment& segment, const std::vector<Operand>& results);

  static std::vector<Operand> sequence(Operand first, uint32_t count) {
    std::vector<Operand> all;
    for (uint32_t k = 0; k < count; k++) all.push_back(Operand(first + k));
    return all;
  }

  const Kernel& kernel_;
  const Literals& literals_;
  const bool folds_;
  const uint32_t scan_columns_;
  Bytecode code_;
  FunctionWriter writer_{code_};
  uint32_t first_output_ = 0;  // number of the first output's word
};

// Reserves the words that the skeleton and stores address by number: outputs, and identities in the order of the columns. Returns false if
// they do not fit in the argument. Then reserves the inputs' words.
bool Assembler::reserve_words() {
  using enum Argument::Kind;
  first_output_ = uint32_t(code_.signature.arguments.size());
  for (uint32_t k = 0; k < kernel_.outputs.size(); k++) writer_.word(Output, k);
  code_.arguments.sums_identity = uint32_t(code_.signature.arguments.size());
  for (const std::vector<uint32_t>& identity : literals_.reduction_identity)
    for (uint32_t k : identity) writer_.word(Literal, k);
  code_.arguments.locals_identity = uint32_t(code_.signature.arguments.size());
  for (uint32_t k : literals_.scan_identity) writer_.word(Literal, k);
  writer_.constant(0);  // the identity of a compaction's count
  for (size_t k = 1; k < kernel_.compactions.size(); k++) writer_.word(Constant, 0);
  writer_.constant(1);
  if (code_.signature.arguments.size() > most_words) return false;
  writer_.add_inputs(kernel_.inputs.size());
  return true;
}

// Results that are words are moved to registers, which are never released.
void Assembler::end_segment(Segment& segment, const std::vector<Operand>& results) {
  for (size_t k = 0; k < results.size(); k++) {
    segment.results[k] = results[k];
    if (!(results[k] & is_word)) continue;
    segment.results[k] = writer_.registers.reserve(1);
    writer_.emit(code_move, segment.results[k], {results[k]});
  }
  writer_.emit(code_end, 0, {});
}

// A mask is a count of 1 or 0. Terms that both parts of the body need are computed by the first part and stay in registers.
void Assembler::write_body() {
  const Fn& fn = *kernel_.body;
  std::vector<Operand> params = {0};
  for (Operand first : {code_.arguments.before, code_.arguments.after})
    for (uint32_t c = 0; c < scan_columns_; c++) params.push_back(Operand(first + c));
  FunctionWriter::Values body(literals_.body, params);
  const std::vector<uint32_t> early = early_values(kernel_), late = sink_values(kernel_, false);
  auto needed = [&](const std::vector<uint32_t>& results) {
    std::vector<Id> ids;
    for (uint32_t value : results) ids.push_back(fn.results[value]);
    return needed_for(fn, ids);
  };
  const std::vector<bool> for_early = needed(early), for_late = needed(late);
  for (Id id = 0; id < fn.terms.size(); id++)
    if (for_early[id] || for_late[id])
      for (Id arg : fn.args(id)) body.uses[arg]++;
  for (const std::vector<uint32_t>* results : {&early, &late})
    for (uint32_t value : *results) body.uses[fn.results[value]]++;
  auto drop_all = [&](const std::vector<uint32_t>& results) {
    for (uint32_t value : results) writer_.drop(body, fn.results[value]);
  };

  if (!early.empty()) {
    code_.arguments.early.begin = writer_.here();
    writer_.write(body, for_early);
    std::vector<Operand> results;
    for (uint32_t value : early) results.push_back(body.result(value));
    end_segment(code_.arguments.early, results);
    write_combine();  // before drop_all, so that combine does not reuse registers that the second part reads
    drop_all(early);
  }
  code_.arguments.late.begin = writer_.here();
  writer_.write(body, for_late);
  write_stores(body);
  end_segment(code_.arguments.late, summed(body));
  drop_all(late);
}

void Assembler::write_stores(const FunctionWriter::Values& body) {
  auto store = [&](uint32_t output, Operand index, Operand value, Operand predicate) {
    writer_.emit(by_size(code_store_1, kernel_.outputs[output]), 0, {index, value, predicate}, first_output_ + output);
  };
  for (const Store& s : kernel_.stores) store(s.output, 0, body.result(s.value), Operand(is_word | writer_.constant(1)));
  for (uint32_t k = 0; k < kernel_.compactions.size(); k++) {
    const Compact& c = kernel_.compactions[k];
    const Operand kept_before = Operand(code_.arguments.before + scan_columns_ + k);
    for (size_t v = 0; v < c.outputs.size(); v++) store(c.outputs[v], kept_before, body.result(c.values[v]), body.result(c.mask));
  }
}

// Returns the element's contribution to Sums, which is the identity if a mask excludes the element.
std::vector<Operand> Assembler::summed(const FunctionWriter::Values& body) {
  std::vector<Operand> results;
  for (uint32_t r = 0; r < kernel_.reductions.size(); r++) {
    const Reduction& reduction = kernel_.reductions[r];
    for (size_t c = 0; c < reduction.values.size(); c++) {
      Operand value = body.result(reduction.values[c]);
      if (reduction.mask != no_mask) {
        const Operand chosen = writer_.registers.reserve(1), identity = Operand(is_word | (code_.arguments.sums_identity + results.size()));
        writer_.emit(code_select, chosen, {body.result(reduction.mask), value, identity});
        value = chosen;
      }
      results.push_back(value);
    }
  }
  return results;
}

void Assembler::write_combine() {
  Arguments& a = code_.arguments;
  a.combine.begin = writer_.here();
  std::vector<Operand> results;
  if (kernel_.has_scan()) {
    std::vector<Operand> params = sequence(a.locals_left, scan_columns_);
    for (Operand r : sequence(a.locals_right, scan_columns_)) params.push_back(r);
    results = writer_.call(literals_.scan[0], params, folds_);
  }
  for (uint32_t k = scan_columns_; k < a.locals; k++) {
    results.push_back(writer_.registers.take());
    writer_.emit(code_of(number_add, Type::I64), results.back(), {Operand(a.locals_left + k), Operand(a.locals_right + k)});
  }
  end_segment(a.combine, results);
  for (Operand r : results) writer_.registers.release(r);
}

void Assembler::write_join() {
  Arguments& a = code_.arguments;
  a.join.begin = writer_.here();
  std::vector<Operand> results;
  uint32_t first = 0;
  for (const Site& site : literals_.reductions) {
    const uint32_t columns = uint32_t(site.fn->results.size());
    std::vector<Operand> params = sequence(Operand(a.sums_left + first), columns);
    for (Operand r : sequence(Operand(a.sums_right + first), columns)) params.push_back(r);
    for (Operand r : writer_.call(site, params, folds_)) results.push_back(r);
    first += columns;
  }
  end_segment(a.join, results);
  for (Operand r : results) writer_.registers.release(r);
}

void Assembler::write_finish() {
  Arguments& a = code_.arguments;
  a.finish.begin = writer_.here();
  Signature& s = code_.signature;
  auto result = [&](Operand value) { writer_.emit(code_result, 0, {value}, s.scalars + s.counts); };
  if (kernel_.finish) {
    std::vector<Operand> params = sequence(a.sums_left, a.sums);
    for (Operand r : sequence(a.scanned, a.locals)) params.push_back(r);
    for (Operand r : writer_.call(literals_.finish, params)) result(r), s.scalars++;
  }
  for (uint32_t k = scan_columns_; k < a.locals; k++) result(Operand(a.scanned + k)), s.counts++;
  end_segment(a.finish, {});
}

std::optional<Bytecode> Assembler::run() {
  Arguments& a = code_.arguments;
  for (const Reduction& r : kernel_.reductions) a.sums += uint32_t(r.values.size());
  a.locals = scan_columns_ + uint32_t(kernel_.compactions.size());
  a.ordered = reduces_in_order(kernel_, false);
  a.has_finish = kernel_.finish || !kernel_.compactions.empty();
  code_.signature.has_checks = has_checks(kernel_);
  const uint32_t columns_bytes = 8 * (code_.is_wide() ? most_columns : 1);
  code_.signature.sums_bytes = code_.signature.local_bytes = code_.signature.carry_bytes = columns_bytes;
  code_.signature.local_words = code_.signature.carry_words = published_words(columns_bytes);
  if (calls_foreign(kernel_) || uses_special_functions(kernel_)) return std::nullopt;
  if (kernel_.has_scan() && kernel_.scan[0].axis.exists()) return std::nullopt;
  if (a.sums > most_columns || a.locals > most_columns || !reserve_words()) return std::nullopt;
  writer_.registers.reserve(1);  // the index
  a.sums_left = writer_.registers.reserve(a.sums);
  a.sums_right = writer_.registers.reserve(a.sums);
  for (Operand* first : {&a.locals_left, &a.locals_right, &a.before, &a.after, &a.scanned}) *first = writer_.registers.reserve(a.locals);
  write_body();
  write_join();
  write_finish();
  code_.registers = writer_.registers.count();
  if (code_.registers >= is_word) return std::nullopt;
  return std::move(code_);
}

}  // namespace

std::optional<Bytecode> assemble(const Kernel& kernel, const Literals& literals, bool folds) {
  return Assembler(kernel, literals, folds).run();
}

}  // namespace wf::cuda
