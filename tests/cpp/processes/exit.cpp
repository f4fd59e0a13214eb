// Destructors of static and thread_local objects, functions of atexit and destructors of pthread keys use the library, although all of them
// were constructed or registered before its first use in the process or thread.
#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <thread>
#include <vector>

#include "../common.h"

using namespace warpfold;

namespace {

std::atomic<int> n_uses = 0;

void require(bool holds, const char* by, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "FAILED %s: %s\n", by, what);
  std::_Exit(1);
}

const auto make_steps = jit([](Seq<int64_t> s) { return sum(s) + 1; });

// A use of everything that the library and its headers keep per thread or per process. On a GPU, it is an error once the driver has shut down.
void use(const char* by) try {
  const int64_t uses = n_uses.fetch_add(2);
  for (int64_t n : {10, 1 << 18}) {
    const int64_t factor = uses + (n > 10);
    require(sum(map([&](auto x) { return x * factor; }, iota(n))).get() == n * (n - 1) / 2 * factor, by, "sum");
    require(reduce(plus, int64_t{0}, scan_incl(plus, int64_t{0}, tabulate([](auto i) { return i % 2; }, n))).get() > 0, by, "scan");
    require(filter([](auto x) { return x % 3 == 0; }, iota(n)).size() == (n + 2) / 3, by, "filter");
    require(sort(rev(iota(n)))[1].get() == 1, by, "sort");
    require((Array<int64_t, 1>(iota(n)) * factor + 1)(1).get() == factor + 1, by, "array");
    require(make_steps(iota(n).force()).get() == n * (n - 1) / 2 + 1, by, "program");
  }
  require((sum(iota(5)) * 2 + 1).get() == 21, by, "scalar");
  const random::Key key(7);
  require(map([&](auto i) { return random::uniform(key, i); }, iota(5))[1].get() == random::uniform(key, 5)[1].get(), by, "random");
  std::ostringstream text;
  text << iota(3);
  require(text.str().find('2') != std::string::npos && !explain(iota(3)).empty(), by, "text");
  const std::string name(2000, 'x');  // a message of this size has memory of its own
  try {
    iota(3)[3].get();
    require(false, by, "an index outside");
  } catch (const RangeError&) {}
  try {
    read_csv(name);
    require(false, by, "a file that is none");
  } catch (const Error& error) { require(std::string(error.what()).find(name) != std::string::npos, by, "a long message"); }
} catch (const std::exception& error) {
  require(std::string(error.what()).find("the CUDA driver has shut down") != std::string::npos, by, error.what());
}

// Destroyed after all others.
struct Count {
  ~Count() { require(n_uses >= 2 * (4 + 4 + 2 + 3), "the end", "the number of uses"); }
} count;

struct UseAtEnd {
  const char* by;
  explicit UseAtEnd(const char* by) : by(by) {}
  ~UseAtEnd() { use(by); }
};

UseAtEnd static_object("a static object");
thread_local UseAtEnd of_thread("a thread_local object");

pthread_key_t key;
void use_at_key(void* by) { use(static_cast<const char*>(by)); }

void begin(const char* by) { require(pthread_setspecific(key, by) == 0 && of_thread.by != nullptr, by, "begin"); }

}  // namespace

int main(int argc, char**) {
  require(pthread_key_create(&key, use_at_key) == 0, "main", "a key");
  std::atexit([] { use("a function of atexit"); });
  begin("main's key");
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; k++)
    threads.emplace_back([k] {
      begin("a thread's key");
      if (k % 2 == 0) use("a thread");  // the others use the library first when they end
    });
  for (std::thread& thread : threads) thread.join();
  require(n_uses == 2 * (4 + 4 + 2), "main", "the number of uses by threads");
  if (argc > 1) use("main");  // else the library is first used after main
}
