// Large blocks: runs of huge pages (2 MiB) from the system. A run that is released stays mapped, so that whoever gets it next
// pays no page fault; runs are cut to size when they are taken and joined with their neighbours when they come back.
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

  // A run out of the cache, null where no cached run is large enough. Best fit.
  std::byte* take(size_t size) noexcept;
  // A run from the system, null where it has none.
  static std::byte* map(size_t size) noexcept;
  static void unmap(std::byte* run, size_t size) noexcept;
  // The pages go to the cache.
  void put(std::byte* run, size_t size) noexcept;
  // All of the cache goes back to the system; its size.
  size_t trim() noexcept;
  size_t cached() const { return cached_; }

 private:
  std::map<std::byte*, size_t> runs_;  // by address; no two touch
  size_t cached_ = 0;
};

}  // namespace wf
