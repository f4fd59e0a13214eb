// convert IN OUT [NAME]: reads an array and writes it. numpy.py compares both files.
#include <cstdio>
#include <filesystem>

#include "warpfold.h"

int main(int argc, char** argv) {
  wf_context* context = nullptr;
  wf_seq* s = nullptr;
  const char* name = argc > 3 ? argv[3] : nullptr;
  const bool done = argc > 2 && wf_context_create("cpu", &context) == WF_OK &&
                    wf_read_array(context, argv[1], nullptr, name, -1, &s) == WF_OK &&
                    wf_write_arrays(argv[2], nullptr, &s, &name, 1) == WF_OK;
  char message[1000];
  if (!done) wf_error_message(message, sizeof message, nullptr), std::puts(message);
  wf_release(s), wf_context_release(context);
  return done ? 0 : 1;
}
