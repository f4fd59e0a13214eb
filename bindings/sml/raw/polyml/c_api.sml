(* The C API in Poly/ML. The library is opened when the first function is called. Before that, Platform.ready loads the library that the
   environment variable WARPFOLD_LIBRARY names, so that its soname refers to that one. *)
structure CApi : C_API =
struct
  open Foreign

  type pointer = Memory.voidStar
  type text = string
  type int32 = int
  type int64 = int

  (* cInt64 loses the sign, as does SysWord.fromInt. *)
  val int64 =
    makeConversion
      {ctype = LowLevel.cTypeInt64, load = fn p => SysWord.toIntX (Memory.get64 (p, 0w0)),
       store = fn (p, i) => (Memory.set64 (p, 0w0, Word.toLargeX (Word.fromInt i)); ignore)}
  val (pointer, text, int32, unit) = (cPointer, cString, cInt32, cVoid)

  val library = loadLibrary "libwarpfold.so.0"
  val symbol = getSymbol library

  val wf_abi_version = buildCall0 (symbol "wf_abi_version", (), int32)
  val wf_version = buildCall0 (symbol "wf_version", (), pointer)
  val wf_error_message = buildCall3 (symbol "wf_error_message", (pointer, int64, pointer), int32)
  val wf_type_name = buildCall1 (symbol "wf_type_name", int32, pointer)
  val wf_type_of_name = buildCall2 (symbol "wf_type_of_name", (text, pointer), int32)
  val wf_type_size = buildCall1 (symbol "wf_type_size", int32, int64)
  val wf_op_name = buildCall1 (symbol "wf_op_name", int32, pointer)
  val wf_op_signature = buildCall1 (symbol "wf_op_signature", int32, pointer)
  val wf_context_create = buildCall2 (symbol "wf_context_create", (text, pointer), int32)
  val wf_context_retain = buildCall1 (symbol "wf_context_retain", pointer, unit)
  val wf_context_release = buildCall1 (symbol "wf_context_release", pointer, unit)
  val wf_context_close = buildCall1 (symbol "wf_context_close", pointer, int32)
  val wf_context_name = buildCall4 (symbol "wf_context_name", (pointer, pointer, int64, pointer), int32)
  val wf_context_memory = buildCall5 (symbol "wf_context_memory", (pointer, pointer, pointer, pointer, pointer), int32)
  val wf_context_reset_peak = buildCall1 (symbol "wf_context_reset_peak", pointer, int32)
  val wf_context_set_limit = buildCall2 (symbol "wf_context_set_limit", (pointer, int64), int32)
  val wf_context_trim = buildCall2 (symbol "wf_context_trim", (pointer, pointer), int32)
  val wf_context_fail_allocation = buildCall2 (symbol "wf_context_fail_allocation", (pointer, int64), int32)
  val wf_fn_create = buildCall4 (symbol "wf_fn_create", (text, pointer, int32, pointer), int32)
  val wf_fn_foreign = buildCall6 (symbol "wf_fn_foreign", (text, pointer, pointer, int32, int32, pointer), int32)
  val wf_fn_block = buildCall2 (symbol "wf_fn_block", (pointer, pointer), int32)
  val wf_fn_source = buildCall8 (symbol "wf_fn_source", (text, text, pointer, int32, pointer, int32, pointer, pointer), int32)
  val wf_fn_retain = buildCall1 (symbol "wf_fn_retain", pointer, unit)
  val wf_fn_release = buildCall1 (symbol "wf_fn_release", pointer, unit)
  val wf_fn_text = buildCall4 (symbol "wf_fn_text", (pointer, pointer, int64, pointer), int32)
  val wf_fn_arity = buildCall3 (symbol "wf_fn_arity", (pointer, pointer, pointer), int32)
  val wf_fn_param_type = buildCall3 (symbol "wf_fn_param_type", (pointer, int32, pointer), int32)
  val wf_fn_result_type = buildCall3 (symbol "wf_fn_result_type", (pointer, int32, pointer), int32)
  val wf_from_host = buildCall5 (symbol "wf_from_host", (pointer, int32, pointer, int64, pointer), int32)
  val wf_from_host_strided = buildCall7 (symbol "wf_from_host_strided", (pointer, int32, pointer, int32, int64, int64, pointer), int32)
  val wf_adopt = buildCall7 (symbol "wf_adopt", (pointer, int32, pointer, int64, pointer, pointer, pointer), int32)
  val wf_allocate = buildCall5 (symbol "wf_allocate", (pointer, int32, int64, pointer, pointer), int32)
  val wf_scalar = buildCall4 (symbol "wf_scalar", (pointer, int32, pointer, pointer), int32)
  val wf_from_file = buildCall4 (symbol "wf_from_file", (pointer, int32, text, pointer), int32)
  val wf_from_dlpack = buildCall3 (symbol "wf_from_dlpack", (pointer, pointer, pointer), int32)
  val wf_retain = buildCall1 (symbol "wf_retain", pointer, unit)
  val wf_release = buildCall1 (symbol "wf_release", pointer, unit)
  val wf_known_length = buildCall2 (symbol "wf_known_length", (pointer, pointer), int32)
  val wf_rank = buildCall2 (symbol "wf_rank", (pointer, pointer), int32)
  val wf_column_count = buildCall2 (symbol "wf_column_count", (pointer, pointer), int32)
  val wf_column_type = buildCall3 (symbol "wf_column_type", (pointer, int32, pointer), int32)
  val wf_is_manifest = buildCall2 (symbol "wf_is_manifest", (pointer, pointer), int32)
  val wf_context_of = buildCall2 (symbol "wf_context_of", (pointer, pointer), int32)
  val wf_tabulate = buildCall4 (symbol "wf_tabulate", (pointer, pointer, int64, pointer), int32)
  val wf_map = buildCall4 (symbol "wf_map", (pointer, pointer, int32, pointer), int32)
  val wf_zip = buildCall3 (symbol "wf_zip", (pointer, int32, pointer), int32)
  val wf_columns = buildCall4 (symbol "wf_columns", (pointer, pointer, int32, pointer), int32)
  val wf_reduce = buildCall4 (symbol "wf_reduce", (pointer, text, pointer, pointer), int32)
  val wf_scan = buildCall6 (symbol "wf_scan", (pointer, text, pointer, int32, pointer, pointer), int32)
  val wf_filter = buildCall3 (symbol "wf_filter", (pointer, pointer, pointer), int32)
  val wf_sort = buildCall4 (symbol "wf_sort", (pointer, int32, int32, pointer), int32)
  val wf_sort_by = buildCall3 (symbol "wf_sort_by", (pointer, pointer, pointer), int32)
  val wf_merge = buildCall5 (symbol "wf_merge", (pointer, pointer, int32, int32, pointer), int32)
  val wf_merge_by = buildCall4 (symbol "wf_merge_by", (pointer, pointer, pointer, pointer), int32)
  val wf_scatter = buildCall5 (symbol "wf_scatter", (pointer, pointer, pointer, pointer, pointer), int32)
  val wf_histogram = buildCall3 (symbol "wf_histogram", (pointer, int64, pointer), int32)
  val wf_offsets = buildCall2 (symbol "wf_offsets", (pointer, pointer), int32)
  val wf_segment_reduce = buildCall5 (symbol "wf_segment_reduce", (pointer, text, pointer, pointer, pointer), int32)
  val wf_segment_scan = buildCall7 (symbol "wf_segment_scan", (pointer, text, pointer, pointer, int32, pointer, pointer), int32)
  val wf_segment_filter = buildCall5 (symbol "wf_segment_filter", (pointer, pointer, pointer, pointer, pointer), int32)
  val wf_segment_ids = buildCall3 (symbol "wf_segment_ids", (pointer, int64, pointer), int32)
  val wf_length = buildCall2 (symbol "wf_length", (pointer, pointer), int32)
  val wf_nth = buildCall3 (symbol "wf_nth", (pointer, int64, pointer), int32)
  val wf_subseq = buildCall4 (symbol "wf_subseq", (pointer, int64, int64, pointer), int32)
  val wf_take = buildCall3 (symbol "wf_take", (pointer, int64, pointer), int32)
  val wf_drop = buildCall3 (symbol "wf_drop", (pointer, int64, pointer), int32)
  val wf_rev = buildCall2 (symbol "wf_rev", (pointer, pointer), int32)
  val wf_append = buildCall3 (symbol "wf_append", (pointer, int32, pointer), int32)
  val wf_force = buildCall2 (symbol "wf_force", (pointer, int32), int32)
  val wf_to_host = buildCall7 (symbol "wf_to_host", (pointer, int32, int64, int64, pointer, int32, int64), int32)
  val wf_data = buildCall4 (symbol "wf_data", (pointer, int32, pointer, pointer), int32)
  val wf_to_dlpack = buildCall3 (symbol "wf_to_dlpack", (pointer, int32, pointer), int32)
  val wf_explain = buildCall6 (symbol "wf_explain", (pointer, int32, int32, pointer, int64, pointer), int32)
end
