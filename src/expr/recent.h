// A bounded table of recent results, found by hash and then by key. Any thread, unless the mutex is NoMutex.
//
// Eviction is by the clock algorithm: a hand goes round the entries and evicts the first that was not used since its last pass. Entries
// in use are kept, and each call takes amortized constant time.
#pragma once

#include <bit>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "expr/mutex.h"

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

// Of a table that one thread uses.
struct NoMutex {
  void lock() {}
  void unlock() {}
};

template <class Key, class Value, class Lock = Mutex> class Recent {
 public:
  explicit Recent(size_t most) : most_(most), first_(std::bit_ceil(most), none) {}

  // The value of the key that equals `key`, which may be of another type than Key.
  template <class Like> std::optional<Value> find(uint64_t hash, const Like& key) {
    const std::lock_guard<Lock> lock(mutex_);
    if (const Value* value = look(hash, key)) return *value;
    return std::nullopt;
  }

  // The same in place, until the table changes, or null. Of a table that one thread uses.
  template <class Like> const Value* look(uint64_t hash, const Like& key) {
    const uint32_t place = place_of(hash, key);
    if (place == none) return nullptr;
    entries_[place].used = true;
    return &entries_[place].value;
  }

  // Stores the value of this key.
  void keep(uint64_t hash, Key key, Value value) {
    std::optional<Entry> dropped;  // destroyed after the lock is released
    const std::lock_guard<Lock> lock(mutex_);
    uint32_t place = place_of(hash, key);
    if (place != none) {
      Entry& known = entries_[place];
      dropped = std::exchange(known, Entry{hash, known.next, true, std::move(key), std::move(value)});
      return;
    }
    Entry entry{hash, first(hash), false, std::move(key), std::move(value)};
    place = uint32_t(entries_.size());
    if (place < most_) {
      entries_.push_back(std::move(entry));
    } else {
      for (; entries_[hand_].used; hand_ = (hand_ + 1) % most_) entries_[hand_].used = false;
      place = uint32_t(std::exchange(hand_, (hand_ + 1) % most_));
      unlink(place);
      entry.next = first(hash);
      dropped = std::exchange(entries_[place], std::move(entry));
    }
    first(hash) = place;
  }

 private:
  struct Entry {
    uint64_t hash;
    uint32_t next;  // the next entry of the same chain
    bool used;
    Key key;
    Value value;
  };
  static constexpr uint32_t none = ~uint32_t(0);

  // The first entry of the chain of this hash: entries whose hashes have the same last bits.
  uint32_t& first(uint64_t hash) { return first_[hash & (first_.size() - 1)]; }

  template <class Like> uint32_t place_of(uint64_t hash, const Like& key) {
    uint32_t place = first(hash);
    while (place != none && !(entries_[place].hash == hash && entries_[place].key == key)) place = entries_[place].next;
    return place;
  }
  void unlink(uint32_t place) {
    uint32_t* at = &first(entries_[place].hash);
    while (*at != place) at = &entries_[*at].next;
    *at = entries_[place].next;
  }

  const size_t most_;
  Lock mutex_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> first_;
  size_t hand_ = 0;
};

}  // namespace wf
