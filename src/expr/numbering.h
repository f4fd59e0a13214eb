// Numbers distinct keys in the order of their addition. Up to 32 keys are searched linearly, more through an index.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace wf {

template <class Key> class Numbering {
 public:
  // The key's number, and true if the key is new.
  std::pair<uint32_t, bool> add(const Key& key) {
    const auto next = uint32_t(keys_.size());
    if (next < few) {
      for (uint32_t k = 0; k < next; k++)
        if (keys_[k] == key) return {k, false};
    } else {
      if (index_.empty())
        for (uint32_t k = 0; k < next; k++) index_.emplace(keys_[k], k);
      const auto [known, is_new] = index_.try_emplace(key, next);
      if (!is_new) return {known->second, false};
    }
    keys_.push_back(key);
    return {next, true};
  }

  size_t size() const { return keys_.size(); }
  const Key& operator[](size_t k) const { return keys_[k]; }
  const Key& back() const { return keys_.back(); }
  const std::vector<Key>& all() const { return keys_; }

 private:
  static constexpr uint32_t few = 32;
  std::vector<Key> keys_;
  std::unordered_map<Key, uint32_t> index_;  // empty while there are few
};

}  // namespace wf
