/* warpfold.h: the C API of the library, in C99. The C++ templates and every language binding call only these functions.
 *
 * Model. A sequence is an immutable array with one or more columns of one shape; each column has one scalar type. Making a
 * sequence from others runs nothing: the call checks types and lengths and records the operation. Asking for values
 * (wf_force, wf_to_host, wf_data) computes all that they depend on, in as few passes over memory as fusion allows. A rank-0
 * sequence is a scalar that may not have been computed yet.
 *
 * Functions of elements are given in the written form (docs/written-form.md), for example
 *     (fn ((x f32)) (add (mul x 2.0:f32) 1.0:f32))
 *
 * Rules that hold everywhere
 * - Every fallible function returns 0 (WF_OK) or one of the codes below. Outputs come last; they are set to NULL or left
 *   untouched on failure. No function prints, exits, aborts or throws.
 * - The caller owns each handle that a function returns, and releases it once. Inputs are only borrowed.
 * - Any thread may use any handle. Releases accept NULL, never block, and may run on any thread (finalizers).
 * - Lengths, indices and counts are int64_t and count elements; sizes of memory count bytes.
 * - Text is UTF-8. Functions that return text take (char* buffer, int64_t capacity, int64_t* needed). They write at most
 *   capacity bytes including the final zero, and truncate longer text. They set *needed (may be NULL) to the whole size
 *   including the zero. buffer may be NULL if capacity is 0.
 * - The floating-point environment of the caller is saved on entry and restored on return.
 */
#ifndef WARPFOLD_H
#define WARPFOLD_H

#include <stdint.h>

#if defined(__GNUC__)
#define WF_API __attribute__((visibility("default")))
#else
#define WF_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- codes and types ---------------------------------------------------------------------------------------------- */

enum {
  WF_OK = 0,
  WF_ERROR_ARGUMENT = 1,    /* a NULL or unusable argument, a closed context                                            */
  WF_ERROR_TYPE = 2,        /* types or numbers of columns do not fit                                                   */
  WF_ERROR_SIZE = 3,        /* lengths differ, are negative, or overflow in bytes                                       */
  WF_ERROR_RANGE = 4,       /* an index outside a sequence, at the call or inside a kernel                              */
  WF_ERROR_MEMORY = 5,      /* the budget or the system's memory is exhausted; everything is usable as before           */
  WF_ERROR_COMPILE = 6,     /* a function's text does not parse, or a kernel does not compile                           */
  WF_ERROR_DEVICE = 7,      /* no such device, or the device failed                                                     */
  WF_ERROR_UNSUPPORTED = 8, /* this engine cannot do that (a host function on a GPU, CUDA source on the CPU)             */
  WF_ERROR_IO = 9,          /* a file cannot be read or written, or does not follow its format                           */
  WF_ERROR_INTERNAL = 10,   /* a fault of the library                                                                   */
  WF_ERROR_CANCELED = 11    /* the call was ended by wf_cancel, a signal or a poll; everything is usable as before      */
};

/* Scalar types, in the order of promotion. A bool is one byte, 0 or 1. A copy converts any other byte to 1. Memory that is
 * adopted without a copy is checked once, and any other byte is an ARGUMENT error. */
enum { WF_BOOL = 0, WF_U8 = 1, WF_I32 = 2, WF_U32 = 3, WF_I64 = 4, WF_U64 = 5, WF_F32 = 6, WF_F64 = 7 };

typedef struct wf_context wf_context; /* an engine with its memory budget                          */
typedef struct wf_seq wf_seq;         /* a sequence, computed or not                                */
typedef struct wf_fn wf_fn;           /* a function of scalars, with the sequences that it captures */
typedef struct wf_program wf_program; /* a function of sequences, planned                           */

/* The version of this API, which is append-only: a binding built against version v works with any later one. */
#define WF_ABI_VERSION 1
WF_API int32_t wf_abi_version(void);

/* The library's version, such as "0.1.0"; static text. */
WF_API const char* wf_version(void);

/* A page for people about this machine: the contexts that can be made, or why a device cannot be used, the settings
 * (docs/environment.md) and the folder of kept code. The program warpfold-info prints it. Cost: devices are opened. */
WF_API int32_t wf_info(char* buffer, int64_t capacity, int64_t* needed);

/* The message of the last failure on this thread: the function, the argument, the types and lengths involved, and the
 * expected ones. Success does not clear it. Never fails. Returns the code of that failure (0: none yet). */
WF_API int32_t wf_error_message(char* buffer, int64_t capacity, int64_t* needed);

/* "i32" for WF_I32 and so on; NULL if type is not a valid type. wf_type_of_name is the inverse; WF_ERROR_TYPE for an unknown
 * name. */
WF_API const char* wf_type_name(int32_t type);
WF_API int32_t wf_type_of_name(const char* name, int32_t* type);
WF_API int64_t wf_type_size(int32_t type); /* bytes; 0 if type is not a valid type */

/* The table of scalar operations, for bindings. wf_op_name: the name of operation k, NULL after the last. wf_op_signature: its
 * name, arity, operand types and result ("add 2 Num Same"), NULL after the last. Static text. */
WF_API const char* wf_op_name(int32_t k);
WF_API const char* wf_op_signature(int32_t k);

/* ---- contexts ----------------------------------------------------------------------------------------------------- */

/* A context by name: "cpu"; "cuda:0"; "opencl:0" (a device that takes SPIR-V); "parts:N" (N from 1 to 1024: each kernel is split into N parts on
 * the CPU, which exchange what machines would); "mpi" (under mpirun, each process computes a part: docs/design/parts.md); or "auto" (a GPU of
 * NVIDIA if there is one, else the CPU). NULL means "auto". Cost: microseconds for the CPU. Errors: ARGUMENT for an unknown name, if the plugin for
 * MPI is missing, or if an environment variable of docs/environment.md has an unknown value; DEVICE if the device or its driver is missing. */
WF_API int32_t wf_context_create(const char* name, wf_context** out);
WF_API void wf_context_retain(wf_context* context);
WF_API void wf_context_release(wf_context* context);
/* After close, operations on the context's sequences fail with ARGUMENT; handles stay valid and must still be released. */
WF_API int32_t wf_context_close(wf_context* context);
WF_API int32_t wf_context_name(wf_context* context, char* buffer, int64_t capacity, int64_t* needed);

/* Memory of a context, in bytes: live (in sequences and kernels now), cached (kept for reuse), peak (largest live since the
 * last reset), limit (-1: none). Outputs may be NULL. */
WF_API int32_t wf_context_memory(wf_context* context, int64_t* live, int64_t* cached, int64_t* peak, int64_t* limit);
WF_API int32_t wf_context_reset_peak(wf_context* context);
/* From now on at most `bytes` may be live; -1: no limit. Memory that is already live is unaffected. */
WF_API int32_t wf_context_set_limit(wf_context* context, int64_t bytes);
/* Returns cached memory to the system; *freed (may be NULL): bytes. */
WF_API int32_t wf_context_trim(wf_context* context, int64_t* freed);
/* For tests: the k-th allocation of the context from now on (1 = the next) fails with MEMORY; 0 turns this off. */
WF_API int32_t wf_context_fail_allocation(wf_context* context, int64_t k);
/* The number of this process, from 0, and the number of all processes that compute for the context: 0 of 1, except for "mpi". Outputs may be NULL. */
WF_API int32_t wf_context_ranks(wf_context* context, int32_t* rank, int32_t* ranks);

/* ---- cancellation ------------------------------------------------------------------------------------------------- */

/* Ends the calls that compute in the context now, on whatever threads; NULL: in all contexts. Such a call fails with CANCELED, its results are not
 * computed, and everything is usable as before; a call that begins later is not affected. Returns at once, and may be called by any thread and by
 * a signal handler. On the CPU, kernels, routines, readers and writers of files end within 50 ms, with these exceptions: a function of the caller's,
 * the compiler with WARPFOLD_INTERPRET=0, the decoder of png, a run of wf_replace that has begun to overwrite its cell, the loop of one element in native
 * code, and the sort or scatter of one core's part of a large sequence (up to 2 s for 5 * 10^7 pairs on two cores) are completed first. On a GPU,
 * calls end between kernels: a running kernel is completed. */
WF_API int32_t wf_cancel(wf_context* context);
/* on = 1: from now on the signal, such as SIGINT, cancels as wf_cancel(NULL) if the thread that receives it is in a call of this library. Then the handler
 * that it had runs, if any; the default action is taken only if nothing was canceled. on = 0 restores the earlier action. Errors: ARGUMENT. */
WF_API int32_t wf_cancel_on_signal(int32_t signal, int32_t on);
/* For the runtimes of languages whose signals wait for the end of a foreign call: a thread that computes calls poll() about every 10 ms, between
 * pieces of its work, and the call fails with CANCELED once poll returns nonzero. poll must return, and must not call this library. NULL: none. */
WF_API int32_t wf_cancel_on_poll(int32_t (*poll)(void));

/* ---- functions of scalars ----------------------------------------------------------------------------------------- */

/* A function from its written form. `$k` in the text is captures[k] (n_captures of them; NULL if none), which the
 * function keeps alive. Cost: about a microsecond for a typical lambda, less for a repeated text.
 * Errors: COMPILE with line, column and the expected syntax; TYPE for operands that do not fit. */
WF_API int32_t wf_fn_create(const char* text, wf_seq* const* captures, int32_t n_captures, wf_fn** out);

/* A C function of scalars by its address: results[0] = address(params...). bool is passed as unsigned char. Several threads
 * may call it at once. CPU engine only. explain prints `name` (NULL: the address). */
WF_API int32_t wf_fn_foreign(const char* name, void* address, const int32_t* param_types, int32_t n_params, int32_t result_type,
                             wf_fn** out);

/* A block function: function(user, n, in, out) reads n elements of each in[k] and writes n elements of each out[k]. Several
 * threads call it at once. Element i of a result may depend only on element i of the inputs. `destroy` (may be NULL) is called
 * once on user after the last use; on failure it is not called. CPU engine only. */
typedef void wf_block_function(void* user, int64_t n, const void* const* in, void* const* out);
typedef struct wf_block {
  const char* name; /* may be NULL */
  wf_block_function* function;
  void* user;
  void (*destroy)(void* user);
  const int32_t* param_types;
  const int32_t* result_types;
  int32_t n_params;
  int32_t n_results;
} wf_block;
WF_API int32_t wf_fn_block(const wf_block* block, wf_fn** out);

/* A function written in CUDA C++, for the CUDA engine. `text` defines a function `name` of scalars, after any helper functions:
 *     float name(float x, int32_t k) { ... }                     with one result,
 *     void name(float x, float& first, int32_t& second) { ... }  with several results, which are the last parameters.
 * The types bool, u8, i32, u32, i64, u64, f32, f64 are bool, uint8_t, int32_t, uint32_t, int64_t, uint64_t, float, double.
 * Functions are device functions unless they are declared otherwise. All of CUDA C++ that needs no header is available; no header
 * can be included. a * b + c is not contracted: write fmaf. The function fuses with its neighbours. Its results must depend on
 * its arguments alone.
 * `host` (may be NULL): a function made by wf_fn_foreign or wf_fn_block, with the same types, for the CPU engine. It is only
 * borrowed. Without it, only the CUDA engine can run the function. The first force that uses the function compiles the text. If
 * that fails, the force fails with COMPILE; the message is the compiler's whole log, with line numbers of `text`.
 * Errors: ARGUMENT if name is not a C identifier or host is another kind of function; TYPE if host has other types. */
WF_API int32_t wf_fn_source(const char* name, const char* text, const int32_t* param_types, int32_t n_params, const int32_t* result_types,
                            int32_t n_results, const wf_fn* host, wf_fn** out);

WF_API void wf_fn_retain(wf_fn* fn);
WF_API void wf_fn_release(wf_fn* fn);
/* The written form after simplification. */
WF_API int32_t wf_fn_text(const wf_fn* fn, char* buffer, int64_t capacity, int64_t* needed);
/* Numbers of parameters and results, and the type of the k-th of either. Outputs may be NULL. */
WF_API int32_t wf_fn_arity(const wf_fn* fn, int32_t* n_params, int32_t* n_results);
WF_API int32_t wf_fn_param_type(const wf_fn* fn, int32_t k, int32_t* type);
WF_API int32_t wf_fn_result_type(const wf_fn* fn, int32_t k, int32_t* type);

/* ---- sequences from outside --------------------------------------------------------------------------------------- */

/* n elements of `type`, copied from data (NULL allowed if n is 0). Rank 1, one column. Work n. */
WF_API int32_t wf_from_host(wf_context* context, int32_t type, const void* data, int64_t n, wf_seq** out);
/* The same with a conversion and a stride: element k is data[k * stride], of data_type, converted to type. */
WF_API int32_t wf_from_host_strided(wf_context* context, int32_t type, const void* data, int32_t data_type, int64_t n, int64_t stride,
                                    wf_seq** out);
/* n elements at data, not copied. The memory must not change until deleter(user) is called (once, from any thread; NULL:
 * never called). On failure the deleter is not called. */
WF_API int32_t wf_adopt(wf_context* context, int32_t type, const void* data, int64_t n, void (*deleter)(void* user), void* user,
                        wf_seq** out);
/* n elements in new memory at *data, which the caller fills before any other use of the sequence, and does not write to afterwards: a
 * source that is written in place is copied once less than by wf_from_host. A bool must be 0 or 1. *data is valid until the
 * sequence is released. Errors: SIZE, MEMORY. Cost: that of the allocation. */
WF_API int32_t wf_allocate(wf_context* context, int32_t type, int64_t n, void** data, wf_seq** out);
/* local_n elements of each rank of the context, copied from data, one rank after another: all ranks call it, with the same type, and the length is the
 * sum. Other functions take the same elements on all ranks. Errors: those of wf_from_host, of any rank. Work local_n. */
WF_API int32_t wf_from_part(wf_context* context, int32_t type, const void* data, int64_t local_n, wf_seq** out);
/* One value as a rank-0 sequence: `value` points at one element of `type`. */
WF_API int32_t wf_scalar(wf_context* context, int32_t type, const void* value, wf_seq** out);
/* The bytes of a file as elements of `type`, memory-mapped and read on demand. The file's size must be a multiple of the
 * type's. The file must not shrink while the sequence exists. It must be a regular file: a pipe, socket, device or directory
 * is an error of this call. Errors: IO with the system's reason, SIZE. */
WF_API int32_t wf_from_file(wf_context* context, int32_t type, const char* path, wf_seq** out);
/* A DLManagedTensor* of DLPack 0.8, of rank 0 to 8 with any strides, adopted without a copy: a tensor that is not row-major and
 * dense is a view (see arrays). It is in host memory, or on the context's GPU (see wf_from_dlpack_stream, with the default stream). Its deleter
 * is called once, after the last use. On failure the caller still owns it. */
WF_API int32_t wf_from_dlpack(wf_context* context, void* managed_tensor, wf_seq** out);
/* The same for a DLManagedTensorVersioned* of DLPack 1 (is_versioned = 1) or a DLManagedTensor* (0). stream: as the argument of the same name
 * of Python's __dlpack__ for CUDA, the stream after whose present work the elements are complete: a CUstream, 0 or 1 for the default stream, 2
 * for that of the thread, or -1 if they are complete; not read for host memory. Work of the context waits for it, this call does not. The
 * deleter of a tensor on a GPU is called on a thread of the library, after all work of the context that reads it. A bool is 0 or 1. */
WF_API int32_t wf_from_dlpack_stream(wf_context* context, void* managed_tensor, int32_t is_versioned, int64_t stream, wf_seq** out);

/* ---- properties, known without computing -------------------------------------------------------------------------- */

WF_API void wf_retain(wf_seq* s);
WF_API void wf_release(wf_seq* s);
/* Number of elements, of any rank; -1 if it depends on a filter that has not run (see wf_length). */
WF_API int32_t wf_known_length(const wf_seq* s, int64_t* n);
WF_API int32_t wf_rank(const wf_seq* s, int32_t* rank);
WF_API int32_t wf_column_count(const wf_seq* s, int32_t* n);
WF_API int32_t wf_column_type(const wf_seq* s, int32_t column, int32_t* type);
WF_API int32_t wf_is_manifest(const wf_seq* s, int32_t* yes);
/* The sequence's context; the caller releases it. The pointer is the one that wf_context_create returned, or, if that was
 * released, the one that earlier calls returned: while a reference is held, equal contexts have equal pointers. */
WF_API int32_t wf_context_of(const wf_seq* s, wf_context** out);

/* ---- the primitives: checked at once, computed later -------------------------------------------------------------- */

/* r[i] = f(i) for 0 <= i < n; f: i64 -> columns. */
WF_API int32_t wf_tabulate(wf_context* context, const wf_fn* f, int64_t n, wf_seq** out);
/* r[i] = f(s_0[i], s_1[i], ...): f takes all columns of all sequences in order, by exact type. Equal shapes. */
WF_API int32_t wf_map(const wf_fn* f, wf_seq* const* sequences, int32_t n_sequences, wf_seq** out);
/* The columns of all sequences, in order. Free: never copies. Equal shapes. */
WF_API int32_t wf_zip(wf_seq* const* sequences, int32_t n_sequences, wf_seq** out);
/* Columns which[0], ..., which[n-1] of s; free. (unzip is one call per column.) */
WF_API int32_t wf_columns(wf_seq* s, const int32_t* which, int32_t n, wf_seq** out);
/* s[0] f s[1] f ... f s[n-1], rank 0. f: (left columns, right columns) -> columns, associative: ARGUMENT if it applies an operation that is known
 * not to be, such as sub; see wf_iterate. identity: one literal per
 * column in the written form, "0:i32" or "(tuple 0:i32 1.5:f32)"; it must be f's identity, and is the value for an empty s.
 * If f is a single operation whose identity is in the table of operations, it may be any start, which counts once, before s[0], and NULL is the
 * identity in the table. The result has the columns' types, in which integers wrap. A min or max of floats leaves out NaNs, and is NaN if there are
 * elements but no numbers; their identities inf and -inf are the value for an empty s alone, and any other start counts. Among zeros of both signs
 * either is found, the same one in each run of one engine. Work n, span log n. */
WF_API int32_t wf_reduce(const wf_fn* f, const char* identity, wf_seq* s, wf_seq** out);
/* prefixes[i] = s[0] f ... f s[i-1] (exclusive), or f ... f s[i] with inclusive = 1; total = all of them. The first exclusive prefix is the
 * identity; as in wf_reduce, the others of min or max are NaN until there is a number. Either output pointer may be NULL. Work n, span log n. */
WF_API int32_t wf_scan(const wf_fn* f, const char* identity, wf_seq* s, int32_t inclusive, wf_seq** prefixes, wf_seq** total);
/* f(... f(f(initial, s[0]), s[1]) ..., s[n-1]), rank 0, one element after another; `initial` for an empty s. f: (columns of the state,
 * columns of s) -> columns of the state; it need not be associative, and may capture sequences. initial: one literal per column of the state,
 * as in wf_reduce. One kernel, in which one thread reads s in order: s is stored first if it is delayed. Work and span n: for an associative
 * f, wf_reduce uses all processors. Errors: ARGUMENT, TYPE, SIZE for rank 0. */
WF_API int32_t wf_iterate(const wf_fn* f, const char* initial, wf_seq* s, wf_seq** out);
/* Its prefixes: prefixes[i] = the state before s[i], or after it with inclusive = 1; last = the final state, as of wf_iterate. Either output
 * pointer may be NULL. One step of a plan, in which one thread goes through the stored elements of s: work and span n. If f captures
 * sequences, a few kernels (four for a million elements) compute the states at every 2^k-th element first, then those between them: span n,
 * work at most 32 n per kernel. For an associative f, wf_scan has work n and span log n. On the result of a filter it runs the filter first.
 * The same errors. */
WF_API int32_t wf_iterate_prefixes(const wf_fn* f, const char* initial, wf_seq* s, int32_t inclusive, wf_seq** prefixes, wf_seq** last);
/* The elements for which f (columns -> bool) is true, in order. The length is unknown until a call forces it. */
WF_API int32_t wf_filter(const wf_fn* f, wf_seq* s, wf_seq** out);
/* The elements of s, sorted by its first `keys` columns, one after another: numbers by value, -0 before 0, NaN after every number,
 * false before true. Equal elements keep their order. descending: 0, or 1 for the reverse order, in which equal elements keep their
 * order too. Work n log n, span log^2 n; work n on the CPU if a call reads few elements of it alone. Errors: ARGUMENT, SIZE for rank 0. */
WF_API int32_t wf_sort(wf_seq* s, int32_t keys, int32_t descending, wf_seq** out);
/* Sorted by a function (left columns, right columns) -> bool that is true if the left element comes first: a strict weak order that
 * captures nothing. Elements of which neither comes first keep their order. By a function that is no such order, the order is unspecified. */
WF_API int32_t wf_sort_by(const wf_fn* less, wf_seq* s, wf_seq** out);
/* The elements of s and t in one order; both must be sorted so already, else the order is unspecified. Of equal elements those of s come
 * first. Equal column types. On results of filters it runs the filters first. Work n, span log n. */
WF_API int32_t wf_merge(wf_seq* s, wf_seq* t, int32_t keys, int32_t descending, wf_seq** out);
WF_API int32_t wf_merge_by(const wf_fn* less, wf_seq* s, wf_seq* t, wf_seq** out);
/* base with its element indices[i] replaced by values[i] for i = 0, 1, ... in order, so that the last one wins; or, with f, combined with
 * it: f (left columns, right columns) -> columns combines each column by add, mul, min, max, and, or or xor. indices: one column of
 * integers, as long as values. values: base's columns. The result is the same every time, floats too: in at most 128 elements, f32 are
 * combined in f64. Work n and a copy of base; on a GPU n log n for floats in more elements. On a result of a filter as base, it runs the filter
 * first. Errors: TYPE, ARGUMENT, SIZE; the force fails with RANGE for the first index outside base. */
WF_API int32_t wf_scatter(const wf_fn* f, wf_seq* base, wf_seq* indices, wf_seq* values, wf_seq** out);
/* The number of elements of s that are k, for each k in [0, bins), as i64. s: one column of integers. Work n + bins. Errors: TYPE, SIZE;
 * the force fails with RANGE for the first element outside [0, bins). */
WF_API int32_t wf_histogram(wf_seq* s, int64_t bins, wf_seq** out);
/* The length, which is the number of elements for any rank, as a rank-0 i64; forces nothing. */
WF_API int32_t wf_length(wf_seq* s, wf_seq** out);
/* Views. They need the length: on the result of a filter, they run the filter first. */
WF_API int32_t wf_nth(wf_seq* s, int64_t i, wf_seq** out); /* rank 0; RANGE if i is outside [0, n) */
WF_API int32_t wf_subseq(wf_seq* s, int64_t start, int64_t length, wf_seq** out);
WF_API int32_t wf_take(wf_seq* s, int64_t n, wf_seq** out);
WF_API int32_t wf_drop(wf_seq* s, int64_t n, wf_seq** out);
WF_API int32_t wf_rev(wf_seq* s, wf_seq** out);
WF_API int32_t wf_append(wf_seq* const* sequences, int32_t n_sequences, wf_seq** out); /* work: elements + sequences; more than 8: copied */

/* ---- segments: sequences of sequences ----------------------------------------------------------------------------- */

/* A sequence of sequences is a pair: `values`, with any columns, and `offsets`, one column of type i64. Segment k is values[offsets[k]],
 * ..., values[offsets[k+1] - 1]. There is one more offset than there are segments: the first is 0, none is below the one before it, and the
 * last is the length of values. Segments may be empty. Flattening is values itself; a segment is wf_subseq of it.
 * The functions below check each offset that they read, once per segment. If one is wrong, the force fails with RANGE, and nothing outside
 * of values is read: the message names the wrong offset, its value and the expected ones. They need the length of offsets: on the result of
 * a filter, they run the filter first.
 * Errors of each call: ARGUMENT, TYPE, SIZE for no offsets, for one offset and values that are not empty, and for rank 0. */

/* 0, lengths[0], lengths[0] + lengths[1], ..., and their sum at the end: the offsets of segments of these lengths. lengths: one column of
 * integers. Work n, span log n. The force fails with RANGE at a negative length, and if a sum overflows. On the result of a filter it runs
 * the filter first. */
WF_API int32_t wf_offsets(wf_seq* lengths, wf_seq** out);
/* out[k] = the elements of segment k combined by f, or the identity if it is empty; f and identity as in wf_reduce. One kernel over the
 * segments, fused with what computes the values; segments of very different lengths share all processors. Work n + segments. */
WF_API int32_t wf_segment_reduce(const wf_fn* f, const char* identity, wf_seq* values, wf_seq* offsets, wf_seq** out);
/* As wf_scan in each segment. prefixes: as long as values, each starting again at the first element of its segment. totals: one element per
 * segment, the identity if it is empty. Either output pointer may be NULL. Work n + segments, span log n: the offsets become flags, and one
 * scan of pairs (flag, value) computes the prefixes. On values that are the result of a filter, it runs the filter first. */
WF_API int32_t wf_segment_scan(const wf_fn* f, const char* identity, wf_seq* values, wf_seq* offsets, int32_t inclusive, wf_seq** prefixes,
                               wf_seq** totals);
/* The values for which f (columns -> bool) is true, in the same number of segments. If both results are computed together, one pass
 * over values makes them. The length of values_out is unknown until a call forces it. Work n + segments. */
WF_API int32_t wf_segment_filter(const wf_fn* f, wf_seq* values, wf_seq* offsets, wf_seq** values_out, wf_seq** offsets_out);
/* For each of n values, the number of the segment that it is in, as i64: k, as many times as segment k has elements. n: the last offset.
 * Work n + segments. */
WF_API int32_t wf_segment_ids(wf_seq* offsets, int64_t n, wf_seq** out);

/* ---- sequences in order: runs, searches, sets ---------------------------------------------------------------------- */

/* Elements are equal here if neither comes before the other in the order of wf_sort: -0 and 0 differ, and all NaNs are equal. In the
 * functions that end in _by, less is as in wf_sort_by, and equal (left columns, right columns) -> bool tells if the right one of two
 * neighbours belongs to the run of the left one; equal may capture sequences. Errors of each call: ARGUMENT, TYPE, SIZE for rank 0. */

/* The offsets (see segments) of the maximal runs of neighbours that are equal in their first `keys` columns: a group for each key, if s is
 * sorted by them. The length is unknown until a call forces it. One pass, fused with what computes s. Work n, span log n. On the result of
 * a filter it runs the filter first. */
WF_API int32_t wf_runs(wf_seq* s, int32_t keys, wf_seq** out);
WF_API int32_t wf_runs_by(const wf_fn* equal, wf_seq* s, wf_seq** out);
/* The first element of each of these runs. The same costs. */
WF_API int32_t wf_unique(wf_seq* s, int32_t keys, wf_seq** out);
WF_API int32_t wf_unique_by(const wf_fn* equal, wf_seq* s, wf_seq** out);
/* The pieces of s between the elements for which f (columns -> bool) is true, which are dropped, as values and offsets: one piece more than
 * there are such elements; pieces may be empty. Both lengths are unknown until a call forces them. One pass each. On the result of a filter
 * it runs the filter first. */
WF_API int32_t wf_split(const wf_fn* f, wf_seq* s, wf_seq** values, wf_seq** offsets);
/* For each needle, the number of elements of `sorted` that come before it, or with after = 1, that do not come after it, as i64: the first
 * and the last position at which it can be inserted. The first `keys` columns of both are compared, and must have equal types; other columns
 * are not read. sorted must be in this order, else the numbers are unspecified. A binary search in each element of a map, fused with what
 * computes the needles. needles: rank 0 or 1. Work needles * log n. */
WF_API int32_t wf_search(wf_seq* sorted, wf_seq* needles, int32_t keys, int32_t descending, int32_t after, wf_seq** out);
WF_API int32_t wf_search_by(const wf_fn* less, wf_seq* sorted, wf_seq* needles, int32_t after, wf_seq** out);
/* Sets. The elements of s that t has too, and those that it does not have, in order. s and t must be in the order of their first `keys`
 * columns, else the result is unspecified; equal column types. If m elements of s and n of t are equal, the intersection has the first
 * min(m, n) of s, and the difference the others. The union is wf_merge of s and the difference of t and s. The length is unknown until a call
 * forces it. A filter by binary searches: work |s| log |t|. On the result of a filter as s, it runs the filter first. */
WF_API int32_t wf_intersection(wf_seq* s, wf_seq* t, int32_t keys, int32_t descending, wf_seq** out);
WF_API int32_t wf_intersection_by(const wf_fn* less, wf_seq* s, wf_seq* t, wf_seq** out);
WF_API int32_t wf_difference(wf_seq* s, wf_seq* t, int32_t keys, int32_t descending, wf_seq** out);
WF_API int32_t wf_difference_by(const wf_fn* less, wf_seq* s, wf_seq* t, wf_seq** out);
/* ---- random numbers ----------------------------------------------------------------------------------------------- */

/* Random numbers without state: element i of a random sequence depends on a key and i alone. It has the same bits on every engine, in any
 * order, whole or in parts. The generator is Philox4x32-10, which is the operations philox32 and philox64 of functions, too. A key is a u64
 * of rank 0. Draw from a key once; for further draws, split it: split keys are independent of each other and of draws from the key.
 * A function draws element `number` of such a sequence by (draw DISTRIBUTION TYPE key number parameter ...), see docs/written-form.md. */

/* A key with these bits. */
WF_API int32_t wf_random_key(wf_context* context, int64_t seed, wf_seq** out);
/* The i-th of the keys that key splits into. Free if key was made by these two functions, and otherwise delayed. Errors: TYPE, SIZE. */
WF_API int32_t wf_random_split(wf_seq* key, int64_t i, wf_seq** out);
/* n independent draws, delayed and fused as a map; one draw of rank 0 for n = -1. key and the parameters have rank 0 or n elements; with one
 * key per element, element i is the first draw from key i. Parameters may be of any type of numbers. Parameters outside of the range of a
 * distribution give elements without meaning, but no error. Reads no memory but key and parameters. Work n.
 *
 * type f32 or f64:
 *   uniform            in [0, 1), a multiple of 2^-24 or 2^-53; with parameters low, high: in [low, high)
 *   gaussian           mean 0 and deviation 1; with parameters mean, deviation
 *   lognormal          exp of gaussian: mean, deviation
 *   exponential        rate 1; with a parameter rate
 *   weibull            shape, scale
 *   gumbel             location, scale
 *   laplace            location, scale
 *   cauchy             location, scale
 *   gamma              shape; with scale
 *   chi_squared        degrees of freedom
 *   student_t          degrees of freedom
 *   beta               a, b
 *   log_gamma          shape: the logarithm of gamma, which is small for small shapes
 *   dirichlet          shapes, of length m: rows of m numbers with sum 1; n must be a multiple of m
 * any type of integers:
 *   uniform_int        low, high (i64): in [low, high), without bias
 *   geometric          probability of success: the number of failures before one
 *   negative_binomial  successes, probability: the number of failures before that many successes
 *   poisson            mean
 *   binomial           n, probability
 *   permutation        0 to n - 1 in random order; work n log n
 *   categorical        weights, of any length m: numbers below m with these relative probabilities; work n + m log m
 * bool, or any other type:
 *   bernoulli          probability, rounded to a multiple of 2^-32
 * u64:
 *   key                the keys that key splits into, from 0 on
 *
 * Errors: ARGUMENT for an unknown distribution or another number of parameters, TYPE, SIZE. */
WF_API int32_t wf_random(const char* distribution, wf_seq* key, wf_seq* const* parameters, int32_t n_parameters, int64_t n, int32_t type,
                         wf_seq** out);
/* The logarithm of the density of each element of x, or of its probability for counts; and the probability of numbers up to it. f32 if x is,
 * else f64. The distributions and parameters are those of wf_random, of rank 0 or x's length; for categorical, the weights have any length.
 * For dirichlet, x consists of rows of m numbers, and the result has one log density per row. For permutation, x is one draw, or with a
 * parameter m the first k numbers of a permutation of m, a sample without replacement; the result has one log density; work k log k. All
 * distributions have both functions, but permutation and dirichlet have no distribution function. Densities outside of the support are -inf;
 * both functions are NaN for a NaN, apart from permutation, for which it is no number of one. Errors of f64: 2e-13 max(1, |value|), of f32:
 * 1e-5 max(1, |value|); those of f64 hold for deviations of lognormal from 1e-10 on and shapes of log_gamma up to 1e20. Errors: ARGUMENT,
 * which names the distributions that have the function, TYPE, SIZE. */
WF_API int32_t wf_log_density(const char* distribution, wf_seq* x, wf_seq* const* parameters, int32_t n_parameters, wf_seq** out);
WF_API int32_t wf_distribution_function(const char* distribution, wf_seq* x, wf_seq* const* parameters, int32_t n_parameters, wf_seq** out);

/* ---- arrays: shapes, views, axes ---------------------------------------------------------------------------------- */

/* A sequence has a shape: a rank from 0 to 8, and an extent along each axis, axis 0 first. Its elements are in row-major order: the last index
 * counts fastest. An element's number in this order is its row-major index, and the number of elements is the length, which wf_known_length
 * and wf_length give for any rank. Sequences made by functions outside of this section have rank 1, or 0, if nothing else is stated.
 *
 * wf_map, wf_zip and wf_columns take any shape and keep it; sequences that they read together have equal shapes. wf_reduce combines all
 * elements of any rank but 0. A function that captures an array reads (at $k i) by the row-major index. wf_to_host, wf_data and wf_force take
 * any rank. The other functions expect rank 1: wf_reshape makes an array a vector, for free.
 *
 * Views (wf_reshape to wf_translate) compute and copy nothing: they are index arithmetic in the kernel that reads them, views of views compose, and
 * a view of computed elements that are neighbours shares their memory. They need the shape: on the result of a filter, they run the filter
 * first. An axis is a number from 0 to rank - 1, or from -rank to -1 to count from the last axis. Errors of each call: ARGUMENT; SIZE for
 * negative extents, extents whose product overflows and ranks above 8; RANGE for an axis that s lacks or elements outside of s. */

/* The extents of s, of which at most `capacity` are written to extents (NULL allowed if capacity is 0), and the rank (may be NULL). The extent
 * of a vector is -1 if it depends on a filter that has not run. */
WF_API int32_t wf_shape(const wf_seq* s, int64_t* extents, int32_t capacity, int32_t* rank);
/* The same elements in the same row-major order. At most one extent may be -1: it is computed. SIZE unless the lengths are equal. */
WF_API int32_t wf_reshape(wf_seq* s, const int64_t* extents, int32_t rank, wf_seq** out);
/* An array of `type`, copied from elements of data_type: element (i_0, i_1, ...) is data[i_0 * strides[0] + i_1 * strides[1] + ...]. strides
 * count elements, may be negative or 0, and may be NULL: row-major. data may be NULL if an extent is 0. Work: the length. */
WF_API int32_t wf_from_host_array(wf_context* context, int32_t type, const void* data, int32_t data_type, const int64_t* extents,
                                  const int64_t* strides, int32_t rank, wf_seq** out);
/* The same array, not copied: wf_adopt for any layout. layout: the extents, then the strides, 2 * rank numbers. If it is not row-major and
 * dense, the result is a view of the elements between the lowest and the highest address. */
WF_API int32_t wf_adopt_array(wf_context* context, int32_t type, const void* data, const int64_t* layout, int32_t rank,
                              void (*deleter)(void* user), void* user, wf_seq** out);
/* Axis k of the result is axis axes[k] of s: (1, 0) transposes a matrix. n: the rank of s. ARGUMENT if an axis occurs twice. */
WF_API int32_t wf_permute(wf_seq* s, const int32_t* axes, int32_t n, wf_seq** out);
/* s repeated to this shape by NumPy's rules: the last axes of both correspond; an axis of extent 1, and an axis that s lacks at the front, is
 * repeated; other extents are equal, else SIZE. */
WF_API int32_t wf_broadcast(wf_seq* s, const int64_t* extents, int32_t rank, wf_seq** out);
/* Along each axis k, counts[k] elements: those at starts[k], starts[k] + steps[k], ... A step may be negative but not 0; steps may be NULL: all
 * are 1. n: the rank of s. RANGE names the axis. */
WF_API int32_t wf_slice(wf_seq* s, const int64_t* starts, const int64_t* counts, const int64_t* steps, int32_t n, wf_seq** out);
/* Element (i_0, i_1, ...) is the element of s at the row-major index offset + i_0 * strides[0] + i_1 * strides[1] + ...: diagonals, windows,
 * repetitions. Strides may be negative or 0. */
WF_API int32_t wf_view(wf_seq* s, int64_t offset, const int64_t* extents, const int64_t* strides, int32_t rank, wf_seq** out);
/* s displaced by distances[k] along each axis k: element (i_0, i_1, ...) is s(i_0 - distances[0], i_1 - distances[1], ...), or `outside` where
 * that is not within s. outside: a literal such as "0:f32", or a tuple with one per column, converted to the types of s; NULL: zeros. n: the
 * rank of s, 0 to 8, else SIZE. A distance may be any number: from an extent on, all elements are `outside`. The shape is that of s. No copy:
 * one read and, for each axis that moves, one comparison in the kernel that reads the result. */
WF_API int32_t wf_translate(wf_seq* s, const int64_t* distances, int32_t n, const char* outside, wf_seq** out);
/* The arrays one after another along an axis: their columns, ranks and all other extents are equal. Computed with what reads it, as
 * wf_append. */
WF_API int32_t wf_join(wf_seq* const* sequences, int32_t n_sequences, int32_t axis, wf_seq** out);
/* The elements that differ only in their indices along axes[0], ..., axes[n_axes - 1], combined by f in row-major order; f and identity as in
 * wf_reduce. The result lacks these axes, or with keep = 1 has extent 1 along them. One kernel over the result's elements, fused with what
 * computes s. Work: the length of s. ARGUMENT if an axis occurs twice. */
WF_API int32_t wf_reduce_axis(const wf_fn* f, const char* identity, wf_seq* s, const int32_t* axes, int32_t n_axes, int32_t keep,
                              wf_seq** out);
/* As wf_scan along one axis: prefixes has the shape of s, totals lacks the axis. Either output pointer may be NULL. Work: the length of s,
 * span log n. Along another axis than the last, s is read, and the prefixes are stored, with that axis as the last one. */
WF_API int32_t wf_scan_axis(const wf_fn* f, const char* identity, wf_seq* s, int32_t axis, int32_t inclusive, wf_seq** prefixes,
                            wf_seq** totals);
/* Each vector along the axis sorted by its first column, in the order of wf_sort; equal elements keep their order. Work n log m for
 * vectors of m elements on the CPU, which sorts each on its own; n log n on a GPU. */
WF_API int32_t wf_sort_axis(wf_seq* s, int32_t axis, int32_t descending, wf_seq** out);

/* ---- linear algebra ----------------------------------------------------------------------------------------------- */

/* A matrix is the last two axes of an array, rows and columns; the axes before them number the matrices of a batch. Batches of two arguments
 * are broadcast by NumPy's rules. Elements are f32 or f64, of equal types; where noted, also i32, u32, i64 or u64, which wrap. On the CPU the
 * library's own blocked algorithms use all cores. On a GPU cuBLAS and cuSOLVER, without TF32, are loaded at the first use; if one is missing,
 * the force fails with DEVICE and the searched paths. A call of these libraries stores its arguments and its result; a transpose, and a slice whose
 * rows or columns are contiguous, is read in place by a product and by a triangle. Everything else fuses with its neighbours. On the result of a
 * filter they run the filter first. Errors of each call: ARGUMENT for an unknown name, TYPE, SIZE, which names both shapes and the axis. The force
 * fails with RANGE for a matrix that is singular or not positive definite: the message has the number of the matrix and of the pivot, from 0. */

/* The product; also of integers. (.., m, k) by (.., k, n) is (.., m, n). A vector on the left is a row, on the right a column: (.., m, k) by (k) is
 * (.., m), (k) by (.., k, n) is (.., n), and (k) by (k) has rank 0; these are folds, which fuse with what computes a and b and with readers. Work
 * m n k. */
WF_API int32_t wf_matmul(wf_seq* a, wf_seq* b, wf_seq** out);
/* The n-th power of square matrices, n >= 0, by repeated squares; also of integers. Work m^3 log n. */
WF_API int32_t wf_matrix_power(wf_seq* a, int64_t n, wf_seq** out);
/* x with a x = b: a is (.., n, n); b is (n), then x is (.., n), or (.., n, r), as x. form:
 *   general                                     elimination with row exchanges (LU). Work 2/3 n^3 + 2 n^2 r
 *   positive                                    a is symmetric and positive definite; only its lower triangle is read (Cholesky). Work 1/3 n^3 + 2 n^2 r
 *   cholesky                                    a is the factor l of wf_factor, for the system of l times its transpose. Work 2 n^2 r
 *   lower, upper, unit_lower, unit_upper        only that triangle of a is read; unit: its diagonal is 1 and not read. Work n^2 r
 * A solution from the right, x a = b, is the transpose of that for the transposes of a and b. */
WF_API int32_t wf_solve(const char* form, wf_seq* a, wf_seq* b, wf_seq** out);
/* A factorization of a, with n_out results in out:
 *   cholesky           l: a = l lT for a symmetric positive definite a, of which only the lower triangle is read; 0 above the diagonal. Work 1/3 n^3
 *   qr                 q (m x k) and r (k x n), k = min(m, n): qT q = 1, r is an upper triangle without negative numbers on its diagonal, which
 *                      makes both unique at full rank (Householder reflections). Work 4 m n k
 *   eigen              values (n) in ascending order, and vectors (n x n), a unit eigenvector in each column, of a symmetric a, of which only the
 *                      lower triangle is read (tridiagonal QL; GPU: divide and conquer). Work about 10 n^3
 *   singular_values    u (m x k), values (k) in descending order, v (k x n): a = u diag(values) v (QR and one-sided Jacobi rotations; GPU: QR
 *                      iteration). Work about 20 m n k, on the CPU more
 * Signs of eigenvectors and singular vectors depend on the engine. If an element is infinite or NaN, the force of eigen and singular_values fails
 * with RANGE. */
WF_API int32_t wf_factor(const char* factorization, wf_seq* a, wf_seq** out, int32_t n_out);
/* A function of one or two matrices, for each matrix of the batch:
 *   inverse                       by elimination
 *   inverse_positive              of a symmetric positive definite matrix
 *   inverse_cholesky              of l lT, for its factor l
 *   inverse_lower, inverse_upper, inverse_unit_lower, inverse_unit_upper
 *                                 of that triangle; the rest is not read. Work n^3
 *   log_determinant               the logarithm of the size of the determinant; -inf for a singular matrix
 *   log_determinant_positive, log_determinant_cholesky, log_determinant_triangular
 *   trace, diagonal               also of integers; diagonal is a view
 *   norm                          the root of the sum of the squares of all elements
 *   lower, upper, unit_lower, unit_upper
 *                                 the triangle, 0 outside, with unit 1 on the diagonal; also of integers
 *   phi                           the lower triangle with half of the diagonal, 0 above: the operator of derivatives of Cholesky's factor
 *   fft, fft2, fft3               the discrete Fourier transform along the last one, two or three axes of a complex array, whose elements are
 *                                 a further axis of 2 elements, real and imaginary parts: (.., n, 2), (.., m, n, 2), (.., l, m, n, 2). y[k] is the
 *                                 sum of exp(-2 pi i j k / n) x[j]. Any n below 2^31. Work 5 n log2 n
 *   inverse_fft, inverse_fft2, inverse_fft3
 *                                 with the other sign, divided by the number of elements of a transform
 *   real_fft, real_fft2, real_fft3
 *                                 of a real array, (.., n) to (.., n/2 + 1, 2), without the conjugates of these results. Work as for fft
 *   inverse_real_fft, inverse_real_fft2, inverse_real_fft3, inverse_real_fft_odd, inverse_real_fft2_odd, inverse_real_fft3_odd
 *                                 their inverses, (.., n, 2) to (.., 2 n - 2), or (.., 2 n - 1): only the n results are read, and the imaginary
 *                                 parts of their sums are dropped
 *   frobenius                     a, b of one shape: the sum of the products of their elements; also of integers
 *   inner, outer                  the transpose of a times b; a times the transpose of b, or for two vectors all products; also of integers
 *   kronecker                     of rank 2: element (i p + k, j q + l) is a[i, j] b[k, l], b of p x q; also of integers
 *   lower_product, upper_product, unit_lower_product, unit_upper_product
 *                                 that triangle of a (n x n) times b (n x r, or n, a vector); the rest of a is not read */
WF_API int32_t wf_linear(const char* function, wf_seq* const* arguments, int32_t n_arguments, wf_seq** out);
/* Element (.., i, j) is the sum of kernel[p, q] image[.., i + p, j + q]: (.., h, w) with a kernel of r x c gives (.., h - r + 1, w - c + 1). Also of
 * integers, u8 too, in whose type sums wrap. A fold, fused with what computes the image. Work h w r c. */
WF_API int32_t wf_convolve(wf_seq* image, wf_seq* kernel, wf_seq** out);
/* The largest element of each block of rows x columns of an image (.., h, w); incomplete blocks at the end are dropped. Also of integers,
 * u8 too. */
WF_API int32_t wf_max_pool(wf_seq* image, int64_t rows, int64_t columns, wf_seq** out);

/* ---- values ------------------------------------------------------------------------------------------------------- */

/* Computes all sequences together; those that read the same data share kernels. Errors: RANGE with the first index that was
 * outside, MEMORY, UNSUPPORTED; the sequences are then as before. A RANGE error names the element that the index was read for by its
 * row-major index in the sequence whose function has read outside, whatever reads that sequence; of an iteration, the element of s. */
WF_API int32_t wf_force(wf_seq* const* sequences, int32_t n_sequences);
/* As wf_force, and returns when all elements are in memory, as a measurement of time needs. On a GPU, wf_force may return while kernels still
 * store elements; whatever reads these waits for them by itself. */
WF_API int32_t wf_wait(wf_seq* const* sequences, int32_t n_sequences);
/* The elements [*begin, *end) of s, in row-major order, that the rank has, as a sequence of rank 1 of the context `local`, such as "cpu": no more than
 * other ranks have, and all if there is one rank. All ranks call it. Forces. Work *end - *begin. begin and end may be NULL. */
WF_API int32_t wf_part(wf_seq* s, wf_context* local, int64_t* begin, int64_t* end, wf_seq** out);
/* s with all of its elements on all ranks, as wf_to_host and wf_data make it: a new reference. All ranks call it. Forces. Work n. */
WF_API int32_t wf_replicate(wf_seq* s, wf_seq** out);
/* Copies elements [start, start + count) of a column to data, converted to data_type: element start + k to data[k * stride].
 * Forces. */
WF_API int32_t wf_to_host(wf_seq* s, int32_t column, int64_t start, int64_t count, void* data, int32_t data_type, int64_t stride);
/* The column's own memory, valid as long as s is. Forces. *n (may be NULL): number of elements. */
WF_API int32_t wf_data(wf_seq* s, int32_t column, const void** data, int64_t* n);
/* A new DLManagedTensor* of the column in host memory with the sequence's shape, row-major, without a copy; the caller, or its last owner, calls
 * its deleter. Forces. */
WF_API int32_t wf_to_dlpack(wf_seq* s, int32_t column, void** managed_tensor);
/* The same in the memory of the sequence's context: on a GPU, a tensor of that device. is_versioned = 1: a DLManagedTensorVersioned*, whose flags
 * state that it is read-only; else a DLManagedTensor*, which nobody may write, either. stream: the stream of the reader (see
 * wf_from_dlpack_stream), whose later work waits until the elements are complete; with -1 the reader must wait by other means. The stream must
 * exist until the deleter has returned: the memory is reused after the work that is then in the stream. */
WF_API int32_t wf_to_dlpack_stream(wf_seq* s, int32_t column, int32_t is_versioned, int64_t stream, void** managed_tensor);

/* ---- arrays in files ---------------------------------------------------------------------------------------------- */

/* An array from a file. format: "npy", "npz", "csv" or "png"; NULL or "": the one that path ends in.
 *   npy  NumPy's format, versions 1 to 3, in C and in Fortran order; both byte orders. Memory-mapped and read on demand if the elements are
 *        aligned and little-endian, and otherwise copied. A mapped file must not shrink while the array exists.
 *   npz  several arrays of this format in a ZIP archive, stored or deflated. name: the array, the last one of that name; NULL or "" if there is
 *        only one.
 *   csv  a matrix of numbers, fields separated by commas, a row per line. The first line is dropped if it is a heading: none of its
 *        fields is a number or begins as one, and not all of them are empty, NA or the like. Any other field is an error.
 *   png  pixels as u8: height x width, or height x width x channels for gray and alpha, red, green and blue, or these and alpha. A palette
 *        is replaced by colors, and 16 bits are rounded to 8.
 * type: the type of the elements, converted lazily (csv: parsed as this type); -1: as in the file (csv: f64).
 * The path must be a regular file. Work: the size of the file. Errors: ARGUMENT for an unknown format or name; IO with the system's reason,
 * or with the line and column of a csv, if the file is damaged or does not follow its format; TYPE for elements that the library does not
 * have; UNSUPPORTED if the library was built without libpng (png) or zlib (npz). */
WF_API int32_t wf_read_array(wf_context* context, const char* path, const char* format, const char* name, int32_t type, wf_seq** out);
/* Writes arrays of one column each: one array as npy or png, any number as npz under their names (names is not read otherwise). format: as
 * above. png: u8, shapes as above. Forces them, together. The file is written under another name and renamed when it is complete, so that
 * an array that was read from a file can be written to it. Errors: ARGUMENT, TYPE, SIZE, IO with the system's reason, MEMORY, UNSUPPORTED. */
WF_API int32_t wf_write_arrays(const char* path, const char* format, wf_seq* const* arrays, const char* const* names, int32_t n_arrays);
/* The names of the arrays of an npz file, each followed by a line feed, in the order of the file. Errors: IO, UNSUPPORTED. */
WF_API int32_t wf_array_names(const char* path, char* buffer, int64_t capacity, int64_t* needed);

/* ---- plans -------------------------------------------------------------------------------------------------------- */

/* The plan for these sequences, without running it: its kernels, the operations fused into each and the rule applied, bytes
 * read and written, and each body in the written form. For computed sequences: the plan that computed them, with time, GB/s
 * and percent of copy bandwidth. format: 0 text, 1 DOT. */
WF_API int32_t wf_explain(wf_seq* const* sequences, int32_t n_sequences, int32_t format, char* buffer, int64_t capacity, int64_t* needed);

/* ---- programs ----------------------------------------------------------------------------------------------------- */

/* A program is a function from sequences to sequences that is traced once: made from parameters by the functions above, planned, and then run
 * on any sequences of the same types and shapes. A run records and plans nothing, so a call costs what its kernels cost and a fraction of a
 * microsecond; for few elements, that is several times less than the calls that it replaces.
 *     wf_parameter(x, &p);  ... r = what is to be computed from p ...  wf_program_create(&p, 1, &r, 1, &program);
 *     wf_program_run(program, &x, 1, &result, 1, NULL);  wf_program_run(program, &y, 1, &another, 1, NULL);
 * Whatever else the results depend on is a constant of the program: values of scalars, and sequences. A sequence that has been computed is
 * kept; one that has not is computed in each run. */

/* A parameter: a sequence without elements, with the columns, shape and context of `like`. What depends on it can be computed by a program
 * alone: forcing it is an ARGUMENT error. On the result of a filter it runs the filter. */
WF_API int32_t wf_parameter(wf_seq* like, wf_seq** out);
/* The program from the parameters to the results. Each parameter that a result depends on is among them, once. The program keeps all alive.
 * Runs nothing. Work: that of planning the results. Errors: ARGUMENT. */
WF_API int32_t wf_program_create(wf_seq* const* parameters, int32_t n_parameters, wf_seq* const* results, int32_t n_results,
                                 wf_program** out);
WF_API void wf_program_retain(wf_program* program);
WF_API void wf_program_release(wf_program* program);
/* The results on these arguments, computed, in the order of wf_program_create; the caller releases them. Arguments that are not computed are
 * forced first, together. Any number of threads may run a program at once. *fits = 1 if there are as many arguments as parameters, with the
 * same context, columns and shapes; otherwise 0, nothing runs, and the results are NULL. If fits is NULL, that is an error instead, ARGUMENT,
 * TYPE or SIZE. Other errors: ARGUMENT for an argument that is made from a variable (wf_variable); those of wf_force. */
WF_API int32_t wf_program_run(const wf_program* program, wf_seq* const* arguments, int32_t n_arguments, wf_seq** results, int32_t n_results,
                              int32_t* fits);
/* The plan of each run, as wf_explain. */
WF_API int32_t wf_program_explain(const wf_program* program, int32_t format, char* buffer, int64_t capacity, int64_t* needed);

/* ---- cells -------------------------------------------------------------------------------------------------------- */

/* A cell is a variable of the caller that holds a sequence. wf_replace computes `value` and assigns it: *cell becomes value, and
 * the sequence that *cell was (NULL: none) is released. Both references pass to the call; no other thread may use them meanwhile.
 * On the CPU, the results are written over the memory of *cell if that is invisible: value is computed from *cell element by
 * element, as by wf_map, and nothing else needs the old elements: no handle, sequence, view, function or tensor made from it.
 * Otherwise they get new memory. The values are the same either way. Pointers to the elements of the old sequence become invalid.
 * Errors: those of wf_force; ARGUMENT if value is *cell. Then both are as before, and the caller still owns both references. */
WF_API int32_t wf_replace(wf_seq* value, wf_seq** cell);

/* ---- derivatives -------------------------------------------------------------------------------------------------- */

/* docs/gradients.md states the derivative of each operation, at its corners too. */

/* The derivative of f as a function. forward = 0, in reverse mode: (parameters, a cotangent per result that is a float) -> a cotangent per parameter that is a
 * float. forward = 1: (parameters, a tangent per parameter that is a float) -> a tangent per result that is a float. Captured sequences are constants.
 * What a `where` did not choose has no part in cotangents, be it infinite or NaN. wf_fn_text gives the text. Errors: TYPE if f has no floats
 * among its parameters or results; UNSUPPORTED, which names the operation and the reason, for an opaque function, an operation that has no
 * derivative, and in reverse mode a loop of more than 8 values or a fold whose count is not a small literal. */
WF_API int32_t wf_fn_gradient(const wf_fn* f, int32_t forward, wf_fn** out);

/* The elements of s as a variable: gradients with respect to the result can be taken of all that is made from it, computed or not. What is made
 * from a variable keeps how it was made, and so what it was made from, as long as it lives. Free. */
WF_API int32_t wf_variable(wf_seq* s, wf_seq** out);
/* The elements of s as a constant: no gradient passes to what s was made from. Free. */
WF_API int32_t wf_constant(wf_seq* s, wf_seq** out);
/* out[j], of the shape and columns of variables[j]: the gradient with respect to it of the sum of values[k] times seeds[k], delayed: a gradient
 * is made of ordinary sequences, fuses with values, and has gradients in turn. seeds: of the types and shapes of values; NULL: ones, and then each
 * value has one element. variables: results of wf_variable, and parameters of programs, of floats. 0 for a variable
 * that no value depends on. If a rule needs the length of a filter's result, the filter runs. Errors: ARGUMENT for a variable that is none, and for
 * a value that was computed and not made from a variable; TYPE; SIZE; UNSUPPORTED, which names the operation that has no derivative. */
WF_API int32_t wf_gradient(wf_seq* const* values, wf_seq* const* seeds, int32_t n_values, wf_seq* const* variables, int32_t n_variables,
                           wf_seq** out);
/* out[k], of the shape and columns of values[k]: its derivative if each variable changes in the direction tangents[j], delayed. Columns are floats.
 * Errors: as above. */
WF_API int32_t wf_tangent(wf_seq* const* values, int32_t n_values, wf_seq* const* variables, wf_seq* const* tangents, int32_t n_variables,
                          wf_seq** out);

/* f with a derivative of its own, for maps and all else that f is a function of: also for opaque functions and CUDA C++, which have none. `derivative` is a
 * function of (f's parameters, f's results, a cotangent per result that is a float), with a cotangent per parameter that is a float. Forward mode,
 * too, uses it. Neither captures sequences. Errors: ARGUMENT, TYPE. */
WF_API int32_t wf_fn_derivative(const wf_fn* f, const wf_fn* derivative, wf_fn** out);
/* The elements of value, with gradients of its own by inputs: gradients[k], of the shape and columns of inputs[k], are made of inputs and of y and
 * ybar, results of wf_parameter(value, ...), which are the value and its cotangent. Otherwise value is a constant. They are made once; each gradient copies
 * them. Errors: ARGUMENT, TYPE. */
WF_API int32_t wf_derivative(wf_seq* value, wf_seq* y, wf_seq* ybar, wf_seq* const* inputs, wf_seq* const* gradients, int32_t n,
                             wf_seq** out);
/* out[k]: the elements of values[k], which are made from inputs. A gradient computes what is between them again when it passes, instead of keeping it;
 * so release values. Errors: ARGUMENT for a value that depends on a variable that is not among inputs; UNSUPPORTED for inputs that are results of filters. */
WF_API int32_t wf_checkpoint(wf_seq* const* values, int32_t n_values, wf_seq* const* inputs, int32_t n_inputs, wf_seq** out);

/* ---- functions composed of the others ------------------------------------------------------------------------------- */

/* A function by its name, of arrays, and of numbers after the semicolon. Axes: a negative one counts from the end. With keep 1
 * the result has extent 1 along them, with 0 it lacks them. Statistics of f32 are f32, of all other types f64; sums are computed in f64.
 *   mean(a; keep, axes...)              NaN for no elements
 *   variance(a; keep, c, axes...)       the sum of the squares of the distances from the mean, divided by the number of elements less c
 *   norm(a; keep, axes...)              the root of the sum of the squares, also if squares overflow
 *   logsumexp(a; keep, axes...)         the logarithm of the sum of the exponentials, without overflow
 *   softmax(a; axes...)                 the exponentials divided by their sum, without overflow; 0 where all are -inf
 *   argmax(a; axis), argmin(a; axis)    the first index of the greatest or least element, an i64; 0 if all are NaN. RANGE for no elements
 *   segment_ranks(values, offsets; longest)   an i64 per segment, none longer than `longest`, in the order of words: equal ones have equal ranks; of two
 *                                       others that with the prefix or the first lesser value has the lesser rank, by wf_sort's order. Work n log n log longest
 * Random matrices, of the type of the matrix that is given, or of a type code; d: the degrees of freedom of a p x p scale, d > p - 1:
 *   multivariate_gaussian(key, mean, covariance; n)                 a sample in each of n rows
 *   wishart(key, scale; d), inverse_wishart(key, scale; d)          mean d scale (Bartlett); the inverse of one with the inverse scale
 *   orthogonal(key; n, type), permutation_matrix(key; n, type)      uniformly distributed
 *   multivariate_gaussian_log_density(x, mean, covariance)          of each row of x
 *   wishart_log_density(x, scale; d), inverse_wishart_log_density(x, scale; d)
 * Work and errors are those of the functions that they are composed of; ARGUMENT for an unknown name or another number of arguments. */
WF_API int32_t wf_call(const char* function, wf_seq* const* arrays, int32_t n_arrays, const double* numbers, int32_t n_numbers,
                       wf_seq** out);

#ifdef __cplusplus
}
#endif
#endif /* WARPFOLD_H */
