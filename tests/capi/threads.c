/* Any thread may use and release any handle. */
#include <pthread.h>

#include "helpers.h"

TestSuite(threads);

enum { threads = 4, rounds = 200 };

static void* release_it(void* s) {
  wf_release(s);
  return NULL;
}

Test(threads, handles_are_released_elsewhere) {
  wf_context* context = tested();
  for (int k = 0; k < 20; k++) {
    wf_seq* s = iota(context, 10000);
    wf_seq* r = map1("(fn ((x i32)) (neg x))", s);
    OK(wf_force(&r, 1));
    pthread_t first, second;
    pthread_create(&first, NULL, release_it, s);
    pthread_create(&second, NULL, release_it, r);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
  }
  cr_assert_eq(live_bytes(context), 0);
  wf_context_release(context);
}

static void* ask_for_the_context(void* s) {
  for (int k = 0; k < 100 * rounds; k++) {
    wf_context* context;
    char name[10];
    if (wf_context_of(s, &context) || wf_context_name(context, name, sizeof name, NULL)) return "failed";
    wf_context_release(context);
  }
  return NULL;
}

/* No other reference exists, so most calls race with the release of the last one. */
Test(threads, ask_for_a_context_that_others_release) {
  wf_context* context = tested();
  wf_seq* s = iota(context, 100);
  wf_context_release(context);
  pthread_t running[threads];
  for (int t = 0; t < threads; t++) pthread_create(&running[t], NULL, ask_for_the_context, s);
  for (int t = 0; t < threads; t++) {
    void* failed;
    pthread_join(running[t], &failed);
    cr_assert_null(failed, "%s", (const char*)failed);
  }
  wf_release(s);
}

struct shared {
  wf_context* context;
  wf_seq* s;
  wf_seq* total;
  wf_fn* f;
};

static void* force_and_use(void* argument) {
  struct shared* shared = argument;
  for (int k = 0; k < rounds; k++) {
    wf_seq *r, *part;
    int64_t x = 0;
    wf_retain(shared->s);
    wf_fn_retain(shared->f);
    wf_context_retain(shared->context);
    if (wf_force(&shared->total, 1) || wf_to_host(shared->total, 0, 0, 1, &x, WF_I64, 1) || x != 4950) return "total";
    if (wf_map(shared->f, &shared->s, 1, &r) || wf_subseq(r, 10, 10, &part)) return "map";
    if (wf_to_host(part, 0, 3, 1, &x, WF_I64, 1) || x != 26) return "part";
    wf_release(part);
    wf_release(r);
    wf_release(shared->s);
    wf_fn_release(shared->f);
    wf_context_release(shared->context);
  }
  return NULL;
}

Test(threads, handles_are_shared) {
  struct shared shared = {tested(), NULL, NULL, function("(fn ((x i32)) (mul x 2:i32))")};
  wf_fn* sum = function("(fn ((a i32) (b i32)) (add a b))");
  shared.s = iota(shared.context, 100);
  OK(wf_reduce(sum, NULL, shared.s, &shared.total));
  pthread_t running[threads];
  for (int t = 0; t < threads; t++) pthread_create(&running[t], NULL, force_and_use, &shared);
  for (int t = 0; t < threads; t++) {
    void* problem;
    pthread_join(running[t], &problem);
    cr_assert_null(problem, "%s: %s", (char*)problem, message());
  }
  wf_release(shared.total);
  wf_release(shared.s);
  wf_fn_release(shared.f);
  wf_fn_release(sum);
  cr_assert_eq(live_bytes(shared.context), 0);
  wf_context_release(shared.context);
}

static void* close_it(void* context) {
  wf_context_close(context);
  return NULL;
}

Test(threads, a_context_is_closed_while_others_compute) {
  wf_context* context = tested();
  pthread_t closer;
  for (int k = 0; k < 100; k++) {
    wf_seq* s = iota(context, 1000);
    if (k == 50) pthread_create(&closer, NULL, close_it, context);
    int32_t code = wf_force(&s, 1);
    wf_release(s);
    cr_assert(code == WF_OK || code == WF_ERROR_ARGUMENT, "%s", message());
    if (code != WF_OK || k == 99) break;
    if (k >= 50) {
      pthread_join(closer, NULL);
      break;
    }
  }
  cr_assert_eq(live_bytes(context), 0);
}
