// Native code is kept on disk: it is read by later compilations, and damaged files are replaced.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cases.h"
#include "code_folder.h"

using namespace native_cases;
namespace fs = std::filesystem;

namespace {

const std::string twice = "(fn ((i i64)) (mul i 2:i64))", thrice = "(fn ((i i64)) (mul i 3:i64))";

// Element 7 of the function, computed by code that is compiled or read now.
int64_t seventh(const std::string& text) {
  const FnRef f = parse(text);
  const Program program = cpu::BlockProgram::compile(*f, {}, true);
  cpu::native::compile({&program, 1});
  CHECK(program->native() != nullptr);
  const Run run = run_program(*f, program, {}, 0, 64, 64);
  return from_bits<int64_t>(run.results[0][7]);
}

}  // namespace

// Exchanged files show that they are read: each function gets the code of the other one.
TEST(code_is_read) {
  require_llvm();
  const CodeFolder folder;
  CHECK_EQ(seventh(twice), 14);
  const std::vector<fs::path> first = folder.files();
  CHECK_EQ(first.size(), size_t(1));
  CHECK_EQ(seventh(thrice), 21);
  std::vector<fs::path> both = folder.files();
  CHECK_EQ(both.size(), size_t(2));
  const fs::path aside = both[0].string() + ".aside";
  fs::rename(both[0], aside);
  fs::rename(both[1], both[0]);
  fs::rename(aside, both[1]);
  CHECK_EQ(seventh(twice), 21);
  CHECK_EQ(seventh(thrice), 14);
}

TEST(damaged_files_are_replaced) {
  require_llvm();
  const CodeFolder folder;
  CHECK_EQ(seventh(twice), 14);
  const fs::path file = folder.files().at(0);
  const auto size = fs::file_size(file);
  for (const std::uintmax_t shorter : {size - 1, size / 2, std::uintmax_t(8), std::uintmax_t(0)}) {
    fs::resize_file(file, shorter);
    CHECK_EQ(seventh(twice), 14);
    CHECK_EQ(fs::file_size(file), size);
  }
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(std::streamoff(size) - 9).put('x');
  CHECK_EQ(seventh(twice), 14);
  CHECK_EQ(folder.files().size(), size_t(1));
}

TEST(no_code_is_kept) {
  require_llvm();
  const CodeFolder folder;
  setenv("WARPFOLD_CACHE", "0", 1);
  CHECK_EQ(seventh(twice), 14);
  CHECK(folder.files().empty());
  unsetenv("WARPFOLD_CACHE");
  setenv("XDG_CACHE_HOME", "/dev/null", 1);  // no folder: an unwritable place is no error
  CHECK_EQ(seventh(twice), 14);
}
