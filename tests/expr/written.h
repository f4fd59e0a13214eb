// Texts with given captures: their round trip through parser and printer, and the error of a text that is refused.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "expr/fn.h"

class Written {
 public:
  explicit Written(wf::CaptureTypes captures) : captures_(std::move(captures)) {}

  std::string round_trip(std::string_view text) const { return wf::print(*wf::parse(text, captures_), captures_); }
  std::string parse_error(std::string_view text) const { return error_of<wf::ParseError>(text); }
  std::string type_error(std::string_view text) const { return error_of<wf::TypeError>(text); }

 private:
  template <class Error> std::string error_of(std::string_view text) const {
    try {
      wf::parse(text, captures_);
    } catch (const Error& error) { return error.what(); }
    return "no error";
  }

  const wf::CaptureTypes captures_;
};
