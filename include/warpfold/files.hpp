// Arrays in files: NumPy's .npy and .npz, CSV, PNG. wf_read_array documents the formats and their errors.
//
//     auto weights = read_npz<float, 2>("model.npz", "weights");     // converted to float if the file has another type
//     write_png("edges.png", cast<uint8_t>(255 * edges));
#pragma once

#include "warpfold/arrays/arrays.hpp"

namespace warpfold {
namespace detail {

template <class T, int R> Ranked<T, R> read_array(const std::string& path, const char* format, const char* name, const Context& context) {
  const auto raw = SeqHandle::own(sequence(wf_read_array, context.raw(), path.c_str(), format, name, type_code<T>));
  std::array<int64_t, 8> extents{};
  int32_t rank = 0;
  check(wf_shape(raw.raw(), extents.data(), 8, &rank));
  if (rank != R)
    throw SizeError("\"" + path + "\" has an array of shape " + arrays::text_of(std::span(extents).first(static_cast<size_t>(rank))) +
                    "; expected rank " + std::to_string(R) + ", as in the type of the result");
  return Ranked<T, R>::own((wf_retain(raw.raw()), raw.raw()));
}

inline void write_arrays(const std::string& path, const char* format, const std::vector<wf_seq*>& arrays,
                         const std::vector<const char*>& names) {
  check(wf_write_arrays(path.c_str(), format, arrays.data(), names.data(), static_cast<int32_t>(arrays.size())));
}

}  // namespace detail

// Each of the following throws IoError if the file cannot be read or does not follow its format, TypeError if its elements have a type that
// the library lacks, and SizeError if it has another rank than R.

// An array of a .npy file, memory-mapped if its layout allows it.
template <Element T, int R> auto read_npy(const std::string& path, const Context& context = default_context()) {
  return detail::read_array<T, R>(path, "npy", nullptr, context);
}
// The array of that name in a .npz file; without a name, the only one.
template <Element T, int R>
auto read_npz(const std::string& path, const std::string& name = "", const Context& context = default_context()) {
  return detail::read_array<T, R>(path, "npz", name.c_str(), context);
}
// The numbers of a CSV file, a row per line. A first line without numbers is dropped.
template <Element T = double> Array<T, 2> read_csv(const std::string& path, const Context& context = default_context()) {
  return detail::read_array<T, 2>(path, "csv", nullptr, context);
}
// The pixels of a PNG file: height x width if R is 2, height x width x channels if R is 3.
template <int R> Array<uint8_t, R> read_png(const std::string& path, const Context& context = default_context()) {
  static_assert(R == 2 || R == 3, "an image has rank 2 (gray) or 3 (channels)");
  return detail::read_array<uint8_t, R>(path, "png", nullptr, context);
}

// Computes the array and writes it. The file is replaced when it is complete.
template <detail::Lazy A> void write_npy(const std::string& path, const A& a) { detail::write_arrays(path, "npy", {a.raw()}, {nullptr}); }
// Several arrays under their names: write_npz("model.npz", {"weights", "bias"}, weights, bias). Computes them together.
template <detail::Lazy... A>
void write_npz(const std::string& path, const std::array<const char*, sizeof...(A)>& names, const A&... arrays) {
  detail::write_arrays(path, "npz", {arrays.raw()...}, {names.begin(), names.end()});
}
// Gray pixels, height x width, or height x width x channels for 2 to 4 channels.
template <class T, int R> void write_png(const std::string& path, const Array<T, R>& a) {
  static_assert(type_code<T> == WF_U8, "pixels are bytes: write cast<uint8_t>(255 * a)");
  static_assert(R == 2 || R == 3, "an image has rank 2 (gray) or 3 (channels)");
  detail::write_arrays(path, "png", {a.raw()}, {nullptr});
}

// The names of the arrays in a .npz file.
inline std::vector<std::string> npz_names(const std::string& path) {
  const std::string text = detail::copy_text(
      [&](char* buffer, int64_t capacity, int64_t* needed) { detail::check(wf_array_names(path.c_str(), buffer, capacity, needed)); });
  std::vector<std::string> names;
  for (size_t start = 0; start < text.size(); start = text.find('\n', start) + 1)
    names.push_back(text.substr(start, text.find('\n', start) - start));
  return names;
}

}  // namespace warpfold
