// Plugins are loaded from the folder of the library, which is linked into this program. Error messages name the plugin and its fault.
#include "cuda/device/plugin.h"

#include <filesystem>

#include "check.h"
#include "engine/engine.h"

namespace {

std::string folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path().string(); }

template <class F> std::string complaint(F f) {
  try {
    f();
  } catch (const wf::UnsupportedError& e) { return e.what(); }
  return {};
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST(a_function_is_found_and_called) {
  auto* twice = reinterpret_cast<int (*)(int)>(wf::cuda::plugin_function("twice"));
  CHECK_EQ(twice(21), 42);
  CHECK(wf::cuda::plugin_function("twice") == reinterpret_cast<void*>(twice));
}

TEST(a_missing_function_is_named) {
  const std::string why = complaint([] { wf::cuda::plugin_function("thrice"); });
  CHECK(holds(why, "\"thrice\"") && holds(why, wf::cuda::Plugin::file));
}

TEST(a_missing_plugin_is_named_with_its_place) {
  const std::string path = folder() + "/nowhere/libwarpfold_cuda.so", why = complaint([&] { wf::cuda::load_plugin(path); });
  CHECK(holds(why, path));
}

TEST(other_libraries_and_versions_are_refused) {
  CHECK(holds(complaint([] { wf::cuda::load_plugin("libtbb.so.12"); }), "is not a plugin"));
  CHECK(holds(complaint([] { wf::cuda::load_plugin(folder() + "/libplugin_of_another_version.so"); }), "version 999"));
}
