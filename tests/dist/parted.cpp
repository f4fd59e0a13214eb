// A column in parts: which elements a part receives, and what is collected.
#include "dist/parted.h"

#include <cstring>
#include <numeric>

#include "check.h"

namespace wf {
namespace {

// All parts in this process, and a record of the messages.
class Recorded : public Communicator {
 public:
  explicit Recorded(int parts) : one_(parts_of_one_process(parts)) {}
  int parts() const override { return one_->parts(); }
  bool is_local(int part) const override { return one_->is_local(part); }
  std::span<const int> processes() const override { return one_->processes(); }
  void gather_bytes(std::byte* all, size_t bytes) override { one_->all_gather(all, bytes); }
  void copy(std::span<const Message> messages) override {
    for (const Message& m : messages) sent += std::to_string(m.from) + ">" + std::to_string(m.to) + ":" + std::to_string(m.bytes) + " ";
    one_->exchange(messages);
  }
  std::string taken() { return std::exchange(sent, {}); }

 private:
  const std::shared_ptr<Communicator> one_;
  std::string sent;
};

// Element i is i + 1000.
struct Column {
  Column(std::vector<int64_t> borders)
      : communicator(std::make_shared<Recorded>(int(borders.size()) - 1)), parted(communicator, std::make_shared<Pool>(), borders, 4) {
    for (size_t part = 0; part + 1 < borders.size(); part++)
      std::iota(at(int(part)) + borders[part], at(int(part)) + borders[part + 1], 1000 + int32_t(borders[part]));
  }
  int32_t* at(int part) const { return reinterpret_cast<int32_t*>(parted.memory(part)->host_for_writing()); }
  std::shared_ptr<Recorded> communicator;
  Parted parted;
};

TEST(a_part_receives_what_it_lacks) {
  const Column c({0, 4, 4, 9, 12});
  c.parted.provide(std::vector<Interval>{{0, 5}, {}, {3, 10}, {8, 12}});
  CHECK_EQ(c.communicator->taken(), "2>0:4 0>2:4 3>2:4 2>3:4 ");
  CHECK_EQ(c.at(0)[4], 1004);
  CHECK_EQ(c.at(2)[3], 1003);
  CHECK_EQ(c.at(2)[9], 1009);
  CHECK_EQ(c.at(3)[8], 1008);
  c.parted.provide(std::vector<Interval>{{0, 5}, {}, {3, 10}, {7, 12}});
  CHECK_EQ(c.communicator->taken(), "2>3:4 ");
  c.parted.provide(std::vector<Interval>{{11, 12}, {2, 11}, {}, {}});  // far away; of several parts
  CHECK_EQ(c.communicator->taken(), "3>0:4 0>1:8 2>1:20 3>1:8 ");
  c.parted.provide(std::vector<Interval>{{0, 12}, {}, {}, {}});
  CHECK_EQ(c.communicator->taken(), "2>0:16 3>0:8 ");
  for (int i = 0; i < 12; i++) CHECK_EQ(c.at(0)[i], 1000 + i);
}

TEST(collected_elements_are_in_order) {
  for (const std::vector<int64_t>& borders : {std::vector<int64_t>{0, 0, 0}, {0, 1, 1}, {0, 5, 5, 6}, {0, 0, 7, 20}}) {
    auto c = std::make_shared<Column>(borders);
    const auto n = size_t(borders.back());
    const BufferRef whole = Buffer::collected_from(std::make_shared<Pool>(), n * 4, {c, &c->parted});
    CHECK(whole->elsewhere() != nullptr || n == 0);
    const auto* elements = reinterpret_cast<const int32_t*>(whole->host());
    for (size_t i = 0; i < n; i++) CHECK_EQ(elements[i], 1000 + int32_t(i));
    CHECK(whole->elsewhere() == nullptr);
  }
}

TEST(a_collected_buffer_may_be_written) {
  auto c = std::make_shared<Column>(std::vector<int64_t>{0, 2, 3});
  const BufferRef whole = Buffer::collected_from(std::make_shared<Pool>(), 12, {c, &c->parted});
  CHECK_EQ(reinterpret_cast<int32_t*>(whole->host_for_writing())[2], 1002);
}

TEST(even_borders_cover_all) {
  for (int64_t n : {int64_t(0), int64_t(1), int64_t(6), int64_t(100), int64_t(1) << 20, (int64_t(1) << 60) + 5})
    for (int parts : {1, 3, 7, 1024}) {
      const std::vector<int64_t> borders = even_borders(n, parts);
      CHECK_EQ(borders.size(), size_t(parts) + 1);
      CHECK(borders.front() == 0 && borders.back() == n);
      for (size_t p = 0; p < size_t(parts); p++) CHECK(borders[p + 1] >= borders[p] && borders[p + 1] - borders[p] <= n / parts + 128);
    }
}

}  // namespace
}  // namespace wf
