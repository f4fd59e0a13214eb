/* Whole programs through the C API: their values; inspection computes nothing. */
#include "helpers.h"

static wf_context* context;
static void set_up(void) { context = tested(); }
static void tear_down(void) {
  cr_assert_eq(live_bytes(context), 0, "%lld bytes are still live", (long long)live_bytes(context));
  wf_context_release(context);
}

TestSuite(programs, .init = set_up, .fini = tear_down);

static int is_manifest(wf_seq* s) {
  int32_t yes;
  OK(wf_is_manifest(s, &yes));
  return yes;
}

Test(programs, parentheses) {
  static const struct {
    const char* text;
    int matches;
  } cases[] = {{"", 1}, {"()", 1}, {"(()())", 1}, {"(", 0}, {")", 0}, {")(", 0}, {"())(()", 0}, {"(((())))()", 1}};
  wf_fn* value = function("(fn ((c u8)) (sub (cast i32 (eq c 40:u8)) (cast i32 (eq c 41:u8))))");
  wf_fn* sum = function("(fn ((a i32) (b i32)) (add a b))");
  wf_fn* least = function("(fn ((a i32) (b i32)) (min a b))");
  wf_fn* both = function("(fn ((total i32) (low i32)) (and (eq total 0:i32) (ge low 0:i32)))");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    wf_seq *text, *steps, *depth, *total, *low, *answer;
    OK(wf_from_host(context, WF_U8, cases[k].text, (int64_t)strlen(cases[k].text), &text));
    OK(wf_map(value, &text, 1, &steps));
    OK(wf_scan(sum, NULL, steps, 1, &depth, &total));
    OK(wf_reduce(least, "0:i32", depth, &low));
    wf_seq* ends[] = {total, low};
    OK(wf_map(both, ends, 2, &answer));
    cr_assert(!is_manifest(answer));
    cr_assert_eq(i64_at(answer, 0, 0), cases[k].matches, "%s", cases[k].text);
    cr_assert(is_manifest(answer) && !is_manifest(depth) && !is_manifest(steps));
    wf_seq* all[] = {text, steps, depth, total, low, answer};
    for (int j = 0; j < 6; j++) wf_release(all[j]);
  }
  wf_fn_release(value);
  wf_fn_release(sum);
  wf_fn_release(least);
  wf_fn_release(both);
}

Test(programs, scans) {
  static const int32_t values[] = {3, 1, 4, 1, 5};
  wf_seq* s = i32s(context, 5, values);
  wf_fn* sum = function("(fn ((a i32) (b i32)) (add a b))");
  wf_seq *exclusive, *inclusive, *total;
  OK(wf_scan(sum, "0:i32", s, 0, &exclusive, &total));
  OK(wf_scan(sum, NULL, s, 1, &inclusive, NULL));
  expect_i32s(exclusive, 5, (int32_t[]){0, 3, 4, 8, 9});
  expect_i32s(inclusive, 5, (int32_t[]){3, 4, 8, 9, 14});
  cr_assert_eq(i64_at(total, 0, 0), 14); /* after the prefixes were computed without the total */
  wf_release(total);
  OK(wf_scan(sum, NULL, s, 0, NULL, &total));
  cr_assert_eq(i64_at(total, 0, 0), 14);
  wf_release(total);
  wf_release(exclusive);
  wf_release(inclusive);
  wf_release(s);
  wf_fn_release(sum);
}

Test(programs, empty_sequences) {
  wf_fn* sum = function("(fn ((a i32) (b i32)) (add a b))");
  wf_fn* least = function("(fn ((a i32) (b i32)) (min a b))");
  wf_seq* s = iota(context, 0);
  wf_seq *total, *low, *prefixes, *kept, *n, *back;
  OK(wf_reduce(least, NULL, s, &low));
  OK(wf_scan(sum, "0:i32", s, 0, &prefixes, &total));
  kept = filter1("(fn ((x i32)) (gt x 0:i32))", s);
  OK(wf_length(kept, &n));
  OK(wf_rev(s, &back));
  cr_assert_eq(i64_at(low, 0, 0), INT32_MAX);
  cr_assert_eq(i64_at(total, 0, 0), 0);
  cr_assert_eq(i64_at(n, 0, 0), 0);
  expect_i32s(prefixes, 0, NULL);
  expect_i32s(kept, 0, NULL);
  expect_i32s(back, 0, NULL);
  wf_seq* all[] = {s, total, low, prefixes, kept, n, back};
  for (int k = 0; k < 7; k++) wf_release(all[k]);
  wf_fn_release(sum);
  wf_fn_release(least);
}

Test(programs, filters) {
  wf_seq* s = iota(context, 100000);
  wf_seq* kept = filter1("(fn ((x i32)) (eq (rem x 3:i32) 1:i32))", s);
  wf_seq* squares = map1("(fn ((x i32)) (mul (cast i64 x) (cast i64 x)))", kept);
  wf_seq* n;
  wf_seq* total;
  wf_fn* sum = function("(fn ((a i64) (b i64)) (add a b))");
  OK(wf_length(kept, &n));
  OK(wf_reduce(sum, NULL, squares, &total));
  cr_assert_eq(known_length(kept), -1);
  cr_assert_eq(known_length(squares), -1);
  cr_assert(!is_manifest(kept));
  int64_t expected = 0;
  for (int64_t x = 1; x < 100000; x += 3) expected += x * x;
  cr_assert_eq(i64_at(total, 0, 0), expected);
  cr_assert_eq(i64_at(n, 0, 0), 33333);
  cr_assert_eq(i64_at(kept, 0, 5), 16);
  cr_assert_eq(known_length(kept), 33333);
  cr_assert_eq(i64_at(squares, 0, 33332), (int64_t)99997 * 99997);
  wf_seq* all[] = {s, kept, squares, n, total};
  for (int k = 0; k < 5; k++) wf_release(all[k]);
  wf_fn_release(sum);
}

/* Views, zips and appends of filter results run the filters that they need. */
Test(programs, views_of_filters) {
  wf_seq* s = iota(context, 20);
  wf_seq *part, *back, *joined, *last, *pairs, *first, *rest;
  wf_seq* even = filter1("(fn ((x i32)) (eq (rem x 2:i32) 0:i32))", s);
  wf_seq* odd = filter1("(fn ((x i32)) (eq (rem x 2:i32) 1:i32))", s);
  OK(wf_subseq(even, 2, 3, &part));
  expect_i32s(part, 3, (int32_t[]){4, 6, 8});
  OK(wf_rev(odd, &back));
  cr_assert_eq(known_length(back), 10);
  cr_assert_eq(i64_at(back, 0, 0), 19);
  wf_seq* fresh[] = {filter1("(fn ((x i32)) (lt x 3:i32))", s), filter1("(fn ((x i32)) (gt x 17:i32))", s)};
  OK(wf_append(fresh, 2, &joined));
  expect_i32s(joined, 5, (int32_t[]){0, 1, 2, 18, 19});
  OK(wf_nth(joined, 4, &last));
  cr_assert_eq(i64_at(last, 0, 0), 19);
  OK(wf_take(joined, 2, &first));
  expect_i32s(first, 2, (int32_t[]){0, 1});
  OK(wf_drop(joined, 4, &rest));
  expect_i32s(rest, 1, (int32_t[]){19});
  wf_seq* two[] = {filter1("(fn ((x i32)) (lt x 3:i32))", s), filter1("(fn ((x i32)) (gt x 16:i32))", s)};
  OK(wf_zip(two, 2, &pairs));
  cr_assert_eq(i64_at(pairs, 0, 2), 2);
  cr_assert_eq(i64_at(pairs, 1, 2), 19);
  wf_seq* unequal[] = {fresh[0], fresh[1]};
  wf_seq* r;
  GIVES_NOTHING(WF_ERROR_SIZE, "length 2 but the 1st sequence has length 3", r, wf_zip(unequal, 2, &r));
  wf_seq* all[] = {s, part, back, joined, last, pairs, first, rest, even, odd, fresh[0], fresh[1], two[0], two[1]};
  for (int k = 0; k < 14; k++) wf_release(all[k]);
}

Test(programs, columns_over_one_filter_stay_together) {
  wf_seq* s = iota(context, 20);
  wf_seq* even = filter1("(fn ((x i32)) (eq (rem x 2:i32) 0:i32))", s);
  wf_seq* halves = map1("(fn ((x i32)) (div x 2:i32))", even);
  wf_seq* both[] = {even, halves};
  wf_seq* pairs;
  OK(wf_zip(both, 2, &pairs));
  cr_assert(!is_manifest(even) && known_length(pairs) == -1);
  cr_assert_eq(i64_at(pairs, 1, 9), 9);
  cr_assert_eq(i64_at(pairs, 0, 9), 18);
  wf_release(s);
  wf_release(even);
  wf_release(halves);
  wf_release(pairs);
}

Test(programs, pairs) {
  /* The smallest element and its first index. */
  static const int32_t values[] = {5, 3, 9, 3, 7};
  wf_seq* s = i32s(context, 5, values);
  wf_seq* index = iota(context, 5);
  wf_seq* both[] = {s, index};
  wf_seq *pairs, *best, *where;
  OK(wf_zip(both, 2, &pairs));
  wf_fn* f = function(
      "(fn ((x i32) (i i32) (y i32) (j i32)) (let ((right (or (lt y x) (and (eq y x) (lt j i)))))"
      " (tuple (where right y x) (where right j i))))");
  OK(wf_reduce(f, "(tuple 2147483647:i32 2147483647:i32)", pairs, &best));
  cr_assert_eq(i64_at(best, 0, 0), 3);
  cr_assert_eq(i64_at(best, 1, 0), 1);
  int32_t swapped[] = {1, 0};
  OK(wf_columns(best, swapped, 2, &where));
  cr_assert_eq(i64_at(where, 0, 0), 1);
  wf_seq* all[] = {s, index, pairs, best, where};
  for (int k = 0; k < 5; k++) wf_release(all[k]);
  wf_fn_release(f);
}

Test(programs, several_are_forced_together) {
  wf_seq* s = iota(context, 1000);
  wf_fn* sum = function("(fn ((a i32) (b i32)) (add a b))");
  wf_fn* most = function("(fn ((a i32) (b i32)) (max a b))");
  wf_seq* ends[3];
  OK(wf_reduce(sum, NULL, s, &ends[0]));
  OK(wf_reduce(most, NULL, s, &ends[1]));
  ends[2] = map1("(fn ((x i32)) (neg x))", s);
  OK(wf_force(ends, 2));
  OK(wf_wait(ends, 3));
  for (int k = 0; k < 3; k++) cr_assert(is_manifest(ends[k]));
  cr_assert_eq(i64_at(ends[0], 0, 0), 499500);
  cr_assert_eq(i64_at(ends[1], 0, 0), 999);
  cr_assert_eq(i64_at(ends[2], 0, 7), -7);
  for (int k = 0; k < 3; k++) wf_release(ends[k]);
  wf_release(s);
  wf_fn_release(sum);
  wf_fn_release(most);
}

Test(programs, looking_forces_nothing) {
  wf_seq* s = iota(context, 1000);
  wf_seq* kept = filter1("(fn ((x i32)) (gt x 500:i32))", s);
  wf_seq* n;
  char text[4000];
  int64_t needed = 0;
  int32_t k;
  OK(wf_length(kept, &n));
  OK(wf_rank(n, &k));
  OK(wf_column_count(kept, &k));
  cr_assert_eq(known_length(kept), -1);
  wf_seq* both[] = {kept, n};
  OK(wf_explain(both, 2, 0, text, sizeof text, &needed));
  cr_assert(needed > 20 && strlen(text) > 20);
  OK(wf_explain(both, 2, 1, text, sizeof text, NULL));
  cr_assert_not_null(strstr(text, "digraph"), "%s", text);
  OK(wf_explain(both, 2, 0, NULL, 0, &needed));
  cr_assert(!is_manifest(s) && !is_manifest(kept) && !is_manifest(n));
  OK(wf_force(both, 2));
  OK(wf_explain(both, 2, 0, text, sizeof text, NULL));
  wf_release(s);
  wf_release(kept);
  wf_release(n);
}

Test(programs, long_chains) {
  wf_seq* s = iota(context, 100);
  wf_fn* f = function("(fn ((x i32)) (add x 1:i32))");
  for (int k = 0; k < 3000; k++) {
    wf_seq* r;
    OK(wf_map(f, &s, 1, &r));
    wf_release(s);
    s = r;
  }
  cr_assert_eq(i64_at(s, 0, 5), 3005);
  wf_release(s);
  wf_fn_release(f);
}
