// Native code is kept on disk: it is read by later compilations, damaged files are replaced, and old files removed.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cases.h"
#include "code_folder.h"
#include "engine/code_files.h"

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

TEST(code_is_read) {
  require_llvm();
  const CodeFolder folder;
  CHECK_EQ(seventh(twice), 14);
  const std::vector<fs::path> files = folder.files();
  CHECK_EQ(files.size(), size_t(1));
  CHECK_EQ(seventh(thrice), 21);
  for (const fs::path& file : folder.files())
    if (file != files[0]) write_code(files[0], read_code(file));
  CHECK_EQ(seventh(twice), 21);
}

TEST(exchanged_files_are_replaced) {
  require_llvm();
  const CodeFolder folder;
  CHECK_EQ(seventh(twice), 14);
  CHECK_EQ(seventh(thrice), 21);
  const std::vector<fs::path> both = folder.files();
  CHECK_EQ(both.size(), size_t(2));
  const fs::path aside = both[0].string() + ".aside";
  fs::rename(both[0], aside);
  fs::rename(both[1], both[0]);
  fs::rename(aside, both[1]);
  CHECK(read_code(both[0]).empty() && read_code(both[1]).empty());
  CHECK_EQ(seventh(twice), 14);
  CHECK_EQ(seventh(thrice), 21);
  CHECK(!read_code(both[0]).empty() && !read_code(both[1]).empty());
}

// A read from a pipe without a writer would wait.
TEST(pipes_are_replaced) {
  require_llvm();
  const CodeFolder folder;
  CHECK_EQ(seventh(twice), 14);
  const fs::path file = folder.files().at(0);
  fs::remove(file);
  CHECK_EQ(mkfifo(file.c_str(), 0600), 0);
  alarm(60);
  CHECK_EQ(seventh(twice), 14);
  alarm(0);
  CHECK(fs::is_regular_file(file));
}

// A file beyond the limit would end the process by a signal.
TEST(files_beyond_the_limit_of_files_are_not_written) {
  const CodeFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{1000, 1000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
    write_code(code_file(std::string(32, 'a') + ".o"), std::string(2000, 'x'));
    write_code(code_file(std::string(32, 'b') + ".o"), std::string(500, 'x'));
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK_EQ(folder.files().size(), size_t(1));
}

TEST(files_that_were_used_least_recently_are_removed) {
  const CodeFolder folder;
  setenv("WARPFOLD_CACHE_SIZE", "1", 1);
  const std::string code(100'000, 'x');
  auto file = [](int k) { return code_file(std::string(31, 'a') + "0123456789abcdef"[k] + ".o"); };
  const auto now = fs::file_time_type::clock::now();
  for (int k = 0; k < 10; k++) {
    write_code(file(k), code);
    CHECK_EQ(read_code(file(k)), code);
    fs::last_write_time(file(k), now - std::chrono::hours(100 - k));
  }
  const fs::path other = folder.root() / "warpfold" / "other";
  std::ofstream(other) << std::string(2'000'000, 'x');
  fs::last_write_time(other, now - std::chrono::hours(200));
  CHECK_EQ(read_code(file(0)), code);  // it was used last
  write_code(file(10), code);          // 11 files, of 100 KiB each in whole pages: more than 1 MiB
  CHECK(fs::exists(file(0)) && fs::exists(file(10)) && fs::exists(other));
  CHECK(!fs::exists(file(1)) && !fs::exists(file(2)) && fs::exists(file(9)));
  CHECK_EQ(folder.files().size(), size_t(8 + 1));
  unsetenv("WARPFOLD_CACHE_SIZE");
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
