// The .npy format in memory, for files and for members of archives.
#pragma once

#include <string_view>

#include "files/array.h"

namespace wf {

// NumPy writes several arrays to one open file, of which the first is read. A member of an archive has nothing after its elements.
enum class AfterElements : uint8_t { Anything, Nothing };

// The array in `file`. Its elements are the bytes of the file if their order, alignment and values allow it, and otherwise a copy in the pool.
// `where` begins the messages: a path, or a path and a name.
FileArray parse_npy(const Bytes& file, AfterElements after, const std::string& where, const std::shared_ptr<Pool>& pool);

// Throws the errors of parse_npy that the header of a file of `size` bytes shows, if the header is among its first bytes.
void check_npy(std::string_view first, uint64_t size, AfterElements after, const std::string& where);

// The bytes in front of the elements: version 1.0 of the format, of a length that is a multiple of 64.
std::string npy_header(const ArrayToWrite& array);

}  // namespace wf
