// Processes of an MPI job. Each exchange begins with a status of each process: its error, its task, and data of a few bytes.
//
// No call blocks in MPI: waiting tests for the end, so that a process that never answers is an error. A process that waits for long tells the others,
// which then know who is missing. After such an error every exchange fails, and MPI is not finalized, since that would wait, too.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <numeric>
#include <thread>
#include <vector>

#include "dist/communicator.h"
#include "dist/mpi/plugin.h"
#include "engine/cancellation.h"
#include "engine/engine.h"
#include "engine/io_error.h"
#include "engine/plugin.h"
#include "engine/variables.h"
#include "expr/fn.h"
#include "lazy/node.h"

namespace wf {
namespace {

template <class E> struct Agreed : E, AgreedError { using E::E; };

// A class of errors, to which the text belongs.
struct ErrorKind {
  bool (*contains)(const std::exception& e);
  void (*raise)(const std::string& text);
};
template <class E, class Raised = E>
constexpr ErrorKind kind_of_errors = {[](const std::exception& e) {
                                        if constexpr (std::is_same_v<E, std::exception>) return static_cast<void>(e), true;
                                        else return dynamic_cast<const E*>(&e) != nullptr;
                                      },
                                      [](const std::string& text) {
                                        if constexpr (std::is_constructible_v<Raised, std::string>) throw Agreed<Raised>(text);
                                        else throw Agreed<Raised>();
                                      }};
constexpr ErrorKind kinds[] = {kind_of_errors<RangeError>,
                               kind_of_errors<Canceled>,
                               kind_of_errors<MemoryError>,
                               kind_of_errors<std::bad_alloc, MemoryError>,
                               kind_of_errors<UnsupportedError>,
                               kind_of_errors<DeviceError>,
                               kind_of_errors<CompileError>,
                               kind_of_errors<IoError>,
                               kind_of_errors<ArgumentError>,
                               kind_of_errors<TypeError>,
                               kind_of_errors<SizeError>,
                               kind_of_errors<IndexError>,
                               kind_of_errors<std::exception, std::runtime_error>};
constexpr int first_of_rank = 2;  // the kinds from here on name the rank

constexpr int no_error = -1, index_fault = -2, has_ended = -3;

// What this thread does.
constinit thread_local const Task* current_task = nullptr;

class Processes : public Communicator {
 public:
  static Processes& open();

  int parts() const override { return int(first_parts_.size()); }
  bool is_local(int part) const override { return part == rank_; }
  std::span<const int> processes() const override { return first_parts_; }

  void together(const Task& task, const std::function<void()>& work) override {
    require_whole();
    struct Restored {
      const Task* const before;
      ~Restored() { current_task = before; }
    } restored{std::exchange(current_task, &task)};
    try {
      work();
    } catch (const AgreedError&) { throw; } catch (const std::exception& e) {
      report(e);
    }
  }

 protected:
  void gather_bytes(std::byte* all, size_t bytes) override {
    std::lock_guard lock(mutex_);
    Status mine;
    std::byte* const own = all + size_t(rank_) * bytes;
    const bool fits = bytes <= sizeof mine.data;
    if (fits) std::memcpy(mine.data, own, bytes);
    meet(mine, "", bytes);
    if (fits) {
      for (size_t r = 0; r < statuses_.size(); r++) std::memcpy(all + r * bytes, statuses_[r].data, bytes);
    } else {
      const std::vector<std::byte>& known = gathered(own, bytes);
      std::ranges::copy(known, all);
    }
  }

  void copy(std::span<const Message> messages) override {
    std::lock_guard lock(mutex_);
    meet({}, "", ~size_t(0));
    for (const Message& m : messages)
      if (m.target && m.from != m.to) check(mpi_.receive(m.from, m.target, m.bytes));
    for (const Message& m : messages) {
      if (m.from == m.to && m.source) std::memcpy(m.target, m.source, m.bytes);
      else if (m.source) check(mpi_.send(m.to, m.source, m.bytes));
    }
    wait();
  }

  void compare() override {
    std::lock_guard lock(mutex_);
    meet({});
  }

 private:
  struct Status {
    uint64_t task = 0;
    int64_t index = 0, at = 0, length = 0;  // of an index fault
    int32_t error = no_error;
    std::byte data[most_within_status] = {};
  };
  static_assert(sizeof(Status) == status_bytes);
  using Text = std::array<char, 1000>;

  Processes(const wf_mpi& mpi, int rank, int ranks, bool is_owner)
      : mpi_(mpi), rank_(rank), is_owner_(is_owner), first_parts_(size_t(ranks)), statuses_(size_t(ranks)) {
    std::iota(first_parts_.begin(), first_parts_.end(), 0);
  }

  void require_whole() {
    std::lock_guard lock(mutex_);
    if (!broken_.empty()) throw Agreed<DeviceError>(broken_);
  }

  // Throws the error of any process, the same on all. exchange: a number of what follows.
  void meet(const Status& status, const std::string& error = "", size_t exchange = 0) {
    require_whole();
    mine_ = status;
    mine_.task = (current_task ? current_task->hash : 0) ^ exchange;
    check(mpi_.all_gather(&mine_, statuses_.data(), sizeof mine_));
    wait();
    const auto is_fine = [&](const Status& s) { return s.error == no_error && s.task == mine_.task; };
    if (!std::ranges::all_of(statuses_, is_fine)) raise(error);
  }

  const std::vector<std::byte>& gathered(const void* mine, size_t bytes) {
    gathered_.resize(bytes * statuses_.size());
    sent_.resize(bytes);
    std::memcpy(sent_.data(), mine, bytes);
    check(mpi_.all_gather(sent_.data(), gathered_.data(), int(bytes)));
    wait();
    return gathered_;
  }

  void report(const std::exception& e) {
    std::lock_guard lock(mutex_);
    Status mine;
    if (const auto* fault = dynamic_cast<const IndexFault*>(&e)) {
      mine.error = index_fault;
      mine.index = fault->index, mine.at = fault->at, mine.length = fault->length;
    } else {
      mine.error = int32_t(std::ranges::find_if(kinds, [&](const ErrorKind& kind) { return kind.contains(e); }) - kinds);
    }
    meet(mine, e.what());
  }

  [[noreturn]] void raise(const std::string& error) {
    Text text{};
    const std::string own = !error.empty() ? error : current_task ? current_task->text() : "nothing";
    own.copy(text.data(), text.size() - 1);
    const std::vector<std::byte>& texts = gathered(text.data(), text.size());
    const auto text_of = [&](size_t rank) { return std::string(reinterpret_cast<const char*>(&texts[rank * text.size()])); };

    const Status* first = nullptr;  // of those with an error
    for (const Status& s : statuses_) {
      const auto urgency = [](const Status& x) { return std::pair(x.error == has_ended ? 0 : x.error == index_fault ? 1 : 2, x.at); };
      if (s.error != no_error && (!first || urgency(s) < urgency(*first))) first = &s;
    }
    if (!first) raise_divergence(text_of);
    const size_t rank = size_t(first - statuses_.data());
    if (first->error == has_ended) {
      broken_ = "rank " + std::to_string(rank) + " has ended its program; expected the same program on all ranks";
      throw Agreed<DeviceError>(broken_);
    }
    if (first->error == index_fault) throw Agreed<IndexFault>(text_of(rank), first->index, first->at, first->length);
    kinds[first->error].raise((first->error < first_of_rank ? "" : "rank " + std::to_string(rank) + ": ") + text_of(rank));
    std::abort();  // not reached
  }

  // The ranks that do something else than most do.
  template <class F> [[noreturn]] void raise_divergence(const F& text_of) {
    const auto with_same_task = [&](const Status& s) { return std::ranges::count(statuses_, s.task, &Status::task); };
    const auto usual = std::ranges::max_element(statuses_, {}, with_same_task);
    const auto other = std::ranges::find_if(statuses_, [&](const Status& s) { return s.task != usual->task; });
    const auto rank = size_t(other - statuses_.begin()), rank_of_usual = size_t(usual - statuses_.begin());
    throw Agreed<ArgumentError>("rank " + std::to_string(rank) + " forces another program: " + text_of(rank) + "; rank " +
                                std::to_string(rank_of_usual) + " forces " + text_of(rank_of_usual) + "; expected the same on all ranks");
  }

  void wait() {
    using Clock = std::chrono::steady_clock;
    constexpr int tests_at_once = 100;
    constexpr double worth_sleeping = 0.01;
    exchange_++;
    const auto start = Clock::now();
    bool has_announced = false;
    for (int64_t tests = 0;; tests++) {
      int is_done = 0;
      check(mpi_.test(&is_done));
      if (is_done) return;
      if (tests < tests_at_once) continue;
      const double waited = std::chrono::duration<double>(Clock::now() - start).count();
      if (waited < worth_sleeping) std::this_thread::yield();
      else std::this_thread::sleep_for(std::chrono::microseconds(50));
      if (timeout_ == 0) continue;
      if (!has_announced && waited > std::min(1.0, timeout_ / 4)) mpi_.announce(exchange_), has_announced = true;
      if (waited > timeout_) stop_waiting();
    }
  }

  [[noreturn]] void stop_waiting() {
    std::string missing;
    int count = 0;
    for (int rank = 0; rank < parts(); rank++)
      if (rank != rank_ && mpi_.announced(rank) < exchange_) missing += (count++ ? ", " : "") + std::to_string(rank);
    const std::string who = count == 0 ? "the exchange of all ranks" : (count > 1 ? "ranks " : "rank ") + missing;
    fail(who + (count > 1 ? " have" : " has") + " not answered for " + std::to_string(int64_t(timeout_)) + " s (WARPFOLD_TIMEOUT)");
  }

  void check(int code) {
    if (code == 0) return;
    char text[WF_MPI_TEXT];
    mpi_.describe(code, text);
    fail(std::string("MPI has failed: ") + text);
  }

  [[noreturn]] void fail(const std::string& text) {
    broken_ = text + "; sequences of this context can only be released";
    is_owner_ = false;  // finalizing would wait for the ranks that are missing
    throw Agreed<DeviceError>(broken_);
  }

  // At the end of the program. Other ranks that exchange learn it; then MPI waits until they have ended, too.
  void end() noexcept {
    if (getpid() != process_) return;
    const std::lock_guard lock(mutex_);
    if (!is_owner_) return;
    try {
      Status mine;
      mine.error = has_ended;
      current_task = nullptr;
      if (parts() > 1) meet(mine, "has ended");
    } catch (const std::exception&) {}
    if (is_owner_) mpi_.close();
    broken_ = "the program ends";
    is_owner_ = false;
  }

  const wf_mpi& mpi_;
  const int rank_;
  bool is_owner_;  // finalizes MPI
  const pid_t process_ = getpid();
  std::vector<int> first_parts_;
  const double timeout_ = double(environment_number(Variable::WARPFOLD_TIMEOUT).value_or(300));
  std::recursive_mutex mutex_;
  std::string broken_;    // the error of every exchange
  int64_t exchange_ = 0;  // the number of exchanges
  // Memory that MPI may still use after a failure.
  Status mine_;
  std::vector<Status> statuses_;
  std::vector<std::byte> gathered_, sent_;
};

// Never destroyed: MPI is initialized once per process.
Processes& Processes::open() {
  static const wf_mpi& mpi = *static_cast<const wf_mpi*>(open_plugin(path_next_to_library("libwarpfold_mpi.so"), "warpfold_mpi"));
  if (mpi.version != WF_MPI_VERSION) throw UnsupportedError("the plugin libwarpfold_mpi.so has another version than this library");
  static Processes& opened = [&]() -> Processes& {
    int rank = 0, ranks = 1, is_owner = 0;
    if (const int code = mpi.open(&rank, &ranks, &is_owner)) {
      char text[WF_MPI_TEXT];
      mpi.describe(code, text);
      throw DeviceError(std::string("MPI cannot be initialized: ") + text);
    }
    return *new Processes(mpi, rank, ranks, is_owner != 0);
  }();
  static const int registered = std::atexit([] { open().end(); });
  static_cast<void>(registered);
  return opened;
}

}  // namespace

std::shared_ptr<Communicator> parts_of_mpi() {
  Processes& all = Processes::open();
  if (all.parts() == 1) return nullptr;
  return {&all, [](Processes*) {}};
}

}  // namespace wf
