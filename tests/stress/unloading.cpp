// A program that loads the library itself may close it right after a call, while helpers still look for work. Its argument is the library's path.
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "warpfold.h"

namespace {

template <class F> F* find(void* library, const char* name) {
  auto* f = reinterpret_cast<F*>(dlsym(library, name));
  if (f) return f;
  std::fprintf(stderr, "%s\n", dlerror());
  std::exit(1);
}

void require(int32_t error, const char* call) {
  if (error == WF_OK) return;
  std::fprintf(stderr, "%s gave %d\n", call, int(error));
  std::exit(1);
}

void load_call_and_close(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  wf_context* context;
  wf_fn* f;
  require(find<decltype(wf_context_create)>(library, "wf_context_create")("cpu", &context), "wf_context_create");
  require(find<decltype(wf_fn_create)>(library, "wf_fn_create")("(fn ((i i64)) (mul i i))", nullptr, 0, &f), "wf_fn_create");
  for (int again = 0; again < 20; again++) {
    wf_seq* squares;
    require(find<decltype(wf_tabulate)>(library, "wf_tabulate")(context, f, 1 << 20, &squares), "wf_tabulate");
    require(find<decltype(wf_force)>(library, "wf_force")(&squares, 1), "wf_force");
    find<decltype(wf_release)>(library, "wf_release")(squares);
  }
  find<decltype(wf_fn_release)>(library, "wf_fn_release")(f);
  find<decltype(wf_context_release)>(library, "wf_context_release")(context);
  dlclose(library);
}

}  // namespace

int main(int, char** arguments) {
  for (int again = 0; again < 20; again++) {
    load_call_and_close(arguments[1]);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}
