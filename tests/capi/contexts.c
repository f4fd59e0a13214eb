/* Contexts, closed contexts, several contexts at once; the error message of a thread. */
#define _GNU_SOURCE
#include <pthread.h>

#include "helpers.h"

TestSuite(contexts);

Test(contexts, version) {
  cr_assert_eq(wf_abi_version(), WF_ABI_VERSION);
  cr_assert_str_eq(wf_version(), "0.1.0");
}

/* A context for each device, or the reason why there is none; each setting with its value. */
Test(contexts, info) {
  char page[1 << 14];
  int64_t needed = 0;
  setenv("WARPFOLD_CACHE", "0", 1);
  setenv("WARPFOLD_VERIFY", "maybe", 1);
  OK(wf_info(page, sizeof page, &needed));
  cr_assert_eq(needed, (int64_t)strlen(page) + 1);
  const char* const lines[] = {"warpfold 0.1.0\n",
                               "\n  cpu                     the environment variable WARPFOLD_VERIFY is",
                               "\n  cuda:0 ",
                               "\n  opencl:0 ",
                               "\n  WARPFOLD_VERIFY         maybe\n",
                               "\n  WARPFOLD_THREADS        all (default)\n",
                               "\n  is not kept\n"};
  for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) cr_assert(strstr(page, lines[k]), "%s is missing in %s", lines[k], page);
}

Test(contexts, names) {
  char name[10], automatic[10];
  int64_t needed = 0;
  wf_context* context;
  OK(wf_context_create("auto", &context));
  OK(wf_context_name(context, automatic, sizeof automatic, NULL));
  wf_context_release(context);
  OK(wf_context_create(NULL, &context));
  OK(wf_context_name(context, name, sizeof name, NULL));
  cr_assert_str_eq(name, automatic);
  wf_context_release(context);
  OK(wf_context_create("cpu", &context));
  OK(wf_context_name(context, name, sizeof name, &needed));
  cr_assert_str_eq(name, "cpu");
  cr_assert_eq(needed, 4);
  OK(wf_context_name(context, name, 3, &needed));
  cr_assert_str_eq(name, "cp");
  OK(wf_context_name(context, NULL, 0, &needed));
  cr_assert_eq(needed, 4);
  wf_context_release(context);
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "\"cpu\", \"cuda:N\", \"opencl:N\", \"parts:N\", \"mpi\" or \"auto\"", context,
                wf_context_create("tpu:0", &context));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "cuda", context, wf_context_create("cuda", &context));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "cuda", context, wf_context_create("cuda:x", &context));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "parts:0", context, wf_context_create("parts:0", &context));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "parts:2000", context, wf_context_create("parts:2000", &context));
  GIVES_NOTHING(WF_ERROR_DEVICE, "cuda:4000", context, wf_context_create("cuda:4000", &context));
}

/* A process alone gives, has and takes all elements; tests/dist has several. */
Test(contexts, one_rank) {
  static const char* const names[] = {"cpu", "parts:3"};
  for (int k = 0; k < 2; k++) {
    wf_context *context, *local;
    wf_seq *s, *part, *whole;
    OK(wf_context_create(names[k], &context));
    OK(wf_context_create("cpu", &local));
    int32_t rank = -1, ranks = -1, found[4] = {0};
    OK(wf_context_ranks(context, &rank, &ranks));
    OK(wf_context_ranks(context, NULL, NULL));
    cr_assert(rank == 0 && ranks == 1);
    const int32_t values[] = {4, 5, 6, 7};
    OK(wf_from_part(context, WF_I32, values, 4, &s));
    int64_t begin = -1, end = -1;
    OK(wf_part(s, local, &begin, &end, &part));
    cr_assert(begin == 0 && end == 4);
    OK(wf_to_host(part, 0, 0, 4, found, WF_I32, 1));
    cr_assert_eq(memcmp(found, values, sizeof values), 0);
    OK(wf_replicate(part, &whole));
    cr_assert_eq(whole, part);
    wf_release(whole);
    wf_release(part);
    GIVES_NOTHING(WF_ERROR_ARGUMENT, "data is NULL", part, wf_from_part(context, WF_I32, NULL, 4, &part));
    GIVES_NOTHING(WF_ERROR_SIZE, "-1", part, wf_from_part(context, WF_I32, values, -1, &part));
    GIVES_NOTHING(WF_ERROR_TYPE, "type", part, wf_from_part(context, 99, values, 4, &part));
    GIVES_NOTHING(WF_ERROR_ARGUMENT, "NULL", part, wf_part(NULL, local, NULL, NULL, &part));
    GIVES_NOTHING(WF_ERROR_ARGUMENT, "NULL", part, wf_part(s, NULL, NULL, NULL, &part));
    GIVES_NOTHING(WF_ERROR_ARGUMENT, "NULL", part, wf_replicate(NULL, &part));
    FAILS(WF_ERROR_ARGUMENT, "NULL", wf_context_ranks(NULL, &rank, &ranks));
    wf_release(s);
    wf_context_release(local);
    wf_context_release(context);
  }
}

/* Unknown values of environment variables: docs/environment.md. */
Test(contexts, environment_variables_have_known_values) {
  static const char* const wrong[][3] = {
      {"WARPFOLD_CONTEXT", "cuda:x", "is \"cuda:x\"; expected \"auto\", \"cpu\", \"cuda:N\", \"opencl:N\", \"parts:N\" or \"mpi\""},
      {"WARPFOLD_THREADS", "many", "is \"many\"; expected a number from 1 to 65536"},
      {"WARPFOLD_THREADS", "0", "is \"0\"; expected a number from 1 to 65536"},
      {"WARPFOLD_THREADS", "99999999999999999999", "expected a number from 1 to 65536"},
      {"WARPFOLD_THREADS", "4 ", "expected a number from 1 to 65536"},
      {"WARPFOLD_ISA", "avx9", "is \"avx9\"; expected \"baseline\", \"avx2\" or \"avx512\""},
      {"WARPFOLD_INTERPRET", "yes", "is \"yes\"; expected \"0\", \"1\" or \"only\""},
      {"WARPFOLD_CACHE", "off", "is \"off\"; expected \"0\" or \"1\""},
      {"WARPFOLD_CACHE_SIZE", "1G", "is \"1G\"; expected a number from 1 to 1000000"},
      {"WARPFOLD_DISABLE", "law, nonsense", "contains \"nonsense\"; expected \"keep\", \"apart\""},
      {"WARPFOLD_TIMEOUT", "soon", "is \"soon\"; expected a number from 0 to 1000000"},
      {"WARPFOLD_VERIFY", "on", "is \"on\"; expected \"0\" or \"1\""},
  };
  static const char* const right[][2] = {{"WARPFOLD_CONTEXT", "cuda:0"},  {"WARPFOLD_THREADS", "3"},         {"WARPFOLD_ISA", "avx2"},
                                         {"WARPFOLD_INTERPRET", "only"},  {"WARPFOLD_CACHE", "0"},           {"WARPFOLD_CACHE", ""},
                                         {"WARPFOLD_CACHE_SIZE", "1000"}, {"WARPFOLD_DISABLE", "law, rows"}, {"WARPFOLD_VERIFY", "0"},
                                         {"WARPFOLD_DUMP", "/tmp/x"},     {"WARPFOLD_OF_ANOTHER", "no one"}};
  wf_context* context;
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    const char* before = getenv(wrong[k][0]);
    char* kept = before ? strdup(before) : NULL;
    setenv(wrong[k][0], wrong[k][1], 1);
    GIVES_NOTHING(WF_ERROR_ARGUMENT, wrong[k][0], context, wf_context_create("cpu", &context));
    GIVES_NOTHING(WF_ERROR_ARGUMENT, wrong[k][2], context, wf_context_create("cpu", &context));
    if (kept) setenv(wrong[k][0], kept, 1);
    else unsetenv(wrong[k][0]);
    free(kept);
  }
  for (size_t k = 0; k < sizeof right / sizeof *right; k++) setenv(right[k][0], right[k][1], 1);
  OK(wf_context_create("cpu", &context));
  wf_context_release(context);
}

Test(contexts, are_counted) {
  wf_context* context = tested();
  static const int32_t values[] = {1, 2, 3};
  wf_seq* s = i32s(context, 3, values);
  wf_context_retain(context);
  wf_context_release(context);
  wf_context_release(context);
  /* The sequence keeps its context alive. */
  expect_i32s(s, 3, values);
  wf_context* again;
  OK(wf_context_of(s, &again));
  cr_assert_geq(live_bytes(again), 12);
  wf_release(s);
  cr_assert_eq(live_bytes(again), 0);
  wf_context_release(again);
}

Test(contexts, have_one_pointer) {
  static const int32_t values[] = {1, 2, 3};
  wf_context *first = tested(), *second = tested(), *of_s, *of_r;
  cr_assert_neq(first, second);
  wf_seq* s = i32s(first, 3, values);
  wf_seq* r = map1("(fn ((x i32)) (neg x))", s);
  OK(wf_context_of(s, &of_s));
  OK(wf_context_of(r, &of_r));
  cr_assert_eq(of_s, first);
  cr_assert_eq(of_r, first);
  /* Each call returned a reference of its own: the last of three releases ends the handle, the sequences keep the context. */
  wf_context_release(of_s);
  wf_context_release(first);
  cr_assert_geq(live_bytes(of_r), 12);
  wf_context_release(of_r);
  OK(wf_context_of(s, &of_s));
  OK(wf_context_of(r, &of_r));
  cr_assert_eq(of_s, of_r);
  wf_context_release(of_r);
  wf_release(r);
  wf_release(s);
  cr_assert_eq(live_bytes(of_s), 0);
  wf_context_release(of_s);
  wf_context_release(second);
}

Test(contexts, closed_ones_turn_operations_into_errors) {
  static const int32_t values[] = {1, 2, 3};
  wf_context* context = tested();
  wf_seq* s = i32s(context, 3, values);
  wf_seq* kept = filter1("(fn ((x i32)) (gt x 1:i32))", s);
  wf_fn* f = function("(fn ((x i32)) (neg x))");
  wf_fn* captures;
  OK(wf_fn_create("(fn ((i i64)) (at $0 i))", &s, 1, &captures));
  const void* data;
  int64_t n;
  int32_t k;
  OK(wf_data(s, 0, &data, &n));
  OK(wf_context_close(context));
  OK(wf_context_close(context));

  wf_seq* r;
  wf_fn* g;
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "closed", r, wf_from_host(context, WF_I32, values, 3, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "is closed; expected an open one", r, wf_tabulate(context, captures, 3, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "closed", r, wf_map(f, &s, 1, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "closed", r, wf_rev(kept, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "closed", r, wf_length(kept, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "closed", g, wf_fn_create("(fn ((i i64)) (at $0 i))", &s, 1, &g));
  FAILS(WF_ERROR_ARGUMENT, "closed", wf_force(&kept, 1));
  FAILS(WF_ERROR_ARGUMENT, "closed", wf_data(s, 0, &data, &n));
  FAILS(WF_ERROR_ARGUMENT, "closed", wf_explain(&s, 1, 0, NULL, 0, NULL));
  wf_context* other = tested();
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "closed", r, wf_tabulate(other, captures, 3, &r));
  wf_context_release(other);
  /* Properties that are known without computing stay readable. */
  OK(wf_known_length(s, &n));
  OK(wf_column_type(s, 0, &k));
  wf_fn_release(f);
  wf_fn_release(captures);
  wf_release(kept);
  wf_release(s);
  cr_assert_eq(live_bytes(context), 0);
  wf_context_release(context);
}

Test(contexts, do_not_mix) {
  static const int32_t values[] = {1, 2, 3};
  wf_context* first = tested();
  wf_context* second = tested();
  wf_seq* both[] = {i32s(first, 3, values), i32s(second, 3, values)};
  wf_seq* r;
  wf_fn* f;
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "the 2nd sequence belongs to another context", r, wf_zip(both, 2, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "the 2nd sequence belongs to another context", r, wf_append(both, 2, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "different contexts", f, wf_fn_create("(fn ((x i64)) (at $1 x))", both, 2, &f));
  OK(wf_fn_create("(fn ((i i64)) (at $0 i))", both, 1, &f));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "f captures a sequence that does not belong to context", r, wf_tabulate(second, f, 3, &r));
  OK(wf_force(both, 2)); /* both are already computed */
  wf_fn_release(f);
  wf_release(both[0]);
  wf_release(both[1]);
  wf_context_release(first);
  wf_context_release(second);
}

Test(contexts, released_handles_are_noticed) {
  wf_context* context = tested();
  wf_fn* f = function("(fn ((x i32)) x)");
  wf_fn_release(f);
#if !defined(__SANITIZE_ADDRESS__)
  FAILS(WF_ERROR_ARGUMENT, "not a valid function: it was released", wf_fn_text(f, NULL, 0, NULL));
#endif
  wf_context_release(context);
}

Test(contexts, a_message_stays_until_the_next_failure) {
  wf_context* context = tested();
  int32_t type;
  cr_assert_eq(wf_error_message(NULL, 0, NULL), WF_OK);
  FAILS(WF_ERROR_TYPE, "wf_type_of_name: ", wf_type_of_name("x", &type));
  char before[200], after[200];
  int64_t needed;
  wf_error_message(before, sizeof before, &needed);
  cr_assert_eq(needed, (int64_t)strlen(before) + 1);
  OK(wf_type_of_name("i32", &type));
  wf_release(NULL);
  wf_context_release(context);
  cr_assert_eq(wf_error_message(after, sizeof after, NULL), WF_ERROR_TYPE);
  cr_assert_str_eq(before, after);
  char small[5];
  wf_error_message(small, sizeof small, NULL);
  cr_assert_str_eq(small, "wf_t");
}

Test(contexts, text_is_shortened_between_characters) {
  int32_t type;
  FAILS(WF_ERROR_TYPE, "\xc3\xa4", wf_type_of_name("\xc3\xa4\xc3\xa4", &type));
  char text[200];
  const char* start = strstr(message(), "\xc3\xa4");
  size_t before = (size_t)(start - message());
  wf_error_message(text, (int64_t)before + 2, NULL); /* the buffer ends inside the character */
  cr_assert_eq(strlen(text), before);
  wf_error_message(text, (int64_t)before + 3, NULL);
  cr_assert_eq(strlen(text), before + 2);
}

static void* fail_elsewhere(void* unused) {
  (void)unused;
  int32_t type;
  char text[100];
  if (wf_error_message(NULL, 0, NULL) != WF_OK) return "the message of another thread";
  wf_type_of_name("elsewhere", &type);
  wf_error_message(text, sizeof text, NULL);
  return strstr(text, "elsewhere") ? NULL : "no message";
}

Test(contexts, each_thread_has_its_message) {
  int32_t type;
  FAILS(WF_ERROR_TYPE, "here", wf_type_of_name("here", &type));
  pthread_t thread;
  void* problem;
  pthread_create(&thread, NULL, fail_elsewhere, NULL);
  pthread_join(thread, &problem);
  cr_assert_null(problem, "%s", (char*)problem);
  cr_assert_not_null(strstr(message(), "\"here\""));
}
