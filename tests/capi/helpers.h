/* Helpers of the C API tests; they use only warpfold.h. Criterion runs each test in its own process. */
#ifndef HELPERS_H
#define HELPERS_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpfold.h"

/* The message of the last error. */
static inline const char* message(void) {
  static char text[4096];
  wf_error_message(text, sizeof text, NULL);
  return text;
}

#define OK(call) cr_assert_eq((call), WF_OK, #call ": %s", message())

/* Checks that the call fails with this code and a message that contains each of the parts. */
#define FAILS(code, part, call)                                                                           \
  do {                                                                                                    \
    int32_t got = (call);                                                                                 \
    cr_assert_eq(got, (code), #call " gave %d, not %d: %s", (int)got, (int)(code), got ? message() : ""); \
    cr_assert_eq(wf_error_message(NULL, 0, NULL), (code));                                                \
    cr_assert(strstr(message(), (part)) != NULL, #call " said \"%s\" without \"%s\"", message(), (part)); \
  } while (0)

/* The same for a call whose last argument is &result, which must be NULL afterwards. */
#define GIVES_NOTHING(code, part, result, call) \
  do {                                          \
    FAILS(code, part, call);                    \
    cr_assert_null(result);                     \
  } while (0)

static inline wf_context* cpu(void) {
  wf_context* context;
  OK(wf_context_create("cpu", &context));
  return context;
}

/* The context under test: the one that WARPFOLD_TEST_CONTEXT names, or the CPU. */
static inline wf_context* tested(void) {
  const char* name = getenv("WARPFOLD_TEST_CONTEXT");
  wf_context* context;
  OK(wf_context_create(name ? name : "cpu", &context));
  return context;
}

static inline int is_cpu(wf_context* context) {
  char name[20];
  OK(wf_context_name(context, name, sizeof name, NULL));
  return strcmp(name, "cpu") == 0;
}

static inline wf_fn* function(const char* text) {
  wf_fn* f;
  OK(wf_fn_create(text, NULL, 0, &f));
  return f;
}

static inline wf_seq* i32s(wf_context* context, int64_t n, const int32_t* values) {
  wf_seq* s;
  OK(wf_from_host(context, WF_I32, values, n, &s));
  return s;
}

/* 0, 1, ..., n - 1 as i32, not computed. */
static inline wf_seq* iota(wf_context* context, int64_t n) {
  wf_fn* f = function("(fn ((i i64)) (cast i32 i))");
  wf_seq* s;
  OK(wf_tabulate(context, f, n, &s));
  wf_fn_release(f);
  return s;
}

static inline wf_seq* map1(const char* text, wf_seq* s) {
  wf_fn* f = function(text);
  wf_seq* r;
  OK(wf_map(f, &s, 1, &r));
  wf_fn_release(f);
  return r;
}

static inline wf_seq* filter1(const char* text, wf_seq* s) {
  wf_fn* f = function(text);
  wf_seq* r;
  OK(wf_filter(f, s, &r));
  wf_fn_release(f);
  return r;
}

static inline int64_t i64_at(wf_seq* s, int32_t column, int64_t i) {
  int64_t x = -1;
  OK(wf_to_host(s, column, i, 1, &x, WF_I64, 1));
  return x;
}

static inline double f64_at(wf_seq* s, int32_t column, int64_t i) {
  double x = -1;
  OK(wf_to_host(s, column, i, 1, &x, WF_F64, 1));
  return x;
}

static inline int64_t known_length(wf_seq* s) {
  int64_t n = -2;
  OK(wf_known_length(s, &n));
  return n;
}

/* Checks that column 0 of s is values[0 .. n). */
static inline void expect_i32s(wf_seq* s, int64_t n, const int32_t* values) {
  const void* data;
  int64_t length;
  OK(wf_data(s, 0, &data, &length));
  cr_assert_eq(length, n, "length %lld, not %lld", (long long)length, (long long)n);
  for (int64_t k = 0; k < n; k++)
    cr_assert_eq(((const int32_t*)data)[k], values[k], "element %lld is %d, not %d", (long long)k, ((const int32_t*)data)[k], values[k]);
}

static inline int64_t live_bytes(wf_context* context) {
  int64_t live = -1;
  OK(wf_context_memory(context, &live, NULL, NULL, NULL));
  return live;
}

#endif
