#include "expr/lift.h"

#include <algorithm>

#include "expr/rewrite.h"

namespace wf {

namespace {

constexpr int most_attempts = 24;  // to lift, per family; later texts become functions of their own
constexpr size_t most_references = 8;

constexpr int often = 32;  // calls with the same numbers

bool is_number(const Term& t) { return is_literal(t) || t.kind == Kind::Argument; }

bool addresses(const Fn& f) {
  return std::ranges::any_of(f.terms, [](const Term& t) { return t.kind == Kind::At || t.kind == Kind::Check; }) ||
         std::ranges::any_of(f.loops, [](const Fn::LoopInfo& l) { return addresses(*l.body); });
}

class IndexNumbers {
 public:
  explicit IndexNumbers(const std::function<void(const Term&, InIndex)>& visit) : visit_(visit) {}

  // From the results backwards: the operands of an index compute it, too.
  void find(const Fn& f, bool in_fold) {
    in_fold = in_fold || std::ranges::any_of(f.loops, [](const Fn::LoopInfo& l) { return l.is_fold() && addresses(*l.body); });
    std::vector<InIndex> parts(f.terms.size());
    for (Id id = Id(f.terms.size()); id-- > 0;) {
      const Term& t = f[id];
      const std::span<const Id> x = f.args(t);
      auto mark = [&](size_t k, InIndex part) { parts[x[k]] = std::max(parts[x[k]], part); };
      if (is_number(t) && parts[id] != InIndex::None) visit_(t, parts[id]);
      if (is_repeated(t)) {
        const Fn::LoopInfo& loop = f.loops[t.slot];
        if (parts[id] == InIndex::None && !addresses(*loop.body)) continue;
        for (size_t k = 0; k < x.size(); k++) mark(k, loop.is_fold() && k == 0 ? InIndex::Steps : InIndex::Summand);
        inside(loop, in_fold);
      } else if (t.kind == Kind::Check) {
        mark(0, InIndex::Summand), mark(1, InIndex::Summand);
      } else if (t.kind == Kind::At) {
        mark(0, InIndex::Summand);
      } else if (parts[id] != InIndex::None) {
        for (size_t k = 0; k < x.size(); k++) mark(k, std::max(parts[id], part_of(f, t, k, in_fold)));
      }
    }
  }

 private:
  static InIndex part_of(const Fn& f, const Term& t, size_t operand, bool in_fold) {
    if ((is_op(t, Op::div_) || is_op(t, Op::rem_)) && operand == 1) return InIndex::Divisor;
    return in_fold && is_op(t, Op::mul_) && is_number(f[f.args(t)[operand]]) ? InIndex::Distance : InIndex::Summand;
  }
  // A loop's variables may carry each of its numbers to an index.
  void inside(const Fn::LoopInfo& loop, bool in_fold) {
    visit_all(*loop.body, InIndex::Summand);
    if (loop.is_fold()) visit_all(*loop.combine, InIndex::Steps);
    find(*loop.body, in_fold || loop.is_fold());
  }
  void visit_all(const Fn& f, InIndex part) {
    for (const Term& t : f.terms)
      if (is_number(t)) visit_(t, part);
    for (const Fn::LoopInfo& l : f.loops) {
      visit_all(*l.body, part);
      if (l.is_fold()) visit_all(*l.combine, InIndex::Steps);
    }
  }

  const std::function<void(const Term&, InIndex)>& visit_;
};

// Returns true if no operation of f could be folded once its arguments are literals. Negations are allowed, sums of integers, which have the same
// bits in any order, and casts that map no other number to 0, 1 or -1.
bool keeps_form(const Fn& f) {
  std::vector<bool> is_constant(f.terms.size()), is_lifted(f.terms.size());
  for (Id id = 0; id < f.terms.size(); id++) {
    const Term& t = f[id];
    if (t.kind == Kind::Argument) is_constant[id] = is_lifted[id] = true;
    if (is_literal(t)) is_constant[id] = true;
    if (t.kind != Kind::Apply && t.kind != Kind::Cast) continue;
    std::span<const Id> args = f.args(t);
    is_constant[id] = std::ranges::all_of(args, [&](Id x) { return is_constant[x]; });
    is_lifted[id] = is_constant[id] && std::ranges::any_of(args, [&](Id x) { return is_lifted[x]; });
    if (!is_lifted[id] || is_op(t, Op::neg_)) continue;
    if (t.type == Type::I64 && (is_op(t, Op::add_) || is_op(t, Op::sub_))) continue;
    const Type from = f[args[0]].type;
    const bool embeds = t.kind == Kind::Cast && t.type != Type::Bool && !(is_in(from, Float) && !is_in(t.type, Float)) &&
                        (size_of(t.type) >= size_of(from) || !is_in(from, Float)) &&
                        (size_of(t.type) >= size_of(from) || is_in(t.type, Float));
    if (!embeds) return false;
  }
  return std::ranges::all_of(f.loops,
                             [](const Fn::LoopInfo& l) { return keeps_form(*l.body) && (!l.is_fold() || keeps_form(*l.combine)); });
}

struct Bind : Copy {
  Bind(Builder& to, const Fn& from, std::span<const Bits64> values) : Copy(to, from), values(values) {}
  std::span<const Bits64> values;

  Id argument(Id id) { return to.literal(from[id].type, values[from[id].slot]); }
  std::vector<Id> repeat(Id id, std::span<const Id> x) {
    return to.repeat(info(id).with([&](const FnRef& inside) { return with_values(inside, values); }), x);
  }
};

bool has_arguments(const Fn& f) {
  return std::ranges::any_of(f.terms, [](const Term& t) { return t.kind == Kind::Argument; }) ||
         std::ranges::any_of(f.loops,
                             [](const Fn::LoopInfo& l) { return has_arguments(*l.body) || (l.is_fold() && has_arguments(*l.combine)); });
}

}  // namespace

bool decides_form(const Number& x) {
  if (is_in(x.type, Float) && evaluate(Op::isnan_, x.type, x.bits)) return true;
  const Bits64 one = convert(Type::U8, x.type, 1);
  return x.bits == 0 || x.bits == one || x.bits == evaluate(Op::neg_, x.type, 0) || x.bits == evaluate(Op::neg_, x.type, one);
}

void for_index_numbers(const Fn& f, const std::function<void(const Term&, InIndex)>& visit) { IndexNumbers(visit).find(f, false); }

FnRef with_values(FnRef f, std::span<const Bits64> arguments) {
  if (arguments.empty() || !f || !has_arguments(*f)) return f;
  Builder builder;
  Bind bind(builder, *f, arguments);
  return builder.finish(copy_terms(bind, copy_params(builder, *f)));
}

void split_numbers(std::string_view text, std::string& rest, std::vector<Number>& numbers) {
  constexpr std::string_view ends = " \n\t\r()";  // of an atom, in a text without comments
  size_t kept = 0;                                // the text before it is in `rest`
  const bool has_comments = text.find(';') != text.npos;
  for (size_t colon = has_comments ? text.npos : text.find(':'); colon != text.npos;) {
    const size_t before = text.find_last_of(ends, colon), begin = before == text.npos ? 0 : before + 1;
    const size_t end = std::min(text.find_first_of(ends, colon), text.size());
    std::string problem;
    const auto literal = parse_literal(text.substr(begin, end - begin), problem);
    if (literal && literal->type != Type::Bool) {
      numbers.push_back({literal->type, literal->bits});
      rest.append(text, kept, begin - kept);
      kept = colon;
    }
    colon = text.find(':', end);
  }
  rest.append(text, kept, text.size() - kept);
}

bool Family::fits(const Form& form, const std::vector<Number>& numbers) {
  for (size_t k = 0; k < numbers.size(); k++) {
    const bool lifted = form.argument_of[k] != not_lifted;
    if (!lifted && numbers[k] != form.numbers[k]) return false;
    if (lifted && decides_form(numbers[k])) return false;
    for (size_t j = 0; j < k; j++) {
      if (!lifted && form.argument_of[j] == not_lifted) continue;
      if ((numbers[j] == numbers[k]) != (form.argument_of[j] == form.argument_of[k])) return false;
    }
  }
  return true;
}

Lifted Family::call(const Form& form, const std::vector<Number>& numbers) {
  Lifted result{form.fn, std::vector<Bits64>(form.arguments)};
  for (size_t k = 0; k < numbers.size(); k++)
    if (form.argument_of[k] != not_lifted) result.arguments[form.argument_of[k]] = numbers[k].bits;
  return result;
}

std::optional<Lifted> Family::find(const std::vector<Number>& numbers) {
  const auto form = std::ranges::find_if(forms_, [&](const Form& f) { return fits(f, numbers); });
  if (form == forms_.end()) return std::nullopt;
  std::iter_swap(form, forms_.begin());
  const Form& found = forms_.front();
  return found.computes_index && returns_often(numbers) ? Lifted{} : call(found, numbers);
}

bool Family::returns_often(const std::vector<Number>& numbers) {
  uint64_t hash = 0;
  for (const Number& x : numbers) hash = mix(hash, x.bits);
  auto known = std::ranges::find(recent_, hash, &Asked::hash);
  if (known == recent_.end()) {
    known = recent_.begin() + ptrdiff_t(oldest_++ % recent_.size());
    *known = {hash, 0};
  }
  return ++known->times >= often;
}

Family::Reference& Family::reference_of(const std::vector<Number>& numbers) {
  const auto known = std::ranges::find_if(references_, [&](const Reference& r) {
    for (size_t k = 0; k < numbers.size(); k++)
      if (never_[k] && numbers[k] != r.first[k]) return false;
    return true;
  });
  if (known != references_.end()) return *known;
  if (references_.size() == most_references) references_.erase(references_.begin());
  return references_.emplace_back(Reference{numbers, std::vector<bool>(numbers.size())});
}

bool Family::note(const std::vector<Number>& numbers) {
  bool any = false;
  auto& [first, varies] = reference_of(numbers);
  for (size_t k = 0; k < numbers.size(); k++) {
    if (numbers[k] != first[k]) varies[k] = true;
    any = any || (varies[k] && !never_[k] && !decides_form(numbers[k]));
  }
  return any && attempts_ < most_attempts;
}

// Equal numbers become one argument, if each of them may be lifted.
std::vector<uint32_t> Family::choose(const std::vector<Number>& numbers, uint32_t& arguments) {
  std::vector<uint32_t> argument_of(numbers.size(), not_lifted);
  const std::vector<bool>& varies = reference_of(numbers).varies;
  arguments = 0;
  for (size_t k = 0; k < numbers.size(); k++) {
    if (argument_of[k] != not_lifted || !varies[k] || decides_form(numbers[k])) continue;
    bool allowed = true;
    for (size_t j = 0; j < numbers.size(); j++) allowed = allowed && !(numbers[j] == numbers[k] && never_[j]);
    if (!allowed) continue;
    for (size_t j = k; j < numbers.size(); j++)
      if (numbers[j] == numbers[k]) argument_of[j] = arguments;
    for (size_t j = 0; j < k; j++)
      if (numbers[j] == numbers[k]) argument_of[j] = arguments;
    arguments++;
  }
  return argument_of;
}

std::optional<Lifted> Family::lift(std::string_view text, const CaptureTypes& captures, const std::vector<Number>& numbers,
                                   const Fn& plain) {
  attempts_++;
  for (;;) {
    uint32_t arguments;
    Form form{choose(numbers, arguments), numbers, 0, nullptr, false};
    form.arguments = arguments;
    if (arguments == 0) return std::nullopt;
    std::vector<bool> fixed(numbers.size());
    const FnRef written = parse_with_arguments(text, captures, form.argument_of, fixed);
    if (std::ranges::find(fixed, true) != fixed.end()) {
      for (size_t k = 0; k < numbers.size(); k++) never_[k] = never_[k] || fixed[k];
      continue;
    }
    if (!keeps_form(*written)) return std::nullopt;
    form.fn = simplify(written);
    std::vector<bool> decides(arguments);
    // The bound of a loop may change, even if the loop becomes a fold.
    for_index_numbers(*simplify_with_loops(written), [&](const Term& t, InIndex part) {
      if (t.kind != Kind::Argument) return;
      form.computes_index = true;
      if (part > InIndex::Summand) decides[t.slot] = true;
    });
    if (std::ranges::find(decides, true) != decides.end()) {
      for (size_t k = 0; k < numbers.size(); k++)
        if (form.argument_of[k] != not_lifted && decides[form.argument_of[k]]) never_[k] = true;
      continue;
    }
    Lifted result = call(form, numbers);
    if (!same_structure(*with_values(form.fn, result.arguments), plain, true)) return std::nullopt;
    forms_.push_back(std::move(form));
    return result;
  }
}

}  // namespace wf
