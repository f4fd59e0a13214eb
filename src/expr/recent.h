// A bounded table of what was made lately, found by hash and then by comparison. Any thread.
//
// When the table is full, a hand goes round the entries and drops the first that was not used since it passed last (the clock
// algorithm): what is in use stays, and each call takes constant time.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace wf {

inline uint64_t mix(uint64_t h, uint64_t x) {
  const auto product = static_cast<unsigned __int128>(h ^ 0x9e3779b97f4a7c15ull) * (x ^ 0xd1342543de82ef95ull);
  return uint64_t(product) ^ uint64_t(product >> 64);
}

// A hash of several numbers, one after another.
struct Hash {
  uint64_t value = 0;
  void operator()(uint64_t x) { value = mix(value, x); }
  template <class T>
  void operator()(const std::vector<T>& all) {
    (*this)(all.size());
    for (const T& x : all) (*this)(uint64_t(x));
  }
};

template <class Value>
class Recent {
 public:
  explicit Recent(size_t most) : most_(most) { entries_.reserve(most); }

  // The value kept with this hash for which is_it(value) holds.
  template <class IsIt>
  std::optional<Value> find(uint64_t hash, IsIt&& is_it) {
    std::lock_guard lock(mutex_);
    auto [at, end] = by_hash_.equal_range(hash);
    for (; at != end; ++at) {
      Entry& entry = entries_[at->second];
      if (!is_it(entry.value)) continue;
      entry.used = true;
      return entry.value;
    }
    return std::nullopt;
  }

  void keep(uint64_t hash, Value value) {
    std::optional<Entry> dropped;  // destroyed outside the lock
    std::lock_guard lock(mutex_);
    size_t place = entries_.size();
    if (place < most_) {
      entries_.push_back({hash, true, std::move(value)});
    } else {
      for (; entries_[hand_].used; hand_ = (hand_ + 1) % most_) entries_[hand_].used = false;
      place = std::exchange(hand_, (hand_ + 1) % most_);
      forget(place);
      dropped = std::exchange(entries_[place], Entry{hash, true, std::move(value)});
    }
    by_hash_.emplace(hash, uint32_t(place));
  }

  // Puts `value` in place of the one for which is_it holds, or beside all others.
  template <class IsIt>
  void replace(uint64_t hash, IsIt&& is_it, Value value) {
    {
      std::lock_guard lock(mutex_);
      auto [at, end] = by_hash_.equal_range(hash);
      for (; at != end; ++at)
        if (is_it(entries_[at->second].value)) return std::swap(entries_[at->second].value, value);
    }
    keep(hash, std::move(value));
  }

 private:
  struct Entry {
    uint64_t hash;
    bool used;
    Value value;
  };

  void forget(size_t place) {
    auto [at, end] = by_hash_.equal_range(entries_[place].hash);
    while (at != end && at->second != place) ++at;
    if (at != end) by_hash_.erase(at);
  }

  const size_t most_;
  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::unordered_multimap<uint64_t, uint32_t> by_hash_;
  size_t hand_ = 0;
};

}  // namespace wf
