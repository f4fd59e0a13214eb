// Literals of the written form. A printed literal is exact: the shortest decimal that is read back as the same float. A literal that is
// read is rounded once, to its type.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "expr/fn.h"
#include "expr/written/lexer.h"

namespace wf {

namespace {

std::optional<Type> find_type(std::string_view text) {
  for (int k = 0; k < type_count; k++)
    if (type_table[k].name == text) return static_cast<Type>(k);
  return std::nullopt;
}

struct Digits {
  bool negative = false, hexadecimal = false;
  std::string_view text;  // without sign and 0x
};

Digits split(std::string_view text) {
  Digits d;
  if (!text.empty() && text[0] == '-') d.negative = true, text.remove_prefix(1);
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) d.hexadecimal = true, text.remove_prefix(2);
  d.text = text;
  return d;
}

// A second sign is not allowed: split() has removed the first.
bool starts_number(std::string_view digits) { return !digits.empty() && digits[0] != '-' && digits[0] != '+'; }

// Returns true if a number that from_chars refuses, since it rounds to 0 or to infinity, rounds to 0. text: digits with a point and an exponent,
// of which at least one digit is not 0.
bool rounds_to_zero(std::string_view text, bool hexadecimal) {
  const size_t mark = std::min(text.find_first_of(hexadecimal ? "pP" : "eE"), text.size());
  std::string_view exponent = text.substr(mark);
  if (!exponent.empty()) exponent.remove_prefix(1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  int64_t scale = 0;
  if (std::from_chars(exponent.data(), exponent.data() + exponent.size(), scale).ec == std::errc::result_out_of_range)
    scale = exponent[0] == '-' ? INT64_MIN / 2 : INT64_MAX / 2;
  const std::string_view digits = text.substr(0, mark);
  const auto first = int64_t(digits.find_first_not_of("0.")), point = int64_t(std::min(digits.find('.'), digits.size()));
  const int64_t place = first < point ? point - first - 1 : point - first;  // the first digit counts base^place
  return (hexadecimal ? 4 : 1) * place + scale < 0;
}

template <class T> std::optional<T> parse_float(std::string_view text) {
  const Digits d = split(text);
  T x{};
  if (d.text == "inf") {
    x = std::numeric_limits<T>::infinity();
  } else if (d.text == "nan") {
    x = std::numeric_limits<T>::quiet_NaN();
  } else {
    const char* end = d.text.data() + d.text.size();
    const bool is_number =
        starts_number(d.text) && (std::isxdigit(d.text[0]) || d.text[0] == '.') && (d.hexadecimal || !std::isalpha(d.text[0]));
    if (!is_number) return std::nullopt;
    auto [stop, error] = std::from_chars(d.text.data(), end, x, d.hexadecimal ? std::chars_format::hex : std::chars_format::general);
    if (stop != end) return std::nullopt;
    if (error == std::errc::result_out_of_range && rounds_to_zero(d.text, d.hexadecimal)) x = 0;
    else if (error != std::errc()) return std::nullopt;
  }
  return d.negative ? -x : x;
}

template <class T> std::optional<T> parse_integer(std::string_view text) {
  const Digits d = split(text);
  uint64_t magnitude = 0;
  const char* end = d.text.data() + d.text.size();
  auto [stop, error] = std::from_chars(d.text.data(), end, magnitude, d.hexadecimal ? 16 : 10);
  if (!starts_number(d.text) || error != std::errc() || stop != end) return std::nullopt;
  const uint64_t highest = uint64_t(std::numeric_limits<T>::max());
  if (magnitude > highest + (d.negative && std::is_signed_v<T> ? 1 : 0)) return std::nullopt;
  if (d.negative && !std::is_signed_v<T> && magnitude != 0) return std::nullopt;
  return T(d.negative ? 0 - magnitude : magnitude);
}

std::string range_text(Type type) {
  return visit(type, [](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, bool>) return "true or false";
    else if constexpr (std::is_floating_point_v<T>) return "a decimal or hexadecimal float in its range, inf, -inf or nan";
    else return "an integer from " + std::to_string(std::numeric_limits<T>::min()) + " to " + std::to_string(std::numeric_limits<T>::max());
  });
}

}  // namespace

std::optional<LiteralValue> parse_literal(std::string_view text, std::string& problem) {
  if (text == "true" || text == "false") return LiteralValue{Type::Bool, text == "true"};
  const size_t colon = text.find(':');
  if (colon == text.npos) return std::nullopt;
  const std::optional<Type> type = find_type(text.substr(colon + 1));
  if (!type) {
    problem = "a type after the colon: bool, u8, i32, u32, i64, u64, f32 or f64";
    return std::nullopt;
  }
  const std::string_view number = text.substr(0, colon);
  auto value = visit(*type, [&](auto tag) -> std::optional<LiteralValue> {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, bool>) {
      if (number != "true" && number != "false") return std::nullopt;
      return LiteralValue{*type, number == "true"};
    } else {
      std::optional<T> x;
      if constexpr (std::is_floating_point_v<T>) x = parse_float<T>(number);
      else x = parse_integer<T>(number);
      if (!x) return std::nullopt;
      return LiteralValue{*type, to_bits(*x)};
    }
  });
  if (!value) problem = range_text(*type) + " before :" + std::string(name(*type));
  return value;
}

std::string print_literal(Type type, Bits64 bits) {
  return visit(type, [&](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    const T x = from_bits<T>(bits);
    if constexpr (std::is_same_v<T, bool>) {
      return x ? "true" : "false";
    } else {
      char digits[40];
      std::string text;
      if constexpr (std::is_floating_point_v<T>) {
        if (x != x) text = "nan";
        else {
          text.assign(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
          if (text.find_first_of(".en") == text.npos) text += ".0";
        }
      } else {
        text.assign(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
      }
      return text + ":" + std::string(name(type));
    }
  });
}

std::vector<Bits64> parse_literals(std::string_view text, std::span<const Type> types) {
  if (types.size() == 1 && !text.starts_with('(')) {  // the common case: a literal without spaces
    std::string problem;
    if (auto literal = parse_literal(text, problem)) return {convert(literal->type, types[0], literal->bits)};
  }
  Lexer lexer(text);
  const bool is_tuple = lexer.peek().kind == Token::Open;
  if (is_tuple) {
    lexer.next();
    const Token head = lexer.next();
    if (head.text != "tuple") lexer.expected(head, "`tuple`");
  }
  std::vector<Bits64> values;
  auto value = [&] {
    const Token token = lexer.next();
    std::string problem;
    auto literal = parse_literal(token.text, problem);
    if (!literal) lexer.expected(token, problem.empty() ? "a literal such as 0:i32" : problem);
    if (values.size() < types.size()) literal->bits = convert(literal->type, types[values.size()], literal->bits);
    values.push_back(literal->bits);
  };
  if (is_tuple) {
    while (lexer.peek().kind != Token::Close) value();
    lexer.next();
  } else {
    value();
  }
  if (lexer.peek().kind != Token::End) lexer.expected(lexer.peek(), "one literal or `(tuple literal ...)`");
  if (values.size() != types.size())
    throw TypeError("`" + std::string(text) + "` has " + std::to_string(values.size()) + " literals; expected " +
                    std::to_string(types.size()));
  return values;
}

}  // namespace wf
