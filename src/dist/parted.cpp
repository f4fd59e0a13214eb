#include "dist/parted.h"

#include <algorithm>
#include <cstring>

#include "engine/variables.h"

namespace wf {
namespace {

// The intervals of `wanted` between those of `present`.
std::vector<Interval> missing(const std::vector<Interval>& present, const Interval& wanted) {
  std::vector<Interval> gaps;
  int64_t begin = wanted.begin;
  for (const Interval& p : present) {
    if (const Interval gap{begin, std::min(p.begin, wanted.end)}; !gap.is_empty()) gaps.push_back(gap);
    begin = std::max(begin, p.end);
  }
  if (const Interval gap{begin, wanted.end}; !gap.is_empty()) gaps.push_back(gap);
  return gaps;
}

// Adds an interval, and joins it with those that it touches.
void add(std::vector<Interval>& present, Interval added) {
  const auto touches = [&](const Interval& p) { return p.begin <= added.end && added.begin <= p.end; };
  for (const Interval& p : present)
    if (touches(p)) added = {std::min(added.begin, p.begin), std::max(added.end, p.end)};
  std::erase_if(present, touches);
  present.insert(std::ranges::upper_bound(present, added.begin, {}, &Interval::begin), added);
}

}  // namespace

Parted::Parted(std::shared_ptr<Communicator> communicator, const std::shared_ptr<Pool>& pool, std::vector<int64_t> borders, size_t size)
    : communicator_(std::move(communicator)), borders_(std::move(borders)), size_(size) {
  const bool marks_unknown = environment_has(Variable::WARPFOLD_VERIFY, "1");
  for (int part = 0; part < communicator_->parts(); part++) {
    present_.emplace_back();
    if (const Interval own{borders_[size_t(part)], borders_[size_t(part) + 1]}; !own.is_empty()) present_.back().push_back(own);
    memory_.push_back(communicator_->is_local(part) ? Buffer::make(pool, size_t(borders_.back()) * size) : nullptr);
    // Elements that a kernel reads and that nobody has copied are seen as such.
    if (marks_unknown && memory_.back()) std::memset(memory_.back()->host_for_writing(), 0xa5, memory_.back()->bytes());
  }
}

std::byte* Parted::address(int part, int64_t element) const {
  const BufferRef& memory = memory_[size_t(part)];
  return memory ? memory->host_for_writing() + size_t(element) * size_ : nullptr;
}

void Parted::append(std::vector<Message>& messages, const Interval& elements, int to, std::byte* target) const {
  if (elements.is_empty()) return;
  const auto first = std::ranges::upper_bound(borders_, elements.begin) - borders_.begin() - 1;
  for (int from = int(first); borders_[size_t(from)] < elements.end; from++) {
    if (!communicator_->is_local(to) && !communicator_->is_local(from)) continue;
    const Interval some{std::max(elements.begin, borders_[size_t(from)]), std::min(elements.end, borders_[size_t(from) + 1])};
    if (some.is_empty()) continue;
    messages.push_back({from, to, address(from, some.begin), target ? target + size_t(some.begin) * size_ : nullptr,
                        size_t(some.end - some.begin) * size_});
  }
}

void Parted::provide(std::span<const Interval> intervals) const {
  std::lock_guard lock(mutex_);
  std::vector<Message> messages;
  bool is_complete = true;
  for (int part = 0; part < communicator_->parts(); part++)
    for (const Interval& gap : missing(present_[size_t(part)], intervals[size_t(part)])) {
      is_complete = false;
      append(messages, gap, part, address(part, 0));
    }
  if (is_complete) return;
  communicator_->exchange(messages);  // also by a process whose parts neither send nor receive
  for (size_t part = 0; part < intervals.size(); part++)
    if (!intervals[part].is_empty()) add(present_[part], intervals[part]);
}

void Parted::collect(const std::function<std::byte*()>& memory) const {
  const Task task{uint64_t(borders_.back()) * 8 + size_,
                  [&] { return "all " + std::to_string(borders_.back()) + " elements of a sequence"; }};
  communicator_->together(task, [&] {
    std::byte* const host = memory();
    std::vector<Message> messages;
    for (int first : communicator_->processes())
      append(messages, {0, borders_.back()}, first, communicator_->is_local(first) ? host : nullptr);
    communicator_->exchange(messages);
  });
}

// Long parts begin at multiples of a tile, so that vectors are stored as in a whole domain.
std::vector<int64_t> even_borders(int64_t n, int parts) {
  constexpr int64_t tile = 64, worth_rounding = 1 << 14;
  const int64_t unit = n / parts < worth_rounding ? 1 : tile;
  std::vector<int64_t> borders;
  for (int64_t p = 0; p < parts; p++) borders.push_back((n / parts * p + n % parts * p / parts) / unit * unit);
  borders.push_back(n);
  return borders;
}

}  // namespace wf
