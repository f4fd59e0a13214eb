#include "cpu/native/tier.h"

#include <atomic>
#include <mutex>
#include <string_view>

#include "cpu/native/library.h"
#include "cpu/threads/chunks.h"
#include "engine/background.h"
#include "engine/variables.h"

namespace wf::cpu::native {
namespace {

// Nanoseconds. Loading LLVM takes 20 to 300 ms, depending on whether the file is in memory.
constexpr int64_t price_of_loading = 135'000'000;

std::atomic<bool> has_compiled{false};
std::atomic<const char*> description{"interpreted"};

}  // namespace

Setting interpretation() {
  static const Setting chosen = [] {
    auto is_set = [](std::string_view value) { return environment_has(Variable::WARPFOLD_INTERPRET, value); };
    return is_set("0") ? Setting::off : is_set("only") ? Setting::only : Setting::at_first;
  }();
  return chosen;
}

bool Tier::has_spent(int64_t price) const {
  return spent_.load(std::memory_order_relaxed) >= price + (has_compiled.load(std::memory_order_relaxed) ? 0 : price_of_loading);
}

bool Tier::is_due(int64_t price) {
  price_.store(price, std::memory_order_relaxed);
  if (price > most_price) waits_ = false;
  return has_spent(price) && waits_.exchange(false);
}

void note_failure(const std::string& reason) noexcept {
  static std::once_flag noted;
  try {
    std::call_once(noted, [&] {
      static const std::string& text =
          *new std::string("interpreted: " + reason);  // never destroyed: a thread may run while the process ends
      description = text.c_str();
    });
  } catch (const std::exception&) {
    // There is no memory for the reason.
  }
}

const char* interpreted() { return description.load(std::memory_order_acquire); }

void in_background(std::function<void()> job) {
  static Background& compiler = *new Background;
  compiler.submit(nullptr, [job = std::move(job)] {
    const FloatEnvironment environment;
    if (!is_closed()) job();
    has_compiled = true;
  });
}

}  // namespace wf::cpu::native
