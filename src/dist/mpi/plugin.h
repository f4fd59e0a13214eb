/* The functions of MPI that the library needs. The plugin libwarpfold_mpi.so has them, so that the library itself does not link MPI: one plugin is
 * compiled for each MPI. Functions that return an int return 0, or a code of MPI that `describe` explains. One thread calls them at a time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { WF_MPI_VERSION = 1, WF_MPI_TEXT = 1024 };

typedef struct wf_mpi {
  int version;
  /* Initializes MPI, unless the program has done it: then *is_owner is 0, and `close` is not called. */
  int (*open)(int* rank, int* ranks, int* is_owner);
  /* Each of these starts to copy; the bytes must not be used before `test` sets *is_done to 1 for all copies that were started. */
  int (*all_gather)(const void* mine, void* all, int bytes);
  int (*send)(int to, const void* data, size_t bytes);
  int (*receive)(int from, void* data, size_t bytes);
  int (*test)(int* is_done);
  /* Tells all ranks that this one waits at this exchange; the latest exchange at which a rank waited and told so, or -1. */
  void (*announce)(int64_t exchange);
  int64_t (*announced)(int rank);
  void (*describe)(int code, char text[WF_MPI_TEXT]);
  void (*close)(void);
} wf_mpi;

const wf_mpi* warpfold_mpi(void);
