// The page of wf_info: the contexts of this machine, the settings, and the folder of kept code.
#include "checks/guard.h"
#include "engine/code_files.h"
#include "engine/variables.h"

using namespace wf;
using namespace wf::capi;

namespace {

constexpr size_t width_of_names = 24;

void add_line(std::string& text, std::string_view name, const std::string& value) {
  text += "  " + std::string(name) + std::string(name.size() < width_of_names ? width_of_names - name.size() : 1, ' ') + value + "\n";
}

// Adds a line about the context, or the reason why there is none, for further numbers of a device none. Returns true if it can be made.
bool add_context(std::string& text, const std::string& name) {
  try {
    add_line(text, name, make_context(name)->engine->description());
    return true;
  } catch (const std::runtime_error& e) {
    if (name == "cpu" || name.ends_with(":0")) add_line(text, name, e.what());
    return false;
  }
}

void add_settings(std::string& text) {
  for (const VariableInfo& variable : variables()) {
    const std::string value = environment_text(Variable(&variable - variables().data()));
    if (value.empty()) add_line(text, variable.name, std::string(variable.by_default) + " (default)");
    else add_line(text, variable.name, value);
  }
}

std::string page() {
  std::string text = std::string("warpfold ") + wf_version() + "\n\ncontexts\n";
  add_context(text, "cpu");
  for (const std::string driver : {"cuda:", "opencl:"})
    for (int number = 0; add_context(text, driver + std::to_string(number));) number++;
  text += "\nsettings\n";
  add_settings(text);
  const CodeUsage folder = code_usage();
  text += "\ncode of kernels\n  ";
  return text + (folder.path.empty()
                     ? "is not kept\n"
                     : folder.path.string() + ": " + std::to_string(folder.files) + " files, " + std::to_string(folder.bytes >> 20) +
                           " MiB, at most " + std::to_string(folder.bound >> 20) + " MiB\n");
}

}  // namespace

int32_t wf_info(char* buffer, int64_t capacity, int64_t* needed) {
  return guarded("wf_info", [&](Call&) { give_text(page(), buffer, capacity, needed); });
}
