// A function in the written form. Texts call each other by name: `NAME` or, for one floating-point type, `NAME.f32` and `NAME.f64`. In a text,
// `real` stands for that type.
//
// Parameters: a key, an element's number i and the number j of one of the element's draws, all i64; then those of the distribution.
#pragma once

#include <string_view>

namespace wf::random {

struct Text {
  std::string_view name, text;
};

}  // namespace wf::random
