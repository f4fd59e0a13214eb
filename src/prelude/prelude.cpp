#include "prelude/prelude.h"

#include <algorithm>

#include "lazy/check.h"

namespace wf::prelude {
namespace {

constexpr Entry entries[] = {
    {"mean", 1, 1, true, false, mean},
    {"variance", 1, 2, true, true, variance},
    {"norm", 1, 1, true, false, norm},
    {"logsumexp", 1, 1, true, true, logsumexp},
    {"softmax", 1, 0, true, true, softmax},
    {"argmax", 1, 1, false, true, argmax},
    {"argmin", 1, 1, false, true, argmin},
    {"segment_ranks", 2, 1, false, true, segment_ranks},
    {"multivariate_gaussian", 3, 1, false, true, multivariate_gaussian},
    {"wishart", 2, 1, false, true, wishart},
    {"inverse_wishart", 2, 1, false, true, inverse_wishart},
    {"orthogonal", 1, 2, false, true, orthogonal},
    {"permutation_matrix", 1, 2, false, true, permutation_matrix},
    {"multivariate_gaussian_log_density", 3, 0, false, true, multivariate_gaussian_log_density},
    {"wishart_log_density", 2, 1, false, true, wishart_log_density},
    {"inverse_wishart_log_density", 2, 1, false, true, inverse_wishart_log_density},
};

std::string counted(size_t n, std::string_view what) { return std::to_string(n) + " " + std::string(what) + (n == 1 ? "" : "s"); }

}  // namespace

const Entry& find(std::string_view name, size_t arrays, size_t numbers) {
  const auto* const entry = std::ranges::find(entries, name, &Entry::name);
  if (entry == std::end(entries)) {
    std::string names;
    for (const Entry& each : entries) names += (names.empty() ? "" : ", ") + std::string(each.name);
    throw ArgumentError("function is \"" + std::string(name) + "\"; expected " + names);
  }
  if (arrays != entry->arrays || numbers < entry->numbers || (numbers > entry->numbers && !entry->more))
    throw ArgumentError(std::string(name) + " has " + counted(arrays, "array") + " and " + counted(numbers, "number") + "; expected " +
                        counted(entry->arrays, "array") + " and " + counted(entry->numbers, "number") + (entry->more ? " or more" : ""));
  return *entry;
}

}  // namespace wf::prelude
