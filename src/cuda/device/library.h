// Shared libraries that are loaded at run time.
#pragma once

#include <initializer_list>
#include <string>

namespace wf::cuda {

// Returns the first library that the loader finds by one of these names. The library stays loaded. Throws DeviceError, whose message has `what`
// and the searched paths.
void* open_by_loader(std::initializer_list<std::string> names, const char* what);
// The same, also in the folders of the CUDA toolkit and of pip's nvidia packages.
void* open_of_toolkit(std::initializer_list<std::string> names, const char* what);

// Returns the function's address. Throws DeviceError, whose message has `what`.
void* symbol(void* library, const char* name, const char* what);
template <class F> void bind(F*& pointer, void* library, const char* name, const char* what) {
  pointer = reinterpret_cast<F*>(symbol(library, name, what));
}

}  // namespace wf::cuda
