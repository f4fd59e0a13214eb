/* NULL, and handles of other kinds, in every pointer argument of every function. */
#include "helpers.h"

static wf_context* context;
static wf_seq* s;
static wf_fn* f;
static wf_fn* sum;
static wf_seq* r;
static char other[4096]; /* not a handle */

static void set_up(void) {
  static const int32_t values[] = {1, 2, 3};
  context = tested();
  s = i32s(context, 3, values);
  f = function("(fn ((x i32)) (gt x 1:i32))");
  sum = function("(fn ((a i32) (b i32)) (add a b))");
  r = s; /* so that the call must set it to NULL */
}

static void tear_down(void) {
  wf_release(s);
  wf_fn_release(f);
  wf_fn_release(sum);
  wf_context_release(context);
}

TestSuite(null_arguments, .init = set_up, .fini = tear_down);

#define A WF_ERROR_ARGUMENT
#define NOTHING(part, call)          \
  do {                               \
    r = s;                           \
    GIVES_NOTHING(A, part, r, call); \
  } while (0)

Test(null_arguments, contexts) {
  wf_context* made = context;
  FAILS(A, "out is NULL", wf_context_create("cpu", NULL));
  GIVES_NOTHING(A, "\"gpu\"", made, wf_context_create("gpu", &made));
  FAILS(A, "context is NULL", wf_context_close(NULL));
  FAILS(A, "context is NULL", wf_context_name(NULL, NULL, 0, NULL));
  FAILS(A, "context is NULL", wf_context_memory(NULL, NULL, NULL, NULL, NULL));
  FAILS(A, "context is NULL", wf_context_reset_peak(NULL));
  FAILS(A, "context is NULL", wf_context_set_limit(NULL, 1));
  FAILS(A, "context is NULL", wf_context_trim(NULL, NULL));
  FAILS(A, "context is NULL", wf_context_fail_allocation(NULL, 1));
  FAILS(A, "not a valid context", wf_context_close((wf_context*)s));
  FAILS(A, "not a valid context", wf_context_close((wf_context*)other));
  FAILS(A, "buffer is NULL", wf_context_name(context, NULL, 10, NULL));
  OK(wf_context_name(context, NULL, 0, NULL));
  OK(wf_context_memory(context, NULL, NULL, NULL, NULL));
  OK(wf_context_trim(context, NULL));
  wf_context_retain(NULL);
  wf_context_release(NULL);
  wf_context_release((wf_context*)other);
}

Test(null_arguments, names_and_messages) {
  int32_t type = 77;
  FAILS(A, "name is NULL", wf_type_of_name(NULL, &type));
  FAILS(A, "type is NULL", wf_type_of_name("i32", NULL));
  cr_assert_eq(type, 77);
  wf_error_message(NULL, 0, NULL);
  wf_error_message(NULL, 10, NULL);
}

Test(null_arguments, functions) {
  wf_fn* made = f;
  int32_t types[] = {WF_F64}, n;
  FAILS(A, "out is NULL", wf_fn_create("(fn ((x i32)) x)", NULL, 0, NULL));
  GIVES_NOTHING(A, "text is NULL", made, wf_fn_create(NULL, NULL, 0, &made));
  GIVES_NOTHING(A, "captures is NULL", made, wf_fn_create("(fn ((x i32)) x)", NULL, 1, &made));
  wf_seq* captures[] = {s, NULL};
  GIVES_NOTHING(A, "captures[1] is NULL", made, wf_fn_create("(fn ((x i32)) x)", captures, 2, &made));
  GIVES_NOTHING(A, "n_captures is -1", made, wf_fn_create("(fn ((x i32)) x)", captures, -1, &made));

  FAILS(A, "out is NULL", wf_fn_foreign("g", (void*)abs, types, 1, WF_F64, NULL));
  GIVES_NOTHING(A, "address is NULL", made, wf_fn_foreign("g", NULL, types, 1, WF_F64, &made));
  GIVES_NOTHING(A, "param_types is NULL", made, wf_fn_foreign("g", (void*)abs, NULL, 1, WF_F64, &made));

  FAILS(A, "out is NULL", wf_fn_source("g", "text", types, 1, types, 1, NULL, NULL));
  GIVES_NOTHING(A, "name is NULL", made, wf_fn_source(NULL, "text", types, 1, types, 1, NULL, &made));
  GIVES_NOTHING(A, "C identifier", made, wf_fn_source("g h", "text", types, 1, types, 1, NULL, &made));
  GIVES_NOTHING(A, "text is NULL", made, wf_fn_source("g", NULL, types, 1, types, 1, NULL, &made));
  GIVES_NOTHING(A, "text is empty", made, wf_fn_source("g", "", types, 1, types, 1, NULL, &made));
  GIVES_NOTHING(A, "param_types is NULL", made, wf_fn_source("g", "text", NULL, 1, types, 1, NULL, &made));
  GIVES_NOTHING(A, "result_types is NULL", made, wf_fn_source("g", "text", types, 1, NULL, 1, NULL, &made));
  GIVES_NOTHING(A, "at least 1", made, wf_fn_source("g", "text", types, 1, types, 0, NULL, &made));

  FAILS(A, "fn is NULL", wf_fn_text(NULL, NULL, 0, NULL));
  FAILS(A, "buffer is NULL", wf_fn_text(f, NULL, 5, NULL));
  FAILS(A, "fn is NULL", wf_fn_arity(NULL, &n, &n));
  OK(wf_fn_arity(f, NULL, NULL));
  FAILS(A, "fn is NULL", wf_fn_param_type(NULL, 0, &n));
  FAILS(A, "type is NULL", wf_fn_param_type(f, 0, NULL));
  FAILS(A, "fn is NULL", wf_fn_result_type(NULL, 0, &n));
  FAILS(A, "type is NULL", wf_fn_result_type(f, 0, NULL));
  FAILS(A, "not a valid function", wf_fn_text((wf_fn*)context, NULL, 0, NULL));
  wf_fn_retain(NULL);
  wf_fn_release(NULL);
  wf_fn_release((wf_fn*)context);
}

static void some_block(void* user, int64_t n, const void* const* in, void* const* out) { (void)user, (void)n, (void)in, (void)out; }

Test(null_arguments, blocks) {
  wf_fn* made = f;
  int32_t types[] = {WF_F64};
  wf_block good = {NULL, some_block, NULL, NULL, types, types, 1, 1}, block = good;
  FAILS(A, "out is NULL", wf_fn_block(&good, NULL));
  GIVES_NOTHING(A, "block is NULL", made, wf_fn_block(NULL, &made));
  block.function = NULL;
  GIVES_NOTHING(A, "block->function is NULL", made, wf_fn_block(&block, &made));
  block = good, block.param_types = NULL;
  GIVES_NOTHING(A, "block->param_types is NULL", made, wf_fn_block(&block, &made));
  block = good, block.result_types = NULL;
  GIVES_NOTHING(A, "block->result_types is NULL", made, wf_fn_block(&block, &made));
  block = good, block.n_results = 0;
  GIVES_NOTHING(A, "at least 1", made, wf_fn_block(&block, &made));
  OK(wf_fn_block(&good, &made));
  wf_fn_release(made);
}

Test(null_arguments, sources) {
  int32_t x = 1;
  FAILS(A, "out is NULL", wf_from_host(context, WF_I32, &x, 1, NULL));
  NOTHING("context is NULL", wf_from_host(NULL, WF_I32, &x, 1, &r));
  NOTHING("not a valid context", wf_from_host((wf_context*)f, WF_I32, &x, 1, &r));
  NOTHING("data is NULL", wf_from_host(context, WF_I32, NULL, 1, &r));
  FAILS(A, "out is NULL", wf_from_host_strided(context, WF_I32, &x, WF_I32, 1, 1, NULL));
  NOTHING("context is NULL", wf_from_host_strided(NULL, WF_I32, &x, WF_I32, 1, 1, &r));
  NOTHING("data is NULL", wf_from_host_strided(context, WF_I32, NULL, WF_I32, 1, 1, &r));
  FAILS(A, "out is NULL", wf_adopt(context, WF_I32, &x, 1, NULL, NULL, NULL));
  NOTHING("context is NULL", wf_adopt(NULL, WF_I32, &x, 1, NULL, NULL, &r));
  NOTHING("data is NULL", wf_adopt(context, WF_I32, NULL, 1, NULL, NULL, &r));
  void* memory;
  FAILS(A, "out is NULL", wf_allocate(context, WF_I32, 1, &memory, NULL));
  NOTHING("data is NULL", wf_allocate(context, WF_I32, 1, NULL, &r));
  NOTHING("context is NULL", wf_allocate(NULL, WF_I32, 1, &memory, &r));
  FAILS(A, "out is NULL", wf_scalar(context, WF_I32, &x, NULL));
  NOTHING("context is NULL", wf_scalar(NULL, WF_I32, &x, &r));
  NOTHING("value is NULL", wf_scalar(context, WF_I32, NULL, &r));
  FAILS(A, "out is NULL", wf_from_file(context, WF_U8, "/dev/null", NULL));
  NOTHING("context is NULL", wf_from_file(NULL, WF_U8, "/dev/null", &r));
  NOTHING("path is NULL", wf_from_file(context, WF_U8, NULL, &r));
  FAILS(A, "out is NULL", wf_from_dlpack(context, other, NULL));
  NOTHING("context is NULL", wf_from_dlpack(NULL, other, &r));
  NOTHING("managed_tensor is NULL", wf_from_dlpack(context, NULL, &r));
  FAILS(A, "out is NULL", wf_from_dlpack_stream(context, other, 1, 0, NULL));
  NOTHING("context is NULL", wf_from_dlpack_stream(NULL, other, 1, 0, &r));
  NOTHING("managed_tensor is NULL", wf_from_dlpack_stream(context, NULL, 1, 0, &r));
}

Test(null_arguments, lengths_ranks_and_columns) {
  int64_t n;
  int32_t k;
  wf_context* its = context;
  FAILS(A, "s is NULL", wf_known_length(NULL, &n));
  FAILS(A, "n is NULL", wf_known_length(s, NULL));
  FAILS(A, "s is NULL", wf_rank(NULL, &k));
  FAILS(A, "rank is NULL", wf_rank(s, NULL));
  FAILS(A, "s is NULL", wf_column_count(NULL, &k));
  FAILS(A, "n is NULL", wf_column_count(s, NULL));
  FAILS(A, "s is NULL", wf_column_type(NULL, 0, &k));
  FAILS(A, "type is NULL", wf_column_type(s, 0, NULL));
  FAILS(A, "s is NULL", wf_is_manifest(NULL, &k));
  FAILS(A, "yes is NULL", wf_is_manifest(s, NULL));
  FAILS(A, "out is NULL", wf_context_of(s, NULL));
  GIVES_NOTHING(A, "s is NULL", its, wf_context_of(NULL, &its));
  FAILS(A, "not a valid sequence", wf_rank((wf_seq*)context, &k));
  FAILS(A, "not a valid sequence", wf_rank((wf_seq*)f, &k));
  FAILS(A, "not a valid sequence", wf_rank((wf_seq*)other, &k));
  wf_retain(NULL);
  wf_release(NULL);
  wf_release((wf_seq*)other);
}

Test(null_arguments, primitives_of_functions) {
  FAILS(A, "out is NULL", wf_tabulate(context, f, 1, NULL));
  NOTHING("context is NULL", wf_tabulate(NULL, f, 1, &r));
  NOTHING("f is NULL", wf_tabulate(context, NULL, 1, &r));
  wf_seq* two[] = {s, NULL};
  FAILS(A, "out is NULL", wf_map(f, &s, 1, NULL));
  NOTHING("f is NULL", wf_map(NULL, &s, 1, &r));
  NOTHING("f is not a valid function", wf_map((wf_fn*)s, &s, 1, &r));
  NOTHING("sequences is NULL", wf_map(f, NULL, 1, &r));
  NOTHING("sequences[1] is NULL", wf_map(f, two, 2, &r));
  NOTHING("sequences is empty", wf_map(f, NULL, 0, &r));
  NOTHING("n_sequences is -1", wf_map(f, &s, -1, &r));
  FAILS(A, "out is NULL", wf_reduce(sum, NULL, s, NULL));
  NOTHING("f is NULL", wf_reduce(NULL, NULL, s, &r));
  NOTHING("s is NULL", wf_reduce(sum, NULL, NULL, &r));
  FAILS(A, "out is NULL", wf_filter(f, s, NULL));
  NOTHING("f is NULL", wf_filter(NULL, s, &r));
  NOTHING("s is NULL", wf_filter(f, NULL, &r));

  wf_seq* total = s;
  FAILS(A, "prefixes and total are both NULL", wf_scan(sum, NULL, s, 0, NULL, NULL));
  NOTHING("f is NULL", wf_scan(NULL, NULL, s, 0, &r, &total));
  cr_assert_null(total);
  NOTHING("s is NULL", wf_scan(sum, NULL, NULL, 0, &r, &total));
  NOTHING("inclusive is 2", wf_scan(sum, NULL, s, 2, &r, &total));
}

Test(null_arguments, primitives_of_sequences) {
  int32_t which[] = {0};
  wf_seq* two[] = {s, NULL};
  FAILS(A, "out is NULL", wf_zip(&s, 1, NULL));
  NOTHING("sequences is NULL", wf_zip(NULL, 1, &r));
  NOTHING("sequences[1] is NULL", wf_zip(two, 2, &r));
  NOTHING("sequences is empty", wf_zip(NULL, 0, &r));
  FAILS(A, "out is NULL", wf_append(&s, 1, NULL));
  NOTHING("sequences[1] is NULL", wf_append(two, 2, &r));
  NOTHING("sequences is empty", wf_append(NULL, 0, &r));
  FAILS(A, "out is NULL", wf_columns(s, which, 1, NULL));
  NOTHING("s is NULL", wf_columns(NULL, which, 1, &r));
  NOTHING("which is NULL", wf_columns(s, NULL, 1, &r));
  NOTHING("which is empty", wf_columns(s, which, 0, &r));
  NOTHING("n is -1", wf_columns(s, which, -1, &r));
  FAILS(A, "out is NULL", wf_length(s, NULL));
  NOTHING("s is NULL", wf_length(NULL, &r));
  FAILS(A, "out is NULL", wf_nth(s, 0, NULL));
  NOTHING("s is NULL", wf_nth(NULL, 0, &r));
  FAILS(A, "out is NULL", wf_subseq(s, 0, 0, NULL));
  NOTHING("s is NULL", wf_subseq(NULL, 0, 0, &r));
  FAILS(A, "out is NULL", wf_take(s, 0, NULL));
  NOTHING("s is NULL", wf_take(NULL, 0, &r));
  FAILS(A, "out is NULL", wf_drop(s, 0, NULL));
  NOTHING("s is NULL", wf_drop(NULL, 0, &r));
  FAILS(A, "out is NULL", wf_rev(s, NULL));
  NOTHING("s is NULL", wf_rev(NULL, &r));
}

Test(null_arguments, values) {
  int32_t x;
  int64_t n;
  const void* data = s;
  void* tensor = s;
  wf_seq* two[] = {s, NULL};
  FAILS(A, "sequences is NULL", wf_force(NULL, 1));
  FAILS(A, "sequences[1] is NULL", wf_force(two, 2));
  OK(wf_force(NULL, 0));
  FAILS(A, "sequences is NULL", wf_wait(NULL, 1));
  FAILS(A, "sequences[1] is NULL", wf_wait(two, 2));
  OK(wf_wait(NULL, 0));
  FAILS(A, "s is NULL", wf_to_host(NULL, 0, 0, 1, &x, WF_I32, 1));
  FAILS(A, "data is NULL", wf_to_host(s, 0, 0, 1, NULL, WF_I32, 1));
  FAILS(A, "stride is 0", wf_to_host(s, 0, 0, 2, &x, WF_I32, 0));
  OK(wf_to_host(s, 0, 0, 0, NULL, WF_I32, 1));
  FAILS(A, "data is NULL", wf_data(s, 0, NULL, &n));
  GIVES_NOTHING(A, "s is NULL", data, wf_data(NULL, 0, &data, &n));
  OK(wf_data(s, 0, &data, NULL));
  FAILS(A, "managed_tensor is NULL", wf_to_dlpack(s, 0, NULL));
  GIVES_NOTHING(A, "s is NULL", tensor, wf_to_dlpack(NULL, 0, &tensor));
  FAILS(A, "managed_tensor is NULL", wf_to_dlpack_stream(s, 0, 1, 0, NULL));
  GIVES_NOTHING(A, "s is NULL", tensor, wf_to_dlpack_stream(NULL, 0, 1, 0, &tensor));
  GIVES_NOTHING(A, "stream is -2", tensor, wf_to_dlpack_stream(s, 0, 1, -2, &tensor));
  FAILS(A, "sequences is NULL", wf_explain(NULL, 1, 0, NULL, 0, NULL));
  FAILS(A, "buffer is NULL", wf_explain(&s, 1, 0, NULL, 1, NULL));
  FAILS(A, "capacity is -1", wf_explain(&s, 1, 0, NULL, -1, NULL));
  FAILS(A, "format is 2", wf_explain(&s, 1, 2, NULL, 0, NULL));
  FAILS(A, "cell is NULL", wf_replace(s, NULL));
  FAILS(A, "value is NULL", wf_replace(NULL, &s));
}

Test(null_arguments, programs) {
  wf_seq *p, *r = s;
  wf_program *program, *none = NULL;
  FAILS(A, "out is NULL", wf_parameter(s, NULL));
  NOTHING("like is NULL", wf_parameter(NULL, &r));
  OK(wf_parameter(s, &p));
  FAILS(A, "out is NULL", wf_program_create(&p, 1, &p, 1, NULL));
  GIVES_NOTHING(A, "parameters is NULL", none, wf_program_create(NULL, 1, &p, 1, &none));
  GIVES_NOTHING(A, "results is NULL", none, wf_program_create(&p, 1, NULL, 1, &none));
  GIVES_NOTHING(A, "n_parameters is -1", none, wf_program_create(&p, -1, &p, 1, &none));
  OK(wf_program_create(&p, 1, &p, 1, &program));
  GIVES_NOTHING(A, "program is NULL", r, wf_program_run(NULL, &s, 1, &r, 1, NULL));
  GIVES_NOTHING(A, "arguments is NULL", r, wf_program_run(program, NULL, 1, &r, 1, NULL));
  FAILS(A, "results is NULL", wf_program_run(program, &s, 1, NULL, 1, NULL));
  FAILS(A, "n_results is -1", wf_program_run(program, &s, 1, &r, -1, NULL));
  FAILS(A, "program is NULL", wf_program_explain(NULL, 0, NULL, 0, NULL));
  FAILS(A, "format is 2", wf_program_explain(program, 2, NULL, 0, NULL));
  FAILS(A, "not a valid program", wf_program_explain((wf_program*)s, 0, NULL, 0, NULL));
  wf_program_retain(NULL);
  wf_program_release(NULL);
  wf_release(p);
  wf_program_release(program);
}
