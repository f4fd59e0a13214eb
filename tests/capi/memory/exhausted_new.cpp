// operator new fails at the k-th call, for every k of a program. The code is WF_ERROR_MEMORY, or the library has freed its cache,
// repeated the allocation and returns the right result. Nothing stays live, and the same program then works.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "check.h"
#include "program.h"

static std::atomic<long> calls_left{0};  // until new fails; 0: it never fails
static std::atomic<bool> keeps_failing{false};

static bool fails_now() {
  if (calls_left.load(std::memory_order_relaxed) == 0) return false;
  if (calls_left.fetch_sub(1) > 1) return false;
  calls_left = keeps_failing ? 1 : 0;
  return true;
}

static void fail_at(long k, bool and_after) {
  keeps_failing = and_after;
  calls_left = k;
}

void* operator new(size_t bytes) {
  void* block = fails_now() ? nullptr : std::malloc(bytes ? bytes : 1);
  if (!block) throw std::bad_alloc();
  return block;
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  size_t unit = size_t(alignment);
  void* block = fails_now() ? nullptr : std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
  if (!block) throw std::bad_alloc();
  return block;
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { std::free(block); }

static void every_k_fails(bool and_after) {
  wf_context* context;
  CHECK_EQ(wf_context_create("cpu", &context), 0);
  int64_t result = 0, live = -1;
  CHECK_EQ(program(context, &result), 0);  // fills the caches, so that the program below is already known
  CHECK_EQ(result, program_result);
  bool failed = true;
  for (long k = 1; failed && k < 100000; k++) {
    result = -1;
    fail_at(k, and_after);
    int32_t code = program(context, &result);
    failed = calls_left.load() == 0 || (and_after && code != WF_OK);
    fail_at(0, false);
    bool is_right = code == WF_OK ? result == program_result : code == WF_ERROR_MEMORY;
    CHECK(is_right);
    wf_context_memory(context, &live, nullptr, nullptr, nullptr);
    CHECK_EQ(live, 0);
    CHECK_EQ(program(context, &result), 0);
    CHECK_EQ(result, program_result);
  }
  CHECK(!failed);
  wf_context_release(context);
}

TEST(new_fails_once) { every_k_fails(false); }
TEST(new_fails_from_then_on) { every_k_fails(true); }

TEST(creating_a_context_runs_out) {
  int32_t code = WF_ERROR_MEMORY;
  for (long k = 1; code != WF_OK && k < 1000; k++) {
    wf_context* context = nullptr;
    fail_at(k, true);
    code = wf_context_create("cpu", &context);
    fail_at(0, false);
    CHECK(code == WF_OK || code == WF_ERROR_MEMORY);
    CHECK((code == WF_OK) == (context != nullptr));
    wf_context_release(context);
  }
  CHECK_EQ(code, WF_OK);
}

// Writing an array, and reading it back, at each of whose calls memory is exhausted.
TEST(files_run_out) {
  std::string folder = "/tmp/warpfold-exhausted-XXXXXX";
  CHECK(mkdtemp(folder.data()) != nullptr);
  wf_context* context;
  CHECK_EQ(wf_context_create("cpu", &context), 0);
  const std::vector<uint8_t> pixels(64 * 64, 7);
  const int64_t extents[] = {64, 64};
  const char* const names[] = {"pixels"};
  wf_seq *flat, *image;
  CHECK_EQ(wf_from_host(context, WF_U8, pixels.data(), 64 * 64, &flat), 0);
  CHECK_EQ(wf_reshape(flat, extents, 2, &image), 0);
  for (const char* format : {"npy", "npz", "png"}) {
    const std::string path = folder + "/a." + format;
    for (const bool reads : {false, true}) {
      for (long k = 1, failed = true; failed && k < 1000; k++) {
        wf_seq* back = nullptr;
        fail_at(k, false);
        const int32_t code = reads ? wf_read_array(context, path.c_str(), format, nullptr, -1, &back)
                                   : wf_write_arrays(path.c_str(), format, &image, names, 1);
        failed = calls_left.load() == 0;
        fail_at(0, false);
        wf_release(back);
        CHECK(code == WF_OK || code == WF_ERROR_MEMORY || code == WF_ERROR_UNSUPPORTED);
      }
    }
    std::remove(path.c_str());
  }
  wf_release(flat), wf_release(image);
  wf_context_release(context);
  CHECK_EQ(rmdir(folder.c_str()), 0);
}

// An update in place, the sum of a matrix and a transpose, that fails at the k-th call leaves the old values. Each context compiles its kernel.
// Returns false if there was no k-th call.
static bool update_that_fails(long k, bool and_after, bool* in_place) {
  constexpr int64_t side = 600, n = side * side, extents[] = {side, side};
  const int32_t swapped[] = {1, 0};
  wf_context* context;
  wf_fn *iota, *sum, *next_number;
  wf_seq *flat, *table, *other, *cell, *next;
  CHECK_EQ(wf_context_create("cpu", &context), 0);
  CHECK_EQ(wf_fn_create("(fn ((i i64)) (cast i32 i))", nullptr, 0, &iota), 0);
  CHECK_EQ(wf_fn_create("(fn ((x i32) (y i32)) (add x y))", nullptr, 0, &sum), 0);
  CHECK_EQ(wf_fn_create("(fn ((x i32)) (add x 1:i32))", nullptr, 0, &next_number), 0);
  CHECK_EQ(wf_tabulate(context, iota, n, &flat), 0);
  CHECK_EQ(wf_reshape(flat, extents, 2, &table), 0);
  CHECK_EQ(wf_force(&table, 1), 0);
  CHECK_EQ(wf_permute(table, swapped, 2, &other), 0);
  CHECK_EQ(wf_map(next_number, &table, 1, &cell), 0);
  const void *before, *after;
  CHECK_EQ(wf_data(cell, 0, &before, nullptr), 0);
  wf_seq* both[] = {cell, other};
  CHECK_EQ(wf_map(sum, both, 2, &next), 0);
  fail_at(k, and_after);
  const int32_t code = wf_replace(next, &cell);
  const bool failed = calls_left.load() == 0 || (and_after && code != WF_OK);
  fail_at(0, false);
  CHECK(code == WF_OK || code == WF_ERROR_MEMORY);
  CHECK_EQ(wf_data(cell, 0, &after, nullptr), 0);
  *in_place = code == WF_OK && before == after;
  int64_t wrong = 0;
  for (int64_t i = 0; i < n; i++)
    wrong += static_cast<const int32_t*>(after)[i] != int32_t(i + 1 + (code == WF_OK ? i % side * side + i / side : 0));
  CHECK_EQ(wrong, 0);
  if (code != WF_OK) wf_release(next);
  wf_release(flat), wf_release(table), wf_release(other), wf_release(cell);
  wf_fn_release(iota), wf_fn_release(sum), wf_fn_release(next_number);
  wf_context_release(context);
  return failed;
}

static void every_k_of_an_update_fails(bool and_after) {
  bool in_place = false;
  long k = 1;
  while (k < 5000 && update_that_fails(k, and_after, &in_place)) k++;
  CHECK(k < 5000);
  CHECK(in_place);
}

TEST(new_fails_once_in_an_update) { every_k_of_an_update_fails(false); }
TEST(new_fails_from_then_on_in_an_update) { every_k_of_an_update_fails(true); }

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// glibc ends the process if it cannot note the destructor of a thread_local variable, for which it calls calloc.
static thread_local bool calloc_fails = false;
extern "C" void* __libc_calloc(size_t count, size_t bytes);
extern "C" void* calloc(size_t count, size_t bytes) { return calloc_fails ? nullptr : __libc_calloc(count, bytes); }

// The thread's values of further keys need memory of their own.
static const bool has_many_keys = [] {
  pthread_key_t key;
  for (int k = 0; k < 40; k++)
    if (pthread_key_create(&key, nullptr) != 0) return false;
  return true;
}();

TEST(memory_is_exhausted_at_the_first_use_in_a_thread) {
  CHECK(has_many_keys);
  wf_context* context;
  CHECK_EQ(wf_context_create("cpu", &context), 0);
  std::thread([&] {
    int64_t result = 0;
    calloc_fails = true;
    char message[100];
    wf_fn* f;
    CHECK_EQ(wf_fn_create(nullptr, nullptr, 0, &f), WF_ERROR_ARGUMENT);
    CHECK_EQ(wf_error_message(message, sizeof message, nullptr), WF_ERROR_ARGUMENT);
    CHECK_EQ(std::string_view(message).substr(0, 12), "wf_fn_create");
    CHECK_EQ(program(context, &result), WF_ERROR_MEMORY);
    fail_at(1, true);
    CHECK_EQ(program(context, &result), WF_ERROR_MEMORY);
    fail_at(0, false);
    calloc_fails = false;
    CHECK_EQ(program(context, &result), WF_OK);
    CHECK_EQ(result, program_result);
  }).join();
  wf_context_release(context);
}
#endif
