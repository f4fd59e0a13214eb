#include "cuda/bytecode.h"

#include <algorithm>

#include "cuda/source.h"

namespace wf::cuda {
namespace {

using namespace interpreter;

constexpr uint32_t code_of(uint32_t op, Type type) { return op * types + uint32_t(type); }
// Of three instructions that follow each other, for 1, 4 and 8 bytes, the one for that type.
constexpr uint32_t by_size(uint32_t first, Type type) { return first + (size_of(type) == 1 ? 0 : size_of(type) == 4 ? 1 : 2); }

// Registers, each counted by how many hold it; one that nobody holds is free.
class Registers {
 public:
  // `count` that are held for good.
  Operand reserve(uint32_t count) {
    const Operand first = Operand(holders_.size());
    holders_.resize(holders_.size() + count, 1);
    return first;
  }
  Operand take() {
    if (free_.empty()) return reserve(1);
    const Operand r = free_.back();
    free_.pop_back();
    holders_[r] = 1;
    return r;
  }
  void hold(Operand r) {
    if (!(r & is_word)) holders_[r]++;
  }
  void release(Operand r) {
    if (!(r & is_word) && --holders_[r] == 0) free_.push_back(r);
  }
  uint32_t count() const { return uint32_t(holders_.size()); }

 private:
  std::vector<uint32_t> holders_;
  std::vector<Operand> free_;
};

class Assembler {
 public:
  Assembler(const Kernel& kernel, const Literals& literals)
      : kernel_(kernel), literals_(literals), scan_columns_(kernel.has_scan() ? uint32_t(kernel.scan[0].values.size()) : 0) {}
  std::optional<Bytecode> run();

 private:
  // The operands of a function's terms; of a loop, those of its variables.
  struct Values {
    const Site& site;
    std::vector<Operand> params;
    std::vector<std::vector<Operand>> of_term;
    std::vector<uint32_t> uses;  // that are still to come
  };

  // functions
  Values begin(const Site& site, std::vector<Operand> params) {
    return {site, std::move(params), std::vector<std::vector<Operand>>(site.fn->terms.size()), std::vector<uint32_t>(site.fn->terms.size())};
  }
  void write(Values& values, const std::vector<bool>& needed);
  std::vector<Operand> write_term(Values& values, Id id);
  std::vector<Operand> write_loop(Values& values, const Term& term);
  void assign(const std::vector<Operand>& variables, const std::vector<Operand>& next);
  std::vector<Operand> call(const Site& site, std::vector<Operand> params);
  void drop(Values& values, Id id);

  // segments
  std::vector<uint32_t> early_results() const;
  std::vector<uint32_t> late_results() const;
  void write_body();
  void write_stores(const Values& body);
  std::vector<Operand> summed(const Values& body);
  void write_combine();
  void write_join();
  void write_finish();
  void end_segment(Segment& segment, const std::vector<Operand>& results);

  // words
  Operand word(Argument::Kind kind, uint32_t index);
  Operand constant(Bits64 bits);
  Operand literal(const Site& site, Id id) {
    const uint32_t k = site.literal_of[id];
    return k == Site::in_text ? constant((*site.fn)[id].bits) : word(Argument::Kind::Literal, k);
  }
  // The address's word; the length's is the next.
  static uint32_t input(uint32_t slot) { return 2 * slot; }
  void reserve_words();

  // The operand of a result of the body.
  static Operand value_of(const Values& body, uint32_t value) { return body.of_term[body.site.fn->results[value]][0]; }
  static std::vector<Operand> sequence(Operand first, uint32_t count) {
    std::vector<Operand> all;
    for (uint32_t k = 0; k < count; k++) all.push_back(Operand(first + k));
    return all;
  }
  struct Operands {
    Operand x = 0, y = 0, z = 0;
  };
  void emit(uint32_t code, Operand out, Operands in, uint32_t extra = 0) {
    code_.instructions.push_back({uint16_t(code), out, in.x, in.y, in.z, 0, extra});
    code_.work += runs_;
  }
  uint32_t here() const { return uint32_t(code_.instructions.size()); }

  const Kernel& kernel_;
  const Literals& literals_;
  const uint32_t scan_columns_;
  Bytecode code_;
  Registers registers_;
  double runs_ = 1;  // of what is written now, for one element
  };

// ---- words -------------------------------------------------------------------------------------------------------------------

// Past the most that the interpreter takes it is any word: the kernel will not be run by it.
Operand Assembler::word(Argument::Kind kind, uint32_t index) {
  if (code_.emitted.arguments.size() > most_words) return is_word;
  auto known = std::ranges::find_if(code_.emitted.arguments, [&](const Argument& a) { return a.kind == kind && a.index == index; });
  const size_t at = size_t(known - code_.emitted.arguments.begin());
  if (known == code_.emitted.arguments.end()) code_.emitted.arguments.push_back({kind, index});
  return Operand(is_word | at);
}

Operand Assembler::constant(Bits64 bits) {
  auto known = std::ranges::find(code_.constants, bits);
  const size_t at = size_t(known - code_.constants.begin());
  if (known == code_.constants.end()) code_.constants.push_back(bits);
  return word(Argument::Kind::Constant, uint32_t(at));
}

// Inputs first, each with its length; then the identities in the order of the columns.
void Assembler::reserve_words() {
  auto add = [&](Argument::Kind kind, size_t index) { code_.emitted.arguments.push_back({kind, uint32_t(index)}); };
  for (size_t k = 0; k < kernel_.inputs.size(); k++) add(Argument::Kind::Input, k), add(Argument::Kind::InputLength, k);
  code_.arguments.sums_identity = uint32_t(code_.emitted.arguments.size());
  for (const std::vector<uint32_t>& identity : literals_.reduction_identity)
    for (uint32_t k : identity) add(Argument::Kind::Literal, k);
  code_.arguments.locals_identity = uint32_t(code_.emitted.arguments.size());
  for (uint32_t k : literals_.scan_identity) add(Argument::Kind::Literal, k);
  code_.constants.push_back(0);
  for (size_t k = 0; k < kernel_.compactions.size(); k++) add(Argument::Kind::Constant, 0);
}

// ---- functions ---------------------------------------------------------------------------------------------------------------

void Assembler::drop(Values& values, Id id) {
  if (--values.uses[id] > 0) return;
  for (Operand r : values.of_term[id]) registers_.release(r);
}

// The needed terms that have no value yet. values.uses says how often each will be dropped.
void Assembler::write(Values& values, const std::vector<bool>& needed) {
  const Fn& fn = *values.site.fn;
  for (Id id = 0; id < fn.terms.size(); id++) {
    if (!needed[id] || !values.of_term[id].empty()) continue;
    values.of_term[id] = write_term(values, id);
    for (Id arg : fn.args(id)) drop(values, arg);
    if (values.uses[id] == 0)
      for (Operand r : values.of_term[id]) registers_.release(r);
  }
}

// Its operands, each held once for the term.
std::vector<Operand> Assembler::write_term(Values& values, Id id) {
  const Fn& fn = *values.site.fn;
  const Term& term = fn[id];
  const std::span<const Id> args = fn.args(term);
  auto arg = [&](size_t k) { return values.of_term[args[k]][0]; };
  auto held = [&](Operand operand) {
    registers_.hold(operand);
    return std::vector<Operand>{operand};
  };
  switch (term.kind) {
    case Kind::Param: return held(values.params[term.slot]);
    case Kind::Literal: return held(literal(values.site, id));
    case Kind::Length: return held(Operand(is_word | (input(term.slot) + 1)));
    case Kind::Pick: return held(values.of_term[args[0]][term.slot]);
    case Kind::Loop: return write_loop(values, term);
    case Kind::Check:
      emit(code_check, 0, {arg(0), arg(1), arg(2)});
      return held(arg(0));
    default: break;
  }
  const Operand out = registers_.take();
  if (term.kind == Kind::At) {
    emit(by_size(code_load_1, term.type), out, {arg(0)}, input(term.slot));
  } else if (term.kind == Kind::Cast) {
    emit(code_of(number_to_Bool + uint32_t(term.type), fn[args[0]].type), out, {arg(0)});
  } else {
    const uint32_t code = term.op == Op::where_ ? uint32_t(code_select) : code_of(uint32_t(term.op), fn[args.back()].type);
    emit(code, out, {arg(0), args.size() > 1 ? arg(1) : Operand(0), args.size() > 2 ? arg(2) : Operand(0)});
  }
  return {out};
}

std::vector<Operand> Assembler::write_loop(Values& values, const Term& term) {
  const Fn& fn = *values.site.fn;
  const Fn::LoopInfo& info = fn.loops[term.slot];
  const std::span<const Id> args = fn.args(term);
  std::vector<Operand> variables, params;
  for (uint32_t k = 0; k < args.size(); k++) {
    const Operand init = values.of_term[args[k]][0];
    if (k < info.variables) {
      variables.push_back(registers_.take());
      emit(code_move, variables.back(), {init});
    }
    params.push_back(k < info.variables ? variables.back() : init);
  }
  const uint32_t top = here();
  runs_ *= 100;
  const std::vector<Operand> results = call(values.site.loops[term.slot], params);
  runs_ /= 100;
  const uint32_t exit = here();
  emit(code_jump_unless, 0, {results[0]});
  assign(variables, {results.begin() + 1, results.end()});
  emit(code_jump, 0, {}, top);
  code_.instructions[exit].extra = here();
  for (Operand r : results) registers_.release(r);
  return variables;
}

// All variables take their next values at once: what is a variable itself is put aside first.
void Assembler::assign(const std::vector<Operand>& variables, const std::vector<Operand>& next) {
  auto move = [&](Operand to, Operand from) { emit(code_move, to, {from}); };
  std::vector<Operand> from = next, aside;
  for (size_t k = 0; k < variables.size(); k++) {
    if (next[k] == variables[k] || std::ranges::find(variables, next[k]) == variables.end()) continue;
    aside.push_back(registers_.take());
    move(aside.back(), next[k]);
    from[k] = aside.back();
  }
  for (size_t k = 0; k < variables.size(); k++)
    if (from[k] != variables[k]) move(variables[k], from[k]);
  for (Operand r : aside) registers_.release(r);
}

// The whole function; its results are held for the caller.
std::vector<Operand> Assembler::call(const Site& site, std::vector<Operand> params) {
  Values values = begin(site, std::move(params));
  const Fn& fn = *site.fn;
  for (Id id = 0; id < fn.terms.size(); id++)
    for (Id arg : fn.args(id)) values.uses[arg]++;
  for (Id id : fn.results) values.uses[id]++;
  write(values, std::vector<bool>(fn.terms.size(), true));
  std::vector<Operand> results;
  for (Id id : fn.results) {
    results.push_back(values.of_term[id][0]);
    registers_.hold(results.back());
    drop(values, id);
  }
  return results;
}

// ---- segments ----------------------------------------------------------------------------------------------------------------

// Results that are words are moved to registers, which are held for good.
void Assembler::end_segment(Segment& segment, const std::vector<Operand>& results) {
  for (size_t k = 0; k < results.size(); k++) {
    segment.results[k] = results[k];
    if (!(results[k] & is_word)) continue;
    segment.results[k] = registers_.reserve(1);
    emit(code_move, segment.results[k], {results[k]});
  }
  emit(code_end, 0, {});
}

// What is scanned, and the masks of compactions: a count of 1 or 0 each.
std::vector<uint32_t> Assembler::early_results() const {
  std::vector<uint32_t> wanted;
  if (kernel_.has_scan()) wanted = kernel_.scan[0].values;
  for (const Compact& c : kernel_.compactions) wanted.push_back(c.mask);
  return wanted;
}

// What the sinks read.
std::vector<uint32_t> Assembler::late_results() const {
  std::vector<uint32_t> wanted;
  for (const Store& s : kernel_.stores) wanted.push_back(s.value);
  for (const Compact& c : kernel_.compactions) {
    wanted.push_back(c.mask);
    wanted.insert(wanted.end(), c.values.begin(), c.values.end());
  }
  for (const Reduction& r : kernel_.reductions) {
    if (r.mask != no_mask) wanted.push_back(r.mask);
    wanted.insert(wanted.end(), r.values.begin(), r.values.end());
  }
  return wanted;
}

// Terms that both parts of the body need are computed by the first alone; registers keep them for the second.
void Assembler::write_body() {
  const Fn& fn = *kernel_.body;
  std::vector<Operand> params = {0};
  for (Operand first : {code_.arguments.before, code_.arguments.after})
    for (uint32_t c = 0; c < scan_columns_; c++) params.push_back(Operand(first + c));
  Values body = begin(literals_.body, params);
  const std::vector<uint32_t> early = early_results(), late = late_results();
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
    for (uint32_t value : results) drop(body, fn.results[value]);
  };

  if (!early.empty()) {
    code_.arguments.early.begin = here();
    write(body, for_early);
    std::vector<Operand> results;
    for (uint32_t value : early) results.push_back(value_of(body, value));
    end_segment(code_.arguments.early, results);
    write_combine();  // while what the second part will read is held
    drop_all(early);
  }
  code_.arguments.late.begin = here();
  write(body, for_late);
  write_stores(body);
  end_segment(code_.arguments.late, summed(body));
  drop_all(late);
}

void Assembler::write_stores(const Values& body) {
  auto store = [&](uint32_t output, Operand index, Operand value, Operand guard) {
    const uint32_t column = word(Argument::Kind::Output, output) & ~uint32_t(is_word);
    emit(by_size(code_store_1, kernel_.outputs[output]), 0, {index, value, guard}, column);
  };
  for (const Store& s : kernel_.stores) store(s.output, 0, value_of(body, s.value), constant(1));
  for (uint32_t k = 0; k < kernel_.compactions.size(); k++) {
    const Compact& c = kernel_.compactions[k];
    const Operand kept_before = Operand(code_.arguments.before + scan_columns_ + k);
    for (size_t v = 0; v < c.outputs.size(); v++) store(c.outputs[v], kept_before, value_of(body, c.values[v]), value_of(body, c.mask));
  }
}

// The element's part in Sums: where a mask leaves it out, the identity.
std::vector<Operand> Assembler::summed(const Values& body) {
  std::vector<Operand> results;
  for (uint32_t r = 0; r < kernel_.reductions.size(); r++) {
    const Reduction& reduction = kernel_.reductions[r];
    for (size_t c = 0; c < reduction.values.size(); c++) {
      Operand value = value_of(body, reduction.values[c]);
      if (reduction.mask != no_mask) {
        const Operand chosen = registers_.reserve(1), identity = word(Argument::Kind::Literal, literals_.reduction_identity[r][c]);
        emit(code_select, chosen, {value_of(body, reduction.mask), value, identity});
        value = chosen;
      }
      results.push_back(value);
    }
  }
  return results;
}

void Assembler::write_combine() {
  Arguments& a = code_.arguments;
  a.combine.begin = here();
  std::vector<Operand> results;
  if (kernel_.has_scan()) {
    std::vector<Operand> params = sequence(a.locals_left, scan_columns_);
    for (Operand r : sequence(a.locals_right, scan_columns_)) params.push_back(r);
    results = call(literals_.scan[0], params);
  }
  for (uint32_t k = scan_columns_; k < a.locals; k++) {
    results.push_back(registers_.take());
    emit(code_of(number_add, Type::I64), results.back(), {Operand(a.locals_left + k), Operand(a.locals_right + k)});
  }
  end_segment(a.combine, results);
  for (Operand r : results) registers_.release(r);
}

void Assembler::write_join() {
  Arguments& a = code_.arguments;
  a.join.begin = here();
  std::vector<Operand> results;
  uint32_t first = 0;
  for (const Site& site : literals_.reductions) {
    const uint32_t columns = uint32_t(site.fn->results.size());
    std::vector<Operand> params = sequence(Operand(a.sums_left + first), columns);
    for (Operand r : sequence(Operand(a.sums_right + first), columns)) params.push_back(r);
    for (Operand r : call(site, params)) results.push_back(r);
    first += columns;
  }
  end_segment(a.join, results);
  for (Operand r : results) registers_.release(r);
}

void Assembler::write_finish() {
  Arguments& a = code_.arguments;
  a.finish.begin = here();
  Emitted& e = code_.emitted;
  auto result = [&](Operand value) { emit(code_result, 0, {value}, e.scalars + e.counts); };
  if (kernel_.finish) {
    std::vector<Operand> params = sequence(a.sums_left, a.sums);
    for (Operand r : sequence(a.total, a.locals)) params.push_back(r);
    for (Operand r : call(literals_.finish, params)) result(r), e.scalars++;
  }
  for (uint32_t k = scan_columns_; k < a.locals; k++) result(Operand(a.total + k)), e.counts++;
  end_segment(a.finish, {});
}

std::optional<Bytecode> Assembler::run() {
  Arguments& a = code_.arguments;
  for (const Reduction& r : kernel_.reductions) a.sums += uint32_t(r.values.size());
  a.locals = scan_columns_ + uint32_t(kernel_.compactions.size());
  a.has_finish = kernel_.finish || !kernel_.compactions.empty();
  code_.emitted.has_finish = a.has_finish != 0;
  code_.emitted.has_checks = has_checks(kernel_);
  code_.emitted.sums_bytes = 8 * (a.sums <= 1 && a.locals <= 1 ? 1 : most_columns);
  if (calls_foreign(kernel_) || a.sums > most_columns || a.locals > most_columns) return std::nullopt;
  reserve_words();
  registers_.reserve(1);  // the index
  a.sums_left = registers_.reserve(a.sums);
  a.sums_right = registers_.reserve(a.sums);
  for (Operand* first : {&a.locals_left, &a.locals_right, &a.before, &a.after, &a.total}) *first = registers_.reserve(a.locals);
  write_body();
  write_join();
  write_finish();
  code_.registers = registers_.count();
  if (code_.emitted.arguments.size() > most_words || code_.registers >= is_word) return std::nullopt;
  return std::move(code_);
}

}  // namespace

std::optional<Bytecode> assemble(const Kernel& kernel, const Literals& literals) { return Assembler(kernel, literals).run(); }

}  // namespace wf::cuda
