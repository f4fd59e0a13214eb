// Forms of sequences: their operands, by the table in lowering.cpp.
#include "expr/written/parser.h"

namespace wf {

bool Parser::sequence_follows() {
  const Token& next = lexer_.peek();
  if (next.kind == Token::Atom) {
    if (next.text[0] == '$') return false;
    const Binding* binding = scope_.find(next.text);
    return binding && binding->sequence;
  }
  if (next.kind != Token::Open) return false;
  Lexer ahead = lexer_;
  ahead.next();
  const Form* form = find_form(ahead.peek().text);
  return form && form->sequence;
}

Parser::ParsingSequence Parser::sequence() {
  const Token token = lexer_.peek();
  if (token.kind == Token::Open && sequence_follows()) {
    if (depth_ == deepest_parentheses) too_deep(token);
    lexer_.next();
    const Form& form = *find_form(lexer_.next().text);
    return {form_of_sequences(token, form), this};
  }
  if (token.text.starts_with('$')) {
    sequence_ = &keep(token, captured(slot()));
  } else if (Binding* binding = scope_.find(token.text); binding && binding->sequence) {
    lexer_.next();
    sequence_ = binding->sequence;
  } else {
    lexer_.expected(token, "a sequence: $0, a name that is bound to one, or range, tabulate, map, filter, zip, subseq and so on");
  }
  return {{}, this};
}

Parser::Parsing Parser::form_of_sequences(Token start, const Form& form) {
  Given given{.start = start};
  const size_t first = values_.size();
  for (char operand : form.operands) {
    switch (operand) {
      case 'f':
      case 'c':
        co_await lambda(start, operand == 'c');
        given.f = lambda_;
        break;
      case 's':
      case 'p':
      case 'S':
      case 'P':
        do {
          given.sequences.push_back(&co_await sequence());
          if (operand == 'p' || operand == 'P') require_positions(given, *given.sequences.back());
        } while ((operand == 'S' || operand == 'P') && lexer_.peek().kind != Token::Close);
        break;
      case 'i': {
        const Token at = co_await single("a position or a length");
        push(pop_integer(at, "a position or a length"));
        break;
      }
      case 'v': co_await expression(); break;
      default: co_await literals();
    }
  }
  close("`)`");
  given.values.assign(values_.begin() + ptrdiff_t(first), values_.end());
  values_.resize(first);
  if (form.sequence) {
    sequence_ = &keep(start, form.sequence(*this, given));
    co_return is_sequence;
  }
  const Columns values = form.values(*this, given);
  values_.insert(values_.end(), values.begin(), values.end());
  co_return values.size();
}

}  // namespace wf
