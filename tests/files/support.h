// Helpers of the tests of files: a folder that is removed at the end, handles, and files as text.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "check.h"
#include "warpfold.h"

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "warpfold-files-XXXXXX") {
    std::string name = path_;
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ / name; }
  // A file of this text.
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::string contents(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline std::string last_error() {
  char text[4096];
  wf_error_message(text, sizeof text, nullptr);
  return text;
}

inline wf_context* context() {
  static wf_context* its = [] {
    const char* name = std::getenv("WARPFOLD_TEST_CONTEXT");
    wf_context* made = nullptr;
    if (wf_context_create(name ? name : "cpu", &made) != WF_OK) std::abort();
    return made;
  }();
  return its;
}

template <class T> constexpr int32_t code_of() {
  if constexpr (std::is_same_v<T, bool>) return WF_BOOL;
  else if constexpr (std::is_same_v<T, uint8_t>) return WF_U8;
  else if constexpr (std::is_same_v<T, int32_t>) return WF_I32;
  else if constexpr (std::is_same_v<T, uint32_t>) return WF_U32;
  else if constexpr (std::is_same_v<T, int64_t>) return WF_I64;
  else if constexpr (std::is_same_v<T, uint64_t>) return WF_U64;
  else if constexpr (std::is_same_v<T, float>) return WF_F32;
  else return WF_F64;
}

// An array with its shape; the shape (-1) and the message if a call failed.
template <class T> struct Values {
  std::vector<int64_t> shape;
  std::vector<T> elements;
  std::string error;
  bool operator==(const Values&) const = default;
};

template <class T> std::ostream& operator<<(std::ostream& out, const Values<T>& x) {
  check::show(out, x.shape), check::show(out << ' ', x.elements);
  return out << ' ' << x.error;
}

template <class T> Values<T> values_of(wf_seq* s) {
  Values<T> values;
  int32_t rank = 0;
  wf_rank(s, &rank);
  values.shape.resize(size_t(rank));
  int64_t n = 1;
  wf_shape(s, values.shape.data(), rank, &rank);
  wf_known_length(s, &n);
  const auto memory = std::make_unique<T[]>(size_t(n) + 1);
  if (wf_to_host(s, 0, 0, n, memory.get(), code_of<T>(), 1) != WF_OK) return {{-1}, {}, last_error()};
  values.elements.assign(memory.get(), memory.get() + n);
  return values;
}

template <class T> Values<T> read(const std::string& path, const char* format = nullptr, const char* name = nullptr, int32_t type = -1) {
  wf_seq* s = nullptr;
  if (wf_read_array(context(), path.c_str(), format, name, type, &s) != WF_OK) return {{-1}, {}, last_error()};
  int32_t its = -1;
  wf_column_type(s, 0, &its);
  const Values<T> values = its == code_of<T>() ? values_of<T>(s) : Values<T>{{-1}, {}, std::string("the type is ") + wf_type_name(its)};
  wf_release(s);
  return values;
}

// The message of reading a file that is not valid; empty if it is read.
inline std::string error_of(const std::string& path, const char* format = nullptr, const char* name = nullptr, int32_t type = -1) {
  wf_seq* s = nullptr;
  if (wf_read_array(context(), path.c_str(), format, name, type, &s) != WF_OK) return last_error();
  return wf_release(s), "";
}

template <class T> wf_seq* make(const std::vector<int64_t>& shape, const std::vector<T>& elements) {
  wf_seq *flat = nullptr, *s = nullptr;
  const auto memory = std::make_unique<T[]>(elements.size() + 1);
  std::copy(elements.begin(), elements.end(), memory.get());
  wf_from_host(context(), code_of<T>(), memory.get(), int64_t(elements.size()), &flat);
  wf_reshape(flat, shape.data(), int32_t(shape.size()), &s);
  wf_release(flat);
  return s;
}

// The message of the failure, or empty.
template <class T> std::string write(const std::string& path, const std::vector<int64_t>& shape, const std::vector<T>& elements) {
  wf_seq* s = make(shape, elements);
  const int32_t code = wf_write_arrays(path.c_str(), nullptr, &s, nullptr, 1);
  wf_release(s);
  return code == WF_OK ? "" : last_error();
}

// 0, 1, ..., n - 1, modulo what T can represent exactly.
template <class T> std::vector<T> counting(int64_t n) {
  std::vector<T> values(static_cast<size_t>(n));
  for (int64_t k = 0; k < n; k++) values[size_t(k)] = static_cast<T>(std::is_same_v<T, bool> ? k % 3 == 1 : k % 251);
  return values;
}

inline bool contains(const std::string& text, const std::string& part) {
  if (text.find(part) != text.npos) return true;
  check::fail("message", 0, "\"" + text + "\" lacks \"" + part + "\"");
  return false;
}
