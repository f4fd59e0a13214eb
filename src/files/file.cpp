#include "files/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "engine/cancellation.h"
#include "memory/buffer.h"
#include "ops/printable.h"

namespace wf {

std::string quoted(const std::string& path) { return "path \"" + printable(path) + "\""; }

namespace {

[[noreturn]] void fail_on(const std::string& path, const char* what, int error = errno) {
  if (error == ENOMEM) throw MemoryError(quoted(path) + " " + what + ": memory is exhausted");
  char reason[128];
  throw IoError(quoted(path) + " " + what + ": " + strerror_r(error, reason, sizeof reason));
}

[[noreturn]] void fail_as(const std::string& path, mode_t mode) {
  const char* kind = S_ISDIR(mode)                    ? "a directory"
                     : S_ISFIFO(mode)                 ? "a named pipe"
                     : S_ISSOCK(mode)                 ? "a socket"
                     : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
                     : S_ISREG(mode)                  ? "a file without a size"
                                                      : "a socket or device without a peer";
  throw IoError(quoted(path) + " is " + kind + "; expected a regular file; read anything else into memory and make a sequence from there");
}

// An open file, closed at the end of the scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  int number() const { return number_; }
  int close_now() { return close(std::exchange(number_, -1)); }

 private:
  int number_;
};

struct Mapping {
  void* data;
  size_t bytes;
  ~Mapping() { munmap(data, bytes); }
};

void write_all(int descriptor, const Bytes& part, const std::string& path) {
  constexpr size_t most = size_t(1) << 22;  // at a time
  for (size_t done = 0; done < part.size;) {
    stop_if_canceled();
    const ssize_t n = write(descriptor, part.data + done, std::min(most, part.size - done));
    if (n < 0 && errno != EINTR) fail_on(path, "cannot be written");
    if (n > 0) done += size_t(n);
  }
}

// The file that a chain of symbolic links ends at, so that the link survives the replacement of the file.
std::string target_of(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return path;
  if (!S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode)) throw IoError(quoted(path) + " is a directory; expected a file");
    throw IoError(quoted(path) + " is a pipe, socket or device; expected a regular file or a new one");
  }
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), std::free);
  return real ? real.get() : path;
}

// A new file next to `path`, removed at the end of the scope unless it was renamed.
class NewFile {
 public:
  explicit NewFile(const std::string& path)
      : path_(path), target_(target_of(path)), name_(target_ + ".XXXXXX"), file_(mkostemp(name_.data(), O_CLOEXEC)) {
    if (file_.number() < 0) fail_on(path, "cannot be created");
  }
  ~NewFile() {
    if (!renamed_) unlink(name_.c_str());
  }
  int descriptor() const { return file_.number(); }
  void replace() {
    struct stat old;
    const mode_t mask = umask(0);
    umask(mask);
    const mode_t mode = stat(target_.c_str(), &old) == 0 ? old.st_mode & 0777 : 0666 & ~mask;
    if (fchmod(file_.number(), mode) != 0 || file_.close_now() != 0 || rename(name_.c_str(), target_.c_str()) != 0)
      fail_on(path_, "cannot be written");
    renamed_ = true;
  }

 private:
  const std::string path_, target_;
  std::string name_;
  Descriptor file_;
  bool renamed_ = false;
};

}  // namespace

Bytes map_file(const std::string& path) {
  // O_NONBLOCK: otherwise open would wait for a writer if the path is a named pipe.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) errno == ENXIO ? fail_as(path, 0) : fail_on(path, "cannot be opened");
  struct stat status;
  if (fstat(file.number(), &status) != 0) fail_on(path, "cannot be examined");
  if (!S_ISREG(status.st_mode)) fail_as(path, status.st_mode);
  const size_t bytes = size_t(status.st_size);
  char first;
  if (bytes == 0 && read(file.number(), &first, 1) > 0) fail_as(path, status.st_mode);  // a file of /proc
  if (bytes == 0) return {};
  void* data = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (data == MAP_FAILED) fail_on(path, "cannot be mapped");
  madvise(data, bytes, MADV_SEQUENTIAL);
  // A mapping consists of whole pages, so it is padded.
  return {static_cast<const std::byte*>(data), bytes, std::shared_ptr<Mapping>(new Mapping{data, bytes}), true};
}

void write_file(const std::string& path, std::span<const Bytes> parts) {
  size_t size = 0;
  for (const Bytes& part : parts) size += part.size;
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && size > limit.rlim_cur) {  // a signal would end the process
    errno = EFBIG;
    fail_on(path, "cannot be written");
  }
  NewFile file(path);
  for (const Bytes& part : parts) write_all(file.descriptor(), part, path);
  file.replace();
}

}  // namespace wf
