(** Functions of elements that are not traced: C functions, for the CPU engine, and CUDA C++, for GPUs.

    C functions take scalars and give one, or compute blocks of elements; they may be called from several threads at once, and must
    not call OCaml. A [bool] is passed as [unsigned char]. *)

(** A function from elements seen as ['b] to elements [('c, 'd)]. *)
type ('b, 'c, 'd) t

(** [by_name "j0" Dtype.f64 Dtype.f64] is libm's Bessel function; a pair for the parameters means two of them. It is looked for
    in [library] (["libgsl.so.27"]), else in what the program has loaded.
    @raise Invalid_argument if there is no such function. *)
val by_name :
  ?library:string -> string -> ('a, 'b) Dtype.t -> ('c, ([< ('c, _, _) Expr.value Expr.scalar ] as 'd)) Dtype.t -> ('b, 'c, 'd) t

(** By its address; [name] is what [Warpfold.explain] shows. *)
val of_address :
  ?name:string -> nativeint -> ('a, 'b) Dtype.t -> ('c, ([< ('c, _, _) Expr.value Expr.scalar ] as 'd)) Dtype.t -> ('b, 'c, 'd) t

(** A C function that computes a block of elements, by its address:
    [void f(void *user, int64_t n, const void *const *in, void *const *out)] reads n elements of each of the parameters' columns
    and writes n of each of the result's, each element alone, from several threads at once. [user] is the address that it is
    given, 0 unless said otherwise. *)
val block :
  ?name:string -> ?user:nativeint -> nativeint -> ('a, 'b) Dtype.t -> ('c, 'd) Dtype.t -> ('b, 'c, 'd) t

(** [source name text parameters result] is the function [name] that the CUDA C++ [text] defines; see [wf_fn_source] in
    [warpfold.h]. The CPU engine calls [host] instead, if there is one. An error in the text is one of the force. *)
val source : ?host:('b, 'c, 'd) t -> string -> string -> ('a, 'b) Dtype.t -> ('c, 'd) Dtype.t -> ('b, 'c, 'd) t

(** r\[i\] = f s\[i\]. Lazy, and fused as other maps are. *)
val map : ('b, 'c, 'd) t -> ('a, 'b) Seq.t -> ('c, 'd) Seq.t

(** Gives it up without waiting for the collector. *)
val release : ('b, 'c, 'd) t -> unit
