/* wf_replace: the values are the same whether the memory of the old sequence is reused or not, and it is reused exactly if nothing else can read it. */
#include "helpers.h"

enum { sizes = 8 };
static const int64_t size[sizes] = {0, 1, 2, 63, 64, 65, 2047, (1 << 20) + 7};
enum { large = (1 << 20) + 7 };

/* On a GPU, wf_data points to a copy, and the next one may be at the address of a released one. */
static int reuses(wf_context* context) { return is_cpu(context); }

/* 0, 1, ..., n - 1 as i32, computed. */
static wf_seq* computed(wf_context* context, int64_t n) {
  wf_seq* s = iota(context, n);
  OK(wf_force(&s, 1));
  return s;
}

static const void* memory_of(wf_seq* s, int32_t column) {
  const void* data;
  OK(wf_data(s, column, &data, NULL));
  return data;
}

static wf_seq* map_of(const char* text, wf_seq* const* sequences, int32_t n, wf_seq* const* captures, int32_t n_captures) {
  wf_fn* f;
  wf_seq* r;
  OK(wf_fn_create(text, captures, n_captures, &f));
  OK(wf_map(f, sequences, n, &r));
  wf_fn_release(f);
  return r;
}

/* Replaces *cell by map(f, *cell); returns 1 if it has the same memory as before. */
static int update(const char* text, wf_seq** cell) {
  const void* before = memory_of(*cell, 0);
  OK(wf_replace(map1(text, *cell), cell));
  return memory_of(*cell, 0) == before;
}

/* Column c of s is a i + b. */
static void expect_linear(wf_seq* s, int32_t column, int64_t n, int64_t a, int64_t b) {
  const int32_t* x = memory_of(s, column);
  for (int64_t i = 0; i < n; i++) cr_assert_eq(x[i], (int32_t)(a * i + b), "element %lld is %d", (long long)i, x[i]);
}

Test(cells, an_update_is_in_place_at_every_length) {
  wf_context* context = tested();
  for (int k = 0; k < sizes; k++) {
    wf_seq* cell = computed(context, size[k]);
    const int64_t live = live_bytes(context);
    OK(wf_context_reset_peak(context));
    const int same = update("(fn ((x i32)) (add (mul x 3:i32) 5:i32))", &cell);
    if (reuses(context) && size[k] > 0) {
      int64_t peak;
      cr_assert(same);
      OK(wf_context_memory(context, NULL, NULL, &peak, NULL));
      cr_assert_eq(peak, live);
    }
    cr_assert_eq(known_length(cell), size[k]);
    expect_linear(cell, 0, size[k], 3, 5);
    wf_release(cell);
  }
  wf_context_release(context);
}

Test(cells, a_hundred_updates_need_no_more_memory_than_one) {
  wf_context* context = tested();
  wf_seq* cell = computed(context, large);
  OK(wf_context_set_limit(context, is_cpu(context) ? live_bytes(context) : -1));
  for (int k = 0; k < 100; k++) update("(fn ((x i32)) (add x 7:i32))", &cell);
  expect_linear(cell, 0, large, 1, 700);
  wf_release(cell);
  wf_context_release(context);
}

Test(cells, several_operations_are_one_update) {
  wf_context* context = tested();
  wf_seq* cell = computed(context, large);
  const void* before = memory_of(cell, 0);
  wf_seq *a = map1("(fn ((x i32)) (mul x 2:i32))", cell), *both[] = {a, cell};
  wf_seq* b = map_of("(fn ((x i32) (y i32)) (add (mul x 10:i32) y))", both, 2, NULL, 0);
  wf_release(a);
  OK(wf_replace(b, &cell));
  cr_assert(!reuses(context) || memory_of(cell, 0) == before);
  expect_linear(cell, 0, large, 21, 0);
  wf_release(cell);
  wf_context_release(context);
}

Test(cells, another_operand_is_unchanged) {
  wf_context* context = tested();
  wf_seq *cell = computed(context, large), *other = computed(context, large), *both[] = {cell, other};
  const void* before = memory_of(cell, 0);
  OK(wf_replace(map_of("(fn ((y i32) (x i32)) (add y (mul x 4:i32)))", both, 2, NULL, 0), &cell));
  cr_assert(!reuses(context) || memory_of(cell, 0) == before);
  expect_linear(cell, 0, large, 5, 0);
  expect_linear(other, 0, large, 1, 0);
  wf_release(cell), wf_release(other);
  wf_context_release(context);
}

/* `hold` makes something that still needs the old sequence; afterwards its values are checked. */
static void held_by(wf_seq* (*hold)(wf_seq*), int64_t a, int64_t b, int64_t n, int compute_first) {
  wf_context* context = tested();
  wf_seq* cell = computed(context, large);
  wf_seq* held = hold(cell);
  if (compute_first) OK(wf_force(&held, 1));
  const int same = update("(fn ((x i32)) (mul x -3:i32))", &cell);
  expect_linear(held, 0, n, a, b);
  expect_linear(cell, 0, large, -3, 0);
  const void* memory = memory_of(held, 0);
  cr_assert(!same || memory != memory_of(cell, 0));
  wf_release(held), wf_release(cell);
  wf_context_release(context);
}

static wf_seq* second_handle(wf_seq* s) { return wf_retain(s), s; }
static wf_seq* a_view(wf_seq* s) {
  wf_seq* r;
  OK(wf_drop(s, 3, &r));
  return r;
}
static wf_seq* reversed(wf_seq* s) {
  wf_seq* r;
  OK(wf_rev(s, &r));
  return r;
}
static wf_seq* reshaped(wf_seq* s) {
  const int64_t extents[] = {1, large};
  wf_seq* r;
  OK(wf_reshape(s, extents, 2, &r));
  return r;
}
static wf_seq* mapped(wf_seq* s) { return map1("(fn ((x i32)) (add x 9:i32))", s); }
static wf_seq* paired(wf_seq* s) {
  wf_seq *both[] = {s, s}, *r;
  OK(wf_zip(both, 2, &r));
  return r;
}
static wf_seq* capturing(wf_seq* s) {
  wf_fn *f, *identity = function("(fn ((i i64)) i)");
  wf_context* context;
  wf_seq *indices, *r;
  OK(wf_context_of(s, &context));
  OK(wf_tabulate(context, identity, large, &indices));
  OK(wf_fn_create("(fn ((i i64)) (at $0 i))", &s, 1, &f));
  OK(wf_map(f, &indices, 1, &r));
  wf_fn_release(f), wf_fn_release(identity), wf_release(indices), wf_context_release(context);
  return r;
}
static wf_seq* deep(wf_seq* s) {
  wf_seq *a = mapped(s), *b = mapped(a);
  wf_release(a);
  return b;
}
static const struct {
  wf_seq* (*hold)(wf_seq*);
  int64_t a, b, n;
} holders[] = {{second_handle, 1, 0, large}, {a_view, 1, 3, large - 3}, {reversed, -1, large - 1, large}, {reshaped, 1, 0, large},
               {mapped, 1, 9, large},        {paired, 1, 0, large},     {capturing, 1, 0, large},         {deep, 1, 18, large}};

Test(cells, who_holds_the_old_sequence_keeps_its_values) {
  for (size_t k = 0; k < sizeof holders / sizeof *holders; k++)
    for (int first = 0; first < 2; first++) held_by(holders[k].hold, holders[k].a, holders[k].b, holders[k].n, first);
}

Test(cells, a_delayed_sum_is_of_the_old_values) {
  wf_context* context = tested();
  wf_seq *cell = computed(context, 1000), *sum;
  wf_fn* add = function("(fn ((a i32) (b i32)) (add a b))");
  OK(wf_reduce(add, "0:i32", cell, &sum));
  update("(fn ((x i32)) (add x 1:i32))", &cell);
  cr_assert_eq(i64_at(sum, 0, 0), 499500);
  wf_release(sum);
  OK(wf_reduce(add, "0:i32", cell, &sum));
  cr_assert_eq(i64_at(sum, 0, 0), 500500);
  wf_release(sum), wf_fn_release(add), wf_release(cell);
  wf_context_release(context);
}

Test(cells, a_function_that_captures_the_cell_keeps_it) {
  wf_context* context = tested();
  wf_seq* cell = computed(context, large);
  wf_fn* f;
  wf_seq* next;
  OK(wf_fn_create("(fn ((x i32)) (add x (at $0 5:i64)))", &cell, 1, &f));
  OK(wf_map(f, &cell, 1, &next));
  OK(wf_replace(next, &cell));
  expect_linear(cell, 0, large, 1, 5);
  OK(wf_map(f, &cell, 1, &next));
  expect_linear(next, 0, large, 1, 10); /* element 5 of the old sequence is still 5 */
  wf_release(next), wf_fn_release(f), wf_release(cell);
  wf_context_release(context);
}

/* Reads at other indices than the stored one; the values must be those before the update. */
Test(cells, shifted_reads) {
  static const char* const texts[] = {"(fn ((x i32) (i i32)) (add x (load $0 (sub (cast i64 i) 1:i64))))",
                                      "(fn ((x i32) (i i32)) (add x (load $0 (sub 1048582:i64 (cast i64 i)))))",
                                      "(fn ((x i32) (i i32)) (add x (load $0 0:i64)))",
                                      "(fn ((x i32) (i i32)) (loop ((k 0:i32) (y 0:i32)) (lt k 2:i32) "
                                      "(tuple (add k 1:i32) (add y (load $0 (add (cast i64 i) (cast i64 k)))))))"};
  wf_context* context = tested();
  for (size_t t = 0; t < 4; t++) {
    wf_seq *cell = computed(context, large), *indices = computed(context, large), *both[] = {cell, indices};
    wf_seq* next = map_of(texts[t], both, 2, &cell, 1);
    if (t == 3) {
      const int32_t second = 1;
      wf_seq* y;
      OK(wf_columns(next, &second, 1, &y));
      wf_release(next), next = y;
    }
    OK(wf_replace(next, &cell));
    const int32_t* x = memory_of(cell, 0);
    for (int32_t i = 0; i < large; i++) {
      const int32_t other = t == 0 ? (i ? i - 1 : 0) : t == 1 ? large - 1 - i : t == 2 ? 0 : i + 1 < large ? i + 1 : 0;
      cr_assert_eq(x[i], i + other, "text %d, element %d is %d", (int)t, i, x[i]);
    }
    wf_release(cell), wf_release(indices);
  }
  wf_context_release(context);
}

/* A cell of pairs (i, 2 i). */
static wf_seq* pairs(wf_context* context) {
  wf_seq* i = iota(context, large);
  wf_seq* s = map1("(fn ((x i32)) (tuple x (mul x 2:i32)))", i);
  OK(wf_force(&s, 1));
  wf_release(i);
  return s;
}

Test(cells, columns_that_depend_on_each_other) {
  static const struct {
    const char* text;
    int64_t a[2], b[2];
  } cases[] = {
      {"(fn ((x i32) (y i32)) (tuple (add x 1:i32) (add y 1:i32)))", {1, 2}, {1, 1}},
      {"(fn ((x i32) (y i32)) (tuple y x))", {2, 1}, {0, 0}},
      {"(fn ((x i32) (y i32)) (tuple (add y 1:i32) (add x 2:i32)))", {2, 1}, {1, 2}},
      {"(fn ((x i32) (y i32)) (tuple (add x y) (sub x y)))", {3, -1}, {0, 0}},
      {"(fn ((x i32) (y i32)) (tuple x (add x 1:i32)))", {1, 1}, {0, 1}},
      {"(fn ((x i32) (y i32)) (tuple (add x 1:i32) x))", {1, 1}, {1, 0}},
      {"(fn ((x i32) (y i32)) (tuple x x))", {1, 1}, {0, 0}},
      {"(fn ((x i32) (y i32)) (tuple y (add y x)))", {2, 3}, {0, 0}},
  };
  wf_context* context = tested();
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    wf_seq* cell = pairs(context);
    for (int again = 0; again < 2; again++) {
      wf_release(cell);
      cell = pairs(context);
      const void* before[] = {memory_of(cell, 0), memory_of(cell, 1)};
      OK(wf_replace(map1(cases[k].text, cell), &cell));
      if (k == 0 && reuses(context)) cr_assert(memory_of(cell, 0) == before[0] && memory_of(cell, 1) == before[1]);
      for (int32_t c = 0; c < 2; c++) expect_linear(cell, c, large, cases[k].a[c], cases[k].b[c]);
    }
    wf_release(cell);
  }
  wf_context_release(context);
}

Test(cells, one_sequence_twice_in_a_cell) {
  wf_context* context = tested();
  wf_seq *s = computed(context, large), *both[] = {s, s}, *cell;
  OK(wf_zip(both, 2, &cell));
  wf_release(s);
  OK(wf_force(&cell, 1));
  OK(wf_replace(map1("(fn ((x i32) (y i32)) (tuple (add x 1:i32) (mul y 2:i32)))", cell), &cell));
  expect_linear(cell, 0, large, 1, 1);
  expect_linear(cell, 1, large, 2, 0);
  wf_release(cell);
  wf_context_release(context);
}

Test(cells, one_sequence_twice_and_one_read_is_shifted) {
  wf_context* context = tested();
  wf_seq *s = computed(context, large), *both[] = {s, s}, *cell;
  OK(wf_zip(both, 2, &cell));
  wf_release(s);
  OK(wf_force(&cell, 1));
  OK(wf_replace(map_of("(fn ((x i32) (y i32)) (add (mul x 2:i32) (load $0.1 (sub 1048582:i64 (cast i64 x)))))", &cell, 1, &cell, 1),
                &cell));
  expect_linear(cell, 0, large, 1, large - 1);
  wf_release(cell);
  wf_context_release(context);
}

Test(cells, a_delayed_sequence_between_the_two_keeps_the_old_values) {
  wf_context* context = tested();
  wf_seq *cell = computed(context, large), *between = mapped(cell);
  OK(wf_replace(map1("(fn ((x i32)) (mul x 2:i32))", between), &cell));
  expect_linear(cell, 0, large, 2, 18);
  expect_linear(between, 0, large, 1, 9);
  wf_release(cell), wf_release(between);
  wf_context_release(context);
}

Test(cells, part_of_a_sequence_leaves_the_rest) {
  wf_context* context = tested();
  wf_seq *s = computed(context, large), *cell;
  OK(wf_take(s, large - 5, &cell));
  OK(wf_force(&cell, 1)); /* shares the memory of s */
  update("(fn ((x i32)) (neg x))", &cell);
  expect_linear(s, 0, large, 1, 0);
  expect_linear(cell, 0, large - 5, -1, 0);
  wf_release(cell);
  OK(wf_drop(s, 5, &cell));
  OK(wf_force(&cell, 1));
  wf_release(s);
  update("(fn ((x i32)) (neg x))", &cell);
  expect_linear(cell, 0, large - 5, -1, -5);
  wf_release(cell);
  wf_context_release(context);
}

static void let_go(void* memory) { *(int*)memory = 1; }

Test(cells, adopted_memory_is_never_written) {
  wf_context* context = tested();
  static int32_t values[large];
  int is_done = 0;
  for (int32_t i = 0; i < large; i++) values[i] = i;
  wf_seq* cell;
  OK(wf_adopt(context, WF_I32, values, large, let_go, &is_done, &cell));
  update("(fn ((x i32)) (mul x 2:i32))", &cell);
  expect_linear(cell, 0, large, 2, 0);
  for (int32_t i = 0; i < large; i++) cr_assert_eq(values[i], i);
  wf_release(cell);
  cr_assert_eq(is_done, 1);
  wf_context_release(context);
}

Test(cells, an_exported_tensor_keeps_its_values) {
  wf_context* context = tested();
  if (!is_cpu(context)) return wf_context_release(context);
  wf_seq* cell = computed(context, large);
  const int32_t* before = memory_of(cell, 0);
  struct managed {
    char tensor[48];
    void* context;
    void (*deleter)(struct managed*);
  } * managed;
  OK(wf_to_dlpack(cell, 0, (void**)&managed));
  cr_assert_not(update("(fn ((x i32)) (mul x 2:i32))", &cell));
  for (int32_t i = 0; i < large; i++) cr_assert_eq(before[i], i);
  managed->deleter(managed);
  cr_assert(update("(fn ((x i32)) (mul x 2:i32))", &cell));
  wf_release(cell);
  wf_context_release(context);
}

Test(cells, an_index_out_of_range_leaves_the_old_value) {
  wf_context* context = tested();
  wf_seq *cell = computed(context, large), *same = cell, *table = computed(context, large - 1);
  wf_seq* next = map_of("(fn ((x i32)) (mul 2:i32 (at $0 (cast i64 x))))", &cell, 1, &table, 1);
  FAILS(WF_ERROR_RANGE, "index 1048582", wf_replace(next, &cell));
  cr_assert(cell == same);
  FAILS(WF_ERROR_RANGE, "index 1048582", wf_replace(next, &cell));
  wf_release(next);
  expect_linear(cell, 0, large, 1, 0);
  wf_release(cell), wf_release(table);
  wf_context_release(context);
}

Test(cells, exhausted_memory_leaves_the_old_value) {
  wf_context* context = tested();
  if (!is_cpu(context)) return wf_context_release(context);
  wf_seq *cell = computed(context, large), *same = cell;
  wf_seq* next = map1("(fn ((x i32)) (tuple (add x 1:i32) (add x 2:i32)))", cell); /* one column in place, and one that is new */
  OK(wf_context_fail_allocation(context, 1));
  FAILS(WF_ERROR_MEMORY, "bytes", wf_replace(next, &cell));
  cr_assert(cell == same);
  expect_linear(cell, 0, large, 1, 0);
  OK(wf_replace(next, &cell));
  expect_linear(cell, 0, large, 1, 1);
  expect_linear(cell, 1, large, 1, 2);
  wf_release(cell);
  wf_context_release(context);
}

Test(cells, other_kernels_than_maps) {
  wf_context* context = tested();
  wf_seq *cell = computed(context, 3000), *next;
  wf_fn *add = function("(fn ((a i32) (b i32)) (add a b))"), *odd = function("(fn ((x i32)) (eq (and x 1:i32) 1:i32))");
  OK(wf_scan(add, "0:i32", cell, 1, &next, NULL));
  OK(wf_replace(next, &cell));
  cr_assert_eq(i64_at(cell, 0, 2999), 2999 * 3000 / 2);
  OK(wf_filter(odd, cell, &next));
  OK(wf_replace(next, &cell));
  cr_assert_eq(known_length(cell), 1500);
  cr_assert_eq(i64_at(cell, 0, 0), 1);
  OK(wf_sort(cell, 1, 1, &next));
  OK(wf_replace(next, &cell));
  cr_assert_eq(i64_at(cell, 0, 0), 2998 * 2999 / 2);
  OK(wf_reduce(add, "0:i32", cell, &next));
  OK(wf_replace(next, &cell));
  int32_t rank = -1;
  OK(wf_rank(cell, &rank));
  cr_assert_eq(rank, 0);
  wf_release(cell), wf_fn_release(add), wf_fn_release(odd);
  wf_context_release(context);
}

Test(cells, arguments) {
  wf_context* context = tested();
  const int32_t values[] = {1, 2, 3};
  wf_seq *s = i32s(context, 3, values), *empty = NULL, *same = s;
  FAILS(WF_ERROR_ARGUMENT, "cell is NULL", wf_replace(s, NULL));
  FAILS(WF_ERROR_ARGUMENT, "value is NULL", wf_replace(NULL, &s));
  FAILS(WF_ERROR_ARGUMENT, "same handle", wf_replace(s, &same));
  expect_i32s(s, 3, values);
  OK(wf_replace(s, &empty));
  expect_i32s(empty, 3, values);
  wf_release(empty);
  wf_context_release(context);
}
