// A plugin: a shared library next to libwarpfold that is loaded when it is first needed. Everything else runs without it.
#pragma once

#include <string>

namespace wf {

// Returns the path of a file next to the one that contains this function, libwarpfold or a program that links it statically.
std::string path_next_to_library(const char* file);

// Returns what the plugin's function `entry` returns. The plugin stays loaded. Throws UnsupportedError if there is none.
const void* open_plugin(const std::string& path, const char* entry);

}  // namespace wf
