/* Programs: traced once, run on other sequences; arguments that do not fit; failing allocations. */
#include "helpers.h"

enum { A = WF_ERROR_ARGUMENT, n = 70001 };

static wf_seq* parameter_like(wf_seq* s) {
  wf_seq* p;
  OK(wf_parameter(s, &p));
  return p;
}

/* x -> 3 x + 1, and the sum of that. */
static wf_program* affine(wf_seq* like) {
  wf_seq *p = parameter_like(like), *r[2];
  wf_program* program;
  wf_fn* add = function("(fn ((a i32) (b i32)) (add a b))");
  r[0] = map1("(fn ((x i32)) (add (mul x 3:i32) 1:i32))", p);
  OK(wf_reduce(add, "0:i32", r[0], &r[1]));
  OK(wf_program_create(&p, 1, r, 2, &program));
  wf_fn_release(add);
  wf_release(p), wf_release(r[0]), wf_release(r[1]);
  return program;
}

/* shift, shift + 1, ..., as i32, not computed. */
static wf_seq* shifted(wf_context* context, int64_t length, int shift) {
  char text[80];
  wf_seq *from = iota(context, length), *s;
  snprintf(text, sizeof text, "(fn ((x i32)) (add x %d:i32))", shift);
  s = map1(text, from);
  wf_release(from);
  return s;
}

static void expect_affine(wf_seq* const* r, int shift) {
  const int64_t last = n - 1;
  cr_assert_eq(i64_at(r[0], 0, 0), 3 * shift + 1);
  cr_assert_eq(i64_at(r[0], 0, 4097), 3 * (4097 + shift) + 1);
  cr_assert_eq(i64_at(r[0], 0, last), 3 * (last + shift) + 1);
  cr_assert_eq(i64_at(r[1], 0, 0), (int32_t)(uint32_t)(3 * (last * (last + 1) / 2 + (int64_t)n * shift) + n));
}

Test(traces, run_on_any_sequence_of_the_shape) {
  wf_context* context = tested();
  wf_seq* like = iota(context, n);
  wf_program* program = affine(like);
  int32_t yes = -1;
  OK(wf_is_manifest(like, &yes));
  cr_assert_eq(yes, 0);
  wf_release(like);
  wf_program_retain(program);
  wf_program_release(program);
  for (int shift = 0; shift < 5; shift++) {
    wf_seq *s = shifted(context, n, shift), *r[2];
    int32_t fits = -1;
    if (shift % 2) OK(wf_force(&s, 1));
    OK(wf_program_run(program, &s, 1, r, 2, shift > 2 ? &fits : NULL));
    cr_assert_eq(fits, shift > 2 ? 1 : -1);
    OK(wf_is_manifest(r[1], &yes));
    cr_assert_eq(yes, 1);
    expect_affine(r, shift);
    wf_release(s), wf_release(r[0]), wf_release(r[1]);
  }
  char text[2000];
  OK(wf_program_explain(program, 0, text, sizeof text, NULL));
  cr_assert(strstr(text, "1 kernel") == text && strstr(text, "reduce(add)"), "%s", text);
  OK(wf_program_explain(program, 1, text, sizeof text, NULL));
  cr_assert(strstr(text, "digraph") == text, "%s", text);
  wf_program_release(program);
  cr_assert_eq(live_bytes(context), 0);
  wf_context_release(context);
}

Test(traces, arguments_that_do_not_fit) {
  wf_context *context = tested(), *other = tested();
  wf_seq *like = iota(context, n), *r[2];
  wf_program* program = affine(like);
  wf_seq* wrong[] = {iota(context, n - 1), map1("(fn ((x i32)) (cast f32 x))", like), iota(other, n)};
  const int32_t codes[] = {WF_ERROR_SIZE, WF_ERROR_TYPE, A};
  const char* const parts[] = {"expected length 70001", "expected (i32)", "another context"};
  for (int k = 0; k < 3; k++) {
    int32_t fits = -1;
    r[0] = r[1] = like;
    FAILS(codes[k], parts[k], wf_program_run(program, &wrong[k], 1, r, 2, NULL));
    cr_assert(r[0] == NULL && r[1] == NULL);
    r[0] = r[1] = like;
    OK(wf_program_run(program, &wrong[k], 1, r, 2, &fits));
    cr_assert(fits == 0 && r[0] == NULL && r[1] == NULL);
    wf_release(wrong[k]);
  }
  wf_seq* two[] = {like, like};
  FAILS(A, "there are 2 arguments; expected 1", wf_program_run(program, two, 2, r, 2, NULL));
  FAILS(A, "there are 0 arguments; expected 1", wf_program_run(program, NULL, 0, r, 2, NULL));
  FAILS(A, "n_results is 1; expected 2", wf_program_run(program, &like, 1, r, 1, NULL));
  OK(wf_context_close(context));
  FAILS(A, "closed", wf_program_run(program, &like, 1, r, 2, NULL));
  wf_release(like);
  wf_program_release(program);
  wf_context_release(context), wf_context_release(other);
}

Test(traces, a_parameter_has_no_elements) {
  wf_context* context = tested();
  wf_seq *s = iota(context, n), *p = parameter_like(s), *q = parameter_like(s), *r = map1("(fn ((x i32)) (add x 1:i32))", p);
  wf_program* program;
  const void* data;
  int64_t x;
  char text[2000];
  FAILS(A, "parameter of a program", wf_force(&p, 1));
  FAILS(A, "parameter of a program", wf_force(&r, 1));
  FAILS(A, "parameter of a program", wf_wait(&r, 1));
  FAILS(A, "parameter of a program", wf_data(r, 0, &data, NULL));
  FAILS(A, "parameter of a program", wf_to_host(p, 0, 0, 1, &x, WF_I64, 1));
  OK(wf_explain(&r, 1, 0, text, sizeof text, NULL));
  cr_assert_eq(known_length(r), n);
  GIVES_NOTHING(A, "no sequence", program, wf_program_create(&p, 1, NULL, 0, &program));
  GIVES_NOTHING(A, "the parameter is not a parameter", program, wf_program_create(&s, 1, &r, 1, &program));
  GIVES_NOTHING(A, "expected all parameters", program, wf_program_create(&q, 1, &r, 1, &program));
  wf_seq* twice[] = {p, p};
  GIVES_NOTHING(A, "the 2nd parameter is an earlier parameter", program, wf_program_create(twice, 2, &r, 1, &program));
  /* A parameter that no result depends on is right, and so is a result that depends on none, or is one. */
  wf_seq *both[] = {q, p}, *results[] = {r, s, q}, *values[3];
  OK(wf_program_create(both, 2, results, 3, &program));
  wf_seq* arguments[] = {s, s};
  OK(wf_program_run(program, arguments, 2, values, 3, NULL));
  cr_assert_eq(i64_at(values[0], 0, n - 1), n);
  cr_assert_eq(i64_at(values[1], 0, n - 1), n - 1);
  cr_assert(values[2] == s);
  for (int k = 0; k < 3; k++) wf_release(values[k]);
  wf_program_release(program);
  wf_release(s), wf_release(p), wf_release(q), wf_release(r);
  wf_context_release(context);
}

/* After each failing allocation, nothing is lost and the program runs. */
Test(traces, failing_allocations) {
  wf_context* context = tested();
  wf_seq *s = iota(context, n), *p = parameter_like(s), *r[2], *values[2];
  wf_program* program;
  wf_fn *add = function("(fn ((a i32) (b i32)) (add a b))"), *odd = function("(fn ((x i32)) (eq (and x 1:i32) 1:i32))");
  wf_seq* prefixes;
  OK(wf_scan(add, "0:i32", p, 1, &prefixes, &r[1]));
  OK(wf_filter(odd, prefixes, &r[0]));
  OK(wf_program_create(&p, 1, r, 2, &program));
  OK(wf_force(&s, 1));
  const int64_t live = live_bytes(context);
  int failures = 0;
  for (int code = -1; code != WF_OK; failures++) {
    OK(wf_context_fail_allocation(context, failures + 1));
    code = wf_program_run(program, &s, 1, values, 2, NULL);
    OK(wf_context_fail_allocation(context, 0));
    cr_assert(code == WF_OK || code == WF_ERROR_MEMORY, "%d: %s", code, message());
    if (code != WF_OK) cr_assert(values[0] == NULL && values[1] == NULL && live_bytes(context) == live);
    cr_assert_lt(failures, 100);
  }
  cr_assert_gt(failures, 1);
  cr_assert_eq(i64_at(values[1], 0, 0), (int32_t)(uint32_t)((int64_t)n * (n - 1) / 2));
  cr_assert_eq(i64_at(values[0], 0, 1), 3);
  wf_release(values[0]), wf_release(values[1]), wf_release(s), wf_release(p), wf_release(r[0]), wf_release(r[1]), wf_release(prefixes);
  wf_fn_release(add), wf_fn_release(odd);
  wf_program_release(program);
  cr_assert_eq(live_bytes(context), 0);
  wf_context_release(context);
}
