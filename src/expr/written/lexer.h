// The tokens of the written form: parentheses and atoms. `;` starts a comment that ends with the line.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "expr/fn.h"
#include "ops/printable.h"

namespace wf {

struct Token {
  enum Kind : uint8_t { Open, Close, Atom, End } kind;
  std::string_view text;
};

// Returns true if the text is a name: letters, digits, _, - and ', starting with a letter, _ or '.
inline bool is_name(std::string_view text) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '\''; };
  auto further = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; };
  return !text.empty() && letter(text[0]) && std::ranges::all_of(text, further) && text != "true" && text != "false";
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text), stop_(text.data() + text.size()) { advance(text.data()); }

  const Token& peek() const { return token_; }
  Token next() {
    Token token = token_;
    advance(token.text.data() + token.text.size());
    return token;
  }

  // "line 1, column 12: "
  std::string place(const Token& token) const {
    size_t line = 1, column = 1;
    for (const char* c = text_.data(); c < token.text.data(); c++) {
      if (*c == '\n') line++, column = 1;
      else if ((*c & 0xc0) != 0x80) column++;
    }
    return "line " + std::to_string(line) + ", column " + std::to_string(column) + ": ";
  }

  static std::string shown(const Token& token) {
    if (token.kind == Token::End) return "the end of the text";
    return quoted(token.text);
  }
  static std::string quoted(std::string_view text) { return "`" + printable(text, 40) + "`"; }

  [[noreturn]] void expected(const Token& found, const std::string& what) const {
    throw ParseError(place(found) + "found " + shown(found) + ", expected " + what);
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

  [[gnu::always_inline]] void advance(const char* c) {
    while (c != stop_ && (is_space(*c) || *c == ';')) {
      if (*c == ';')
        while (c != stop_ && *c != '\n') c++;
      else c++;
    }
    if (c == stop_) {
      token_ = {Token::End, {c, 0}};
    } else if (*c == '(' || *c == ')') {
      token_ = {*c == '(' ? Token::Open : Token::Close, {c, 1}};
    } else {
      const char* end = c;
      while (end != stop_ && !is_space(*end) && *end != '(' && *end != ')' && *end != ';') end++;
      token_ = {Token::Atom, {c, size_t(end - c)}};
    }
  }

  std::string_view text_;
  const char* stop_;
  Token token_{};
};

}  // namespace wf
