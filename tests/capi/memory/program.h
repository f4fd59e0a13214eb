/* A program that uses most of the library, for tests in which it runs out of memory. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "warpfold.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the first code that is not WF_OK. If there is none, *result = program_result. All handles are released. */
int32_t program(wf_context* context, int64_t* result);

/* The filtered numbers are 4 3 2 7 1 2 7 1: 1000 times (the last one and those before it) plus all, plus 5 for an element from outside. */
enum { program_result = 27032 };

#ifdef __cplusplus
}
#endif
#endif
