// The small parts of the written form: parentheses, names, types and captured sequences.
#pragma once

#include <charconv>

#include "expr/numbering.h"
#include "expr/written/lexer.h"

namespace wf {

class Reader {
 protected:
  Reader(std::string_view text, const CaptureTypes& captures) : lexer_(text), captures_(captures) {}

  Token open(const char* expected) {
    if (lexer_.peek().kind != Token::Open) lexer_.expected(lexer_.peek(), expected);
    return lexer_.next();
  }
  void close(const char* expected) {
    if (lexer_.peek().kind != Token::Close) lexer_.expected(lexer_.peek(), expected);
    lexer_.next();
  }
  void keyword(std::string_view word) {
    const Token token = lexer_.next();
    if (token.text != word) lexer_.expected(token, Lexer::quoted(word));
  }
  Type type() {
    const Token token = lexer_.next();
    for (int k = 0; k < type_count; k++)
      if (type_table[k].name == token.text) return static_cast<Type>(k);
    lexer_.expected(token, "a type: bool, u8, i32, u32, i64, u64, f32 or f64");
  }
  void add_name(Numbering<std::string_view>& names) {
    const Token token = lexer_.next();
    if (token.kind != Token::Atom || !is_name(token.text))
      lexer_.expected(token, "a name (letters, digits, _, - and ', starting with a letter, _ or ')");
    if (!names.add(token.text).second) lexer_.expected(token, "a name that is not bound here already");
  }
  // Runs `action`; prepends the place to its type errors.
  template <class F> auto typed(const Token& at, F&& action) {
    try {
      return action();
    } catch (const TypeError& error) { throw TypeError(lexer_.place(at) + error.what()); }
  }

  struct SlotColumns {
    uint32_t slot;
    uint32_t first, count;
  };
  SlotColumns slot() {
    const Token token = lexer_.next();
    auto number = [&](std::string_view& text) {
      uint32_t k = 0;
      auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), k);
      if (error != std::errc()) lexer_.expected(token, "a captured sequence such as $0 or $0.1");
      text.remove_prefix(size_t(stop - text.data()));
      return k;
    };
    std::string_view text = token.text;
    if (text.empty() || text[0] != '$') lexer_.expected(token, "a captured sequence such as $0 or $0.1");
    text.remove_prefix(1);
    const uint32_t k = number(text);
    if (k >= captures_.size())
      lexer_.expected(token, captures_.empty() ? "no captured sequence: none was given"
                                               : "a captured sequence from $0 to $" + std::to_string(captures_.size() - 1));
    const uint32_t columns = uint32_t(captures_[k].size());
    if (text.empty()) return {k, 0, columns};
    if (text[0] != '.') lexer_.expected(token, "a captured sequence such as $0 or $0.1");
    text.remove_prefix(1);
    const uint32_t column = number(text);
    if (!text.empty()) lexer_.expected(token, "a captured sequence such as $0 or $0.1");
    if (column >= columns) lexer_.expected(token, "a column below " + std::to_string(columns));
    return {k, column, 1};
  }

  Lexer lexer_;
  const CaptureTypes& captures_;
};

}  // namespace wf
