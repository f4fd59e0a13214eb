// The plugin that nvcc compiles has a radix sort, and reports a missing GPU. Without a plugin of this version there is none, so that keys are
// sorted by merging.
#include "cuda/routines/radix_sort.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "check.h"
#include "cuda/device/plugin.h"

using wf::cuda::find_radix_sort;
using wf::cuda::RadixSort;

namespace {

std::filesystem::path folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

}  // namespace

TEST(other_plugins_are_passed_over) {
  CHECK(wf::cuda::load_plugin(wf::cuda::plugin_path()).find("twice") != nullptr);
  CHECK(find_radix_sort(wf::cuda::plugin_path()) == nullptr);
  CHECK(find_radix_sort(folder() / "libplugin_of_another_version.so") == nullptr);
  CHECK(find_radix_sort(folder() / "nowhere" / wf::cuda::Plugin::file) == nullptr);
  const auto empty = std::filesystem::temp_directory_path() / ("warpfold_empty_plugin_" + std::to_string(getpid()));
  std::ofstream(empty).flush();
  CHECK(find_radix_sort(empty) == nullptr);
  std::filesystem::remove(empty);
}

TEST(the_plugin_sorts_or_says_why_not) {
  const char* path = std::getenv("WARPFOLD_TEST_PLUGIN");
  if (!path) SKIP("nvcc is not installed");
  const wf::cuda::RadixSortFunction radix_sort = find_radix_sort(path);
  CHECK(radix_sort != nullptr);
  if (!radix_sort) return;
  for (int32_t bytes : {1, 4, 8})
    for (int32_t keys : {1, 2}) {
      const RadixSort::Column column{nullptr, nullptr, bytes, RadixSort::Unsigned}, columns[] = {column, column, column};
      size_t working_memory = 0;
      const char* error = radix_sort({columns, 3, keys, 100003, false, nullptr}, nullptr, working_memory);
      CHECK(error ? *error != 0 : working_memory > 0);
    }
}
