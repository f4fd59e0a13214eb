// The table of distributions.def, and the functions of texts/ that belong to a distribution.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "expr/fn.h"

namespace wf::random {

enum class Values { Real, Integer, Truth, Key };

struct Distribution {
  std::string_view name;
  Values values;
};

// The question that is asked of a distribution: draws, or a function of values. A function's name is NAME/n, followed by this word.
enum class Asked { Draw, LogDensity, DistributionFunction };

// Throws ArgumentError, which names all distributions and `others`, if there is none of that name.
const Distribution& find_distribution(std::string_view name, const std::string& others = {});

// The type in which draws of this type are computed. Throws TypeError.
Type real_of(const Distribution& d, Type type);

// The function of a distribution with that many parameters, and its name. Throws ArgumentError, which names those that exist.
std::pair<const Fn*, std::string> function_of(const Distribution& d, size_t parameters, Asked asked, Type real);
// Throws the ArgumentError that names the distributions that have such functions.
[[noreturn]] void reject_asked(std::string_view name, Asked asked);

}  // namespace wf::random
