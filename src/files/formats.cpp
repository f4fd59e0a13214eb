#include "files/formats.h"

#include <algorithm>

#include "lazy/node.h"

namespace wf {

static constexpr FileFormat file_formats[] = {
    {"npy", read_npy, write_npy, false, false},
    {"npz", read_npz, write_npz, true, false},
    {"csv", read_csv, nullptr, false, true},
    {"png", read_png, write_png, false, false},
};

const FileFormat& format_of(const char* name, const std::string& path) {
  const size_t dot = path.rfind('.');
  const std::string wanted = name ? name : dot == std::string::npos ? "" : path.substr(dot + 1);
  std::string names;
  for (const FileFormat& format : file_formats) {
    if (format.name == wanted) return format;
    names.append(names.empty() ? "" : ", ").append(format.name);
  }
  if (name) throw ArgumentError("format is \"" + wanted + "\"; expected one of " + names);
  throw ArgumentError("no format is given and " + quoted(path) + " ends in none of the known formats; expected one of " + names);
}

std::optional<int64_t> element_count(const std::vector<int64_t>& extents, Type type) {
  int64_t bytes;
  if (std::any_of(extents.begin(), extents.end(), [](int64_t extent) { return extent < 0; })) return std::nullopt;
  const int64_t n = length_of(extents);
  return n < 0 || __builtin_mul_overflow(n, int64_t(size_of(type)), &bytes) ? std::nullopt : std::optional(n);
}

}  // namespace wf
