// The cache of compiled kernels on disk: its files, the replacement of damaged files, and failures of the cache, which are not errors.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "check.h"
#include "code_folder.h"
#include "cuda/compile.h"
#include "cuda/device/driver.h"
#include "engine/background.h"
#include "engine/engine.h"

namespace {

namespace fs = std::filesystem;

// A folder for a test of the compiler, which is skipped without NVRTC.
class Cache : public CodeFolder {
 public:
  Cache() {
    try {
      wf::cuda::nvrtc();
    } catch (const wf::DeviceError& e) { SKIP(e.what()); }
    unsetenv("WARPFOLD_DUMP");
  }
  ~Cache() { unsetenv("WARPFOLD_DUMP"); }
};

std::string kernel(const std::string& name) { return "extern \"C\" __global__ void " + name + "(int* out) { *out = 7; }\n"; }

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void write(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

using wf::cuda::machine_code;

}  // namespace

TEST(a_kernel_is_kept_and_found_again) {
  Cache cache;
  const std::string code = machine_code(kernel("kept"), "sm_90");
  CHECK(!code.empty());
  const auto files = cache.files();
  CHECK_EQ(files.size(), 1);
  const fs::path link = cache.root() / "link";
  fs::create_hard_link(files[0], link);
  CHECK(machine_code(kernel("kept"), "sm_90") == code);
  CHECK_EQ(cache.files().size(), 1);
  CHECK(fs::equivalent(files[0], link));  // it was read, since a file that is written is another one
}

// A checksum includes its file's name, so that code under another kernel's name is not used.
TEST(exchanged_files_are_made_anew) {
  Cache cache;
  const std::string code = machine_code(kernel("one"), "sm_90");
  const fs::path one = cache.files()[0];
  const std::string bytes = contents(one);
  fs::remove(one);
  machine_code(kernel("another_one"), "sm_90");
  fs::rename(cache.files()[0], one);
  CHECK(machine_code(kernel("one"), "sm_90") == code);
  CHECK(contents(one) == bytes);
}

TEST(a_damaged_file_is_made_anew) {
  Cache cache;
  const std::string code = machine_code(kernel("damaged"), "sm_90");
  const fs::path file = cache.files()[0];
  const std::string sound = contents(file);
  std::string flipped = sound, longer = sound + "x";
  flipped[sound.size() / 2] = char(flipped[sound.size() / 2] ^ 1);
  for (const std::string& damaged :
       {std::string(), sound.substr(0, 5), sound.substr(0, sound.size() - 1), flipped, longer, std::string(4096, 'z')}) {
    write(file, damaged);
    CHECK(machine_code(kernel("damaged"), "sm_90") == code);
    CHECK(contents(file) == sound);
    CHECK_EQ(cache.files().size(), 1);
  }
}

TEST(architecture_and_version_are_part_of_the_key) {
  Cache cache;
  const std::string code = machine_code(kernel("keyed"), "sm_90");
  CHECK(machine_code(kernel("keyed"), "sm_80") != code);
  CHECK_EQ(cache.files().size(), 2);
  auto& compiler = const_cast<wf::cuda::Nvrtc&>(wf::cuda::nvrtc());
  compiler.minor++;
  machine_code(kernel("keyed"), "sm_90");
  compiler.minor--;
  CHECK_EQ(cache.files().size(), 3);
}

TEST(processes_share_it) {
  Cache cache;
  std::vector<pid_t> children;
  for (int k = 0; k < 4; k++) {
    const pid_t child = fork();
    if (child == 0) {
      bool right = true;
      for (int round = 0; round < 3; round++)
        for (const char* name : {"a", "b"}) right = right && !machine_code(kernel(name), "sm_90").empty();
      _exit(right ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    CHECK_EQ(status, 0);
  }
  CHECK_EQ(cache.files().size(), 2);
  for (const char* name : {"a", "b"}) CHECK(machine_code(kernel(name), "sm_90") == wf::cuda::compile(kernel(name), "sm_90"));
}

TEST(a_folder_that_cannot_be_written_is_no_error) {
  Cache cache;
  write(cache.root() / "file", "");
  setenv("XDG_CACHE_HOME", (cache.root() / "file" / "below").c_str(), 1);
  CHECK(!machine_code(kernel("nowhere"), "sm_90").empty());
  CHECK(!machine_code(kernel("nowhere"), "sm_90").empty());
  CHECK(cache.files().empty());
}

TEST(it_can_be_turned_off) {
  Cache cache;
  setenv("WARPFOLD_CACHE", "0", 1);
  CHECK(!machine_code(kernel("off"), "sm_90").empty());
  CHECK(cache.files().empty());
}

TEST(without_xdg_it_lies_at_home) {
  Cache cache;
  const char* variable = std::getenv("HOME");
  const std::string home = variable ? variable : "";
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", cache.root().c_str(), 1);
  machine_code(kernel("home"), "sm_90");
  variable ? setenv("HOME", home.c_str(), 1) : unsetenv("HOME");
  CHECK(!fs::is_empty(cache.root() / ".cache" / "warpfold"));
}

TEST(texts_are_dumped) {
  Cache cache;
  const fs::path folder = cache.root() / "dumped" / "here";
  setenv("WARPFOLD_DUMP", folder.c_str(), 1);
  machine_code(kernel("dumped"), "sm_90");
  machine_code(kernel("dumped"), "sm_90");  // from the cache
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files++;
    CHECK(contents(entry.path()) == kernel("dumped"));
    CHECK_EQ(entry.path().extension().string(), ".cu");
  }
  CHECK_EQ(files, 1);
}

TEST(a_text_that_does_not_compile_is_not_kept) {
  Cache cache;
  CHECK_THROWS(wf::CompileError, machine_code("this is no kernel", "sm_90"));
  CHECK(cache.files().empty());
}

// A process that ends while another thread compiles: the compilation is cancelled, and waited for.
TEST(a_process_that_ends_cancels_compilations) {
  Cache cache;
  std::string text = "extern \"C\" __global__ void k(float* x) { float v = *x;\n";
  for (int k = 0; k < 1500; k++) text += "v = sinf(v * " + std::to_string(k) + ".5f);\n";
  text += "*x = v; }\n";
  using Clock = std::chrono::steady_clock;
  const pid_t child = fork();
  if (child == 0) {
    static wf::Background& compiler = *new wf::Background;
    compiler.submit(nullptr, [&] {
      try {
        machine_code(text, "sm_90");
      } catch (const wf::CompileError&) { return; }
      _exit(2);
    });
    usleep(300'000);
    std::atexit([] {
      const auto begin = Clock::now();
      wf::cuda::cancel_compilations();
      compiler.close();
      if (Clock::now() - begin > std::chrono::seconds(1)) _exit(3);
    });
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!wf::cuda::nvrtc().nvrtcSetFlowCallback) SKIP("this NVRTC cannot cancel");
  CHECK_EQ(status, 0);
}

TEST(jobs_in_the_background_are_dropped_by_their_owner) {
  wf::Background& background = *new wf::Background;
  std::atomic<int> ran{0}, others{0};
  std::atomic<bool> has_begun{false}, goes_on{false};
  const int owner = 0, other = 0;
  background.submit(&owner, [&] {
    has_begun = true;
    while (!goes_on) usleep(100);
    ran++;
  });
  for (int k = 0; k < 5; k++) background.submit(&owner, [&] { ran += 100; });
  for (int k = 0; k < 5; k++) background.submit(&other, [&] { others++; });
  while (!has_begun) usleep(100);
  std::thread releases([&] {
    usleep(20'000);
    goes_on = true;
  });
  background.drop(&owner);
  releases.join();
  while (others < 5) usleep(100);
  CHECK_EQ(ran.load(), 1);
  background.close();
  background.submit(&other, [&] { others++; });
  usleep(10'000);
  CHECK_EQ(others.load(), 5);
}
