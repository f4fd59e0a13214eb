/* Arrays in files: bad arguments, and exhausted memory. tests/files has the formats. */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "helpers.h"

TestSuite(files);

static const char* temporary(const char* ending) {
  static char path[64];
  snprintf(path, sizeof path, "/tmp/warpfold-%d.%s", (int)getpid(), ending);
  return path;
}

Test(files, bad_arguments) {
  wf_context* context = tested();
  wf_seq *r, *s = iota(context, 5), *pair, *both[2] = {s, s}, *none[2] = {s, NULL};
  const char *names[] = {"a", "b"}, *missing[] = {"a", NULL}, *empty[] = {"", "b"};
  OK(wf_zip(both, 2, &pair));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "context is NULL", r, wf_read_array(NULL, "a.npy", NULL, NULL, -1, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "path is NULL", r, wf_read_array(context, NULL, NULL, NULL, -1, &r));
  GIVES_NOTHING(WF_ERROR_TYPE, "type is 8", r, wf_read_array(context, "a.npy", NULL, NULL, 8, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "name is \"x\", but a file of format npy has one array without a name", r,
                wf_read_array(context, "a.npy", NULL, "x", -1, &r));
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_read_array(context, "a.npy", NULL, NULL, -1, NULL));
  FAILS(WF_ERROR_ARGUMENT, "path is NULL", wf_write_arrays(NULL, NULL, both, NULL, 1));
  FAILS(WF_ERROR_ARGUMENT, "arrays is NULL", wf_write_arrays("a.npy", NULL, NULL, NULL, 1));
  FAILS(WF_ERROR_ARGUMENT, "n_arrays is 2; expected 1 for format npy", wf_write_arrays("a.npy", NULL, both, NULL, 2));
  FAILS(WF_ERROR_ARGUMENT, "n_arrays is -1", wf_write_arrays("a.npz", NULL, both, names, -1));
  FAILS(WF_ERROR_ARGUMENT, "names is NULL", wf_write_arrays("a.npz", NULL, both, NULL, 2));
  FAILS(WF_ERROR_ARGUMENT, "the 2nd name is NULL", wf_write_arrays("a.npz", NULL, both, missing, 2));
  FAILS(WF_ERROR_ARGUMENT, "the 1st name has 0 bytes", wf_write_arrays("a.npz", NULL, both, empty, 2));
  FAILS(WF_ERROR_ARGUMENT, "the 2nd array is NULL", wf_write_arrays("a.npz", NULL, none, names, 2));
  FAILS(WF_ERROR_TYPE, "the array has 2 columns; expected 1", wf_write_arrays("a.npy", NULL, &pair, NULL, 1));
  FAILS(WF_ERROR_ARGUMENT, "format is \"csv\", which is only read", wf_write_arrays("a.csv", NULL, both, NULL, 1));
  FAILS(WF_ERROR_ARGUMENT, "path is NULL", wf_array_names(NULL, NULL, 0, NULL));
  FAILS(WF_ERROR_IO, "cannot be opened", wf_array_names("/none/a.npz", NULL, 0, NULL));
  wf_release(pair), wf_release(s);
  wf_context_release(context);
}

/* A file beyond the process's limit is an error, and no signal. */
Test(files, limit_of_files) {
  wf_context* context = tested();
  wf_seq* s = iota(context, 5000);
  const char* path = temporary("npy");
  const struct rlimit limit = {1000, 1000};
  cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
  FAILS(WF_ERROR_IO, "File too large", wf_write_arrays(path, NULL, &s, NULL, 1));
  cr_assert_neq(access(path, F_OK), 0);
  wf_release(s);
  wf_context_release(context);
}

Test(files, exhausted_memory) {
  wf_context* context = tested();
  const char* path = temporary("csv");
  FILE* file = fopen(path, "w");
  for (int k = 0; k < 1000; k++) fputs("1,2,3\n", file);
  fclose(file);
  wf_seq* r;
  OK(wf_context_fail_allocation(context, 1));
  GIVES_NOTHING(WF_ERROR_MEMORY, "memory", r, wf_read_array(context, path, NULL, NULL, -1, &r));
  OK(wf_context_fail_allocation(context, 0));
  OK(wf_read_array(context, path, NULL, NULL, -1, &r));
  cr_assert_eq(known_length(r), 3000);
  cr_assert_eq(f64_at(r, 0, 2999), 3);
  wf_release(r);
  remove(path);
  wf_context_release(context);
}
