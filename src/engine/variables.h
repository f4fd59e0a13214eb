// The environment variables that the library reads: variables.def. No other file reads the environment.
//
// An unknown value is an error of the first call that makes a context. A function that reads such a value returns the default.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace wf {

enum class Variable {
#define VARIABLE(name, form, values, by_default, meaning) name,
#include "engine/variables.def"
};

struct VariableInfo {
  enum Form { one, some, number, text };
  std::string_view name;
  Form form;
  std::string_view values, by_default, meaning;
};
std::span<const VariableInfo> variables();

// The variable's text; empty if it is not set.
std::string environment_text(Variable variable);
// Returns true if the variable has this value, or has it among others.
bool environment_has(Variable variable, std::string_view value);
// The variable's number; nothing if it is not set.
std::optional<int64_t> environment_number(Variable variable);

// Returns the error of the first variable with an unknown value; empty if there is none.
std::string unknown_value();

}  // namespace wf
