/* Indices outside of captured sequences: `at` is a range error, `load` is 0, and guarded operands are not evaluated. Each fact is tested with
 * the captured sequence computed before the function is and not, in functions that simplification changes and in others. */
#include "helpers.h"

TestSuite(indices);

enum { ways = 2 }; /* 0: delayed, 1: forced */

static wf_seq* tabulated(wf_context* context, const char* text, wf_seq* capture, int64_t n) {
  wf_fn* f;
  wf_seq* r;
  OK(wf_fn_create(text, &capture, 1, &f));
  OK(wf_tabulate(context, f, n, &r));
  wf_fn_release(f);
  return r;
}

static wf_seq* sum(wf_seq* s) {
  wf_fn* add = function("(fn ((a i32) (b i32)) (add a b))");
  wf_seq* r;
  OK(wf_reduce(add, "0:i32", s, &r));
  wf_fn_release(add);
  return r;
}

static wf_seq* window(wf_seq* s, int64_t start, int64_t n) {
  wf_seq* r;
  OK(wf_subseq(s, start, n, &r));
  wf_release(s);
  return r;
}

static wf_seq* reversed(wf_seq* s) {
  wf_seq* r;
  OK(wf_rev(s, &r));
  wf_release(s);
  return r;
}

static wf_seq* mapped(const char* text, wf_seq* s) {
  wf_seq* r = map1(text, s);
  wf_release(s);
  return r;
}

static wf_seq* constant7(wf_context* context, int64_t n) {
  wf_fn* f = function("(fn ((i i64)) 7:i32)");
  wf_seq* s;
  OK(wf_tabulate(context, f, n, &s));
  wf_fn_release(f);
  return s;
}

/* n elements 7, 7, ... made in different ways, most of which do not depend on the index. NULL after the last one. */
static wf_seq* sevens(wf_context* context, int kind, int64_t n) {
  switch (kind) {
    case 0: return constant7(context, n);
    case 1: return mapped("(fn ((x i32)) (add (sub x x) 7:i32))", iota(context, n));
    case 2: return mapped("(fn ((x i32)) (add (mul x 0:i32) 7:i32))", iota(context, n));
    case 3: return mapped("(fn ((x i32)) (where (lt x 1000000:i32) 7:i32 x))", iota(context, n));
    case 4: return window(constant7(context, n + 9), 4, n);
    case 5: return reversed(constant7(context, n));
    default: return NULL;
  }
}

/* Forces r, which must be a range error that names the index, twice. */
static void expect_outside(wf_seq* r, const char* index) {
  int32_t yes;
  FAILS(WF_ERROR_RANGE, index, wf_force(&r, 1));
  OK(wf_is_manifest(r, &yes));
  cr_assert_eq(yes, 0);
  FAILS(WF_ERROR_RANGE, index, wf_force(&r, 1));
  wf_release(r);
}

static void expect_sum(wf_seq* r, int64_t expected) {
  wf_seq* total = sum(r);
  OK(wf_force((wf_seq*[]){r, total}, 2));
  cr_assert_eq(i64_at(total, 0, 0), expected);
  wf_release(total);
  wf_release(r);
}

static const int64_t lengths[] = {5, 1000, 100007};
#define FOR_EACH_LENGTH(n) for (int64_t n, at_ = 0; at_ < 3 && (n = lengths[at_], 1); at_++)
#define FOR_EACH_SEVENS(s)               \
  for (int way = 0; way < ways; way++)   \
    for (int kind = 0; kind < 6; kind++) \
      for (wf_seq* s = made(context, kind, n, way); s; wf_release(s), s = NULL)

static wf_seq* made(wf_context* context, int kind, int64_t n, int way) {
  wf_seq* s = sevens(context, kind, n);
  if (way) OK(wf_force(&s, 1));
  return s;
}

Test(indices, outside_are_errors_whether_the_element_depends_on_them_or_not) {
  /* Each reads beyond the end at the last index. */
  static const char* const functions[] = {
      "(fn ((i i64)) (at $0 (add i 1:i64)))",
      "(fn ((i i64)) (sub (at $0 (add i 1:i64)) (at $0 (add i 1:i64))))",
      "(fn ((i i64)) (mul (at $0 (add i 1:i64)) 0:i32))",
      "(fn ((i i64)) (and (at $0 (add i 1:i64)) 0:i32))",
      "(fn ((i i64)) (cast i32 (eq (at $0 (add i 1:i64)) (at $0 (add i 1:i64)))))",
      "(fn ((i i64)) (cast i32 (and (eq (at $0 (add i 1:i64)) 7:i32) false)))",
      "(fn ((i i64)) (cast i32 (or (eq (at $0 (add i 1:i64)) 7:i32) true)))",
      "(fn ((i i64)) (let ((unused (at $0 (add i 1:i64)))) 3:i32))",
      "(fn ((i i64)) (where (lt (at $0 (add i 1:i64)) 9:i32) 3:i32 3:i32))",
  };
  wf_context* context = tested();
  FOR_EACH_LENGTH(n) FOR_EACH_SEVENS(s) {
    char index[40];
    snprintf(index, sizeof index, "index %lld ", (long long)n);
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
      expect_outside(tabulated(context, functions[k], s, n), index);
      wf_seq* r = tabulated(context, functions[k], s, n);
      expect_outside(sum(r), index);
      expect_outside(map1("(fn ((x i32)) (mul x 0:i32))", r), index);
      wf_release(r);
      OK(wf_force((wf_seq*[]){r = tabulated(context, functions[k], s, n - 1)}, 1));
      wf_release(r);
    }
    expect_outside(tabulated(context, "(fn ((i i64)) (mul (at $0 (sub i 1:i64)) 0:i32))", s, n), "index -1 ");
  }
  wf_context_release(context);
}

Test(indices, outside_of_scalars_are_errors) {
  wf_context* context = tested();
  FOR_EACH_LENGTH(n) for (int way = 0; way < ways; way++) for (int kind = 0; kind < 3; kind++) {
    wf_seq *s = iota(context, n), *x;
    if (kind == 0) x = sum(s);
    else OK(wf_nth(s, 2, &x));
    if (kind == 2) x = mapped("(fn ((x i32)) (sub x x))", x);
    if (way) OK(wf_force(&x, 1));
    expect_outside(tabulated(context, "(fn ((i i64)) (at $0 i))", x, n), "index 1 ");
    expect_outside(tabulated(context, "(fn ((i i64)) (mul 0:i32 (at $0 i)))", x, n), "index 1 ");
    expect_outside(tabulated(context, "(fn ((i i64)) (at $0 -3:i64))", x, n), "index -3 ");
    int64_t value = i64_at(x, 0, 0);
    expect_sum(tabulated(context, "(fn ((i i64)) (where (eq i 0:i64) (at $0 i) 0:i32))", x, n), value);
    expect_sum(tabulated(context, "(fn ((i i64)) (load $0 i))", x, n), value);
    wf_release(x);
    wf_release(s);
  }
  wf_context_release(context);
}

/* A scalar that is not computed, read by the kernel that computes it. */
Test(indices, load_outside_of_a_delayed_scalar_is_0) {
  wf_context* context = tested();
  FOR_EACH_LENGTH(n) {
    wf_seq *ones = mapped("(fn ((x i32)) 1:i32)", iota(context, n)), *x = sum(ones);
    wf_seq* loaded = tabulated(context, "(fn ((i i64)) (load $0 i))", x, n);
    OK(wf_force((wf_seq*[]){ones, x, loaded}, 3));
    cr_assert_eq(i64_at(loaded, 0, 0), n);
    expect_sum(loaded, n);
    wf_release(x);
    wf_release(ones);
  }
  wf_context_release(context);
}

Test(indices, load_outside_is_0) {
  wf_context* context = tested();
  FOR_EACH_LENGTH(n) FOR_EACH_SEVENS(s) {
    /* 3 of the indices lie inside, or all but 3. */
    expect_sum(tabulated(context, "(fn ((i i64)) (load $0 (add i (sub (length $0) 3:i64))))", s, n), 21);
    expect_sum(tabulated(context, "(fn ((i i64)) (load $0 (sub 2:i64 i)))", s, n), 21);
    expect_sum(tabulated(context, "(fn ((i i64)) (load $0 (sub i 3:i64)))", s, n), 7 * (n - 3));
    expect_sum(tabulated(context, "(fn ((i i64)) (load $0 (mul i (length $0))))", s, n), 7);
    expect_sum(tabulated(context, "(fn ((i i64)) (mul 0:i32 (load $0 (sub i 3:i64))))", s, n), 0);
    expect_sum(tabulated(context, "(fn ((i i64)) (where (lt i 4:i64) (load $0 (sub i 3:i64)) 1:i32))", s, n), 7 + (n - 4));
  }
  wf_context_release(context);
}

/* The window is the middle of a larger sequence, whose other elements are not 0. */
Test(indices, load_from_a_window_does_not_read_beyond_it) {
  wf_context* context = tested();
  FOR_EACH_LENGTH(n) for (int way = 0; way < ways; way++) for (int kind = 0; kind < 6; kind++) {
    wf_seq* whole = sevens(context, kind, 3 * n);
    if (way) OK(wf_force(&whole, 1));
    wf_seq* s = window(whole, n, n);
    expect_sum(tabulated(context, "(fn ((i i64)) (load $0 (sub i (length $0))))", s, 3 * n), 7 * n);
    expect_sum(tabulated(context, "(fn ((i i64)) (load $0 (sub (add (length $0) 1:i64) i)))", s, 3 * n), 7 * n);
    expect_outside(tabulated(context, "(fn ((i i64)) (at $0 i))", s, n + 1), "index ");
    expect_outside(tabulated(context, "(fn ((i i64)) (mul 0:i32 (at $0 (sub i 1:i64))))", s, n), "index -1 ");
    wf_release(s);
  }
  wf_context_release(context);
}

/* Elements outside of the window have errors of their own, which the window does not show. */
Test(indices, elements_outside_of_a_window_are_not_evaluated) {
  wf_context* context = tested();
  wf_seq* three = constant7(context, 3);
  wf_seq* s = window(tabulated(context, "(fn ((i i64)) (at $0 i))", three, 10), 0, 3);
  expect_sum(tabulated(context, "(fn ((i i64)) (load $0 i))", s, 5), 21);
  expect_sum(s, 21);
  wf_release(three);
  wf_context_release(context);
}

Test(indices, where_and_or_guard_an_index) {
  wf_context* context = tested();
  FOR_EACH_LENGTH(n) FOR_EACH_SEVENS(s) {
    expect_sum(tabulated(context, "(fn ((i i64)) (where (gt i 0:i64) (at $0 (sub i 1:i64)) 0:i32))", s, n), 7 * (n - 1));
    expect_sum(tabulated(context, "(fn ((i i64)) (cast i32 (and (gt i 0:i64) (eq (at $0 (sub i 1:i64)) 7:i32))))", s, n), n - 1);
    expect_sum(tabulated(context, "(fn ((i i64)) (cast i32 (or (le i 0:i64) (ne (at $0 (sub i 1:i64)) 7:i32))))", s, n), 1);
    expect_sum(tabulated(context, "(fn ((i i64)) (cast i32 (and (lt (add i 1:i64) (length $0)) (eq (at $0 (add i 1:i64)) 7:i32))))", s, n),
               n - 1);
    /* What is guarded does not depend on the index, or is simplified. */
    expect_sum(tabulated(context, "(fn ((i i64)) (where (gt i 0:i64) (mul 0:i32 (at $0 (sub i 1:i64))) 1:i32))", s, n), 1);
    /* A guard to the right guards nothing. */
    expect_outside(tabulated(context, "(fn ((i i64)) (cast i32 (and (eq (at $0 (sub i 1:i64)) 7:i32) (gt i 0:i64))))", s, n), "index -1 ");
    expect_outside(tabulated(context, "(fn ((i i64)) (cast i32 (or (eq (at $0 (sub i 1:i64)) 7:i32) (le i 0:i64))))", s, n), "index -1 ");
  }
  wf_context_release(context);
}

Test(indices, after_an_error_the_other_sequences_go_on) {
  wf_context* context = tested();
  wf_seq *s = constant7(context, 1000), *good = map1("(fn ((x i32)) (add x 1:i32))", s);
  wf_seq* bad = tabulated(context, "(fn ((i i64)) (mul 0:i32 (at $0 (add i 1:i64))))", s, 1000);
  FAILS(WF_ERROR_RANGE, "index 1000 ", wf_force((wf_seq*[]){good, bad}, 2));
  FAILS(WF_ERROR_RANGE, "index 1000 ", wf_force((wf_seq*[]){bad, good}, 2));
  expect_sum(good, 8000);
  expect_sum(window(bad, 0, 999), 0);
  expect_sum(s, 7000);
  wf_context_release(context);
}
