#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "check.h"

namespace check {
namespace {

struct Test {
  const char* name;
  void (*body)();
};

std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

std::mutex output;
std::atomic<const char*> running{""};
std::atomic<int> failures{0};  // of the running test

}  // namespace

Registration::Registration(const char* name, void (*body)()) { tests().push_back({name, body}); }

void fail(const char* file, int line, const std::string& message) {
  std::lock_guard lock(output);
  failures++;
  std::printf("FAILED %s\n  %s:%d: %s\n", running.load(), file, line, message.c_str());
  std::fflush(stdout);
}

// Returns true if the name contains one of the words (or there are none) and no word that is preceded by a minus.
static bool is_wanted(const char* name, int count, char** words) {
  bool wanted = true, found = false;
  for (int k = 0; k < count; k++) {
    if (words[k][0] == '-') {
      if (std::strstr(name, words[k] + 1)) return false;
      continue;
    }
    wanted = false;
    found = found || std::strstr(name, words[k]);
  }
  return wanted || found;
}

static int run(int count, char** words) {
  int passed = 0, failed = 0, skipped = 0;
  for (const Test& test : tests()) {
    if (!is_wanted(test.name, count, words)) continue;
    running = test.name;
    failures = 0;
    bool skip = false;
    try {
      test.body();
    } catch (const Skip& why) {
      skip = true;
      std::printf("skipped %s: %s\n", test.name, why.reason.c_str());
    } catch (const std::exception& error) { fail(test.name, 0, std::string("unexpected exception: ") + error.what()); }
    ++(failures ? failed : skip ? skipped : passed);
  }
  std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed ? 1 : 0;
}

}  // namespace check

// Every plan is verified when the program is run by hand, as under meson.
int main(int argc, char** argv) {
  setenv("WARPFOLD_VERIFY", "1", 0);
  return check::run(argc - 1, argv + 1);
}
