#include "dist/communicator.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace wf {

int Communicator::rank() const {
  const std::span<const int> all = processes();
  return int(std::ranges::find_if(all, [&](int part) { return is_local(part); }) - all.begin());
}

// Each part receives from all others, in as many rounds as the binary logarithm of their number.
void Communicator::count_gathers(int times, size_t bytes) {
  count(times * std::bit_width(unsigned(parts() - 1)), int64_t(bytes) * (parts() - 1));
}

void Communicator::all_gather(std::byte* all, size_t bytes) {
  if (bytes == 0) return;
  if (bytes <= most_within_status) count_gathers(1, status_bytes);
  else count_gathers(2, status_bytes + bytes);
  gather_bytes(all, bytes);
}

void Communicator::agree() {
  count_gathers(1, status_bytes);
  compare();
}

void Communicator::exchange(std::span<const Message> messages) {
  count_gathers(1, status_bytes);
  std::vector<Exchanged> sent(static_cast<size_t>(parts())), received(sent);
  const auto add = [](Exchanged& of, const Message& m) { of.messages++, of.bytes += int64_t(m.bytes); };
  for (const Message& m : messages)
    if (m.from != m.to) add(sent[size_t(m.from)], m), add(received[size_t(m.to)], m);
  Exchanged most;
  for (const auto& of_parts : {sent, received})
    for (const Exchanged& e : of_parts) most = {std::max(most.messages, e.messages), std::max(most.bytes, e.bytes)};
  count(most.messages, most.bytes);
  copy(messages);
}

namespace {

class OneProcess : public Communicator {
 public:
  explicit OneProcess(int parts) : parts_(parts) {}
  int parts() const override { return parts_; }
  bool is_local(int) const override { return true; }
  std::span<const int> processes() const override { return {&first_, 1}; }

 protected:
  void gather_bytes(std::byte*, size_t) override {}
  void copy(std::span<const Message> messages) override {
    for (const Message& m : messages) std::memcpy(m.target, m.source, m.bytes);
  }

 private:
  const int parts_, first_ = 0;
};

}  // namespace

std::shared_ptr<Communicator> parts_of_one_process(int parts) { return std::make_shared<OneProcess>(parts); }

}  // namespace wf
