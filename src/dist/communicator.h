// The parts of a context, which are numbered from 0, and the exchanges between the processes that compute them.
//
// A context in parts splits its work: each part computes a range of every kernel's domain. Each process computes some parts, and all processes run
// the same program, so they call these functions in the same order. All of them know which part has which elements.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <span>

namespace wf {

// Bytes to copy from the memory of one part to that of another. An address is null if this process does not compute the part.
struct Message {
  int from, to;
  const std::byte* source;
  std::byte* target;
  size_t bytes;
};

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int parts() const = 0;
  // Returns true if this process computes the part.
  virtual bool is_local(int part) const = 0;
  // The first part of each process.
  virtual std::span<const int> processes() const = 0;
  // all: `bytes` bytes of each part, of which those of the parts of this process are known. Fills in the others.
  virtual void all_gather(std::byte* all, size_t bytes) = 0;
  virtual void exchange(std::span<const Message> messages) = 0;
  // error: of this process, or null. Throws the error of the lowest part, on all processes, if one of them has any.
  virtual void agree(std::exception_ptr error) = 0;
};

// All parts in one process, for tests and to see on one machine what a program exchanges.
std::shared_ptr<Communicator> parts_of_one_process(int parts);

}  // namespace wf
