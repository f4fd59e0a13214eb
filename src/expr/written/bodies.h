// The functions that are being parsed: the text's own, then one for each loop, fold and function of a sequence form around the current place.
// Each has its own Builder; a value from outside that is used in one becomes a further parameter of it.
#pragma once

#include <unordered_map>

#include "expr/terms.h"
#include "expr/written/reader.h"

namespace wf {

class Bodies : protected Reader {
 protected:
  Bodies(std::string_view text, const CaptureTypes& captures) : Reader(text, captures) { bodies_.emplace_back(); }

  // is_closed: it uses no values from outside.
  void enter_body(const Token& start, bool is_closed);
  // The innermost body with these results, and the values outside that it uses.
  FnRef leave_body(std::span<const Id> results, std::vector<Id>& free);
  // A value of the body at a level, in the innermost body; `token` and `name` tell where and how it is used.
  Id inward(const Token& token, Id id, uint32_t level, std::string_view name);

  Builder& builder() { return bodies_.back().builder; }
  Builder& builder_outside() { return bodies_[level() - 1].builder; }
  uint32_t level() const { return uint32_t(bodies_.size() - 1); }

 private:
  struct Body {
    Body() { builder.unused_values_are_not_required(); }
    Builder builder;
    std::vector<Id> free;  // values from outside: terms of the enclosing builder
    std::unordered_map<Id, Id> free_param;
    bool is_closed = false;
  };
  std::vector<Body> bodies_;
};

}  // namespace wf
