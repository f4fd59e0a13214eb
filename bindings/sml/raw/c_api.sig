(* The C API of warpfold as it is: one value per function of warpfold.h, in the same order, with the same parameters. warpfold.h documents the
   functions. int32_t, int64_t and pointers are separate types; a parameter `const char*` is a text, which Platform.text makes from a
   string. tests/header.sml checks this file and both implementations
   against the header. *)
signature C_API =
sig
  type pointer
  type text
  type int32
  type int64

  val wf_abi_version : unit -> int32
  val wf_version : unit -> pointer
  val wf_error_message : pointer * int64 * pointer -> int32
  val wf_type_name : int32 -> pointer
  val wf_type_of_name : text * pointer -> int32
  val wf_type_size : int32 -> int64
  val wf_op_name : int32 -> pointer
  val wf_op_signature : int32 -> pointer
  val wf_context_create : text * pointer -> int32
  val wf_context_retain : pointer -> unit
  val wf_context_release : pointer -> unit
  val wf_context_close : pointer -> int32
  val wf_context_name : pointer * pointer * int64 * pointer -> int32
  val wf_context_memory : pointer * pointer * pointer * pointer * pointer -> int32
  val wf_context_reset_peak : pointer -> int32
  val wf_context_set_limit : pointer * int64 -> int32
  val wf_context_trim : pointer * pointer -> int32
  val wf_context_fail_allocation : pointer * int64 -> int32
  val wf_cancel : pointer -> int32
  val wf_cancel_on_signal : int32 * int32 -> int32
  val wf_cancel_on_poll : pointer -> int32
  val wf_fn_create : text * pointer * int32 * pointer -> int32
  val wf_fn_foreign : text * pointer * pointer * int32 * int32 * pointer -> int32
  val wf_fn_block : pointer * pointer -> int32
  val wf_fn_source : text * text * pointer * int32 * pointer * int32 * pointer * pointer -> int32
  val wf_fn_retain : pointer -> unit
  val wf_fn_release : pointer -> unit
  val wf_fn_text : pointer * pointer * int64 * pointer -> int32
  val wf_fn_arity : pointer * pointer * pointer -> int32
  val wf_fn_param_type : pointer * int32 * pointer -> int32
  val wf_fn_result_type : pointer * int32 * pointer -> int32
  val wf_from_host : pointer * int32 * pointer * int64 * pointer -> int32
  val wf_from_host_strided : pointer * int32 * pointer * int32 * int64 * int64 * pointer -> int32
  val wf_adopt : pointer * int32 * pointer * int64 * pointer * pointer * pointer -> int32
  val wf_allocate : pointer * int32 * int64 * pointer * pointer -> int32
  val wf_scalar : pointer * int32 * pointer * pointer -> int32
  val wf_from_file : pointer * int32 * text * pointer -> int32
  val wf_from_dlpack : pointer * pointer * pointer -> int32
  val wf_from_dlpack_stream : pointer * pointer * int32 * int64 * pointer -> int32
  val wf_retain : pointer -> unit
  val wf_release : pointer -> unit
  val wf_known_length : pointer * pointer -> int32
  val wf_rank : pointer * pointer -> int32
  val wf_column_count : pointer * pointer -> int32
  val wf_column_type : pointer * int32 * pointer -> int32
  val wf_is_manifest : pointer * pointer -> int32
  val wf_context_of : pointer * pointer -> int32
  val wf_tabulate : pointer * pointer * int64 * pointer -> int32
  val wf_map : pointer * pointer * int32 * pointer -> int32
  val wf_zip : pointer * int32 * pointer -> int32
  val wf_columns : pointer * pointer * int32 * pointer -> int32
  val wf_reduce : pointer * text * pointer * pointer -> int32
  val wf_scan : pointer * text * pointer * int32 * pointer * pointer -> int32
  val wf_iterate : pointer * text * pointer * pointer -> int32
  val wf_iterate_prefixes : pointer * text * pointer * int32 * pointer * pointer -> int32
  val wf_filter : pointer * pointer * pointer -> int32
  val wf_sort : pointer * int32 * int32 * pointer -> int32
  val wf_sort_by : pointer * pointer * pointer -> int32
  val wf_merge : pointer * pointer * int32 * int32 * pointer -> int32
  val wf_merge_by : pointer * pointer * pointer * pointer -> int32
  val wf_scatter : pointer * pointer * pointer * pointer * pointer -> int32
  val wf_histogram : pointer * int64 * pointer -> int32
  val wf_length : pointer * pointer -> int32
  val wf_nth : pointer * int64 * pointer -> int32
  val wf_subseq : pointer * int64 * int64 * pointer -> int32
  val wf_take : pointer * int64 * pointer -> int32
  val wf_drop : pointer * int64 * pointer -> int32
  val wf_rev : pointer * pointer -> int32
  val wf_append : pointer * int32 * pointer -> int32
  val wf_offsets : pointer * pointer -> int32
  val wf_segment_reduce : pointer * text * pointer * pointer * pointer -> int32
  val wf_segment_scan : pointer * text * pointer * pointer * int32 * pointer * pointer -> int32
  val wf_segment_filter : pointer * pointer * pointer * pointer * pointer -> int32
  val wf_segment_ids : pointer * int64 * pointer -> int32
  val wf_runs : pointer * int32 * pointer -> int32
  val wf_runs_by : pointer * pointer * pointer -> int32
  val wf_unique : pointer * int32 * pointer -> int32
  val wf_unique_by : pointer * pointer * pointer -> int32
  val wf_split : pointer * pointer * pointer * pointer -> int32
  val wf_search : pointer * pointer * int32 * int32 * int32 * pointer -> int32
  val wf_search_by : pointer * pointer * pointer * int32 * pointer -> int32
  val wf_intersection : pointer * pointer * int32 * int32 * pointer -> int32
  val wf_intersection_by : pointer * pointer * pointer * pointer -> int32
  val wf_difference : pointer * pointer * int32 * int32 * pointer -> int32
  val wf_difference_by : pointer * pointer * pointer * pointer -> int32
  val wf_random_key : pointer * int64 * pointer -> int32
  val wf_random_split : pointer * int64 * pointer -> int32
  val wf_random : text * pointer * pointer * int32 * int64 * int32 * pointer -> int32
  val wf_log_density : text * pointer * pointer * int32 * pointer -> int32
  val wf_distribution_function : text * pointer * pointer * int32 * pointer -> int32
  val wf_shape : pointer * pointer * int32 * pointer -> int32
  val wf_reshape : pointer * pointer * int32 * pointer -> int32
  val wf_from_host_array : pointer * int32 * pointer * int32 * pointer * pointer * int32 * pointer -> int32
  val wf_adopt_array : pointer * int32 * pointer * pointer * int32 * pointer * pointer * pointer -> int32
  val wf_permute : pointer * pointer * int32 * pointer -> int32
  val wf_broadcast : pointer * pointer * int32 * pointer -> int32
  val wf_slice : pointer * pointer * pointer * pointer * int32 * pointer -> int32
  val wf_view : pointer * int64 * pointer * pointer * int32 * pointer -> int32
  val wf_translate : pointer * pointer * int32 * text * pointer -> int32
  val wf_join : pointer * int32 * int32 * pointer -> int32
  val wf_reduce_axis : pointer * text * pointer * pointer * int32 * int32 * pointer -> int32
  val wf_scan_axis : pointer * text * pointer * int32 * int32 * pointer * pointer -> int32
  val wf_sort_axis : pointer * int32 * int32 * pointer -> int32
  val wf_matmul : pointer * pointer * pointer -> int32
  val wf_matrix_power : pointer * int64 * pointer -> int32
  val wf_solve : text * pointer * pointer * pointer -> int32
  val wf_factor : text * pointer * pointer * int32 -> int32
  val wf_linear : text * pointer * int32 * pointer -> int32
  val wf_convolve : pointer * pointer * pointer -> int32
  val wf_max_pool : pointer * int64 * int64 * pointer -> int32
  val wf_force : pointer * int32 -> int32
  val wf_wait : pointer * int32 -> int32
  val wf_to_host : pointer * int32 * int64 * int64 * pointer * int32 * int64 -> int32
  val wf_data : pointer * int32 * pointer * pointer -> int32
  val wf_to_dlpack : pointer * int32 * pointer -> int32
  val wf_to_dlpack_stream : pointer * int32 * int32 * int64 * pointer -> int32
  val wf_read_array : pointer * text * text * text * int32 * pointer -> int32
  val wf_write_arrays : text * text * pointer * pointer * int32 -> int32
  val wf_array_names : text * pointer * int64 * pointer -> int32
  val wf_explain : pointer * int32 * int32 * pointer * int64 * pointer -> int32
  val wf_parameter : pointer * pointer -> int32
  val wf_program_create : pointer * int32 * pointer * int32 * pointer -> int32
  val wf_program_retain : pointer -> unit
  val wf_program_release : pointer -> unit
  val wf_program_run : pointer * pointer * int32 * pointer * int32 * pointer -> int32
  val wf_program_explain : pointer * int32 * pointer * int64 * pointer -> int32
  val wf_replace : pointer * pointer -> int32
  val wf_fn_gradient : pointer * int32 * pointer -> int32
  val wf_variable : pointer * pointer -> int32
  val wf_constant : pointer * pointer -> int32
  val wf_gradient : pointer * pointer * int32 * pointer * int32 * pointer -> int32
  val wf_tangent : pointer * int32 * pointer * pointer * int32 * pointer -> int32
  val wf_call : text * pointer * int32 * pointer * int32 * pointer -> int32
end
