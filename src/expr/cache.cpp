// parse_cached: texts seen before are not parsed again.
#include <mutex>
#include <unordered_map>

#include "expr/fn.h"

namespace wf {

namespace {

// The captures' column types, then the text: what the function depends on.
std::string key_of(std::string_view text, const CaptureTypes& captures) {
  std::string key;
  for (const auto& columns : captures) {
    key += '$';
    for (Type t : columns) key += char('a' + int(t));
  }
  return key.append(text);
}

struct Hash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

class Cache {
 public:
  FnRef find(std::string_view key) {
    std::lock_guard lock(mutex_);
    auto known = functions_.find(key);
    return known == functions_.end() ? nullptr : known->second;
  }
  // When full it starts anew: what is in use comes back at its next call.
  void keep(std::string key, FnRef f) {
    constexpr size_t most_functions = 4096, most_bytes = 4 << 20;
    std::unordered_map<std::string, FnRef, Hash, std::equal_to<>> dropped;  // destroyed outside the lock
    std::lock_guard lock(mutex_);
    if (functions_.size() >= most_functions || bytes_ + key.size() > most_bytes) {
      dropped.swap(functions_);
      bytes_ = 0;
    }
    bytes_ += key.size();
    functions_.emplace(std::move(key), std::move(f));
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, FnRef, Hash, std::equal_to<>> functions_;
  size_t bytes_ = 0;  // of keys
};

}  // namespace

FnRef parse_cached(std::string_view text, const CaptureTypes& captures) {
  // Never destroyed: finalizers of other languages may still call at exit.
  static Cache& cache = *new Cache;
  if (captures.empty()) {
    if (FnRef known = cache.find(text)) return known;
    FnRef f = parse(text);
    cache.keep(std::string(text), f);
    return f;
  }
  std::string key = key_of(text, captures);
  if (FnRef known = cache.find(key)) return known;
  FnRef f = parse(text, captures);
  cache.keep(std::move(key), f);
  return f;
}

}  // namespace wf
