/* wf_offsets and the wf_segment functions: results, wrong offsets, bad arguments, failing allocations. */
#include "helpers.h"

enum { n_values = 100007, n_segments = 5003 };

/* Lengths of segments with sum n_values: many empty ones, the first and the last too, and a few long ones. */
static int32_t lengths[n_segments];
static int64_t starts[n_segments + 1];
static int32_t values[n_values];

static void set_up(void) {
  int64_t left = n_values;
  for (int64_t k = 0; k < n_segments; k++) {
    int64_t length = k % 3 == 0 ? 0 : k % 1000 == 7 ? 15000 : k * 7 % 11;
    if (length > left) length = left;
    if (k == n_segments - 2) length = left;
    lengths[k] = (int32_t)length, starts[k + 1] = starts[k] + length, left -= length;
  }
  lengths[n_segments - 1] = 0;
  cr_assert_eq(starts[n_segments], n_values);
  for (int64_t i = 0; i < n_values; i++) values[i] = (int32_t)(i * 7919 % 1009 - 500);
}

TestSuite(segments, .init = set_up);

static wf_seq* i64s(wf_context* context, int64_t n, const int64_t* data) {
  wf_seq* s;
  OK(wf_from_host(context, WF_I64, data, n, &s));
  return s;
}

static const char* sum = "(fn ((a i32) (b i32)) (add a b))";
/* The composition of the maps x -> a x + b: associative, not commutative. */
static const char* compose = "(fn ((a i32) (b i32) (c i32) (d i32)) (tuple (mul a c) (add (mul b c) d)))";

static wf_seq* maps_of(wf_seq* s) { return map1("(fn ((x i32)) (tuple (sub x 3:i32) x))", s); }

typedef struct {
  int32_t a, b;
} Map;
static Map then(Map f, Map g) {
  const Map h = {(int32_t)((uint32_t)f.a * (uint32_t)g.a), (int32_t)((uint32_t)f.b * (uint32_t)g.a + (uint32_t)g.b)};
  return h;
}
static Map map_of(int32_t x) {
  const Map m = {x - 3, x};
  return m;
}

static void read_maps(wf_seq* s, int64_t n, Map* out) {
  OK(wf_to_host(s, 0, 0, n, &out->a, WF_I32, 2));
  OK(wf_to_host(s, 1, 0, n, &out->b, WF_I32, 2));
}

Test(segments, offsets_are_the_prefixes_of_lengths) {
  wf_context* context = tested();
  wf_seq *s = i32s(context, n_segments, lengths), *r;
  OK(wf_offsets(s, &r));
  cr_assert_eq(known_length(r), n_segments + 1);
  const void* data;
  OK(wf_data(r, 0, &data, NULL));
  cr_assert_arr_eq(data, starts, sizeof starts);
  wf_release(r), wf_release(s);
  s = i32s(context, 0, NULL);
  OK(wf_offsets(s, &r));
  cr_assert_eq(known_length(r), 1);
  cr_assert_eq(i64_at(r, 0, 0), 0);
  wf_release(r), wf_release(s);
  const int32_t wrong[] = {1, 2, -3, 4};
  s = i32s(context, 4, wrong);
  OK(wf_offsets(s, &r));
  FAILS(WF_ERROR_RANGE, "length -3 at element 2 is negative", wf_force(&r, 1));
  wf_release(r), wf_release(s);
  // A kernel over such segments fails by the same message.
  const char* too_long = "the sum of the lengths overflows 64 bits at element 3; expected a sum below 2^63";
  const int64_t half = (int64_t)1 << 62, long_ones[] = {5, half, half, half, half, half};
  wf_seq *all = i32s(context, n_values, values), *sums;
  wf_fn* add = function("(fn ((a i32) (b i32)) (add a b))");
  for (int64_t n = 2; n <= 6; n++) {
    s = i64s(context, n, long_ones);
    OK(wf_offsets(s, &r));
    if (n > 2) {
      OK(wf_segment_reduce(add, "0:i32", all, r, &sums));
      FAILS(WF_ERROR_RANGE, too_long, wf_force(&sums, 1));
      wf_release(sums);
    }
    if (n == 2) OK(wf_force(&r, 1));
    else FAILS(WF_ERROR_RANGE, too_long, wf_force(&r, 1));
    wf_release(r), wf_release(s);
  }
  wf_fn_release(add), wf_release(all);
  s = i64s(context, 2, (const int64_t[]){5, INT64_MAX});
  OK(wf_offsets(s, &r));
  FAILS(WF_ERROR_RANGE, "length 9223372036854775807 at element 1 is too large; expected a sum below 2^63", wf_force(&r, 1));
  wf_release(r), wf_release(s);
  wf_context_release(context);
}

Test(segments, are_reduced_and_scanned) {
  wf_context* context = tested();
  wf_seq *all = i32s(context, n_values, values), *s = maps_of(all), *offsets = i64s(context, n_segments + 1, starts);
  wf_fn* f = function(compose);
  for (int32_t inclusive = 0; inclusive < 2; inclusive++)
    for (int together = 0; together < 2; together++) {
      wf_seq* r[3];
      OK(wf_segment_reduce(f, "(tuple 1:i32 0:i32)", s, offsets, &r[0]));
      OK(wf_segment_scan(f, "(tuple 1:i32 0:i32)", s, offsets, inclusive, &r[1], &r[2]));
      if (together) OK(wf_force(r, 3));
      Map *reduced = malloc(n_segments * sizeof(Map)), *totals = malloc(n_segments * sizeof(Map)),
          *prefixes = malloc(n_values * sizeof(Map));
      read_maps(r[2], n_segments, totals), read_maps(r[0], n_segments, reduced), read_maps(r[1], n_values, prefixes);
      for (int64_t k = 0; k < n_segments; k++) {
        Map total = {1, 0};
        for (int64_t i = starts[k]; i < starts[k + 1]; i++) {
          const Map before = total;
          total = then(total, map_of(values[i]));
          const Map right = inclusive ? total : before;
          cr_assert(prefixes[i].a == right.a && prefixes[i].b == right.b, "prefix %d of segment %d", (int)i, (int)k);
        }
        cr_assert(reduced[k].a == total.a && reduced[k].b == total.b, "segment %d", (int)k);
        cr_assert(totals[k].a == total.a && totals[k].b == total.b, "total %d", (int)k);
      }
      free(reduced), free(totals), free(prefixes);
      for (int k = 0; k < 3; k++) wf_release(r[k]);
    }
  wf_fn_release(f);
  wf_release(all), wf_release(s), wf_release(offsets);
  wf_context_release(context);
}

Test(segments, are_filtered_and_numbered) {
  wf_context* context = tested();
  wf_seq *s = i32s(context, n_values, values), *offsets = i64s(context, n_segments + 1, starts), *kept, *at, *ids, *sums;
  wf_fn *f = function("(fn ((x i32)) (gt x 100:i32))"), *add = function(sum);
  OK(wf_segment_filter(f, s, offsets, &kept, &at));
  cr_assert_eq(known_length(kept), -1);
  cr_assert_eq(known_length(at), n_segments + 1);
  OK(wf_segment_reduce(add, NULL, kept, at, &sums)); /* before the filter has run */
  OK(wf_segment_ids(offsets, n_values, &ids));
  int64_t next = 0;
  for (int64_t k = 0; k < n_segments; k++) {
    int32_t total = 0;
    for (int64_t i = starts[k]; i < starts[k + 1]; i++) {
      if (i % 97 == 0) cr_assert_eq(i64_at(ids, 0, i), k);
      if (values[i] <= 100) continue;
      if (next % 97 == 0) cr_assert_eq(i64_at(kept, 0, next), values[i]);
      total += values[i], next++;
    }
    if (k % 50 == 0 || total != 0) cr_assert_eq(i64_at(sums, 0, k), total);
    cr_assert_eq(i64_at(at, 0, k + 1), next);
  }
  cr_assert_eq(i64_at(at, 0, 0), 0);
  cr_assert_eq(known_length(kept), next);
  wf_release(kept), wf_release(at), wf_release(ids), wf_release(sums), wf_release(s), wf_release(offsets);
  wf_fn_release(f), wf_fn_release(add);
  wf_context_release(context);
}

/* No segments, empty segments only, one segment. */
Test(segments, of_few_values) {
  wf_context* context = tested();
  wf_fn *add = function(sum), *f = function("(fn ((x i32)) (gt x 0:i32))");
  const int64_t cases[][5] = {{0}, {0, 0, 0, 0}, {0, 3}, {0, 0, 3, 3}, {0, 1, 2, 3}};
  const int64_t sizes[][2] = {{0, 0}, {3, 0}, {1, 3}, {3, 3}, {3, 3}};
  const int32_t few[] = {5, -6, 7};
  for (int c = 0; c < 5; c++) {
    const int64_t m = sizes[c][0], n = sizes[c][1];
    wf_seq *s = i32s(context, n, few), *offsets = i64s(context, m + 1, cases[c]), *r[6];
    OK(wf_segment_reduce(add, "0:i32", s, offsets, &r[0]));
    OK(wf_segment_scan(add, NULL, s, offsets, 0, &r[1], &r[2]));
    OK(wf_segment_filter(f, s, offsets, &r[3], &r[4]));
    OK(wf_segment_ids(offsets, n, &r[5]));
    OK(wf_force(r, 6));
    cr_assert_eq(known_length(r[0]), m);
    cr_assert_eq(known_length(r[1]), n);
    cr_assert_eq(known_length(r[2]), m);
    cr_assert_eq(known_length(r[3]), n ? 2 : 0);
    cr_assert_eq(known_length(r[4]), m + 1);
    cr_assert_eq(known_length(r[5]), n);
    for (int64_t k = 0; k < m; k++) {
      int32_t total = 0, kept = 0;
      for (int64_t i = cases[c][k]; i < cases[c][k + 1]; i++) {
        cr_assert_eq(i64_at(r[1], 0, i), total);
        cr_assert_eq(i64_at(r[5], 0, i), k);
        total += few[i], kept += few[i] > 0;
      }
      cr_assert_eq(i64_at(r[0], 0, k), total);
      cr_assert_eq(i64_at(r[2], 0, k), total);
      cr_assert_eq(i64_at(r[4], 0, k + 1) - i64_at(r[4], 0, k), kept);
    }
    for (int k = 0; k < 6; k++) wf_release(r[k]);
    wf_release(s), wf_release(offsets);
  }
  wf_fn_release(add), wf_fn_release(f);
  wf_context_release(context);
}

Test(segments, with_wrong_offsets) {
  wf_context* context = tested();
  wf_fn *add = function(sum), *f = function("(fn ((x i32)) (gt x 0:i32))");
  const int64_t wrong[][4] = {{1, 4, 6, 10},  {0, 7, 4, 10},        {0, 4, 11, 10},       {0, 4, 6, 9},
                              {0, -1, 6, 10}, {0, 4, 6, INT64_MAX}, {INT64_MIN, 4, 6, 10}};
  const char* parts[] = {"offset 0 of segments is 1; expected 0",
                         "offset 2 of segments is 4, below offset 1, which is 7; expected offsets that do not descend",
                         "offset 2 of segments is 11; expected at most 10, the number of values",
                         "offset 3 of segments, the last one, is 9; expected 10, the number of values",
                         "offset 1 of segments is -1; expected 0 to 10, the number of values",
                         "offset 3 of segments is 9223372036854775807; expected at most 10, the number of values",
                         "offset 0 of segments is -9223372036854775808; expected 0"};
  wf_seq* s = i32s(context, 10, values);
  for (int c = 0; c < 7; c++) {
    wf_seq *offsets = i64s(context, 4, wrong[c]), *r[6];
    OK(wf_segment_reduce(add, "0:i32", s, offsets, &r[0]));
    OK(wf_segment_scan(add, NULL, s, offsets, 0, &r[1], &r[2]));
    OK(wf_segment_filter(f, s, offsets, &r[3], &r[4]));
    OK(wf_segment_ids(offsets, 10, &r[5]));
    for (int k = 0; k < 6; k++) {
      if (k != 3) FAILS(WF_ERROR_RANGE, parts[c], wf_force(&r[k], 1));
      wf_release(r[k]);
    }
    wf_release(offsets);
  }
  wf_release(s);
  wf_fn_release(add), wf_fn_release(f);
  wf_context_release(context);
}

/* The wrong offset is between segments that are right, in the middle of a kernel. */
Test(segments, with_one_wrong_offset_of_many) {
  wf_context* context = tested();
  wf_fn* add = function(sum);
  enum { n = 20000 };
  static int64_t offsets[n + 1];
  for (int64_t k = 0; k <= n; k++) offsets[k] = 5 * k;
  wf_seq* s = i32s(context, 5 * n, values);
  const int64_t places[] = {1, 9000, n}, wrong[] = {INT64_MIN, INT64_MIN + 1, -1, INT64_MAX, INT64_MAX - 1, (int64_t)1 << 62};
  for (int p = 0; p < 3; p++)
    for (int w = 0; w < 6; w++) {
      offsets[places[p]] = wrong[w];
      wf_seq *at = i64s(context, n + 1, offsets), *r;
      OK(wf_segment_reduce(add, "0:i32", s, at, &r));
      char part[100];
      snprintf(part, sizeof part, "offset %lld of segments is %lld; expected", (long long)places[p], (long long)wrong[w]);
      FAILS(WF_ERROR_RANGE, part, wf_force(&r, 1));
      wf_release(r), wf_release(at);
      offsets[places[p]] = 5 * places[p];
    }
  wf_release(s);
  wf_fn_release(add);
  wf_context_release(context);
}

Test(segments, mistakes) {
  wf_context* context = tested();
  const int64_t at[] = {0, 1, 3};
  wf_seq *s = i32s(context, 3, values), *offsets = i64s(context, 3, at), *floats = map1("(fn ((x i32)) (cast f32 x))", s), *scalar, *r, *r2;
  wf_seq *one = i64s(context, 1, at), *none = i64s(context, 0, at);
  wf_fn *add = function(sum), *f = function("(fn ((x i32)) (gt x 0:i32))");
  OK(wf_nth(s, 0, &scalar));
#define NOTHING(code, part, call) GIVES_NOTHING(code, part, r, call)
  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_offsets(s, NULL));
  NOTHING(WF_ERROR_ARGUMENT, "lengths is NULL", wf_offsets(NULL, &r));
  NOTHING(WF_ERROR_TYPE, "lengths has columns (f32); expected one column of integers", wf_offsets(floats, &r));
  NOTHING(WF_ERROR_SIZE, "rank 0", wf_offsets(scalar, &r));

  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_segment_reduce(add, NULL, s, offsets, NULL));
  NOTHING(WF_ERROR_ARGUMENT, "f is NULL", wf_segment_reduce(NULL, NULL, s, offsets, &r));
  NOTHING(WF_ERROR_ARGUMENT, "values is NULL", wf_segment_reduce(add, NULL, NULL, offsets, &r));
  NOTHING(WF_ERROR_ARGUMENT, "offsets is NULL", wf_segment_reduce(add, NULL, s, NULL, &r));
  NOTHING(WF_ERROR_TYPE, "offsets has columns (i32); expected one column of type i64", wf_segment_reduce(add, NULL, s, s, &r));
  NOTHING(WF_ERROR_TYPE, "f is (i32) -> (bool)", wf_segment_reduce(f, "0:i32", s, offsets, &r));
  NOTHING(WF_ERROR_TYPE, "f is (i32, i32) -> (i32)", wf_segment_reduce(add, "0:f32", floats, offsets, &r));
  NOTHING(WF_ERROR_TYPE, "2 literals; expected 1", wf_segment_reduce(add, "(tuple 0:i32 1:i32)", s, offsets, &r));
  NOTHING(WF_ERROR_SIZE, "offsets is empty", wf_segment_reduce(add, NULL, s, none, &r));
  NOTHING(WF_ERROR_SIZE, "offsets has length 1, for no segments, but values has length 3", wf_segment_reduce(add, NULL, s, one, &r));
  NOTHING(WF_ERROR_SIZE, "values has rank 0", wf_segment_reduce(add, NULL, scalar, offsets, &r));
  NOTHING(WF_ERROR_SIZE, "offsets has rank 0", wf_segment_reduce(add, NULL, s, scalar, &r));

  FAILS(WF_ERROR_ARGUMENT, "both NULL", wf_segment_scan(add, NULL, s, offsets, 0, NULL, NULL));
  NOTHING(WF_ERROR_ARGUMENT, "inclusive is 2; expected 0 or 1", wf_segment_scan(add, NULL, s, offsets, 2, NULL, &r));
  NOTHING(WF_ERROR_ARGUMENT, "f is NULL", wf_segment_scan(NULL, NULL, s, offsets, 0, NULL, &r));
  NOTHING(WF_ERROR_ARGUMENT, "values is NULL", wf_segment_scan(add, NULL, NULL, offsets, 0, NULL, &r));
  NOTHING(WF_ERROR_ARGUMENT, "offsets is NULL", wf_segment_scan(add, NULL, s, NULL, 0, NULL, &r));
  OK(wf_segment_scan(add, NULL, s, offsets, 1, NULL, &r));
  cr_assert_eq(i64_at(r, 0, 1), (int64_t)values[1] + values[2]);
  wf_release(r);
  OK(wf_segment_scan(add, NULL, s, offsets, 1, &r, NULL));
  cr_assert_eq(i64_at(r, 0, 2), (int64_t)values[1] + values[2]);
  wf_release(r);

  FAILS(WF_ERROR_ARGUMENT, "values_out is NULL", wf_segment_filter(f, s, offsets, NULL, &r));
  FAILS(WF_ERROR_ARGUMENT, "offsets_out is NULL", wf_segment_filter(f, s, offsets, &r, NULL));
  NOTHING(WF_ERROR_ARGUMENT, "f is NULL", wf_segment_filter(NULL, s, offsets, &r2, &r));
  NOTHING(WF_ERROR_ARGUMENT, "values is NULL", wf_segment_filter(f, NULL, offsets, &r2, &r));
  NOTHING(WF_ERROR_ARGUMENT, "offsets is NULL", wf_segment_filter(f, s, NULL, &r2, &r));
  NOTHING(WF_ERROR_TYPE, "f is (i32, i32) -> (i32)", wf_segment_filter(add, s, offsets, &r2, &r));

  FAILS(WF_ERROR_ARGUMENT, "out is NULL", wf_segment_ids(offsets, 3, NULL));
  NOTHING(WF_ERROR_ARGUMENT, "offsets is NULL", wf_segment_ids(NULL, 3, &r));
  NOTHING(WF_ERROR_SIZE, "the length is -1", wf_segment_ids(offsets, -1, &r));
  NOTHING(WF_ERROR_SIZE, "overflow", wf_segment_ids(offsets, INT64_MAX, &r));
  NOTHING(WF_ERROR_SIZE, "offsets has length 1", wf_segment_ids(one, 3, &r));
  wf_release(s), wf_release(offsets), wf_release(floats), wf_release(scalar), wf_release(one), wf_release(none);
  wf_fn_release(add), wf_fn_release(f);
  wf_context_release(context);
}

/* Whichever allocation fails, the force is an error, and the same handles work afterwards. */
Test(segments, of_failing_allocations) {
  wf_context* context = tested();
  wf_seq *s = i32s(context, n_values, values), *offsets = i64s(context, n_segments + 1, starts);
  wf_fn *add = function(sum), *f = function("(fn ((x i32)) (gt x 100:i32))");
  for (int kind = 0; kind < 4; kind++) {
    wf_seq* r[2] = {NULL, NULL};
    int64_t failures = 0;
    if (kind == 0) OK(wf_segment_reduce(add, NULL, s, offsets, &r[0]));
    if (kind == 1) OK(wf_segment_scan(add, NULL, s, offsets, 1, &r[0], &r[1]));
    if (kind == 2) OK(wf_segment_filter(f, s, offsets, &r[0], &r[1]));
    if (kind == 3) OK(wf_segment_ids(offsets, n_values, &r[0]));
    for (;;) {
      OK(wf_context_fail_allocation(context, failures + 1));
      int32_t code = wf_force(r, r[1] ? 2 : 1);
      OK(wf_context_fail_allocation(context, 0));
      if (code == WF_OK) break;
      cr_assert_eq(code, WF_ERROR_MEMORY);
      failures++;
    }
    cr_assert_geq(failures, 1);
    if (kind == 1) cr_assert_eq(i64_at(r[1], 0, n_segments - 1), 0);
    if (kind == 2) cr_assert_eq(i64_at(r[1], 0, n_segments), known_length(r[0]));
    if (kind == 3) cr_assert_eq(i64_at(r[0], 0, n_values - 1), n_segments - 2);
    wf_release(r[0]), wf_release(r[1]);
  }
  wf_release(s), wf_release(offsets);
  wf_fn_release(add), wf_fn_release(f);
  wf_context_release(context);
}
