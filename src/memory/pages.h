// Large blocks: runs of huge pages (2 MiB) from the system. A released run stays mapped, so that its next user pays no page
// fault. Runs are split to size when allocated and merged with adjacent runs when released.
#pragma once

#include <cstddef>
#include <map>

namespace wf {

class Pages {
 public:
  static constexpr size_t page = size_t(2) << 20;
  static constexpr size_t round_up(size_t bytes) { return (bytes + page - 1) / page * page; }

  Pages() = default;
  ~Pages() { trim(); }
  Pages(const Pages&) = delete;

  // The following take sizes that are multiples of `page`.

  // A run from the cache, null if no cached run is large enough. Best fit.
  std::byte* take(size_t size) noexcept;
  // A run from the system, null if it has none.
  static std::byte* map(size_t size) noexcept;
  static void unmap(std::byte* run, size_t size) noexcept;
  // Adds the pages to the cache.
  void put(std::byte* run, size_t size) noexcept;
  // Unmaps the whole cache and returns its size.
  size_t trim() noexcept;
  size_t cached() const { return cached_; }

 private:
  std::map<std::byte*, size_t> runs_;  // by address; no two touch
  size_t cached_ = 0;
};

}  // namespace wf
