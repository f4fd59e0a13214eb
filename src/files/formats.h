// The formats of files, by name.
#pragma once

#include <span>
#include <string_view>

#include "files/array.h"

namespace wf {

struct ReadRequest {
  std::string path;
  const char* name;          // of the array in the file, or null
  std::optional<Type> type;  // of the elements; none: as in the file
  std::shared_ptr<Pool> pool;
};

struct FileFormat {
  std::string_view name;
  FileArray (*read)(const ReadRequest&);
  void (*write)(const std::string& path, std::span<const ArrayToWrite>);  // null: the format is only read
  bool has_names;                                                         // a file has several arrays with names
  bool converts;                                                          // read makes elements of the requested type itself
};

// The format of that name, or, if name is null, the one that the path ends in. Throws ArgumentError.
const FileFormat& format_of(const char* name, const std::string& path);

// Each of the following throws IoError, TypeError or UnsupportedError. The message begins with the path.

FileArray read_npy(const ReadRequest&);
void write_npy(const std::string& path, std::span<const ArrayToWrite>);

// The array `name` of a ZIP archive of .npy files; the only one if name is null.
FileArray read_npz(const ReadRequest&);
void write_npz(const std::string& path, std::span<const ArrayToWrite>);
// The names of its arrays, in the order of the file.
std::vector<std::string> npz_names(const std::string& path);

// A matrix of numbers separated by commas, one line per row. The first line is dropped if it is a heading: if none of its fields
// is a number, begins as a number, or contains a zero byte, and not all of them mark missing numbers, as NA does.
FileArray read_csv(const ReadRequest&);

// Pixels of 8 bits: height x width, or height x width x channels for 2 to 4 channels (gray and alpha; red, green, blue; and alpha).
FileArray read_png(const ReadRequest&);
void write_png(const std::string& path, std::span<const ArrayToWrite>);

}  // namespace wf
