;;;; The raw layer: the functions of warpfold.h, in the same order. wf_map is WF-MAP. A test compares every line with the header.
;;;; Strings and handles are pointers in this layer; the layer above converts them.

(in-package #:warpfold.raw)

(defvar *c-functions* '()
  "The bound functions: lists (C-NAME RESULT-TYPE PARAMETER-TYPE...), in CFFI types.")

(defmacro define-c-function (c-name result &rest parameters)
  "Binds one function of the header inline, and exports its Lisp name."
  (let ((name (intern (substitute #\- #\_ (string-upcase c-name)))))
    `(progn
       (declaim (inline ,name))
       (export ',name)
       (cffi:defcfun (,c-name ,name) ,result ,@parameters)
       (pushnew '(,c-name ,result ,@(mapcar #'second parameters)) *c-functions* :test #'equal))))

(defmacro define-codes (&rest names-and-values)
  `(progn ,@(loop for (name value) on names-and-values by #'cddr
                  collect `(export ',name)
                  collect `(defconstant ,name ,value))))

(define-codes
  +ok+ 0 +error-argument+ 1 +error-type+ 2 +error-size+ 3 +error-range+ 4 +error-memory+ 5 +error-compile+ 6
  +error-device+ 7 +error-unsupported+ 8 +error-io+ 9 +error-internal+ 10)
(define-codes +bool+ 0 +u8+ 1 +i32+ 2 +u32+ 3 +i64+ 4 +u64+ 5 +f32+ 6 +f64+ 7)
(define-codes +abi-version+ 1)

(define-c-function "wf_abi_version" :int32)
(define-c-function "wf_version" :pointer)
(define-c-function "wf_error_message" :int32 (buffer :pointer) (capacity :int64) (needed :pointer))
(define-c-function "wf_type_name" :pointer (type :int32))
(define-c-function "wf_type_of_name" :int32 (name :pointer) (type :pointer))
(define-c-function "wf_type_size" :int64 (type :int32))
(define-c-function "wf_op_name" :pointer (k :int32))
(define-c-function "wf_op_signature" :pointer (k :int32))

(define-c-function "wf_context_create" :int32 (name :pointer) (out :pointer))
(define-c-function "wf_context_retain" :void (context :pointer))
(define-c-function "wf_context_release" :void (context :pointer))
(define-c-function "wf_context_close" :int32 (context :pointer))
(define-c-function "wf_context_name" :int32 (context :pointer) (buffer :pointer) (capacity :int64) (needed :pointer))
(define-c-function "wf_context_memory" :int32
  (context :pointer) (live :pointer) (cached :pointer) (peak :pointer) (limit :pointer))
(define-c-function "wf_context_reset_peak" :int32 (context :pointer))
(define-c-function "wf_context_set_limit" :int32 (context :pointer) (bytes :int64))
(define-c-function "wf_context_trim" :int32 (context :pointer) (freed :pointer))
(define-c-function "wf_context_fail_allocation" :int32 (context :pointer) (k :int64))

(define-c-function "wf_fn_create" :int32 (text :pointer) (captures :pointer) (n-captures :int32) (out :pointer))
(define-c-function "wf_fn_foreign" :int32
  (name :pointer) (address :pointer) (param-types :pointer) (n-params :int32) (result-type :int32) (out :pointer))
(export 'wf-block)
(cffi:defcstruct wf-block
  (name :pointer) (function :pointer) (user :pointer) (destroy :pointer) (param-types :pointer) (result-types :pointer)
  (n-params :int32) (n-results :int32))
(define-c-function "wf_fn_block" :int32 (block :pointer) (out :pointer))
(define-c-function "wf_fn_source" :int32
  (name :pointer) (text :pointer) (param-types :pointer) (n-params :int32) (result-types :pointer) (n-results :int32)
  (host :pointer) (out :pointer))
(define-c-function "wf_fn_retain" :void (fn :pointer))
(define-c-function "wf_fn_release" :void (fn :pointer))
(define-c-function "wf_fn_text" :int32 (fn :pointer) (buffer :pointer) (capacity :int64) (needed :pointer))
(define-c-function "wf_fn_arity" :int32 (fn :pointer) (n-params :pointer) (n-results :pointer))
(define-c-function "wf_fn_param_type" :int32 (fn :pointer) (k :int32) (type :pointer))
(define-c-function "wf_fn_result_type" :int32 (fn :pointer) (k :int32) (type :pointer))

(define-c-function "wf_from_host" :int32 (context :pointer) (type :int32) (data :pointer) (n :int64) (out :pointer))
(define-c-function "wf_from_host_strided" :int32
  (context :pointer) (type :int32) (data :pointer) (data-type :int32) (n :int64) (stride :int64) (out :pointer))
(define-c-function "wf_adopt" :int32
  (context :pointer) (type :int32) (data :pointer) (n :int64) (deleter :pointer) (user :pointer) (out :pointer))
(define-c-function "wf_allocate" :int32 (context :pointer) (type :int32) (n :int64) (data :pointer) (out :pointer))
(define-c-function "wf_scalar" :int32 (context :pointer) (type :int32) (value :pointer) (out :pointer))
(define-c-function "wf_from_file" :int32 (context :pointer) (type :int32) (path :pointer) (out :pointer))
(define-c-function "wf_from_dlpack" :int32 (context :pointer) (managed-tensor :pointer) (out :pointer))
(define-c-function "wf_from_dlpack_stream" :int32
  (context :pointer) (managed-tensor :pointer) (is-versioned :int32) (stream :int64) (out :pointer))

(define-c-function "wf_retain" :void (s :pointer))
(define-c-function "wf_release" :void (s :pointer))
(define-c-function "wf_known_length" :int32 (s :pointer) (n :pointer))
(define-c-function "wf_rank" :int32 (s :pointer) (rank :pointer))
(define-c-function "wf_column_count" :int32 (s :pointer) (n :pointer))
(define-c-function "wf_column_type" :int32 (s :pointer) (column :int32) (type :pointer))
(define-c-function "wf_is_manifest" :int32 (s :pointer) (yes :pointer))
(define-c-function "wf_context_of" :int32 (s :pointer) (out :pointer))

(define-c-function "wf_tabulate" :int32 (context :pointer) (f :pointer) (n :int64) (out :pointer))
(define-c-function "wf_map" :int32 (f :pointer) (sequences :pointer) (n-sequences :int32) (out :pointer))
(define-c-function "wf_zip" :int32 (sequences :pointer) (n-sequences :int32) (out :pointer))
(define-c-function "wf_columns" :int32 (s :pointer) (which :pointer) (n :int32) (out :pointer))
(define-c-function "wf_reduce" :int32 (f :pointer) (identity :pointer) (s :pointer) (out :pointer))
(define-c-function "wf_scan" :int32
  (f :pointer) (identity :pointer) (s :pointer) (inclusive :int32) (prefixes :pointer) (total :pointer))
(define-c-function "wf_filter" :int32 (f :pointer) (s :pointer) (out :pointer))
(define-c-function "wf_sort" :int32 (s :pointer) (keys :int32) (descending :int32) (out :pointer))
(define-c-function "wf_sort_by" :int32 (less :pointer) (s :pointer) (out :pointer))
(define-c-function "wf_merge" :int32 (s :pointer) (u :pointer) (keys :int32) (descending :int32) (out :pointer))
(define-c-function "wf_merge_by" :int32 (less :pointer) (s :pointer) (u :pointer) (out :pointer))
(define-c-function "wf_scatter" :int32 (f :pointer) (base :pointer) (indices :pointer) (values :pointer) (out :pointer))
(define-c-function "wf_histogram" :int32 (s :pointer) (bins :int64) (out :pointer))
(define-c-function "wf_offsets" :int32 (lengths :pointer) (out :pointer))
(define-c-function "wf_segment_reduce" :int32
  (f :pointer) (identity :pointer) (values :pointer) (offsets :pointer) (out :pointer))
(define-c-function "wf_segment_scan" :int32
  (f :pointer) (identity :pointer) (values :pointer) (offsets :pointer) (inclusive :int32) (prefixes :pointer) (totals :pointer))
(define-c-function "wf_segment_filter" :int32
  (f :pointer) (values :pointer) (offsets :pointer) (values-out :pointer) (offsets-out :pointer))
(define-c-function "wf_segment_ids" :int32 (offsets :pointer) (n :int64) (out :pointer))
(define-c-function "wf_runs" :int32 (s :pointer) (keys :int32) (out :pointer))
(define-c-function "wf_runs_by" :int32 (equal :pointer) (s :pointer) (out :pointer))
(define-c-function "wf_unique" :int32 (s :pointer) (keys :int32) (out :pointer))
(define-c-function "wf_unique_by" :int32 (equal :pointer) (s :pointer) (out :pointer))
(define-c-function "wf_split" :int32 (f :pointer) (s :pointer) (values :pointer) (offsets :pointer))
(define-c-function "wf_search" :int32
  (sorted :pointer) (needles :pointer) (keys :int32) (descending :int32) (after :int32) (out :pointer))
(define-c-function "wf_search_by" :int32
  (less :pointer) (sorted :pointer) (needles :pointer) (after :int32) (out :pointer))
(define-c-function "wf_intersection" :int32 (s :pointer) (u :pointer) (keys :int32) (descending :int32) (out :pointer))
(define-c-function "wf_intersection_by" :int32 (less :pointer) (s :pointer) (u :pointer) (out :pointer))
(define-c-function "wf_difference" :int32 (s :pointer) (u :pointer) (keys :int32) (descending :int32) (out :pointer))
(define-c-function "wf_difference_by" :int32 (less :pointer) (s :pointer) (u :pointer) (out :pointer))
(define-c-function "wf_iterate" :int32 (f :pointer) (initial :pointer) (s :pointer) (out :pointer))
(define-c-function "wf_iterate_prefixes" :int32
  (f :pointer) (initial :pointer) (s :pointer) (inclusive :int32) (prefixes :pointer) (last :pointer))
(define-c-function "wf_random_key" :int32 (context :pointer) (seed :int64) (out :pointer))
(define-c-function "wf_random_split" :int32 (key :pointer) (i :int64) (out :pointer))
(define-c-function "wf_random" :int32
  (distribution :pointer) (key :pointer) (parameters :pointer) (n-parameters :int32) (n :int64) (type :int32) (out :pointer))
(define-c-function "wf_log_density" :int32
  (distribution :pointer) (x :pointer) (parameters :pointer) (n-parameters :int32) (out :pointer))
(define-c-function "wf_distribution_function" :int32
  (distribution :pointer) (x :pointer) (parameters :pointer) (n-parameters :int32) (out :pointer))
(define-c-function "wf_length" :int32 (s :pointer) (out :pointer))
(define-c-function "wf_nth" :int32 (s :pointer) (i :int64) (out :pointer))
(define-c-function "wf_subseq" :int32 (s :pointer) (start :int64) (length :int64) (out :pointer))
(define-c-function "wf_take" :int32 (s :pointer) (n :int64) (out :pointer))
(define-c-function "wf_drop" :int32 (s :pointer) (n :int64) (out :pointer))
(define-c-function "wf_rev" :int32 (s :pointer) (out :pointer))
(define-c-function "wf_append" :int32 (sequences :pointer) (n-sequences :int32) (out :pointer))

(define-c-function "wf_shape" :int32 (s :pointer) (extents :pointer) (capacity :int32) (rank :pointer))
(define-c-function "wf_reshape" :int32 (s :pointer) (extents :pointer) (rank :int32) (out :pointer))
(define-c-function "wf_from_host_array" :int32
  (context :pointer) (type :int32) (data :pointer) (data-type :int32) (extents :pointer) (strides :pointer) (rank :int32) (out :pointer))
(define-c-function "wf_adopt_array" :int32
  (context :pointer) (type :int32) (data :pointer) (layout :pointer) (rank :int32) (deleter :pointer) (user :pointer) (out :pointer))
(define-c-function "wf_permute" :int32 (s :pointer) (axes :pointer) (n :int32) (out :pointer))
(define-c-function "wf_broadcast" :int32 (s :pointer) (extents :pointer) (rank :int32) (out :pointer))
(define-c-function "wf_slice" :int32 (s :pointer) (starts :pointer) (counts :pointer) (steps :pointer) (n :int32) (out :pointer))
(define-c-function "wf_view" :int32 (s :pointer) (offset :int64) (extents :pointer) (strides :pointer) (rank :int32) (out :pointer))
(define-c-function "wf_translate" :int32 (s :pointer) (distances :pointer) (n :int32) (outside :pointer) (out :pointer))
(define-c-function "wf_join" :int32 (sequences :pointer) (n-sequences :int32) (axis :int32) (out :pointer))
(define-c-function "wf_reduce_axis" :int32
  (f :pointer) (identity :pointer) (s :pointer) (axes :pointer) (n-axes :int32) (keep :int32) (out :pointer))
(define-c-function "wf_scan_axis" :int32
  (f :pointer) (identity :pointer) (s :pointer) (axis :int32) (inclusive :int32) (prefixes :pointer) (totals :pointer))
(define-c-function "wf_sort_axis" :int32 (s :pointer) (axis :int32) (descending :int32) (out :pointer))

(define-c-function "wf_matmul" :int32 (a :pointer) (b :pointer) (out :pointer))
(define-c-function "wf_matrix_power" :int32 (a :pointer) (n :int64) (out :pointer))
(define-c-function "wf_solve" :int32 (form :pointer) (a :pointer) (b :pointer) (out :pointer))
(define-c-function "wf_factor" :int32 (factorization :pointer) (a :pointer) (out :pointer) (n-out :int32))
(define-c-function "wf_linear" :int32 (function :pointer) (arguments :pointer) (n-arguments :int32) (out :pointer))
(define-c-function "wf_convolve" :int32 (image :pointer) (kernel :pointer) (out :pointer))
(define-c-function "wf_max_pool" :int32 (image :pointer) (rows :int64) (columns :int64) (out :pointer))

(define-c-function "wf_force" :int32 (sequences :pointer) (n-sequences :int32))
(define-c-function "wf_wait" :int32 (sequences :pointer) (n-sequences :int32))
(define-c-function "wf_to_host" :int32
  (s :pointer) (column :int32) (start :int64) (count :int64) (data :pointer) (data-type :int32) (stride :int64))
(define-c-function "wf_data" :int32 (s :pointer) (column :int32) (data :pointer) (n :pointer))
(define-c-function "wf_to_dlpack" :int32 (s :pointer) (column :int32) (managed-tensor :pointer))
(define-c-function "wf_to_dlpack_stream" :int32
  (s :pointer) (column :int32) (is-versioned :int32) (stream :int64) (managed-tensor :pointer))

(define-c-function "wf_read_array" :int32
  (context :pointer) (path :pointer) (format :pointer) (name :pointer) (type :int32) (out :pointer))
(define-c-function "wf_write_arrays" :int32
  (path :pointer) (format :pointer) (arrays :pointer) (names :pointer) (n-arrays :int32))
(define-c-function "wf_array_names" :int32 (path :pointer) (buffer :pointer) (capacity :int64) (needed :pointer))

(define-c-function "wf_explain" :int32
  (sequences :pointer) (n-sequences :int32) (format :int32) (buffer :pointer) (capacity :int64) (needed :pointer))

(define-c-function "wf_parameter" :int32 (like :pointer) (out :pointer))
(define-c-function "wf_program_create" :int32
  (parameters :pointer) (n-parameters :int32) (results :pointer) (n-results :int32) (out :pointer))
(define-c-function "wf_program_retain" :void (program :pointer))
(define-c-function "wf_program_release" :void (program :pointer))
(define-c-function "wf_program_run" :int32
  (program :pointer) (arguments :pointer) (n-arguments :int32) (results :pointer) (n-results :int32) (fits :pointer))
(define-c-function "wf_program_explain" :int32
  (program :pointer) (format :int32) (buffer :pointer) (capacity :int64) (needed :pointer))

(define-c-function "wf_replace" :int32 (value :pointer) (cell :pointer))
(define-c-function "wf_fn_gradient" :int32 (f :pointer) (forward :int32) (out :pointer))
(define-c-function "wf_variable" :int32 (s :pointer) (out :pointer))
(define-c-function "wf_constant" :int32 (s :pointer) (out :pointer))
(define-c-function "wf_gradient" :int32
  (values :pointer) (seeds :pointer) (n-values :int32) (variables :pointer) (n-variables :int32) (out :pointer))
(define-c-function "wf_tangent" :int32
  (values :pointer) (n-values :int32) (variables :pointer) (tangents :pointer) (n-variables :int32) (out :pointer))
