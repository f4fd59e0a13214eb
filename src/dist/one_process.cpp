#include <cstring>

#include "dist/communicator.h"

namespace wf {
namespace {

class OneProcess : public Communicator {
 public:
  explicit OneProcess(int parts) : parts_(parts) {}
  int parts() const override { return parts_; }
  bool is_local(int) const override { return true; }
  std::span<const int> processes() const override { return {&first_, 1}; }
  void all_gather(std::byte*, size_t) override {}
  void exchange(std::span<const Message> messages) override {
    for (const Message& m : messages) std::memcpy(m.target, m.source, m.bytes);
  }
  void agree(std::exception_ptr error) override {
    if (error) std::rethrow_exception(error);
  }

 private:
  const int parts_, first_ = 0;
};

}  // namespace

std::shared_ptr<Communicator> parts_of_one_process(int parts) { return std::make_shared<OneProcess>(parts); }

}  // namespace wf
