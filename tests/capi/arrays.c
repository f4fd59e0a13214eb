/* Shapes and views: values against plain loops, and bad arguments. */
#include "helpers.h"

static wf_context* context;

static void set_up(void) { context = tested(); }
static void tear_down(void) { wf_context_release(context); }

TestSuite(arrays, .init = set_up, .fini = tear_down);

#define EXTENTS(...) ((const int64_t[]){__VA_ARGS__})
#define AXES(...) ((const int32_t[]){__VA_ARGS__})

static int64_t product(int32_t rank, const int64_t* extents) {
  int64_t n = 1;
  for (int32_t k = 0; k < rank; k++) n *= extents[k];
  return n;
}

static void expect_shape(wf_seq* s, int32_t rank, const int64_t* extents) {
  int64_t got[8];
  int32_t axes = -1;
  OK(wf_shape(s, got, 8, &axes));
  cr_assert_eq(axes, rank);
  for (int32_t k = 0; k < rank; k++) cr_assert_eq(got[k], extents[k], "extent %d is %lld", k, (long long)got[k]);
  cr_assert_eq(known_length(s), product(rank, extents));
}

/* Element (i_0, i_1, ...) of s is offset + i_0 strides[0] + i_1 strides[1] + ... */
static void expect_view(wf_seq* s, int64_t offset, int32_t rank, const int64_t* extents, const int64_t* strides) {
  expect_shape(s, rank, extents);
  const int64_t n = product(rank, extents);
  int64_t* values = malloc((size_t)n * sizeof *values + 1);
  OK(wf_to_host(s, 0, 0, n, values, WF_I64, 1));
  for (int64_t i = 0; i < n; i++) {
    int64_t expected = offset, rest = i;
    for (int32_t k = rank; k-- > 0; rest /= extents[k]) expected += rest % extents[k] * strides[k];
    cr_assert_eq(values[i], expected, "element %lld is %lld, not %lld", (long long)i, (long long)values[i], (long long)expected);
  }
  free(values);
}

/* 0, 1, ... of this shape; stored or delayed. */
static wf_seq* counting(int32_t rank, const int64_t* extents, int is_stored) {
  wf_seq *s = iota(context, product(rank, extents)), *r;
  if (is_stored) OK(wf_force(&s, 1));
  OK(wf_reshape(s, extents, rank, &r));
  wf_release(s);
  return r;
}

static wf_seq* given(wf_seq* s, wf_seq* r) {
  wf_release(s);
  return r;
}
static wf_seq* reshaped(wf_seq* s, int32_t rank, const int64_t* extents) {
  wf_seq* r;
  OK(wf_reshape(s, extents, rank, &r));
  return given(s, r);
}
static wf_seq* permuted(wf_seq* s, int32_t rank, const int32_t* axes) {
  wf_seq* r;
  OK(wf_permute(s, axes, rank, &r));
  return given(s, r);
}

Test(arrays, shapes_are_kept_and_shared) {
  for (int stored = 0; stored < 2; stored++) {
    wf_seq *s = counting(3, EXTENTS(7, 11, 13), stored), *both, *column, *total;
    expect_view(s, 0, 3, EXTENTS(7, 11, 13), EXTENTS(143, 13, 1));
    wf_seq* twice = map1("(fn ((x i32)) (mul x 2:i32))", s);
    expect_view(twice, 0, 3, EXTENTS(7, 11, 13), EXTENTS(286, 26, 2));
    OK(wf_zip((wf_seq*[]){s, twice}, 2, &both));
    OK(wf_columns(both, (int32_t[]){1}, 1, &column));
    expect_view(column, 0, 3, EXTENTS(7, 11, 13), EXTENTS(286, 26, 2));
    wf_fn* sum = function("(fn ((a i32) (b i32)) (add a b))");
    OK(wf_reduce(sum, NULL, s, &total));
    cr_assert_eq(i64_at(total, 0, 0), 1001 * 500);
    wf_fn_release(sum);
    wf_seq* sequences[] = {s, both, twice, column, total};
    for (int k = 0; k < 5; k++) wf_release(sequences[k]);
  }
  cr_assert_eq(live_bytes(context), 0);
}

Test(arrays, reshape_infers_an_extent_and_shares_memory) {
  wf_seq *s = iota(context, 24), *r;
  const void *data, *same;
  OK(wf_data(s, 0, &data, NULL));
  OK(wf_reshape(s, EXTENTS(2, -1, 4), 3, &r));
  expect_view(r, 0, 3, EXTENTS(2, 3, 4), EXTENTS(12, 4, 1));
  OK(wf_data(r, 0, &same, NULL));
  cr_assert_eq(data, same);
  r = reshaped(r, 1, EXTENTS(-1));
  expect_view(r, 0, 1, EXTENTS(24), EXTENTS(1));
  wf_release(r);
  OK(wf_nth(s, 5, &r));
  r = reshaped(r, 2, EXTENTS(1, 1));
  expect_view(r, 5, 2, EXTENTS(1, 1), EXTENTS(0, 0));
  r = reshaped(r, 0, NULL);
  int32_t rank = -1;
  OK(wf_rank(r, &rank));
  cr_assert_eq(rank, 0);
  cr_assert_eq(i64_at(r, 0, 0), 5);
  wf_release(r);
  wf_seq* kept = filter1("(fn ((x i32)) (ge x 12:i32))", s);
  OK(wf_reshape(kept, EXTENTS(3, 4), 2, &r));
  expect_view(r, 12, 2, EXTENTS(3, 4), EXTENTS(4, 1));
  wf_release(kept), wf_release(r), wf_release(s);
}

Test(arrays, views_of_views) {
  for (int stored = 0; stored < 2; stored++) {
    wf_seq *s = permuted(counting(3, EXTENTS(31, 57, 83), stored), 3, AXES(2, 0, -2)), *part, *r;
    expect_view(s, 0, 3, EXTENTS(83, 31, 57), EXTENTS(1, 57 * 83, 83));
    OK(wf_slice(s, EXTENTS(80, 3, 0), EXTENTS(27, 14, 57), EXTENTS(-3, 2, 1), 3, &part));
    expect_view(part, 80 + 3 * 57 * 83, 3, EXTENTS(27, 14, 57), EXTENTS(-3, 2 * 57 * 83, 83));
    OK(wf_slice(part, EXTENTS(26, 0, 0), EXTENTS(27, 14, 57), EXTENTS(-1, 1, 1), 3, &r));
    expect_view(r, 2 + 3 * 57 * 83, 3, EXTENTS(27, 14, 57), EXTENTS(3, 2 * 57 * 83, 83));
    r = reshaped(r, 2, EXTENTS(27 * 14, 57));
    r = reshaped(r, 4, EXTENTS(27, 7, 2, 57));
    expect_view(r, 2 + 3 * 57 * 83, 4, EXTENTS(27, 7, 2, 57), EXTENTS(3, 4 * 57 * 83, 2 * 57 * 83, 83));
    wf_release(r), wf_release(part);
    OK(wf_permute(s, AXES(1, 2, 0), 3, &r));
    expect_view(r, 0, 3, EXTENTS(31, 57, 83), EXTENTS(57 * 83, 83, 1));
    wf_release(r);
    wf_seq* twice = map1("(fn ((x i32)) (mul x 2:i32))", s);
    twice = permuted(twice, 3, AXES(1, 2, 0));
    expect_view(twice, 0, 3, EXTENTS(31, 57, 83), EXTENTS(2 * 57 * 83, 2 * 83, 2));
    wf_release(twice), wf_release(s);
  }
}

/* Transposes large enough for panels on the CPU, of extents around theirs, of 4 and 8 bytes, with batches. */
Test(arrays, large_transposes) {
  static const int64_t shapes[][3] = {{1, 300, 1000}, {1, 16, 50000}, {1, 50000, 16}, {1, 2049, 257},
                                      {1, 17, 4097},  {3, 100, 2100}, {40, 65, 130}};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (int wide = 0; wide < 2; wide++) {
      const int64_t *e = shapes[k], strides[] = {e[1] * e[2], 1, e[2]};
      wf_seq *s = counting(3, e, 1), *part, *r;
      if (wide) s = given(s, map1("(fn ((x i32)) (cast f64 x))", s));
      OK(wf_force(&s, 1));
      OK(wf_permute(s, AXES(0, 2, 1), 3, &r));
      wf_seq* kept = map1(wide ? "(fn ((x f64)) (cast i64 x))" : "(fn ((x i32)) (cast i64 x))", r);
      expect_view(kept, 0, 3, EXTENTS(e[0], e[2], e[1]), strides);
      OK(wf_slice(r, EXTENTS(0, 3, 1), EXTENTS(e[0], e[2] - 5, e[1] - 1), NULL, 3, &part));
      expect_view(part, 3 + e[2], 3, EXTENTS(e[0], e[2] - 5, e[1] - 1), strides);
      wf_release(kept), wf_release(part), wf_release(r), wf_release(s);
    }
}

Test(arrays, broadcasts_repeat) {
  for (int stored = 0; stored < 2; stored++) {
    wf_seq *row = counting(1, EXTENTS(257), stored), *column = counting(2, EXTENTS(701, 1), stored), *one = counting(0, NULL, stored);
    wf_seq *rows, *columns, *ones, *sum;
    OK(wf_broadcast(row, EXTENTS(701, 257), 2, &rows));
    expect_view(rows, 0, 2, EXTENTS(701, 257), EXTENTS(0, 1));
    OK(wf_broadcast(column, EXTENTS(701, 257), 2, &columns));
    OK(wf_broadcast(one, EXTENTS(701, 257), 2, &ones));
    expect_view(ones, 0, 2, EXTENTS(701, 257), EXTENTS(0, 0));
    wf_fn* f = function("(fn ((a i32) (b i32) (c i32)) (add (add a (mul 257:i32 b)) c))");
    OK(wf_map(f, (wf_seq*[]){rows, columns, ones}, 3, &sum));
    expect_view(sum, 0, 2, EXTENTS(701, 257), EXTENTS(257, 1));
    expect_view(columns, 0, 2, EXTENTS(701, 257), EXTENTS(1, 0));
    wf_seq* all[] = {row, column, one, rows, columns, ones, sum};
    for (int k = 0; k < 7; k++) wf_release(all[k]);
    wf_fn_release(f);
  }
}

Test(arrays, affine_views) {
  for (int stored = 0; stored < 2; stored++) {
    wf_seq *s = counting(2, EXTENTS(301, 301), stored), *r;
    OK(wf_view(s, 0, EXTENTS(301), EXTENTS(302), 1, &r));
    expect_view(r, 0, 1, EXTENTS(301), EXTENTS(302));
    wf_release(r);
    OK(wf_view(s, 5, EXTENTS(299, 299, 2, 2), EXTENTS(301, 1, 301, 1), 4, &r));
    expect_view(r, 5, 4, EXTENTS(299, 299, 2, 2), EXTENTS(301, 1, 301, 1));
    wf_release(r);
    OK(wf_view(s, 301 * 301 - 1, EXTENTS(301 * 301), EXTENTS(-1), 1, &r));
    expect_view(r, 301 * 301 - 1, 1, EXTENTS(301 * 301), EXTENTS(-1));
    wf_release(r);
    OK(wf_permute(s, AXES(1, 0), 2, &r));
    wf_seq* diagonal;
    OK(wf_view(r, 1, EXTENTS(300), EXTENTS(302), 1, &diagonal));
    expect_view(diagonal, 301, 1, EXTENTS(300), EXTENTS(302));
    wf_release(diagonal), wf_release(r), wf_release(s);
  }
}

/* s, which counts, displaced: the elements from outside are -7, or 0. */
static void expect_translated(wf_seq* s, int32_t rank, const int64_t* extents, const int64_t* distances, const char* outside) {
  const int64_t n = product(rank, extents);
  int64_t* values = malloc((size_t)n * sizeof *values + 1);
  wf_seq* r;
  OK(wf_translate(s, distances, rank, outside, &r));
  expect_shape(r, rank, extents);
  OK(wf_to_host(r, 0, 0, n, values, WF_I64, 1));
  for (int64_t i = 0; i < n; i++) {
    int64_t expected = 0, rest = i, inner = 1;
    int is_inside = 1;
    for (int32_t k = rank; k-- > 0; rest /= extents[k], inner *= extents[k]) {
      const __int128 at = (__int128)(rest % extents[k]) - distances[k];
      is_inside &= at >= 0 && at < extents[k];
      if (is_inside) expected += (int64_t)at * inner;
    }
    if (!is_inside) expected = outside ? -7 : 0;
    cr_assert_eq(values[i], expected, "element %lld is %lld, not %lld", (long long)i, (long long)values[i], (long long)expected);
  }
  free(values);
  wf_release(r);
}

Test(arrays, displaced_arrays, .timeout = 120) {
  static const struct {
    int32_t rank;
    int64_t extents[4];
  } shapes[] = {{1, {1}}, {1, {5000}}, {2, {1, 7}}, {2, {67, 100}}, {2, {9, 1031}}, {3, {7, 11, 13}}, {4, {5, 4, 3, 65}}};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (int stored = 0; stored < 2; stored++) {
      const int64_t* extents = shapes[k].extents;
      const int32_t rank = shapes[k].rank;
      wf_seq* s = counting(rank, extents, stored);
      for (int32_t axis = 0; axis < rank; axis++) {
        const int64_t e = extents[axis];
        const int64_t all[] = {0, 1, -1, 3, 1 - e, e - 1, e, -e, e + 1, 64 - e, INT64_MAX, INT64_MIN, INT64_MIN + 1};
        for (size_t d = 0; d < sizeof all / sizeof *all; d++)
          for (int64_t other = -2; other < 3; other += 2) {
            int64_t distances[] = {other, other, other, other};
            distances[axis] = all[d];
            expect_translated(s, rank, extents, distances, "-7:i32");
            expect_translated(s, rank, extents, distances, NULL);
          }
      }
      wf_release(s);
    }
}

Test(arrays, displaced_views) {
  wf_seq *s = counting(2, EXTENTS(40, 130), 1), *swapped = permuted(counting(2, EXTENTS(40, 130), 1), 2, AXES(1, 0)), *twice, *r, *pair,
         *moved, *half;
  /* There and back: the elements that left are gone. */
  OK(wf_translate(s, EXTENTS(3, -5), 2, "1:i32", &r));
  OK(wf_translate(r, EXTENTS(-3, 5), 2, "2:i32", &twice));
  OK(wf_translate(swapped, EXTENTS(1, 0), 2, "-1:i32", &moved));
  int32_t values[40 * 130];
  OK(wf_to_host(twice, 0, 0, 40 * 130, values, WF_I32, 1));
  for (int32_t i = 0; i < 40 * 130; i++) cr_assert_eq(values[i], i / 130 >= 37 || i % 130 < 5 ? 2 : i, "element %d is %d", i, values[i]);
  OK(wf_to_host(moved, 0, 0, 40 * 130, values, WF_I32, 1));
  for (int32_t i = 0; i < 40 * 130; i++)
    cr_assert_eq(values[i], i / 40 == 0 ? -1 : i % 40 * 130 + i / 40 - 1, "element %d is %d", i, values[i]);
  wf_release(r), wf_release(twice), wf_release(moved), wf_release(swapped);
  /* A value per column, converted to the column's type. */
  half = map1("(fn ((x i32)) (div (cast f64 x) 2:f64))", s);
  OK(wf_zip((wf_seq*[]){s, half}, 2, &pair));
  OK(wf_translate(pair, EXTENTS(39, 0), 2, "(tuple 5:i64 0.25:f32)", &r));
  double first[2], last[2];
  for (int32_t column = 0; column < 2; column++) {
    OK(wf_to_host(r, column, 0, 1, &first[column], WF_F64, 1));
    OK(wf_to_host(r, column, 40 * 130 - 1, 1, &last[column], WF_F64, 1));
  }
  cr_assert(first[0] == 5 && first[1] == 0.25 && last[0] == 129 && last[1] == 64.5);
  wf_release(s), wf_release(half), wf_release(pair), wf_release(r);
  /* Without an axis, and without an element. */
  s = counting(0, NULL, 0);
  OK(wf_translate(s, NULL, 0, NULL, &r));
  expect_view(r, 0, 0, NULL, NULL);
  wf_release(s), wf_release(r);
  s = counting(2, EXTENTS(0, 3), 0);
  OK(wf_translate(s, EXTENTS(INT64_MIN, 1), 2, NULL, &r));
  expect_shape(r, 2, EXTENTS(0, 3));
  wf_release(s), wf_release(r);
}

Test(arrays, joins_along_each_axis) {
  for (int stored = 0; stored < 2; stored++)
    for (int32_t axis = 0; axis < 3; axis++) {
      const int64_t whole[] = {61, 47, 53}, strides[] = {47 * 53, 53, 1};
      wf_seq *s = counting(3, whole, stored), *parts[4], *r;
      const int64_t ends[] = {0, 17, 17, 18, whole[axis]};
      for (int k = 0; k < 4; k++) {
        int64_t starts[] = {0, 0, 0}, counts[] = {61, 47, 53};
        starts[axis] = ends[k], counts[axis] = ends[k + 1] - ends[k];
        OK(wf_slice(s, starts, counts, NULL, 3, &parts[k]));
      }
      OK(wf_join(parts, 4, axis - 3, &r));
      expect_view(r, 0, 3, whole, strides);
      for (int k = 0; k < 4; k++) wf_release(parts[k]);
      wf_release(r), wf_release(s);
    }
}

Test(arrays, without_elements) {
  for (int32_t axis = 0; axis < 2; axis++) {
    int64_t extents[] = {3, 3};
    extents[axis] = 0;
    wf_seq *s = counting(2, extents, axis), *r, *part;
    OK(wf_permute(s, AXES(1, 0), 2, &r));
    expect_shape(r, 2, EXTENTS(extents[1], extents[0]));
    OK(wf_force(&r, 1));
    wf_release(r);
    OK(wf_broadcast(s, EXTENTS(5, extents[0], extents[1]), 3, &r));
    expect_view(r, 0, 3, EXTENTS(5, extents[0], extents[1]), EXTENTS(0, 0, 0));
    wf_release(r);
    OK(wf_slice(s, EXTENTS(0, 0), extents, NULL, 2, &part));
    OK(wf_join((wf_seq*[]){s, part}, 2, 0, &r));
    expect_shape(r, 2, EXTENTS(2 * extents[0], extents[1]));
    wf_release(r);
    OK(wf_view(s, 77, EXTENTS(4, 0), EXTENTS(9, 9), 2, &r));
    OK(wf_force(&r, 1));
    wf_release(r), wf_release(part), wf_release(s);
  }
}

static int deleted;
static void count_deletion(void* user) { deleted += *(int*)user; }

Test(arrays, host_memory_of_any_layout) {
  static int32_t values[53 * 31];
  for (int32_t k = 0; k < 53 * 31; k++) values[k] = k;
  int one = 1;
  wf_seq* s;
  OK(wf_from_host_array(context, WF_F64, values, WF_I32, EXTENTS(53, 31), NULL, 2, &s));
  expect_view(s, 0, 2, EXTENTS(53, 31), EXTENTS(31, 1));
  wf_release(s);
  OK(wf_from_host_array(context, WF_I32, values + 52 * 31, WF_I32, EXTENTS(31, 53, 2), EXTENTS(1, -31, 0), 3, &s));
  expect_view(s, 52 * 31, 3, EXTENTS(31, 53, 2), EXTENTS(1, -31, 0));
  wf_release(s);
  OK(wf_from_host_array(context, WF_I32, NULL, WF_I32, EXTENTS(31, 0), NULL, 2, &s));
  expect_shape(s, 2, EXTENTS(31, 0));
  wf_release(s);
  OK(wf_from_host_array(context, WF_I32, values + 7, WF_I32, NULL, NULL, 0, &s));
  cr_assert_eq(i64_at(s, 0, 0), 7);
  wf_release(s);
  OK(wf_adopt_array(context, WF_I32, values, EXTENTS(53, 31, 31, 1), 2, count_deletion, &one, &s));
  const void* data;
  OK(wf_data(s, 0, &data, NULL));
  cr_assert_eq(data, values);
  wf_release(s);
  cr_assert_eq(deleted, 1);
  OK(wf_adopt_array(context, WF_I32, values + 52 * 31, EXTENTS(31, 53, 1, -31), 2, count_deletion, &one, &s));
  expect_view(s, 52 * 31, 2, EXTENTS(31, 53), EXTENTS(1, -31));
  wf_release(s);
  cr_assert_eq(deleted, 2);
}

#define NOTHING(code, part, call)       \
  do {                                  \
    r = s;                              \
    GIVES_NOTHING(code, part, r, call); \
  } while (0)
enum { A = WF_ERROR_ARGUMENT, T = WF_ERROR_TYPE, S = WF_ERROR_SIZE, R = WF_ERROR_RANGE };

Test(arrays, null_arguments) {
  wf_seq *s = counting(2, EXTENTS(3, 4), 1), *r;
  static const int32_t values[] = {1, 2, 3, 4};
  const int64_t* e = EXTENTS(2, 2, 2, 1);
  FAILS(A, "s is NULL", wf_shape(NULL, NULL, 0, NULL));
  FAILS(A, "extents is NULL", wf_shape(s, NULL, 1, NULL));
  FAILS(A, "capacity is -1", wf_shape(s, NULL, -1, NULL));
  OK(wf_shape(s, NULL, 0, NULL));
  NOTHING(A, "s is NULL", wf_reshape(NULL, e, 2, &r));
  NOTHING(A, "extents is NULL", wf_reshape(s, NULL, 2, &r));
  NOTHING(A, "rank is -1", wf_reshape(s, e, -1, &r));
  FAILS(A, "out is NULL", wf_reshape(s, e, 2, NULL));
  NOTHING(A, "context is NULL", wf_from_host_array(NULL, WF_I32, values, WF_I32, e, NULL, 2, &r));
  NOTHING(A, "data is NULL", wf_from_host_array(context, WF_I32, NULL, WF_I32, e, NULL, 2, &r));
  NOTHING(A, "extents is NULL", wf_from_host_array(context, WF_I32, values, WF_I32, NULL, NULL, 2, &r));
  NOTHING(A, "rank is -1", wf_from_host_array(context, WF_I32, values, WF_I32, e, NULL, -1, &r));
  FAILS(A, "out is NULL", wf_from_host_array(context, WF_I32, values, WF_I32, e, NULL, 2, NULL));
  NOTHING(A, "context is NULL", wf_adopt_array(NULL, WF_I32, values, e, 2, NULL, NULL, &r));
  NOTHING(A, "data is NULL", wf_adopt_array(context, WF_I32, NULL, e, 2, NULL, NULL, &r));
  NOTHING(A, "data is NULL", wf_adopt_array(context, WF_I32, NULL, EXTENTS(2, 2, 1, 2), 2, NULL, NULL, &r));
  NOTHING(A, "layout is NULL", wf_adopt_array(context, WF_I32, values, NULL, 2, NULL, NULL, &r));
  FAILS(A, "out is NULL", wf_adopt_array(context, WF_I32, values, e, 2, NULL, NULL, NULL));
  NOTHING(A, "s is NULL", wf_permute(NULL, AXES(0, 1), 2, &r));
  NOTHING(A, "axes is NULL", wf_permute(s, NULL, 2, &r));
  NOTHING(A, "n is -2", wf_permute(s, AXES(0, 1), -2, &r));
  FAILS(A, "out is NULL", wf_permute(s, AXES(0, 1), 2, NULL));
  NOTHING(A, "s is NULL", wf_broadcast(NULL, e, 2, &r));
  NOTHING(A, "extents is NULL", wf_broadcast(s, NULL, 2, &r));
  NOTHING(A, "rank is -1", wf_broadcast(s, e, -1, &r));
  FAILS(A, "out is NULL", wf_broadcast(s, e, 2, NULL));
  NOTHING(A, "s is NULL", wf_slice(NULL, e, e, NULL, 2, &r));
  NOTHING(A, "starts is NULL", wf_slice(s, NULL, e, NULL, 2, &r));
  NOTHING(A, "counts is NULL", wf_slice(s, e, NULL, NULL, 2, &r));
  FAILS(A, "out is NULL", wf_slice(s, e, e, NULL, 2, NULL));
  NOTHING(A, "s is NULL", wf_view(NULL, 0, e, e, 2, &r));
  NOTHING(A, "extents is NULL", wf_view(s, 0, NULL, e, 2, &r));
  NOTHING(A, "strides is NULL", wf_view(s, 0, e, NULL, 2, &r));
  FAILS(A, "out is NULL", wf_view(s, 0, e, e, 2, NULL));
  NOTHING(A, "s is NULL", wf_translate(NULL, e, 2, NULL, &r));
  NOTHING(A, "distances is NULL", wf_translate(s, NULL, 2, NULL, &r));
  NOTHING(A, "n is -1", wf_translate(s, e, -1, NULL, &r));
  FAILS(A, "out is NULL", wf_translate(s, e, 2, NULL, NULL));
  NOTHING(A, "sequences is NULL", wf_join(NULL, 2, 0, &r));
  NOTHING(A, "sequences is empty", wf_join(&s, 0, 0, &r));
  NOTHING(A, "sequences[1] is NULL", wf_join((wf_seq*[]){s, NULL}, 2, 0, &r));
  FAILS(A, "out is NULL", wf_join(&s, 1, 0, NULL));
  wf_release(s);
}

Test(arrays, wrong_shapes) {
  wf_seq *s = counting(2, EXTENTS(3, 4), 1), *t = counting(2, EXTENTS(4, 3), 1), *v = iota(context, 12), *r;
  static const int32_t values[] = {1, 2, 3, 4};
  const int64_t big = (int64_t)1 << 32;
  NOTHING(S, "extents 3 x 5 have 15 elements, but s has shape 3 x 4, 12 elements", wf_reshape(s, EXTENTS(3, 5), 2, &r));
  NOTHING(S, "at most one -1", wf_reshape(s, EXTENTS(-1, -1), 2, &r));
  NOTHING(S, "expected a divisor", wf_reshape(s, EXTENTS(-1, 5), 2, &r));
  NOTHING(S, "-1 is ambiguous", wf_reshape(s, EXTENTS(-1, 0), 2, &r));
  NOTHING(S, "the 2nd extent is -2", wf_reshape(s, EXTENTS(3, -2), 2, &r));
  NOTHING(S, "overflows", wf_reshape(s, EXTENTS(big, big), 2, &r));
  NOTHING(S, "overflow", wf_reshape(s, EXTENTS(big, big, -1), 3, &r));
  NOTHING(S, "rank is 9; expected at most 8", wf_reshape(s, EXTENTS(3, 4, 1, 1, 1, 1, 1, 1, 1), 9, &r));
  NOTHING(S, "axes has 1 element, but s has shape 3 x 4", wf_permute(s, AXES(0), 1, &r));
  NOTHING(R, "the 2nd axis is 2", wf_permute(s, AXES(0, 2), 2, &r));
  NOTHING(R, "the 1st axis is -3", wf_permute(s, AXES(-3, 1), 2, &r));
  NOTHING(A, "the 2nd axis is axis 1 again", wf_permute(s, AXES(1, -1), 2, &r));
  NOTHING(S, "at least as many extents", wf_broadcast(s, EXTENTS(4), 1, &r));
  NOTHING(S, "axis 0 of s has extent 3; expected 1 or 5", wf_broadcast(s, EXTENTS(5, 4), 2, &r));
  NOTHING(S, "overflow", wf_broadcast(s, EXTENTS(big, big, 3, 4), 4, &r));
  NOTHING(S, "the 1st extent is -1", wf_broadcast(s, EXTENTS(-1, 3, 4), 3, &r));
  NOTHING(S, "starts has 1 element", wf_slice(s, EXTENTS(0), EXTENTS(3), NULL, 1, &r));
  NOTHING(R, "axis 1: 4 elements from 1 in steps of 1", wf_slice(s, EXTENTS(0, 1), EXTENTS(3, 4), NULL, 2, &r));
  NOTHING(R, "axis 0", wf_slice(s, EXTENTS(1, 0), EXTENTS(3, 4), EXTENTS(-1, 1), 2, &r));
  NOTHING(R, "axis 0", wf_slice(s, EXTENTS(0, 0), EXTENTS(3, 4), EXTENTS(INT64_MAX, 1), 2, &r));
  NOTHING(R, "axis 0", wf_slice(s, EXTENTS(4, 0), EXTENTS(0, 4), NULL, 2, &r));
  NOTHING(S, "the 1st count is -1", wf_slice(s, EXTENTS(0, 0), EXTENTS(-1, 4), NULL, 2, &r));
  NOTHING(A, "the 1st step is 0", wf_slice(s, EXTENTS(0, 0), EXTENTS(1, 4), EXTENTS(0, 1), 2, &r));
  NOTHING(R, "reads element 12 of s, which has shape 3 x 4", wf_view(s, 1, EXTENTS(3, 4), EXTENTS(4, 1), 2, &r));
  NOTHING(R, "reads element -1", wf_view(s, 2, EXTENTS(4), EXTENTS(-1), 1, &r));
  NOTHING(R, "reads element", wf_view(s, 0, EXTENTS(4, 4), EXTENTS(INT64_MAX, INT64_MAX), 2, &r));
  NOTHING(S, "distances has 1 element, but s has shape 3 x 4; expected 2, one per axis", wf_translate(s, EXTENTS(1), 1, NULL, &r));
  NOTHING(WF_ERROR_TYPE, "expected", wf_translate(s, EXTENTS(1, 0), 2, "(tuple 1:i32 2:i32)", &r));
  NOTHING(WF_ERROR_COMPILE, "expected", wf_translate(s, EXTENTS(1, 0), 2, "x", &r));
  NOTHING(S, "expected equal extents along all axes but axis 0", wf_join((wf_seq*[]){s, t}, 2, 0, &r));
  NOTHING(S, "the 2nd sequence has length 12", wf_join((wf_seq*[]){s, v}, 2, 1, &r));
  NOTHING(R, "axis is 2", wf_join((wf_seq*[]){s, s}, 2, 2, &r));
  NOTHING(S, "the extent is -1", wf_from_host_array(context, WF_I32, values, WF_I32, EXTENTS(-1), NULL, 1, &r));
  NOTHING(S, "overflow", wf_from_host_array(context, WF_I32, values, WF_I32, EXTENTS(big, big), NULL, 2, &r));
  NOTHING(S, "overflow", wf_from_host_array(context, WF_I32, values, WF_I32, EXTENTS(2, 2), EXTENTS(INT64_MAX, 1), 2, &r));
  NOTHING(S, "rank is 9", wf_from_host_array(context, WF_I32, values, WF_I32, EXTENTS(1, 1, 1, 1, 1, 1, 1, 1, 1), NULL, 9, &r));
  NOTHING(T, "type is 99", wf_from_host_array(context, 99, values, WF_I32, EXTENTS(2), NULL, 1, &r));
  NOTHING(T, "data_type is 99", wf_from_host_array(context, WF_I32, values, 99, EXTENTS(2), NULL, 1, &r));
  NOTHING(T, "type is 99", wf_adopt_array(context, 99, values, EXTENTS(2, 1), 1, NULL, NULL, &r));
  NOTHING(S, "overflow", wf_adopt_array(context, WF_I32, values, EXTENTS(2, INT64_MAX), 1, NULL, NULL, &r));
  NOTHING(S, "the extent is -1", wf_adopt_array(context, WF_I32, values, EXTENTS(-1, 1), 1, NULL, NULL, &r));
  wf_fn *sum = function("(fn ((a i32) (b i32)) (add a b))"), *positive = function("(fn ((x i32)) (gt x 1:i32))");
  NOTHING(S, "the 2nd sequence has shape 4 x 3 but the 1st sequence has shape 3 x 4; expected equal shapes",
          wf_map(sum, (wf_seq*[]){s, t}, 2, &r));
  NOTHING(S, "the 2nd sequence has length 12 but the 1st sequence has shape 3 x 4; expected equal shapes",
          wf_map(sum, (wf_seq*[]){s, v}, 2, &r));
  NOTHING(S, "s has shape 3 x 4; expected rank 1: reshape it", wf_filter(positive, s, &r));
  NOTHING(S, "expected rank 1", wf_scan(sum, NULL, s, 0, &r, NULL));
  NOTHING(S, "expected rank 1", wf_sort(s, 1, 0, &r));
  NOTHING(S, "expected rank 1", wf_subseq(s, 0, 1, &r));
  NOTHING(S, "expected rank 1", wf_append((wf_seq*[]){s, s}, 2, &r));
  wf_fn_release(sum), wf_fn_release(positive);
  wf_release(s), wf_release(t), wf_release(v);
}

/* ---- along axes --------------------------------------------------------------------------------------------------- */

/* Affine maps x -> a x + b mod 2^32, composed: associative, not commutative. */
static const char* compose = "(fn ((a u32) (b u32) (c u32) (d u32)) (tuple (mul a c) (add (mul b c) d)))";
static const char* compose_identity = "(tuple 1:u32 0:u32)";
typedef struct {
  uint32_t a, b;
} Map;
static Map map_of(int64_t x) { return (Map){(uint32_t)x * 2 + 1, (uint32_t)x}; }
static Map then(Map f, Map g) { return (Map){f.a * g.a, f.b * g.a + g.b}; }

static wf_seq* maps_of(wf_seq* s) {
  return given(s, map1("(fn ((x i32)) (let ((u (cast u32 x))) (tuple (add (mul u 2:u32) 1:u32) u)))", s));
}

static void expect_maps(wf_seq* s, int32_t rank, const int64_t* extents, const Map* expected) {
  expect_shape(s, rank, extents);
  const int64_t n = product(rank, extents);
  Map* got = malloc((size_t)n * sizeof *got + 1);
  OK(wf_to_host(s, 0, 0, n, &got->a, WF_U32, 2));
  OK(wf_to_host(s, 1, 0, n, &got->b, WF_U32, 2));
  for (int64_t i = 0; i < n; i++) cr_assert(got[i].a == expected[i].a && got[i].b == expected[i].b, "element %lld", (long long)i);
  free(got);
}

static const int64_t cubes[][3] = {{31, 257, 17}, {2, 3, 1},  {1, 257, 1},   {1, 1, 1},     {0, 3, 2},
                                   {3, 0, 2},     {17, 2, 3}, {3, 2, 40009}, {2, 40009, 3}, {40009, 3, 2}};
enum { n_cubes = sizeof cubes / sizeof *cubes };

Test(arrays, reductions_along_axes) {
  wf_fn* f = function(compose);
  for (int c = 0; c < n_cubes; c++)
    for (int32_t mask = 0; mask < 16; mask++) {
      const int64_t* e = cubes[c];
      const int is_stored = mask >> 3;
      wf_seq *s = maps_of(permuted(counting(3, EXTENTS(e[1], e[2], e[0]), is_stored), 3, AXES(2, 0, 1))), *r;
      int32_t axes[3], n_axes = 0, rank = 0;
      int64_t extents[3], kept[3];
      for (int32_t k = 3; k-- > 0;)
        if (mask >> k & 1) axes[n_axes++] = k;
      for (int k = 0; k < 3; k++) {
        kept[k] = mask >> k & 1 ? 1 : e[k];
        if (!(mask >> k & 1)) extents[rank++] = e[k];
      }
      const int64_t n = product(3, kept);
      Map* expected = malloc((size_t)n * sizeof *expected + 1);
      for (int64_t i = 0; i < n; i++) expected[i] = (Map){1, 0};
      for (int64_t x = 0; x < e[0]; x++)
        for (int64_t y = 0; y < e[1]; y++)
          for (int64_t z = 0; z < e[2]; z++) {
            Map* to = &expected[((mask & 1 ? 0 : x) * kept[1] + (mask & 2 ? 0 : y)) * kept[2] + (mask & 4 ? 0 : z)];
            *to = then(*to, map_of((y * e[2] + z) * e[0] + x));
          }
      OK(wf_reduce_axis(f, compose_identity, s, axes, n_axes, 0, &r));
      expect_maps(r, rank, extents, expected);
      wf_release(r);
      OK(wf_reduce_axis(f, compose_identity, s, axes, n_axes, 1, &r));
      expect_maps(r, 3, kept, expected);
      wf_release(r), wf_release(s);
      free(expected);
    }
  wf_fn_release(f);
}

Test(arrays, scans_along_each_axis) {
  wf_fn* f = function(compose);
  for (int c = 0; c < n_cubes; c++)
    for (int32_t axis = 0; axis < 3; axis++)
      for (int32_t inclusive = 0; inclusive < 2; inclusive++) {
        const int64_t* e = cubes[c];
        wf_seq *s = maps_of(counting(3, e, c % 2)), *prefixes, *totals, *same;
        const int64_t n = product(3, e), step = product(2 - axis, e + axis + 1);
        int64_t others[2];
        for (int k = 0, m = 0; k < 3; k++)
          if (k != axis) others[m++] = e[k];
        const int64_t rows = product(2, others);
        Map *expected = malloc((size_t)n * sizeof *expected + 1), *sums = malloc((size_t)rows * sizeof *sums + 1);
        for (int64_t row = 0; row < rows; row++) {
          sums[row] = (Map){1, 0};
          for (int64_t j = 0; j < e[axis]; j++) {
            const int64_t i = row / step * step * e[axis] + j * step + row % step;
            const Map next = then(sums[row], map_of(i));
            expected[i] = inclusive ? next : sums[row];
            sums[row] = next;
          }
        }
        OK(wf_scan_axis(f, compose_identity, s, axis - 3, inclusive, &prefixes, &totals));
        if (c % 3) expect_maps(totals, 2, others, sums);
        expect_maps(prefixes, 3, e, expected);
        expect_maps(totals, 2, others, sums);
        OK(wf_scan_axis(f, compose_identity, s, axis, inclusive, NULL, &same));
        expect_maps(same, 2, others, sums);
        wf_release(prefixes), wf_release(totals), wf_release(same), wf_release(s);
        free(expected), free(sums);
      }
  wf_fn_release(f);
}

static int ascending(const void* a, const void* b) {
  const int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
  return (x > y) - (x < y);
}
static int falling(const void* a, const void* b) { return ascending(b, a); }

Test(arrays, sorts_along_each_axis) {
  for (int c = 0; c < n_cubes; c++)
    for (int32_t axis = 0; axis < 3; axis++)
      for (int32_t descending = 0; descending < 2; descending++) {
        const int64_t *e = cubes[c], n = product(3, e), step = product(2 - axis, e + axis + 1), rows = e[axis] ? n / e[axis] : 0;
        wf_seq *counted = counting(3, e, c % 2), *s, *r;
        s = map1("(fn ((x i32)) (sub (rem (mul x 7919:i32) 1009:i32) 500:i32))", counted);
        OK(wf_sort_axis(s, axis, descending, &r));
        expect_shape(r, 3, e);
        int32_t *values = malloc((size_t)n * 4 + 1), *sorted = malloc((size_t)n * 4 + 1), *vector = malloc((size_t)e[axis] * 4 + 1);
        OK(wf_to_host(s, 0, 0, n, values, WF_I32, 1));
        OK(wf_to_host(r, 0, 0, n, sorted, WF_I32, 1));
        for (int64_t row = 0; row < rows; row++) {
          const int64_t first = row / step * step * e[axis] + row % step;
          for (int64_t j = 0; j < e[axis]; j++) vector[j] = values[first + j * step];
          qsort(vector, (size_t)e[axis], 4, descending ? falling : ascending);
          for (int64_t j = 0; j < e[axis]; j++) cr_assert_eq(sorted[first + j * step], vector[j]);
        }
        free(values), free(sorted), free(vector);
        wf_release(counted), wf_release(s), wf_release(r);
      }
}

Test(arrays, wrong_axes) {
  wf_seq *s = counting(2, EXTENTS(3, 4), 1), *scalar = counting(0, NULL, 1), *r, *t = s;
  wf_fn *f = function("(fn ((a i32) (b i32)) (add a b))"), *unary = function("(fn ((a i32)) a)");
  NOTHING(A, "f is NULL", wf_reduce_axis(NULL, NULL, s, AXES(0), 1, 0, &r));
  NOTHING(A, "s is NULL", wf_reduce_axis(f, NULL, NULL, AXES(0), 1, 0, &r));
  NOTHING(A, "axes is NULL", wf_reduce_axis(f, NULL, s, NULL, 1, 0, &r));
  NOTHING(A, "n_axes is -1", wf_reduce_axis(f, NULL, s, AXES(0), -1, 0, &r));
  NOTHING(A, "keep is 2", wf_reduce_axis(f, NULL, s, AXES(0), 1, 2, &r));
  FAILS(A, "out is NULL", wf_reduce_axis(f, NULL, s, AXES(0), 1, 0, NULL));
  NOTHING(R, "the 2nd axis is 2, but s has shape 3 x 4; expected 0 to 1", wf_reduce_axis(f, NULL, s, AXES(0, 2), 2, 0, &r));
  NOTHING(A, "the 2nd axis is axis 0 again", wf_reduce_axis(f, NULL, s, AXES(0, -2), 2, 0, &r));
  NOTHING(T, "f is (i32) -> (i32)", wf_reduce_axis(unary, "0:i32", s, AXES(0), 1, 0, &r));
  NOTHING(R, "no axes", wf_reduce_axis(f, NULL, scalar, AXES(0), 1, 0, &r));
  FAILS(A, "prefixes and totals are both NULL", wf_scan_axis(f, NULL, s, 0, 0, NULL, NULL));
  NOTHING(A, "f is NULL", wf_scan_axis(NULL, NULL, s, 0, 0, &t, &r));
  cr_assert_null(t);
  NOTHING(A, "s is NULL", wf_scan_axis(f, NULL, NULL, 0, 0, NULL, &r));
  NOTHING(A, "inclusive is 2", wf_scan_axis(f, NULL, s, 0, 2, NULL, &r));
  NOTHING(R, "axis is -3", wf_scan_axis(f, NULL, s, -3, 0, NULL, &r));
  NOTHING(R, "axis is 2", wf_scan_axis(f, NULL, s, 2, 0, &t, &r));
  NOTHING(T, "f is (i32) -> (i32)", wf_scan_axis(unary, "0:i32", s, 0, 0, &t, &r));
  NOTHING(A, "s is NULL", wf_sort_axis(NULL, 0, 0, &r));
  NOTHING(R, "axis is 2", wf_sort_axis(s, 2, 0, &r));
  NOTHING(A, "descending is 2", wf_sort_axis(s, 0, 2, &r));
  FAILS(A, "out is NULL", wf_sort_axis(s, 0, 0, NULL));
  wf_fn_release(f), wf_fn_release(unary), wf_release(s), wf_release(scalar);
}

Test(arrays, captured_arrays_are_read_by_the_row_major_index) {
  for (int stored = 0; stored < 2; stored++) {
    wf_seq *s = permuted(counting(2, EXTENTS(301, 77), stored), 2, AXES(1, 0)), *r;
    wf_fn* f;
    OK(wf_fn_create("(fn ((i i64)) (add (at $0 i) (cast i32 (length $0))))", &s, 1, &f));
    OK(wf_tabulate(context, f, 301 * 77, &r));
    r = reshaped(r, 2, EXTENTS(77, 301));
    expect_view(r, 301 * 77, 2, EXTENTS(77, 301), EXTENTS(1, 77));
    wf_release(r);
    OK(wf_tabulate(context, f, 301 * 77 + 1, &r));
    FAILS(WF_ERROR_RANGE, "23177", wf_force(&r, 1));
    wf_release(r), wf_release(s), wf_fn_release(f);
  }
}
