/* Runs, searches and sets: results against loops, bad arguments, failing allocations. */
#include <math.h>

#include "helpers.h"

TestSuite(orders);

enum { n_values = 100007 };

/* In order, with runs of one to seven equal numbers. */
static int32_t* sorted_values(int64_t n, int32_t first, int32_t step) {
  int32_t* all = malloc((size_t)n * 4 + 4);
  int32_t value = first;
  for (int64_t i = 0; i < n; i++) {
    if (i * 7919 % 7 < 3) value += step;
    all[i] = value;
  }
  return all;
}

Test(orders, runs_and_unique) {
  wf_context* context = tested();
  wf_fn* equal = function("(fn ((a i32) (b i32)) (eq (div a 10:i32) (div b 10:i32)))");
  for (int64_t n = 0; n <= n_values; n = 9 * n + (n == 0)) {
    int32_t* values = sorted_values(n, 5, 3);
    wf_seq *s = i32s(context, n, values), *r[4];
    OK(wf_runs(s, 1, &r[0]));
    OK(wf_unique(s, 1, &r[1]));
    OK(wf_runs_by(equal, s, &r[2]));
    OK(wf_unique_by(equal, s, &r[3]));
    cr_assert_eq(known_length(r[0]), -1);
    if (n % 2) OK(wf_force(r, 4));
    for (int which = 0; which < 2; which++) {
      const int32_t unit = which ? 10 : 1;
      int64_t count = 0;
      const int64_t* offsets;
      const int32_t* firsts;
      int64_t n_offsets, n_firsts;
      OK(wf_data(r[2 * which], 0, (const void**)&offsets, &n_offsets));
      OK(wf_data(r[2 * which + 1], 0, (const void**)&firsts, &n_firsts));
      for (int64_t i = 0; i < n; i++) {
        if (i > 0 && values[i] / unit == values[i - 1] / unit) continue;
        cr_assert_eq(offsets[count], i);
        cr_assert_eq(firsts[count], values[i]);
        count++;
      }
      cr_assert_eq(n_offsets, count + 1);
      cr_assert_eq(n_firsts, count);
      cr_assert_eq(offsets[count], n);
    }
    for (int k = 0; k < 4; k++) wf_release(r[k]);
    wf_release(s);
    free(values);
  }
  wf_fn_release(equal);
  wf_context_release(context);
}

Test(orders, floats_are_compared_as_sort_compares_them) {
  wf_context* context = tested();
  const float values[] = {-INFINITY, -1, -0.0f, -0.0f, 0.0f, 2, 2, INFINITY, NAN, -NAN};
  const int64_t right[] = {0, 1, 2, 4, 5, 7, 8, 10};
  wf_seq *s, *r;
  OK(wf_from_host(context, WF_F32, values, 10, &s));
  OK(wf_runs(s, 1, &r));
  OK(wf_force(&r, 1));
  cr_assert_eq(known_length(r), 8);
  for (int k = 0; k < 8; k++) cr_assert_eq(i64_at(r, 0, k), right[k]);
  wf_release(r);
  const int64_t lower[] = {0, 1, 2, 2, 4, 5, 5, 7, 8, 8}, upper[] = {1, 2, 4, 4, 5, 7, 7, 8, 10, 10};
  for (int32_t after = 0; after < 2; after++) {
    OK(wf_search(s, s, 1, 0, after, &r));
    for (int k = 0; k < 10; k++) cr_assert_eq(i64_at(r, 0, k), after ? upper[k] : lower[k]);
    wf_release(r);
  }
  wf_release(s);
  wf_context_release(context);
}

Test(orders, search_counts_what_comes_before) {
  wf_context* context = tested();
  wf_fn *less = function("(fn ((a i32) (b i32)) (lt a b))"), *greater = function("(fn ((a i32) (b i32)) (gt a b))");
  const int64_t sizes[] = {0, 1, 2, 3, 1000, n_values};
  for (int c = 0; c < 6; c++) {
    const int64_t n = sizes[c], m = 5003;
    int32_t *values = sorted_values(n, 5, 3), *reversed = malloc((size_t)n * 4 + 4), *needles = malloc((size_t)m * 4);
    for (int64_t i = 0; i < n; i++) reversed[n - 1 - i] = values[i];
    for (int64_t k = 0; k < m; k++) needles[k] = (int32_t)(k * 7919 % (3 * n / 2 + 20));
    wf_seq *up = i32s(context, n, values), *down = i32s(context, n, reversed), *s = i32s(context, m, needles), *r[8];
    for (int32_t after = 0; after < 2; after++) {
      OK(wf_search(up, s, 1, 0, after, &r[after]));
      OK(wf_search_by(less, up, s, after, &r[2 + after]));
      OK(wf_search(down, s, 1, 1, after, &r[4 + after]));
      OK(wf_search_by(greater, down, s, after, &r[6 + after]));
    }
    OK(wf_force(r, 8));
    for (int64_t k = 0; k<m; k += n> 1000 ? 37 : 7) {
      int64_t below = 0, above = 0;
      for (int64_t i = 0; i < n; i++) below += values[i]<needles[k], above += values[i]> needles[k];
      for (int way = 0; way < 8; way++)
        cr_assert_eq(i64_at(r[way], 0, k), way < 4 ? (way % 2 ? n - above : below) : (way % 2 ? n - below : above));
    }
    for (int way = 0; way < 8; way++) wf_release(r[way]);
    wf_release(up), wf_release(down), wf_release(s);
    free(values), free(reversed), free(needles);
  }
  wf_fn_release(less), wf_fn_release(greater);
  wf_context_release(context);
}

/* Column 1 tells from which element of s a result comes. */
static wf_seq* numbered(wf_context* context, int64_t n, const int32_t* values, int32_t from) {
  int32_t* numbers = malloc((size_t)n * 4 + 4);
  for (int64_t i = 0; i < n; i++) numbers[i] = from + (int32_t)i;
  wf_seq *both[] = {i32s(context, n, values), i32s(context, n, numbers)}, *r;
  OK(wf_zip(both, 2, &r));
  wf_release(both[0]), wf_release(both[1]);
  free(numbers);
  return r;
}

Test(orders, sets) {
  wf_context* context = tested();
  wf_fn* less = function("(fn ((a i32) (i i32) (b i32) (j i32)) (lt a b))");
  const int64_t sizes[][2] = {{0, 0}, {0, 5}, {5, 0}, {1000, 1}, {n_values, n_values}, {3000, n_values}};
  for (int c = 0; c < 6; c++) {
    const int64_t n = sizes[c][0], m = sizes[c][1];
    int32_t *left = sorted_values(n, 5, 3), *right = sorted_values(m, -10, 2);
    wf_seq *s = numbered(context, n, left, 0), *t = numbered(context, m, right, 1000000), *r[4];
    OK(wf_intersection(s, t, 1, 0, &r[0]));
    OK(wf_difference(s, t, 1, 0, &r[1]));
    OK(wf_intersection_by(less, s, t, &r[2]));
    OK(wf_difference_by(less, s, t, &r[3]));
    for (int way = 0; way < 4; way++) {
      const int is_difference = way % 2;
      const int32_t* from;
      int64_t length, count = 0, j = 0;
      OK(wf_data(r[way], 1, (const void**)&from, &length));
      for (int64_t i = 0; i < n; i++) {
        while (j < m && right[j] < left[i]) j++;
        const int is_matched = j < m && right[j] == left[i];
        if (is_matched) j++;
        if (is_matched == is_difference) continue;
        cr_assert(count < length && from[count] == i, "way %d, element %d", way, (int)count);
        count++;
      }
      cr_assert_eq(count, length);
      wf_release(r[way]);
    }
    wf_release(s), wf_release(t);
    free(left), free(right);
  }
  wf_fn_release(less);
  wf_context_release(context);
}

Test(orders, pieces_between_separators) {
  wf_context* context = tested();
  wf_fn* f = function("(fn ((x i32)) (eq (rem x 5:i32) 0:i32))");
  for (int64_t n = 0; n <= n_values; n = 9 * n + (n == 0))
    for (int kind = 0; kind < 2; kind++) {
      int32_t* values = malloc((size_t)n * 4 + 4);
      for (int64_t i = 0; i < n; i++) values[i] = kind ? 5 * (int32_t)i : (int32_t)(i * 7919 % 101);
      wf_seq *s = i32s(context, n, values), *pieces, *offsets;
      OK(wf_split(f, s, &pieces, &offsets));
      const int64_t* at;
      const int32_t* kept;
      int64_t n_at, n_kept, count = 0, separators = 0;
      OK(wf_data(offsets, 0, (const void**)&at, &n_at));
      OK(wf_data(pieces, 0, (const void**)&kept, &n_kept));
      cr_assert_eq(at[0], 0);
      for (int64_t i = 0; i < n; i++)
        if (values[i] % 5 == 0) {
          separators++;
          cr_assert_eq(at[separators], count);
        } else {
          cr_assert_eq(kept[count], values[i]);
          count++;
        }
      cr_assert_eq(n_kept, count);
      cr_assert_eq(n_at, separators + 2);
      cr_assert_eq(at[n_at - 1], count);
      wf_release(s), wf_release(pieces), wf_release(offsets);
      free(values);
    }
  wf_fn_release(f);
  wf_context_release(context);
}

/* equal reads a table, and does not at the first element. */
Test(orders, a_function_that_captures) {
  wf_context* context = tested();
  const int32_t values[] = {0, 1, 2, 3, 4, 5}, table[] = {7, 7, 8, 8, 8, 9};
  const int64_t right[] = {0, 2, 5, 6};
  wf_seq *s = i32s(context, 6, values), *t = i32s(context, 6, table), *r;
  wf_fn* equal;
  OK(wf_fn_create("(fn ((a i32) (b i32)) (eq (at $0 a) (at $0 b)))", &t, 1, &equal));
  OK(wf_runs_by(equal, s, &r));
  OK(wf_force(&r, 1));
  cr_assert_eq(known_length(r), 4);
  for (int k = 0; k < 4; k++) cr_assert_eq(i64_at(r, 0, k), right[k]);
  wf_release(r), wf_release(s), wf_release(t);
  wf_fn_release(equal);
  wf_context_release(context);
}

/* f captures nothing: all states, of two columns, by one step. */
Test(orders, iterate_prefixes_are_all_states) {
  wf_context* context = tested();
  wf_fn* f = function("(fn ((a i32) (k u8) (x i32)) (tuple (add (mul a 3:i32) x) (cast u8 (add (cast i32 k) 1:i32))))");
  for (int64_t n = 0; n <= n_values; n = 9 * n + (n == 0))
    for (int32_t inclusive = 0; inclusive < 2; inclusive++) {
      wf_seq *s = iota(context, n), *states, *last;
      OK(wf_iterate_prefixes(f, "(tuple 7:i32 250:u8)", s, inclusive, &states, &last));
      wf_seq *doubled = map1("(fn ((a i32) (k u8)) (add a a))", states), *all[] = {doubled, states, last};
      if (n % 2) OK(wf_force(all, 3));
      const int32_t *a, *b;
      const uint8_t* k;
      int64_t count;
      OK(wf_data(doubled, 0, (const void**)&b, &count));
      OK(wf_data(states, 0, (const void**)&a, &count));
      OK(wf_data(states, 1, (const void**)&k, &count));
      cr_assert_eq(count, n);
      uint32_t right = 7;
      for (int64_t i = 0; i < n; i++) {
        const uint32_t next = right * 3 + (uint32_t)i, state = inclusive ? next : right;
        cr_assert_eq(a[i], (int32_t)state);
        cr_assert_eq(k[i], (uint8_t)(250 + i + inclusive));
        cr_assert_eq(b[i], (int32_t)(2 * state));
        right = next;
      }
      cr_assert_eq(i64_at(last, 0, 0), (int32_t)right);
      wf_release(s), wf_release(states), wf_release(last), wf_release(doubled);
    }
  wf_fn_release(f);
  wf_context_release(context);
}

/* A state of two columns; f is not associative, and captures a table. */
Test(orders, iterate_goes_through_the_elements_in_order) {
  wf_context* context = tested();
  const int32_t table[] = {3, 1, 4, 1, 5};
  wf_seq *t = i32s(context, 5, table), *r;
  wf_fn* f;
  OK(wf_fn_create("(fn ((a i32) (k i64) (x i32)) (tuple (add (mul a 3:i32) (at $0 (rem x 5:i32))) (add k 1:i64)))", &t, 1, &f));
  for (int64_t n = 0; n <= n_values; n = 9 * n + (n == 0)) {
    wf_seq* s = iota(context, n);
    OK(wf_iterate(f, "(tuple 7:i32 0:i64)", s, &r));
    uint32_t a = 7;
    for (int64_t i = 0; i < n; i++) a = a * 3 + (uint32_t)table[i % 5];
    cr_assert_eq(i64_at(r, 0, 0), (int32_t)a);
    cr_assert_eq(i64_at(r, 1, 0), n);
    wf_release(r);
    for (int32_t inclusive = 0; inclusive < 2; inclusive++) {
      wf_seq* last;
      OK(wf_iterate_prefixes(f, "(tuple 7:i32 0:i64)", s, inclusive, &r, &last));
      cr_assert_eq(known_length(r), n);
      cr_assert_eq(i64_at(last, 0, 0), (int32_t)a);
      for (int64_t i = 0; i < n; i += n / 9 + 1) cr_assert_eq(i64_at(r, 1, i), i + inclusive);
      wf_release(r), wf_release(last);
    }
    wf_release(s);
  }
  wf_seq *all = iota(context, 10), *some = filter1("(fn ((x i32)) (lt x 5:i32))", all), *scalar;
  OK(wf_nth(all, 0, &scalar));
  OK(wf_iterate(f, "(tuple 7:i32 0:i64)", some, &r));
  cr_assert_eq(i64_at(r, 1, 0), 5);
  wf_release(r);
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_iterate(f, "0:i32", all, NULL));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "f is NULL", r, wf_iterate(NULL, "0:i32", all, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "initial is NULL", r, wf_iterate(f, NULL, all, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "s is NULL", r, wf_iterate(f, "(tuple 7:i32 0:i64)", NULL, &r));
  GIVES_NOTHING(WF_ERROR_TYPE, "1 literal", r, wf_iterate(f, "7:i32", all, &r));
  wf_seq* wrong = map1("(fn ((x i32)) (cast i64 x))", all);
  GIVES_NOTHING(WF_ERROR_TYPE, "and those of s, (i64), as parameters", r, wf_iterate(f, "(tuple 7:i32 0:i64)", wrong, &r));
  wf_release(wrong);
  GIVES_NOTHING(WF_ERROR_SIZE, "rank 0", r, wf_iterate(f, "(tuple 7:i32 0:i64)", scalar, &r));
  FAILS(WF_ERROR_ARGUMENT, "both NULL", wf_iterate_prefixes(f, "0:i32", all, 0, NULL, NULL));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "f is NULL", r, wf_iterate_prefixes(NULL, "0:i32", all, 0, NULL, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "initial is NULL", r, wf_iterate_prefixes(f, NULL, all, 0, NULL, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "s is NULL", r, wf_iterate_prefixes(f, "(tuple 7:i32 0:i64)", NULL, 0, NULL, &r));
  GIVES_NOTHING(WF_ERROR_ARGUMENT, "inclusive is 2", r, wf_iterate_prefixes(f, "(tuple 7:i32 0:i64)", all, 2, NULL, &r));
  GIVES_NOTHING(WF_ERROR_TYPE, "1 literal", r, wf_iterate_prefixes(f, "7:i32", all, 0, NULL, &r));
  GIVES_NOTHING(WF_ERROR_SIZE, "rank 0", r, wf_iterate_prefixes(f, "(tuple 7:i32 0:i64)", scalar, 0, NULL, &r));
  wf_release(all), wf_release(some), wf_release(scalar), wf_release(t);
  wf_fn_release(f);
  wf_context_release(context);
}

Test(orders, mistakes) {
  wf_context* context = tested();
  const int32_t values[] = {1, 2, 3};
  wf_seq *s = i32s(context, 3, values), *floats = map1("(fn ((x i32)) (cast f32 x))", s), *scalar, *r, *r2;
  wf_fn *less = function("(fn ((a i32) (b i32)) (lt a b))"), *f = function("(fn ((x i32)) (gt x 0:i32))"),
        *g = function("(fn ((x i32)) x)");
  wf_fn* captures;
  OK(wf_nth(s, 0, &scalar));
  OK(wf_fn_create("(fn ((a i32) (b i32)) (lt a (at $0 b)))", &s, 1, &captures));
#define NOTHING(code, part, call) GIVES_NOTHING(code, part, r, call)
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_runs(s, 1, NULL));
  NOTHING(WF_ERROR_ARGUMENT, "s is NULL", wf_runs(NULL, 1, &r));
  NOTHING(WF_ERROR_ARGUMENT, "keys is 0; expected 1 to 1", wf_runs(s, 0, &r));
  NOTHING(WF_ERROR_ARGUMENT, "keys is 2; expected 1 to 1", wf_runs(s, 2, &r));
  NOTHING(WF_ERROR_SIZE, "rank 0", wf_runs(scalar, 1, &r));
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_runs_by(less, s, NULL));
  NOTHING(WF_ERROR_ARGUMENT, "equal is NULL", wf_runs_by(NULL, s, &r));
  NOTHING(WF_ERROR_ARGUMENT, "s is NULL", wf_runs_by(less, NULL, &r));
  NOTHING(WF_ERROR_TYPE, "equal is (i32) -> (bool); expected (i32, i32) -> (bool)", wf_runs_by(f, s, &r));
  NOTHING(WF_ERROR_SIZE, "rank 0", wf_runs_by(less, scalar, &r));
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_unique(s, 1, NULL));
  NOTHING(WF_ERROR_ARGUMENT, "s is NULL", wf_unique(NULL, 1, &r));
  NOTHING(WF_ERROR_ARGUMENT, "keys is 2", wf_unique(s, 2, &r));
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_unique_by(less, s, NULL));
  NOTHING(WF_ERROR_ARGUMENT, "equal is NULL", wf_unique_by(NULL, s, &r));
  NOTHING(WF_ERROR_TYPE, "equal is (i32) -> (bool)", wf_unique_by(f, s, &r));

  FAILS(WF_ERROR_ARGUMENT, "values is NULL", wf_split(f, s, NULL, &r));
  FAILS(WF_ERROR_ARGUMENT, "offsets is NULL", wf_split(f, s, &r, NULL));
  NOTHING(WF_ERROR_ARGUMENT, "f is NULL", wf_split(NULL, s, &r2, &r));
  NOTHING(WF_ERROR_ARGUMENT, "s is NULL", wf_split(f, NULL, &r2, &r));
  NOTHING(WF_ERROR_TYPE, "f is (i32) -> (i32); expected one result of type bool", wf_split(g, s, &r2, &r));
  cr_assert_null(r2);

  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_search(s, s, 1, 0, 0, NULL));
  NOTHING(WF_ERROR_ARGUMENT, "sorted is NULL", wf_search(NULL, s, 1, 0, 0, &r));
  NOTHING(WF_ERROR_ARGUMENT, "needles is NULL", wf_search(s, NULL, 1, 0, 0, &r));
  NOTHING(WF_ERROR_ARGUMENT, "keys is 2; expected 1 to 1", wf_search(s, s, 2, 0, 0, &r));
  NOTHING(WF_ERROR_ARGUMENT, "descending is 2", wf_search(s, s, 1, 2, 0, &r));
  NOTHING(WF_ERROR_ARGUMENT, "after is -1", wf_search(s, s, 1, 0, -1, &r));
  NOTHING(WF_ERROR_TYPE, "needles has columns (f32); expected (i32)", wf_search(s, floats, 1, 0, 0, &r));
  NOTHING(WF_ERROR_SIZE, "sorted has rank 0", wf_search(scalar, s, 1, 0, 0, &r));
  OK(wf_search(s, scalar, 1, 0, 1, &r)); /* one needle */
  cr_assert_eq(i64_at(r, 0, 0), 1);
  wf_release(r);
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_search_by(less, s, s, 0, NULL));
  NOTHING(WF_ERROR_ARGUMENT, "less is NULL", wf_search_by(NULL, s, s, 0, &r));
  NOTHING(WF_ERROR_ARGUMENT, "sorted is NULL", wf_search_by(less, NULL, s, 0, &r));
  NOTHING(WF_ERROR_ARGUMENT, "needles is NULL", wf_search_by(less, s, NULL, 0, &r));
  NOTHING(WF_ERROR_TYPE, "less is (i32) -> (bool)", wf_search_by(f, s, s, 0, &r));
  NOTHING(WF_ERROR_TYPE, "needles has columns (f32); expected (i32)", wf_search_by(less, s, floats, 0, &r));
  NOTHING(WF_ERROR_ARGUMENT, "less captures 1 sequence", wf_search_by(captures, s, s, 0, &r));

  for (int is_difference = 0; is_difference < 2; is_difference++) {
    int32_t (*by_keys)(wf_seq*, wf_seq*, int32_t, int32_t, wf_seq**) = is_difference ? wf_difference : wf_intersection;
    int32_t (*by_less)(const wf_fn*, wf_seq*, wf_seq*, wf_seq**) = is_difference ? wf_difference_by : wf_intersection_by;
    FAILS(WF_ERROR_ARGUMENT, "out is NULL", by_keys(s, s, 1, 0, NULL));
    NOTHING(WF_ERROR_ARGUMENT, "s is NULL", by_keys(NULL, s, 1, 0, &r));
    NOTHING(WF_ERROR_ARGUMENT, "t is NULL", by_keys(s, NULL, 1, 0, &r));
    NOTHING(WF_ERROR_ARGUMENT, "keys is 2", by_keys(s, s, 2, 0, &r));
    NOTHING(WF_ERROR_ARGUMENT, "descending is 2", by_keys(s, s, 1, 2, &r));
    NOTHING(WF_ERROR_TYPE, "t has columns (f32) and s has (i32)", by_keys(s, floats, 1, 0, &r));
    NOTHING(WF_ERROR_SIZE, "rank 0", by_keys(scalar, s, 1, 0, &r));
    NOTHING(WF_ERROR_SIZE, "t has rank 0", by_keys(s, scalar, 1, 0, &r));
    FAILS(WF_ERROR_ARGUMENT, "out is NULL", by_less(less, s, s, NULL));
    NOTHING(WF_ERROR_ARGUMENT, "less is NULL", by_less(NULL, s, s, &r));
    NOTHING(WF_ERROR_ARGUMENT, "s is NULL", by_less(less, NULL, s, &r));
    NOTHING(WF_ERROR_ARGUMENT, "t is NULL", by_less(less, s, NULL, &r));
    NOTHING(WF_ERROR_TYPE, "less is (i32) -> (bool)", by_less(f, s, s, &r));
  }
  wf_release(s), wf_release(floats), wf_release(scalar);
  wf_fn_release(less), wf_fn_release(f), wf_fn_release(g), wf_fn_release(captures);
  wf_context_release(context);
}

/* Whichever allocation fails, the force is an error, and the same handles work afterwards. */
Test(orders, of_failing_allocations) {
  wf_context* context = tested();
  int32_t* values = sorted_values(n_values, 5, 3);
  wf_seq *s = i32s(context, n_values, values), *even = map1("(fn ((x i32)) (mul 2:i32 (div x 2:i32)))", s);
  wf_fn* f = function("(fn ((x i32)) (eq (rem x 5:i32) 0:i32))");
  for (int kind = 0; kind < 5; kind++) {
    wf_seq* r[2] = {NULL, NULL};
    int64_t failures = 0;
    if (kind == 0) OK(wf_runs(s, 1, &r[0]));
    if (kind == 1) OK(wf_unique(even, 1, &r[0]));
    if (kind == 2) OK(wf_split(f, s, &r[0], &r[1]));
    if (kind == 3) OK(wf_search(s, even, 1, 0, 0, &r[0]));
    if (kind == 4) OK(wf_difference(s, even, 1, 0, &r[0]));
    for (;;) {
      OK(wf_context_fail_allocation(context, failures + 1));
      int32_t code = wf_force(r, r[1] ? 2 : 1);
      OK(wf_context_fail_allocation(context, 0));
      if (code == WF_OK) break;
      cr_assert_eq(code, WF_ERROR_MEMORY);
      failures++;
    }
    cr_assert_geq(failures, 1);
    for (int k = 0; k < 2 && r[k]; k++) {
      cr_assert_gt(known_length(r[k]), 100);
      wf_release(r[k]);
    }
  }
  wf_release(s), wf_release(even);
  wf_fn_release(f);
  free(values);
  wf_context_release(context);
}
