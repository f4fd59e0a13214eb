(** The description of the C API in [warpfold.h]. The stubs of {!Warpfold_raw} are generated from it, and a test compares it with
    the header. Names are those of the header without [wf_]; the header documents each function and its errors. *)

open Ctypes

type context = [ `wf_context ] structure
type seq = [ `wf_seq ] structure
type fn = [ `wf_fn ] structure
type program = [ `wf_program ] structure
type block = [ `wf_block ] structure

let context : context typ = typedef (structure "wf_context") "wf_context"
let seq : seq typ = typedef (structure "wf_seq") "wf_seq"
let fn : fn typ = typedef (structure "wf_fn") "wf_fn"
let program : program typ = typedef (structure "wf_program") "wf_program"

(* Lengths, sizes and codes fit OCaml's 63 bits. (The stubs that ctypes generates for its camlint pass only 32 of them.) *)
let int32_t = typedef int "int32_t"
let int64_t = view ~read:Int64.to_int ~write:Int64.of_int int64_t

(* Read-only memory. *)
let const_data = typedef (ptr void) "const void*"
let const_text = typedef (ptr char) "const char*"

let deleter = static_funptr (ptr void @-> returning void)

let block_function =
  static_funptr (ptr void @-> int64_t @-> ptr (ptr void) @-> ptr (ptr void) @-> returning void)

(** The fields of [wf_block]. *)
module Block = struct
  let layout : block typ = structure "wf_block"
  let name = field layout "name" (ptr char)
  let function_ = field layout "function" block_function
  let user = field layout "user" (ptr void)
  let destroy = field layout "destroy" deleter
  let param_types = field layout "param_types" (ptr int32_t)
  let result_types = field layout "result_types" (ptr int32_t)
  let n_params = field layout "n_params" int32_t
  let n_results = field layout "n_results" int32_t
  let () = seal layout
  let typ = typedef layout "wf_block"
end

(** Functions that return at once: other OCaml threads wait meanwhile. *)
module Quick (F : FOREIGN) = struct
  open F

  let abi_version = foreign "wf_abi_version" (void @-> returning int32_t)
  let version = foreign "wf_version" (void @-> returning string)

  let error_message =
    foreign "wf_error_message" (ptr char @-> int64_t @-> ptr int64_t @-> returning int32_t)

  let type_name = foreign "wf_type_name" (int32_t @-> returning string_opt)
  let type_of_name = foreign "wf_type_of_name" (string @-> ptr int32_t @-> returning int32_t)
  let type_size = foreign "wf_type_size" (int32_t @-> returning int64_t)
  let op_name = foreign "wf_op_name" (int32_t @-> returning string_opt)
  let op_signature = foreign "wf_op_signature" (int32_t @-> returning string_opt)
  let context_retain = foreign "wf_context_retain" (ptr context @-> returning void)
  let context_release = foreign "wf_context_release" (ptr context @-> returning void)

  let context_name =
    foreign "wf_context_name"
      (ptr context @-> ptr char @-> int64_t @-> ptr int64_t @-> returning int32_t)

  let context_memory =
    foreign "wf_context_memory"
      (ptr context @-> ptr int64_t @-> ptr int64_t @-> ptr int64_t @-> ptr int64_t
     @-> returning int32_t)

  let context_reset_peak = foreign "wf_context_reset_peak" (ptr context @-> returning int32_t)

  let context_set_limit =
    foreign "wf_context_set_limit" (ptr context @-> int64_t @-> returning int32_t)

  let context_fail_allocation =
    foreign "wf_context_fail_allocation" (ptr context @-> int64_t @-> returning int32_t)

  let fn_create =
    foreign "wf_fn_create"
      (ocaml_string @-> ptr (ptr seq) @-> int32_t @-> ptr (ptr fn) @-> returning int32_t)

  let fn_foreign =
    foreign "wf_fn_foreign"
      (string_opt @-> ptr void @-> ptr int32_t @-> int32_t @-> int32_t @-> ptr (ptr fn)
     @-> returning int32_t)

  let fn_block = foreign "wf_fn_block" (ptr Block.typ @-> ptr (ptr fn) @-> returning int32_t)

  let fn_source =
    foreign "wf_fn_source"
      (string @-> string @-> ptr int32_t @-> int32_t @-> ptr int32_t @-> int32_t @-> ptr fn @-> ptr (ptr fn)
     @-> returning int32_t)

  let fn_retain = foreign "wf_fn_retain" (ptr fn @-> returning void)
  let fn_release = foreign "wf_fn_release" (ptr fn @-> returning void)

  let program_retain = foreign "wf_program_retain" (ptr program @-> returning void)
  let program_release = foreign "wf_program_release" (ptr program @-> returning void)

  let fn_text =
    foreign "wf_fn_text" (ptr fn @-> ptr char @-> int64_t @-> ptr int64_t @-> returning int32_t)

  let fn_arity =
    foreign "wf_fn_arity" (ptr fn @-> ptr int32_t @-> ptr int32_t @-> returning int32_t)

  let fn_param_type =
    foreign "wf_fn_param_type" (ptr fn @-> int32_t @-> ptr int32_t @-> returning int32_t)

  let fn_result_type =
    foreign "wf_fn_result_type" (ptr fn @-> int32_t @-> ptr int32_t @-> returning int32_t)

  let adopt =
    foreign "wf_adopt"
      (ptr context @-> int32_t @-> ptr void @-> int64_t @-> deleter @-> ptr void @-> ptr (ptr seq)
     @-> returning int32_t)

  let adopt_array =
    foreign "wf_adopt_array"
      (ptr context @-> int32_t @-> ptr void @-> ptr int64_t @-> int32_t @-> deleter @-> ptr void
     @-> ptr (ptr seq)
     @-> returning int32_t)

  let shape =
    foreign "wf_shape" (ptr seq @-> ptr int64_t @-> int32_t @-> ptr int32_t @-> returning int32_t)

  let allocate =
    foreign "wf_allocate"
      (ptr context @-> int32_t @-> int64_t @-> ptr (ptr void) @-> ptr (ptr seq) @-> returning int32_t)

  let scalar =
    foreign "wf_scalar" (ptr context @-> int32_t @-> ptr void @-> ptr (ptr seq) @-> returning int32_t)

  let from_dlpack =
    foreign "wf_from_dlpack" (ptr context @-> ptr void @-> ptr (ptr seq) @-> returning int32_t)

  let from_dlpack_stream =
    foreign "wf_from_dlpack_stream"
      (ptr context @-> ptr void @-> int32_t @-> int64_t @-> ptr (ptr seq) @-> returning int32_t)

  let retain = foreign "wf_retain" (ptr seq @-> returning void)
  let release = foreign "wf_release" (ptr seq @-> returning void)
  let known_length = foreign "wf_known_length" (ptr seq @-> ptr int64_t @-> returning int32_t)
  let rank = foreign "wf_rank" (ptr seq @-> ptr int32_t @-> returning int32_t)
  let column_count = foreign "wf_column_count" (ptr seq @-> ptr int32_t @-> returning int32_t)

  let column_type =
    foreign "wf_column_type" (ptr seq @-> int32_t @-> ptr int32_t @-> returning int32_t)

  let is_manifest = foreign "wf_is_manifest" (ptr seq @-> ptr int32_t @-> returning int32_t)
  let context_of = foreign "wf_context_of" (ptr seq @-> ptr (ptr context) @-> returning int32_t)

  let tabulate =
    foreign "wf_tabulate"
      (ptr context @-> ptr fn @-> int64_t @-> ptr (ptr seq) @-> returning int32_t)

  (* A map of one sequence returns at once; a map of several may have to compute their lengths to compare them. *)
  let map_one =
    foreign "wf_map" (ptr fn @-> ptr (ptr seq) @-> int32_t @-> ptr (ptr seq) @-> returning int32_t)

  let columns =
    foreign "wf_columns"
      (ptr seq @-> ptr int32_t @-> int32_t @-> ptr (ptr seq) @-> returning int32_t)

  (* reduce passes the identity as text, reduce_default passes NULL. *)
  let reduce =
    foreign "wf_reduce"
      (ptr fn @-> ocaml_string @-> ptr seq @-> ptr (ptr seq) @-> returning int32_t)

  let reduce_default =
    foreign "wf_reduce"
      (ptr fn @-> ptr char @-> ptr seq @-> ptr (ptr seq) @-> returning int32_t)

  let scan =
    foreign "wf_scan"
      (ptr fn @-> ocaml_string @-> ptr seq @-> int32_t @-> ptr (ptr seq) @-> ptr (ptr seq)
     @-> returning int32_t)

  let filter = foreign "wf_filter" (ptr fn @-> ptr seq @-> ptr (ptr seq) @-> returning int32_t)
  let sort = foreign "wf_sort" (ptr seq @-> int32_t @-> int32_t @-> ptr (ptr seq) @-> returning int32_t)
  let sort_by = foreign "wf_sort_by" (ptr fn @-> ptr seq @-> ptr (ptr seq) @-> returning int32_t)

  let merge =
    foreign "wf_merge" (ptr seq @-> ptr seq @-> int32_t @-> int32_t @-> ptr (ptr seq) @-> returning int32_t)

  let merge_by =
    foreign "wf_merge_by" (ptr fn @-> ptr seq @-> ptr seq @-> ptr (ptr seq) @-> returning int32_t)

  let scatter =
    foreign "wf_scatter" (ptr fn @-> ptr seq @-> ptr seq @-> ptr seq @-> ptr (ptr seq) @-> returning int32_t)

  let histogram = foreign "wf_histogram" (ptr seq @-> int64_t @-> ptr (ptr seq) @-> returning int32_t)
  let random_key = foreign "wf_random_key" (ptr context @-> int64_t @-> ptr (ptr seq) @-> returning int32_t)
  let random_split = foreign "wf_random_split" (ptr seq @-> int64_t @-> ptr (ptr seq) @-> returning int32_t)
  let length = foreign "wf_length" (ptr seq @-> ptr (ptr seq) @-> returning int32_t)
end

(** Functions that may compute, copy or wait: other OCaml threads run meanwhile. *)
module Blocking (F : FOREIGN) = struct
  open F

  let context_create =
    foreign "wf_context_create" (string_opt @-> ptr (ptr context) @-> returning int32_t)

  let context_close = foreign "wf_context_close" (ptr context @-> returning int32_t)
  let context_trim = foreign "wf_context_trim" (ptr context @-> ptr int64_t @-> returning int32_t)

  let from_host =
    foreign "wf_from_host"
      (ptr context @-> int32_t @-> ptr void @-> int64_t @-> ptr (ptr seq) @-> returning int32_t)

  let from_host_strided =
    foreign "wf_from_host_strided"
      (ptr context @-> int32_t @-> ptr void @-> int32_t @-> int64_t @-> int64_t @-> ptr (ptr seq)
     @-> returning int32_t)

  let from_file =
    foreign "wf_from_file"
      (ptr context @-> int32_t @-> string @-> ptr (ptr seq) @-> returning int32_t)

  let map =
    foreign "wf_map" (ptr fn @-> ptr (ptr seq) @-> int32_t @-> ptr (ptr seq) @-> returning int32_t)

  let zip = foreign "wf_zip" (ptr (ptr seq) @-> int32_t @-> ptr (ptr seq) @-> returning int32_t)
  let nth = foreign "wf_nth" (ptr seq @-> int64_t @-> ptr (ptr seq) @-> returning int32_t)

  let subseq =
    foreign "wf_subseq" (ptr seq @-> int64_t @-> int64_t @-> ptr (ptr seq) @-> returning int32_t)

  let offsets = foreign "wf_offsets" (ptr seq @-> ptr (ptr seq) @-> returning int32_t)

  let segment_reduce =
    foreign "wf_segment_reduce"
      (ptr fn @-> string @-> ptr seq @-> ptr seq @-> ptr (ptr seq) @-> returning int32_t)

  let segment_scan =
    foreign "wf_segment_scan"
      (ptr fn @-> string @-> ptr seq @-> ptr seq @-> int32_t @-> ptr (ptr seq) @-> ptr (ptr seq)
     @-> returning int32_t)

  let segment_filter =
    foreign "wf_segment_filter"
      (ptr fn @-> ptr seq @-> ptr seq @-> ptr (ptr seq) @-> ptr (ptr seq) @-> returning int32_t)

  let segment_ids =
    foreign "wf_segment_ids" (ptr seq @-> int64_t @-> ptr (ptr seq) @-> returning int32_t)

  let runs = foreign "wf_runs" (ptr seq @-> int32_t @-> ptr (ptr seq) @-> returning int32_t)
  let runs_by = foreign "wf_runs_by" (ptr fn @-> ptr seq @-> ptr (ptr seq) @-> returning int32_t)
  let unique = foreign "wf_unique" (ptr seq @-> int32_t @-> ptr (ptr seq) @-> returning int32_t)

  let unique_by =
    foreign "wf_unique_by" (ptr fn @-> ptr seq @-> ptr (ptr seq) @-> returning int32_t)

  let split =
    foreign "wf_split"
      (ptr fn @-> ptr seq @-> ptr (ptr seq) @-> ptr (ptr seq) @-> returning int32_t)

  let search =
    foreign "wf_search"
      (ptr seq @-> ptr seq @-> int32_t @-> int32_t @-> int32_t @-> ptr (ptr seq)
     @-> returning int32_t)

  let search_by =
    foreign "wf_search_by"
      (ptr fn @-> ptr seq @-> ptr seq @-> int32_t @-> ptr (ptr seq) @-> returning int32_t)

  let intersection =
    foreign "wf_intersection"
      (ptr seq @-> ptr seq @-> int32_t @-> int32_t @-> ptr (ptr seq) @-> returning int32_t)

  let intersection_by =
    foreign "wf_intersection_by"
      (ptr fn @-> ptr seq @-> ptr seq @-> ptr (ptr seq) @-> returning int32_t)

  let difference =
    foreign "wf_difference"
      (ptr seq @-> ptr seq @-> int32_t @-> int32_t @-> ptr (ptr seq) @-> returning int32_t)

  let difference_by =
    foreign "wf_difference_by"
      (ptr fn @-> ptr seq @-> ptr seq @-> ptr (ptr seq) @-> returning int32_t)

  let iterate =
    foreign "wf_iterate" (ptr fn @-> string @-> ptr seq @-> ptr (ptr seq) @-> returning int32_t)

  let iterate_prefixes =
    foreign "wf_iterate_prefixes"
      (ptr fn @-> string @-> ptr seq @-> int32_t @-> ptr (ptr seq) @-> ptr (ptr seq)
     @-> returning int32_t)

  let take = foreign "wf_take" (ptr seq @-> int64_t @-> ptr (ptr seq) @-> returning int32_t)
  let drop = foreign "wf_drop" (ptr seq @-> int64_t @-> ptr (ptr seq) @-> returning int32_t)
  let rev = foreign "wf_rev" (ptr seq @-> ptr (ptr seq) @-> returning int32_t)

  let append =
    foreign "wf_append" (ptr (ptr seq) @-> int32_t @-> ptr (ptr seq) @-> returning int32_t)

  let random =
    foreign "wf_random"
      (string @-> ptr seq @-> ptr (ptr seq) @-> int32_t @-> int64_t @-> int32_t @-> ptr (ptr seq)
     @-> returning int32_t)

  let log_density =
    foreign "wf_log_density"
      (string @-> ptr seq @-> ptr (ptr seq) @-> int32_t @-> ptr (ptr seq) @-> returning int32_t)

  let distribution_function =
    foreign "wf_distribution_function"
      (string @-> ptr seq @-> ptr (ptr seq) @-> int32_t @-> ptr (ptr seq) @-> returning int32_t)

  let reshape =
    foreign "wf_reshape"
      (ptr seq @-> ptr int64_t @-> int32_t @-> ptr (ptr seq)
     @-> returning int32_t)

  let from_host_array =
    foreign "wf_from_host_array"
      (ptr context @-> int32_t @-> ptr void @-> int32_t @-> ptr int64_t @-> ptr int64_t
     @-> int32_t @-> ptr (ptr seq)
     @-> returning int32_t)

  let permute =
    foreign "wf_permute"
      (ptr seq @-> ptr int32_t @-> int32_t @-> ptr (ptr seq)
     @-> returning int32_t)

  let broadcast =
    foreign "wf_broadcast"
      (ptr seq @-> ptr int64_t @-> int32_t @-> ptr (ptr seq)
     @-> returning int32_t)

  let slice =
    foreign "wf_slice"
      (ptr seq @-> ptr int64_t @-> ptr int64_t @-> ptr int64_t @-> int32_t @-> ptr (ptr seq)
     @-> returning int32_t)

  let view =
    foreign "wf_view"
      (ptr seq @-> int64_t @-> ptr int64_t @-> ptr int64_t @-> int32_t @-> ptr (ptr seq)
     @-> returning int32_t)

  let translate =
    foreign "wf_translate"
      (ptr seq @-> ptr int64_t @-> int32_t @-> string_opt @-> ptr (ptr seq)
     @-> returning int32_t)

  let join =
    foreign "wf_join"
      (ptr (ptr seq) @-> int32_t @-> int32_t @-> ptr (ptr seq)
     @-> returning int32_t)

  let reduce_axis =
    foreign "wf_reduce_axis"
      (ptr fn @-> string @-> ptr seq @-> ptr int32_t @-> int32_t @-> int32_t @-> ptr (ptr seq)
     @-> returning int32_t)

  let scan_axis =
    foreign "wf_scan_axis"
      (ptr fn @-> string @-> ptr seq @-> int32_t @-> int32_t @-> ptr (ptr seq) @-> ptr (ptr seq)
     @-> returning int32_t)

  let sort_axis =
    foreign "wf_sort_axis" (ptr seq @-> int32_t @-> int32_t @-> ptr (ptr seq) @-> returning int32_t)

  let matmul =
    foreign "wf_matmul" (ptr seq @-> ptr seq @-> ptr (ptr seq) @-> returning int32_t)

  let matrix_power =
    foreign "wf_matrix_power" (ptr seq @-> int64_t @-> ptr (ptr seq) @-> returning int32_t)

  let solve =
    foreign "wf_solve" (string @-> ptr seq @-> ptr seq @-> ptr (ptr seq) @-> returning int32_t)

  let factor =
    foreign "wf_factor" (string @-> ptr seq @-> ptr (ptr seq) @-> int32_t @-> returning int32_t)

  let linear =
    foreign "wf_linear" (string @-> ptr (ptr seq) @-> int32_t @-> ptr (ptr seq) @-> returning int32_t)

  let convolve =
    foreign "wf_convolve" (ptr seq @-> ptr seq @-> ptr (ptr seq) @-> returning int32_t)

  let max_pool =
    foreign "wf_max_pool" (ptr seq @-> int64_t @-> int64_t @-> ptr (ptr seq) @-> returning int32_t)

  let force = foreign "wf_force" (ptr (ptr seq) @-> int32_t @-> returning int32_t)
  let wait = foreign "wf_wait" (ptr (ptr seq) @-> int32_t @-> returning int32_t)

  let to_host =
    foreign "wf_to_host"
      (ptr seq @-> int32_t @-> int64_t @-> int64_t @-> ptr void @-> int32_t @-> int64_t
     @-> returning int32_t)

  let data =
    foreign "wf_data"
      (ptr seq @-> int32_t @-> ptr const_data @-> ptr int64_t @-> returning int32_t)

  let to_dlpack =
    foreign "wf_to_dlpack" (ptr seq @-> int32_t @-> ptr (ptr void) @-> returning int32_t)

  let to_dlpack_stream =
    foreign "wf_to_dlpack_stream"
      (ptr seq @-> int32_t @-> int32_t @-> int64_t @-> ptr (ptr void) @-> returning int32_t)

  let read_array =
    foreign "wf_read_array"
      (ptr context @-> string @-> string_opt @-> string_opt @-> int32_t @-> ptr (ptr seq)
     @-> returning int32_t)

  let write_arrays =
    foreign "wf_write_arrays"
      (string @-> string_opt @-> ptr (ptr seq) @-> ptr const_text @-> int32_t
     @-> returning int32_t)

  let array_names =
    foreign "wf_array_names"
      (string @-> ptr char @-> int64_t @-> ptr int64_t @-> returning int32_t)

  let explain =
    foreign "wf_explain"
      (ptr (ptr seq) @-> int32_t @-> int32_t @-> ptr char @-> int64_t @-> ptr int64_t
     @-> returning int32_t)

  let parameter = foreign "wf_parameter" (ptr seq @-> ptr (ptr seq) @-> returning int32_t)

  let program_create =
    foreign "wf_program_create"
      (ptr (ptr seq) @-> int32_t @-> ptr (ptr seq) @-> int32_t @-> ptr (ptr program)
     @-> returning int32_t)

  let program_run =
    foreign "wf_program_run"
      (ptr program @-> ptr (ptr seq) @-> int32_t @-> ptr (ptr seq) @-> int32_t @-> ptr int32_t
     @-> returning int32_t)

  let program_explain =
    foreign "wf_program_explain"
      (ptr program @-> int32_t @-> ptr char @-> int64_t @-> ptr int64_t @-> returning int32_t)

  let replace = foreign "wf_replace" (ptr seq @-> ptr (ptr seq) @-> returning int32_t)

  let fn_gradient = foreign "wf_fn_gradient" (ptr fn @-> int32_t @-> ptr (ptr fn) @-> returning int32_t)
  let variable = foreign "wf_variable" (ptr seq @-> ptr (ptr seq) @-> returning int32_t)
  let constant = foreign "wf_constant" (ptr seq @-> ptr (ptr seq) @-> returning int32_t)

  let gradient =
    foreign "wf_gradient"
      (ptr (ptr seq) @-> ptr (ptr seq) @-> int32_t @-> ptr (ptr seq) @-> int32_t @-> ptr (ptr seq)
     @-> returning int32_t)

  let tangent =
    foreign "wf_tangent"
      (ptr (ptr seq) @-> int32_t @-> ptr (ptr seq) @-> ptr (ptr seq) @-> int32_t @-> ptr (ptr seq)
     @-> returning int32_t)
end
