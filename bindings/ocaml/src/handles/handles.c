/* The parts that ctypes cannot express: garbage-collected handles, shared host memory, and copies between the OCaml heap and a
 * sequence. Warpfold_raw binds the rest of the C API. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <caml/alloc.h>
#include <caml/bigarray.h>
#include <caml/custom.h>
#include <caml/fail.h>
#include <caml/memory.h>
#include <caml/mlvalues.h>
#include <caml/signals.h>

#include "warpfold.h"

/* ---- handles: a custom block that owns one reference, or none once it is released ---------------------------------- */

struct handle {
  _Atomic(void*) pointer; /* NULL: released */
};
#define Handle_val(v) ((struct handle*)Data_custom_val(v))

/* A spin lock of a few instructions: this address replaces the pointer while a reference is taken, since another domain of OCaml 5
 * may release the handle at the same time. */
static char being_read;

static void* begin_reading(struct handle* handle) {
  void* pointer;
  while ((pointer = atomic_exchange(&handle->pointer, &being_read)) == &being_read) {}
  return pointer;
}

static void end_reading(struct handle* handle, void* pointer) { atomic_store(&handle->pointer, pointer); }

static void retain_context(void* p) { wf_context_retain(p); }
static void retain_seq(void* p) { wf_retain(p); }
static void retain_fn(void* p) { wf_fn_retain(p); }
static void retain_program(void* p) { wf_program_retain(p); }
static void release_context(void* p) { wf_context_release(p); }
static void release_seq(void* p) { wf_release(p); }
static void release_fn(void* p) { wf_fn_release(p); }
static void release_program(void* p) { wf_program_release(p); }

/* A finalizer runs on any thread that collects, and must neither allocate nor call OCaml; the release functions do neither. */
static void finalize_context(value v) { wf_context_release(Handle_val(v)->pointer); }
static void finalize_seq(value v) { wf_release(Handle_val(v)->pointer); }
static void finalize_fn(value v) { wf_fn_release(Handle_val(v)->pointer); }
static void finalize_program(value v) { wf_program_release(Handle_val(v)->pointer); }

/* Structural comparison raises, since it would compare addresses. */
#define REFUSES_COMPARISON(name, message)             \
  static int refuse_##name(value left, value right) { \
    (void)left, (void)right;                          \
    caml_invalid_argument("Warpfold." message);       \
  }
REFUSES_COMPARISON(context, "Context: Stdlib's =, <, compare, min and max cannot compare contexts, expected their Context.name")
REFUSES_COMPARISON(seq,
                   "Seq: Stdlib's =, <, compare, min and max cannot compare sequences or scalars, expected their values, as "
                   "by Seq.to_array or Scalar.get")
REFUSES_COMPARISON(fn, "Foreign: Stdlib's =, <, compare, min and max cannot compare functions")
REFUSES_COMPARISON(program, "Jit: Stdlib's =, <, compare, min and max cannot compare functions")

#define OPERATIONS(name)                                                                                                          \
  {                                                                                                                               \
    "warpfold." #name, finalize_##name, refuse_##name, custom_hash_default, custom_serialize_default, custom_deserialize_default, \
        custom_compare_ext_default, custom_fixed_length_default                                                                   \
  }
/* Indexed by Handle.kind. */
static struct custom_operations operations[] = {OPERATIONS(context), OPERATIONS(seq), OPERATIONS(fn), OPERATIONS(program)};
static void (*const retain[])(void*) = {retain_context, retain_seq, retain_fn, retain_program};
static void (*const release[])(void*) = {release_context, release_seq, release_fn, release_program};

static void drop_adopted(void);

/* kind -> address of a cell with the pointer -> size of its memory in bytes -> handle. The size speeds up the collector like that
 * of a bigarray. */
value warpfold_handle_own(value kind, value cell, value bytes) {
  void* pointer = *(void**)Nativeint_val(cell);
  drop_adopted();
  value handle = caml_alloc_custom_mem(&operations[Int_val(kind)], sizeof(struct handle), (mlsize_t)Long_val(bytes));
  atomic_init(&Handle_val(handle)->pointer, pointer);
  return handle;
}

/* Returns a new reference to the handle's object, or 0 if the handle was released. With it, neither another thread's release nor a
 * collection can free an object during a call. */
value warpfold_handle_acquire(value kind, value handle) {
  void* pointer = begin_reading(Handle_val(handle));
  if (pointer) retain[Int_val(kind)](pointer);
  end_reading(Handle_val(handle), pointer);
  return caml_copy_nativeint((intnat)pointer);
}

/* address of an array -> index -> handle -> bool. Stores a new reference to the sequence in the array; returns false if the handle
 * was released. */
value warpfold_handle_acquire_into(value array, value index, value handle) {
  wf_seq* s = begin_reading(Handle_val(handle));
  if (s) wf_retain(s);
  end_reading(Handle_val(handle), s);
  if (!s) return Val_false;
  ((wf_seq**)Nativeint_val(array))[Long_val(index)] = s;
  return Val_true;
}

/* Releases the first n references of such an array. */
value warpfold_handle_release_all(value array, value n) {
  for (intnat k = 0; k < Long_val(n); k++) wf_release(((wf_seq**)Nativeint_val(array))[k]);
  return Val_unit;
}

value warpfold_handle_release(value kind, value handle) {
  void* pointer = begin_reading(Handle_val(handle));
  end_reading(Handle_val(handle), NULL);
  release[Int_val(kind)](pointer);
  return Val_unit;
}

value warpfold_handle_is_released(value handle) { return Val_bool(Handle_val(handle)->pointer == NULL); }

static struct custom_operations weight = {"warpfold.weight",          custom_finalize_default,    custom_compare_default,
                                          custom_hash_default,        custom_serialize_default,   custom_deserialize_default,
                                          custom_compare_ext_default, custom_fixed_length_default};

/* Reports memory that an existing handle has acquired to the collector. */
value warpfold_handle_grew(value bytes) {
  caml_alloc_custom_mem(&weight, sizeof(struct handle), (mlsize_t)Long_val(bytes));
  return Val_unit;
}

/* ---- signals ------------------------------------------------------------------------------------------------------- */

/* The library calls this at times on a thread that computes without the runtime lock. Handlers of signals run here, so that Sys.Break and the like
 * end a computation; the exception waits for the end of the call. */
static _Thread_local value interruption = Val_unit;

static int32_t run_handlers(void) {
  if (interruption != Val_unit || !caml_check_pending_actions()) return interruption != Val_unit;
  caml_leave_blocking_section();
  value outcome = caml_process_pending_actions_exn();
  if (Is_exception_result(outcome)) {
    interruption = Extract_exception(outcome);
    caml_register_generational_global_root(&interruption);
  }
  caml_enter_blocking_section_no_pending();
  return interruption != Val_unit;
}

/* Raises the exception that ended the call, if one did. */
value warpfold_raise_interruption(value unit) {
  value exception = interruption;
  if (exception == Val_unit) return unit;
  caml_remove_generational_global_root(&interruption);
  interruption = Val_unit;
  caml_raise(exception);
}

/* ---- traces of jit ------------------------------------------------------------------------------------------------- */

/* The number of functions of jit that this thread traces: one inside of another. */
static _Thread_local intnat traces = 0;

value warpfold_tracing(value unit) {
  (void)unit;
  return Val_bool(traces > 0);
}

value warpfold_tracing_add(value change) {
  traces += Long_val(change);
  return Val_unit;
}

/* ---- bigarrays that sequences read in place ------------------------------------------------------------------------ */

/* Keeps a bigarray alive while the library reads it. The library may report the end of its use on any thread, which must not
 * access the OCaml heap; so finished entries are kept in a list until the next call from OCaml. */
struct adopted {
  value array;
  struct adopted* next;
};
static _Atomic(struct adopted*) done = NULL;

static void finish_adopted(void* user) {
  struct adopted* entry = user;
  entry->next = atomic_load(&done);
  while (!atomic_compare_exchange_weak(&done, &entry->next, entry)) {}
}

static void drop_adopted(void) {
  if (!atomic_load_explicit(&done, memory_order_relaxed)) return;
  struct adopted* entry = atomic_exchange(&done, NULL);
  while (entry) {
    struct adopted* next = entry->next;
    caml_remove_generational_global_root(&entry->array);
    free(entry);
    entry = next;
  }
}

value warpfold_drop_adopted(value unit) {
  drop_adopted();
  return unit;
}

/* context -> type -> bigarray -> address of the output -> code */
value warpfold_adopt(value context, value type, value array, value out) {
  struct adopted* entry = malloc(sizeof *entry);
  if (!entry) caml_raise_out_of_memory();
  entry->array = array;
  caml_register_generational_global_root(&entry->array);
  int32_t code = wf_adopt((wf_context*)Nativeint_val(context), Int_val(type), Caml_ba_data_val(array),
                          (int64_t)caml_ba_num_elts(Caml_ba_array_val(array)), finish_adopted, entry, (wf_seq**)Nativeint_val(out));
  if (code != WF_OK) {
    caml_remove_generational_global_root(&entry->array);
    free(entry);
  }
  return Val_int(code);
}

/* ---- sequences whose memory is read as a bigarray ------------------------------------------------------------------ */

/* Bigarrays and their sub-arrays share a reference-counted proxy; this one also owns a reference to the sequence. */
struct shared {
  struct caml_ba_proxy proxy;
  wf_seq* seq;
};
static struct custom_operations shared_operations;

static void finalize_shared(value v) {
  struct shared* shared = (struct shared*)Caml_ba_array_val(v)->proxy;
  if (--shared->proxy.refcount > 0) return; /* atomic in OCaml 5 */
  wf_release(shared->seq);
  free(shared);
}

/* Copies the custom operations of bigarrays and replaces the finalizer. Called once, before any other function of this file. */
value warpfold_prepare(value unit) {
  intnat dimension = 0;
  shared_operations = *Custom_ops_val(caml_ba_alloc(CAML_BA_UINT8 | CAML_BA_C_LAYOUT, 1, NULL, &dimension));
  shared_operations.finalize = finalize_shared;
  wf_cancel_on_poll(run_handlers);
  return unit;
}

/* a reference to the sequence, owned by the bigarray afterwards -> its data -> Bigarray.kind -> length -> bigarray */
value warpfold_share(value seq, value data, value kind, value length) {
  wf_seq* owner = (wf_seq*)Nativeint_val(seq);
  void* start = (void*)Nativeint_val(data);
  struct shared* shared = malloc(sizeof *shared);
  if (!shared) {
    wf_release(owner);
    caml_raise_out_of_memory();
  }
  intnat dimension = Long_val(length);
  value array = caml_ba_alloc(Int_val(kind) | CAML_BA_C_LAYOUT | CAML_BA_MAPPED_FILE, 1, start, &dimension);
  *shared = (struct shared){{1, start, 0}, owner};
  Caml_ba_array_val(array)->proxy = &shared->proxy;
  Custom_ops_val(array) = &shared_operations;
  return array;
}

/* ---- copies between the OCaml heap and sequences: the runtime lock is kept, since the heap must not move ----------- */

/* context -> type -> float array -> address of the output -> code */
value warpfold_of_float_array(value context, value type, value array, value out) {
  return Val_int(wf_from_host_strided((wf_context*)Nativeint_val(context), Int_val(type), (const double*)array, WF_F64,
                                      (int64_t)(Wosize_val(array) / Double_wosize), 1, (wf_seq**)Nativeint_val(out)));
}

value warpfold_of_string(value context, value text, value out) {
  return Val_int(wf_from_host((wf_context*)Nativeint_val(context), WF_U8, String_val(text), (int64_t)caml_string_length(text),
                              (wf_seq**)Nativeint_val(out)));
}

/* sequence -> column -> float array of its length -> code */
value warpfold_to_float_array(value seq, value column, value array) {
  return Val_int(
      wf_to_host((wf_seq*)Nativeint_val(seq), Int_val(column), 0, (int64_t)(Wosize_val(array) / Double_wosize), (double*)array, WF_F64, 1));
}

/* ---- C functions by name ------------------------------------------------------------------------------------------- */

/* library ("" for the libraries that the program has loaded) -> name -> address, 0 if the function is not found */
value warpfold_find_function(value library, value name) {
  void* where = caml_string_length(library) ? dlopen(String_val(library), RTLD_NOW | RTLD_GLOBAL) : RTLD_DEFAULT;
  void* address = caml_string_length(library) && !where ? NULL : dlsym(where, String_val(name));
  return caml_copy_nativeint((intnat)address);
}
