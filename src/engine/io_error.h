#pragma once

#include <stdexcept>

namespace wf {

// A file cannot be read or written, or its contents do not follow its format.
struct IoError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace wf
