// Functions of whole arrays that are composed of the primitives: each is written once, here, and the languages call it by its name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lazy/node.h"

namespace wf::prelude {

// The arrays and the numbers of a call.
struct Arguments {
  std::span<const NodeRef> arrays;
  std::span<const double> numbers;
};

struct Entry {
  std::string_view name;
  size_t arrays, numbers;  // how many
  bool more;               // further numbers may follow
  bool measures;           // the lengths of the arrays must be known
  NodeRef (*make)(const Arguments& of);
};

// Throws ArgumentError for an unknown name, and for another number of arguments.
const Entry& find(std::string_view name, size_t arrays, size_t numbers);

// The functions of the table, as wf_call documents them.
NodeRef mean(const Arguments& of);
NodeRef variance(const Arguments& of);
NodeRef norm(const Arguments& of);
NodeRef logsumexp(const Arguments& of);
NodeRef softmax(const Arguments& of);
NodeRef argmax(const Arguments& of);
NodeRef argmin(const Arguments& of);
NodeRef multivariate_gaussian(const Arguments& of);
NodeRef multivariate_gaussian_log_density(const Arguments& of);
NodeRef wishart(const Arguments& of);
NodeRef inverse_wishart(const Arguments& of);
NodeRef wishart_log_density(const Arguments& of);
NodeRef inverse_wishart_log_density(const Arguments& of);
NodeRef orthogonal(const Arguments& of);
NodeRef permutation_matrix(const Arguments& of);
NodeRef segment_ranks(const Arguments& of);

}  // namespace wf::prelude
