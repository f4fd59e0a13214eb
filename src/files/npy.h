// The .npy format in memory, for files and for members of archives.
#pragma once

#include "files/array.h"

namespace wf {

// The array in `file`. Its elements are the bytes of the file if their order, alignment and values allow it, and otherwise a copy in the pool.
// `where` begins the messages: a path, or a path and a name.
FileArray parse_npy(const Bytes& file, const std::string& where, const std::shared_ptr<Pool>& pool);

// The bytes in front of the elements: version 1.0 of the format, of a length that is a multiple of 64.
std::string npy_header(const ArrayToWrite& array);

}  // namespace wf
