// docs/environment.md, generated from the table. `environment` prints the page; `environment FILE` fails if FILE differs from it.

#include <sstream>

#include "engine/variables.h"
#include "page.h"

namespace {

using namespace wf;

constexpr const char* head = R"(# Environment variables

Generated from `src/engine/variables.def` by `build/tests/docs/environment`; a test checks that this page is up to date.

A variable that is not set, or empty, has its default. Each variable is read when the library first needs it. If one of the variables whose
names begin with `WARPFOLD_` has an unknown value, `wf_context_create` returns `WF_ERROR_ARGUMENT`, and the message names the variable, its
value and the values that it may have. Nothing is printed.

| variable | values | default | meaning |
|---|---|---|---|
)";

constexpr const char* tail = R"(
## Variables of the bindings and of tests

The library does not read these.

| variable | values | default | meaning |
|---|---|---|---|
| `WARPFOLD_LIBRARY` | a file | the installed library | The shared library that the bindings load. |
| `WARPFOLD_TEST_CONTEXT` | the name of a context, `oracle` or `bytecode` | `cpu` | What the test programs compute on. |
)";

std::string values(const VariableInfo& variable) {
  if (variable.form == VariableInfo::some) return "some of " + std::string(variable.values) + ", separated by commas";
  return std::string(variable.values);
}

std::string page() {
  std::ostringstream out;
  out << head;
  for (const VariableInfo& variable : variables())
    out << "| `" << variable.name << "` | " << values(variable) << " | " << variable.by_default << " | " << variable.meaning << " |\n";
  out << tail;
  return out.str();
}

}  // namespace

int main(int argc, char** argv) { return print_or_compare(page(), "src/engine/variables.def", argc, argv); }
