// Names in scope, innermost last. Up to 32 names are searched linearly, more through an index.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "expr/fn.h"

namespace wf {

struct Sequence;

struct Binding {
  std::string_view name;
  Id id;
  uint32_t level;  // the number of loop bodies around it
  bool is_used = false;
  const Sequence* sequence = nullptr;  // instead of the id
};

class Scope {
 public:
  size_t size() const { return bindings_.size(); }

  void bind(std::string_view name, Id id, uint32_t level) { bind({.name = name, .id = id, .level = level}); }
  void bind(const Binding& binding) {
    bindings_.push_back(binding);
    if (!index_.empty()) index_[binding.name].push_back(size() - 1);
    else if (size() > few)
      for (size_t k = 0; k < size(); k++) index_[bindings_[k].name].push_back(k);
  }

  void leave(size_t to_size) {
    for (; size() > to_size; bindings_.pop_back())
      if (!index_.empty()) index_[bindings_.back().name].pop_back();
  }

  std::span<const Binding> from(size_t first) const { return std::span(bindings_).subspan(first); }

  Binding* find(std::string_view name) {
    if (index_.empty()) {
      for (size_t k = size(); k-- > 0;)
        if (bindings_[k].name == name) return &bindings_[k];
      return nullptr;
    }
    const auto found = index_.find(name);
    if (found == index_.end() || found->second.empty()) return nullptr;
    return &bindings_[found->second.back()];
  }

 private:
  static constexpr size_t few = 32;
  std::vector<Binding> bindings_;
  std::unordered_map<std::string_view, std::vector<size_t>> index_;  // empty while there are few
};

}  // namespace wf
