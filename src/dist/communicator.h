// The parts of a context, which are numbered from 0, and the exchanges between the processes that compute them.
//
// A context in parts splits its work: each part computes a range of every kernel's domain. Each process computes some parts, and all processes run
// the same program, so they call these functions in the same order. All of them know which part has which elements.
//
// An error of one process is an error of all. Processes tell each other of their errors, and of their tasks, at every exchange. So a process that
// fails between two exchanges reports it where the others exchange next, and ranks that run different programs learn it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace wf {

// Bytes to copy from the memory of one part to that of another. An address is null if this process does not compute the part.
struct Message {
  int from, to;
  const std::byte* source;
  std::byte* target;
  size_t bytes;
};

// An upper bound of what one part sends or receives.
struct Exchanged {
  int64_t messages = 0, bytes = 0;
};

// What all processes do, for comparison: numbers that are the same in all of them, and a text for people.
struct Task {
  uint64_t hash;
  std::function<std::string()> text;
};

// An error that all processes throw, one of another class (E : AgreedError).
struct AgreedError {};

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int parts() const = 0;
  // Returns true if this process computes the part.
  virtual bool is_local(int part) const = 0;
  // The first part of each process.
  virtual std::span<const int> processes() const = 0;
  // The number of this process.
  int rank() const;

  // all: `bytes` bytes of each part, of which those of the parts of this process are known. Fills in the others.
  void all_gather(std::byte* all, size_t bytes);
  void exchange(std::span<const Message> messages);
  // Throws the error of a process that has one.
  void agree();
  // Runs work(). If that fails on some processes, all throw the same error: an IndexFault of the lowest index, or the error of the lowest rank.
  virtual void together(const Task&, const std::function<void()>& work) { work(); }

  // The sum of all exchanges.
  Exchanged exchanged() const { return {messages_.load(), bytes_.load()}; }

 protected:
  // What processes tell each other at every exchange, which has space for some data.
  static constexpr size_t status_bytes = 128, most_within_status = 88;

  virtual void gather_bytes(std::byte* all, size_t bytes) = 0;
  virtual void copy(std::span<const Message> messages) = 0;
  virtual void compare() {}

 private:
  void count(int64_t messages, int64_t bytes) { messages_ += messages, bytes_ += bytes; }
  void count_gathers(int times, size_t bytes);

  std::atomic<int64_t> messages_{0}, bytes_{0};
};

// All parts in one process, for tests and to see on one machine what a program exchanges.
std::shared_ptr<Communicator> parts_of_one_process(int parts);

// A part for each process of an MPI job. Null if there is one process. Throws UnsupportedError without MPI or its plugin, and DeviceError.
std::shared_ptr<Communicator> parts_of_mpi();

}  // namespace wf
