#include "engine/variables.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <vector>

namespace wf {
namespace {

constexpr std::string_view listed_passes =
#define OPTIONAL(name, fact) ", " #name
#include "plan/passes.def"
    ;
constexpr std::string_view optional_passes = listed_passes.substr(2);

constexpr VariableInfo variable_table[] = {
#define VARIABLE(name, form, values, by_default, meaning) {#name, VariableInfo::form, values, by_default, meaning},
#include "engine/variables.def"
};

std::string_view without_spaces(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// The parts of the text between commas.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(without_spaces(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(number) : std::nullopt;
}

// The number, if it is one of "A to B".
std::optional<int64_t> number_within(std::string_view bounds, std::string_view text) {
  constexpr std::string_view to = " to ";
  const size_t at = bounds.find(to);
  const std::optional<int64_t> number = whole_number(text);
  const bool is_within =
      number && *number >= *whole_number(bounds.substr(0, at)) && *number <= *whole_number(bounds.substr(at + to.size()));
  return is_within ? number : std::nullopt;
}

// "cuda:N" and "opencl:N" stand for any number.
bool is_value(std::string_view text, std::string_view value) {
  if (!value.ends_with(":N")) return text == value;
  const std::string_view prefix = value.substr(0, value.size() - 1);
  return text.starts_with(prefix) && number_within("0 to 99999", text.substr(prefix.size()));
}

// The part of the text that is none of the variable's values.
std::optional<std::string_view> unknown_part(const VariableInfo& variable, std::string_view text) {
  if (text.empty() || variable.form == VariableInfo::text) return std::nullopt;
  if (variable.form == VariableInfo::number) return number_within(variable.values, text) ? std::nullopt : std::optional(text);
  const std::vector<std::string_view> values = parts_of(variable.values);
  for (const std::string_view part : variable.form == VariableInfo::some ? parts_of(text) : std::vector{text})
    if (std::ranges::none_of(values, [&](std::string_view value) { return is_value(part, value); })) return part;
  return std::nullopt;
}

std::string expected_values(const VariableInfo& variable) {
  if (variable.form == VariableInfo::number) return "a number from " + std::string(variable.values);
  std::string list;
  const std::vector<std::string_view> values = parts_of(variable.values);
  for (size_t k = 0; k < values.size(); k++) {
    if (k > 0) list += k + 1 == values.size() ? " or " : ", ";
    list.append("\"").append(values[k]).append("\"");
  }
  return variable.form == VariableInfo::some ? list + ", separated by commas" : list;
}

}  // namespace

std::span<const VariableInfo> variables() { return variable_table; }

std::string environment_text(Variable variable) {
  const char* text = std::getenv(variable_table[size_t(variable)].name.data());
  return text ? text : "";
}

bool environment_has(Variable variable, std::string_view value) {
  const std::string text = environment_text(variable);
  return std::ranges::any_of(parts_of(text), [&](std::string_view part) { return part == value; });
}

std::optional<int64_t> environment_number(Variable variable) {
  return number_within(variable_table[size_t(variable)].values, environment_text(variable));
}

std::string unknown_value() {
  for (size_t k = 0; k < std::size(variable_table); k++) {
    const VariableInfo& variable = variable_table[k];
    const std::string text = environment_text(Variable(k));
    const std::optional<std::string_view> unknown = unknown_part(variable, text);
    if (!unknown) continue;
    const char* verb = variable.form == VariableInfo::some ? " contains \"" : " is \"";
    return "the environment variable " + std::string(variable.name) + verb + std::string(unknown->substr(0, 40)) + "\"; expected " +
           expected_values(variable);
  }
  return {};
}

}  // namespace wf
