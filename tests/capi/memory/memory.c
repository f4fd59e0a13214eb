/* Budgets, exhaustion and recovery; failure of the k-th allocation of a program, for every k. */
#include "../helpers.h"
#include "program.h"

TestSuite(memory);

static const int64_t MiB = 1 << 20;

Test(memory, is_counted) {
  wf_context* context = tested();
  int64_t live, cached, peak, limit, freed = -1;
  wf_seq* s = iota(context, 64 << 20);
  cr_assert_eq(live_bytes(context), 0);
  OK(wf_force(&s, 1));
  OK(wf_context_memory(context, &live, &cached, &peak, &limit));
  cr_assert_eq(live, 256 * MiB);
  cr_assert(peak >= live && limit == -1);
  wf_release(s);
  OK(wf_context_memory(context, &live, &cached, &peak, NULL));
  cr_assert_eq(live, 0);
  cr_assert_geq(cached, 256 * MiB);
  /* A GPU driver frees memory in pieces of many MiB, and only pieces that are wholly unused. */
  int64_t kept = is_cpu(context) ? 0 : 64 * MiB;
  OK(wf_context_trim(context, &freed));
  cr_assert_geq(freed, 256 * MiB - kept);
  OK(wf_context_reset_peak(context));
  OK(wf_context_memory(context, NULL, &cached, &peak, NULL));
  cr_assert(cached <= kept && peak == 0);
  wf_context_release(context);
}

Test(memory, a_filter_gives_back_what_it_did_not_need) {
  wf_context* context = tested();
  OK(wf_context_set_limit(context, 1 << 30)); /* without a limit, a GPU keeps some of the memory idle */
  wf_seq* s = iota(context, 4 << 20);
  wf_seq* kept = filter1("(fn ((x i32)) (lt x 1000:i32))", s);
  OK(wf_force(&kept, 1));
  cr_assert_eq(known_length(kept), 1000);
  cr_assert_leq(live_bytes(context), 2 * MiB);
  wf_release(s);
  wf_release(kept);
  wf_context_release(context);
}

Test(memory, exhaustion_is_an_error_that_leaves_everything_usable) {
  wf_context* context = tested();
  wf_seq* s = iota(context, 4 << 20);
  wf_seq* r = map1("(fn ((x i32)) (add x 1:i32))", s);
  int32_t yes;
  int64_t limit;
  OK(wf_context_set_limit(context, 20 * MiB));
  OK(wf_force(&s, 1));
  FAILS(WF_ERROR_MEMORY, "limit is 20971520", wf_force(&r, 1));
  OK(wf_is_manifest(r, &yes));
  cr_assert_eq(yes, 0);
  cr_assert_eq(live_bytes(context), 16 * MiB);
  wf_seq* copy;
  static int32_t values[2 << 20];
  GIVES_NOTHING(WF_ERROR_MEMORY, "8388608 bytes were asked for", copy, wf_from_host(context, WF_I32, values, 2 << 20, &copy));
  /* Computed sequences can still be read, and small computations still run. */
  cr_assert_eq(i64_at(s, 0, 12345), 12345);
  wf_fn* sum = function("(fn ((a i32) (b i32)) (max a b))");
  wf_seq* most;
  OK(wf_reduce(sum, NULL, r, &most));
  cr_assert_eq(i64_at(most, 0, 0), 4 << 20);
  /* With a larger limit, the same handle works. */
  OK(wf_context_set_limit(context, -1));
  OK(wf_context_memory(context, NULL, NULL, NULL, &limit));
  cr_assert_eq(limit, -1);
  OK(wf_force(&r, 1));
  cr_assert_eq(i64_at(r, 0, 5), 6);
  wf_seq* all[] = {s, r, most};
  for (int k = 0; k < 3; k++) wf_release(all[k]);
  wf_fn_release(sum);
  cr_assert_eq(live_bytes(context), 0);
  wf_context_release(context);
}

Test(memory, a_limit_below_what_is_live) {
  wf_context* context = tested();
  wf_seq* s = iota(context, 1 << 20);
  wf_seq* r = map1("(fn ((x i32)) (add x 1:i32))", s);
  OK(wf_force(&s, 1));
  OK(wf_context_set_limit(context, 0));
  FAILS(WF_ERROR_MEMORY, "limit is 0", wf_force(&r, 1));
  cr_assert_eq(i64_at(s, 0, 99), 99);
  OK(wf_context_set_limit(context, -1));
  OK(wf_force(&r, 1));
  wf_release(s);
  wf_release(r);
  wf_context_release(context);
}

Test(memory, the_kth_allocation_fails_for_every_k) {
  wf_context* context = tested();
  int64_t expected, result;
  OK(program(context, &expected));
  cr_assert_eq(expected, program_result);
  int32_t code;
  int k = 0;
  do {
    k++;
    OK(wf_context_fail_allocation(context, k));
    result = -1;
    code = program(context, &result);
    cr_assert(code == WF_OK || code == WF_ERROR_MEMORY, "k = %d gave %d: %s", k, (int)code, message());
    if (code == WF_OK) cr_assert_eq(result, expected);
    cr_assert_eq(live_bytes(context), 0, "k = %d leaves %lld bytes", k, (long long)live_bytes(context));
    OK(wf_context_fail_allocation(context, 0));
    OK(program(context, &result));
    cr_assert_eq(result, expected);
  } while (code != WF_OK);
  cr_assert_gt(k, 5);
  wf_context_release(context);
}
