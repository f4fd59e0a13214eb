// A bounded table of recent results, found by hash and then by key. Any thread.
//
// Eviction is by the clock algorithm: a hand goes round the entries and evicts the first that was not used since its last pass. Entries
// in use are kept, and each call takes amortized constant time.
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
  template <class T> void operator()(const std::vector<T>& all) {
    (*this)(all.size());
    for (const T& x : all) (*this)(uint64_t(x));
  }
};

template <class Key, class Value> class Recent {
 public:
  explicit Recent(size_t most) : most_(most) {}

  // The value of the key that equals `key`, which may be of another type than Key.
  template <class Like> std::optional<Value> find(uint64_t hash, const Like& key) {
    std::lock_guard lock(mutex_);
    const size_t place = place_of(hash, key);
    if (place == none) return std::nullopt;
    entries_[place].used = true;
    return entries_[place].value;
  }

  // Stores the value of this key.
  void keep(uint64_t hash, Key key, Value value) {
    std::optional<Entry> dropped;  // destroyed after the lock is released
    std::lock_guard lock(mutex_);
    size_t place = place_of(hash, key);
    Entry entry{hash, true, std::move(key), std::move(value)};
    if (place != none) {
      dropped = std::exchange(entries_[place], std::move(entry));
      return;
    }
    place = entries_.size();
    if (place < most_) {
      entries_.push_back(std::move(entry));
    } else {
      for (; entries_[hand_].used; hand_ = (hand_ + 1) % most_) entries_[hand_].used = false;
      place = std::exchange(hand_, (hand_ + 1) % most_);
      forget(place);
      dropped = std::exchange(entries_[place], std::move(entry));
    }
    by_hash_.emplace(hash, uint32_t(place));
  }

 private:
  struct Entry {
    uint64_t hash;
    bool used;
    Key key;
    Value value;
  };
  static constexpr size_t none = ~size_t(0);

  template <class Like> size_t place_of(uint64_t hash, const Like& key) const {
    auto [at, end] = by_hash_.equal_range(hash);
    while (at != end && !(entries_[at->second].key == key)) ++at;
    return at == end ? none : at->second;
  }
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
