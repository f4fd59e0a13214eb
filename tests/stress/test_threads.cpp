// Many threads through the C API: all of them force, read, extend and release shared sequences at once. This is a plain program,
// since Criterion does not start under the thread sanitizer.
#include <atomic>
#include <barrier>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "check.h"
#include "warpfold.h"

namespace {

constexpr int thread_count = 8;
constexpr int64_t n = 30000;

// Runs body(0), ..., body(thread_count - 1), all started together.
void together(const std::function<void(int)>& body) {
  std::barrier start(thread_count);
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; t++)
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      body(t);
    });
  for (auto& thread : threads) thread.join();
}

void succeed(int32_t code) {
  if (code == WF_OK) return;
  char message[400];
  wf_error_message(message, sizeof message, nullptr);
  check::fail(__FILE__, __LINE__, message);
}

// An owning handle, released once.
class Seq {
 public:
  Seq() = default;
  explicit Seq(wf_seq* taken) : seq_(taken) {}
  Seq(Seq&& other) noexcept : seq_(std::exchange(other.seq_, nullptr)) {}
  Seq& operator=(Seq&& other) noexcept { return std::swap(seq_, other.seq_), *this; }
  ~Seq() { wf_release(seq_); }
  wf_seq* get() const { return seq_; }
  Seq share() const { return wf_retain(seq_), Seq(seq_); }

 private:
  wf_seq* seq_ = nullptr;
};

class Fn {
 public:
  explicit Fn(const std::string& text, const std::vector<wf_seq*>& captures = {}) {
    succeed(wf_fn_create(text.c_str(), captures.data(), int32_t(captures.size()), &fn_));
  }
  ~Fn() { wf_fn_release(fn_); }
  Fn(const Fn&) = delete;
  wf_fn* get() const { return fn_; }

 private:
  wf_fn* fn_ = nullptr;
};

wf_context* context() {
  static wf_context* const under_test = [] {
    wf_context* created = nullptr;
    const char* name = std::getenv("WARPFOLD_TEST_CONTEXT");
    succeed(wf_context_create(name ? name : "cpu", &created));
    return created;
  }();
  return under_test;
}

template <class F, class... Args> Seq made(F function, Args... args) {
  wf_seq* out = nullptr;
  succeed(function(args..., &out));
  return Seq(out);
}

Seq tabulate(const std::string& f, int64_t length = n) { return made(wf_tabulate, context(), Fn(f).get(), length); }
Seq map(const std::string& f, const Seq& s) {
  wf_seq* in = s.get();
  return made(wf_map, Fn(f).get(), &in, 1);
}
Seq filter(const std::string& f, const Seq& s) { return made(wf_filter, Fn(f).get(), s.get()); }
Seq sum(const Seq& s) { return made(wf_reduce, Fn("(fn ((a i64) (b i64)) (add a b))").get(), "0:i64", s.get()); }
Seq prefixes(const Seq& s) {
  wf_seq* out = nullptr;
  succeed(wf_scan(Fn("(fn ((a i64) (b i64)) (add a b))").get(), "0:i64", s.get(), 1, &out, nullptr));
  return Seq(out);
}

int64_t value(const Seq& s, int64_t i = 0) {
  int64_t x = -1;
  succeed(wf_to_host(s.get(), 0, i, 1, &x, WF_I64, 1));
  return x;
}

const char* const identity = "(fn ((i i64)) i)";
const char* const twice = "(fn ((x i64)) (mul x 2:i64))";
const char* const even = "(fn ((x i64)) (eq (rem x 2:i64) 0:i64))";

}  // namespace

TEST(all_force_one_sequence) {
  for (int round = 0; round < 20; round++) {
    const Seq s = map(twice, tabulate(identity)), total = sum(s);
    together([&](int t) {
      if (t % 2) CHECK_EQ(value(s, n - 1), 2 * (n - 1));
      CHECK_EQ(value(total), n * (n - 1));
    });
  }
}

TEST(all_read_a_filter_and_what_is_over_it) {
  for (int round = 0; round < 10; round++) {
    const Seq kept = filter(even, tabulate(identity)), over = map(twice, kept);
    together([&](int t) {
      switch (t % 4) {
        case 0: CHECK_EQ(value(made(wf_length, kept.get())), n / 2); break;
        case 1: CHECK_EQ(value(made(wf_nth, kept.get(), int64_t(3))), 6); break;
        case 2: CHECK_EQ(value(over, 3), 12); break;
        default: CHECK_EQ(value(sum(over)), 2 * (n / 2) * (n / 2 - 1));
      }
    });
  }
}

TEST(each_extends_what_all_share) {
  const Seq s = map(twice, tabulate(identity));
  together([&](int t) {
    for (int round = 0; round < 20; round++) {
      const std::string add = "(fn ((x i64)) (add x " + std::to_string(t) + ":i64))";
      CHECK_EQ(value(sum(map(add, s))), n * (n - 1) + t * n);
      CHECK_EQ(value(prefixes(map(add, s)), 9), 90 + 10 * t);
      if (round == 10) succeed(wf_force(std::vector{s.get()}.data(), 1));
    }
  });
}

TEST(each_releases_what_others_compute) {
  for (int round = 0; round < 20; round++) {
    Seq s = tabulate(identity);
    std::vector<Seq> handles;
    for (int t = 0; t < thread_count; t++) handles.push_back(t % 2 ? sum(s) : s.share());
    s = Seq();
    together([&](int t) {
      Seq mine = std::move(handles[t]);
      if (t % 4 == 1) CHECK_EQ(value(mine), n * (n - 1) / 2);
      if (t % 4 == 2) CHECK_EQ(value(prefixes(mine), 3), 6);
    });
  }
}

TEST(sequences_are_captured_while_they_are_computed) {
  const Seq s = map(twice, tabulate(identity));
  together([&](int t) {
    for (int round = 0; round < 10; round++) {
      const Fn backwards("(fn ((i i64)) (at $0 (sub (sub (length $0) 1:i64) i)))", {s.get()});
      const Seq reversed = made(wf_tabulate, context(), backwards.get(), n);
      CHECK_EQ(value(reversed, t), 2 * (n - 1 - t));
    }
  });
}

TEST(each_thread_has_its_own_error) {
  const Seq s = tabulate(identity, 10);
  together([&](int t) {
    for (int round = 0; round < 50; round++) {
      wf_seq* out = nullptr;
      CHECK_EQ(wf_nth(s.get(), 100 + t, &out), WF_ERROR_RANGE);
      char message[400];
      CHECK_EQ(wf_error_message(message, sizeof message, nullptr), WF_ERROR_RANGE);
      CHECK(std::string(message).find(std::to_string(100 + t)) != std::string::npos);
    }
  });
}

TEST(indices_outside_are_errors_on_every_thread) {
  const Seq s = tabulate(identity, 10);
  together([&](int) {
    for (int round = 0; round < 10; round++) {
      const Fn beyond("(fn ((i i64)) (at $0 i))", {s.get()});
      const Seq longer = made(wf_tabulate, context(), beyond.get(), n);
      wf_seq* in = longer.get();
      CHECK_EQ(wf_force(&in, 1), WF_ERROR_RANGE);
    }
  });
}

TEST(a_context_is_closed_while_its_sequences_are_computed) {
  for (int round = 0; round < 5; round++) {
    wf_context* closing = nullptr;
    succeed(wf_context_create("cpu", &closing));
    const Seq s = made(wf_tabulate, closing, Fn(identity).get(), n);
    together([&](int t) {
      if (t == 0) succeed(wf_context_close(closing));
      for (int k = 0; k < 20; k++) {
        wf_seq* in = s.get();
        const int32_t code = wf_force(&in, 1);
        CHECK(code == WF_OK || code == WF_ERROR_ARGUMENT);
      }
    });
    wf_context_release(closing);
  }
}

TEST(memory_is_trimmed_and_limited_while_others_compute) {
  together([&](int t) {
    for (int round = 0; round < 20; round++) {
      if (t == 0) succeed(wf_context_trim(context(), nullptr));
      if (t == 1) succeed(wf_context_set_limit(context(), round % 2 ? -1 : int64_t(1) << 40));
      if (t > 1) CHECK_EQ(value(prefixes(tabulate(identity)), n - 1), n * (n - 1) / 2);
    }
  });
  succeed(wf_context_set_limit(context(), -1));
}
