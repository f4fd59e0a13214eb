(** Opaque functions of elements: C functions for the CPU engine, and CUDA C++ for GPUs.

    C functions take scalars and return one, or compute blocks of elements. They may be called from several threads at once and must
    not call OCaml. A [bool] is passed as [unsigned char]. *)

(** A function from elements seen as ['b] to elements [('c, 'd)]. *)
type ('b, 'c, 'd) t

(** [by_name "j0" Dtype.f64 Dtype.f64] is libm's Bessel function; a pair as the parameter type means two parameters. The name is
    looked up in [library] (["libgsl.so.27"]), else in the libraries that the program has loaded.
    @raise Invalid_argument if there is no such function. *)
val by_name :
  ?library:string -> string -> ('a, 'b) Dtype.t -> ('c, ([< ('c, _, _) Expr.value Expr.scalar ] as 'd)) Dtype.t -> ('b, 'c, 'd) t

(** A C function by its address; [Warpfold.explain] shows [name]. *)
val of_address :
  ?name:string -> nativeint -> ('a, 'b) Dtype.t -> ('c, ([< ('c, _, _) Expr.value Expr.scalar ] as 'd)) Dtype.t -> ('b, 'c, 'd) t

(** A C function that computes a block of elements, by its address:
    [void f(void *user, int64_t n, const void *const *in, void *const *out)] reads n elements of each of the parameters' columns
    and writes n of each of the result's. Each element must depend on the same element only; several threads call it at once.
    [user] is passed to the function, 0 by default. *)
val block :
  ?name:string -> ?user:nativeint -> nativeint -> ('a, 'b) Dtype.t -> ('c, 'd) Dtype.t -> ('b, 'c, 'd) t

(** [source name text parameters result] is the function [name] that the CUDA C++ [text] defines; see [wf_fn_source] in
    [warpfold.h]. The CPU engine calls [host] instead if it is passed. An error in the text is raised by the call that forces. *)
val source : ?host:('b, 'c, 'd) t -> string -> string -> ('a, 'b) Dtype.t -> ('c, 'd) Dtype.t -> ('b, 'c, 'd) t

(** r\[i\] = f s\[i\]. Lazy, and fused like other maps. *)
val map : ('b, 'c, 'd) t -> ('a, 'b) Seq.t -> ('c, 'd) Seq.t

(** Releases the function without waiting for the garbage collector. *)
val release : ('b, 'c, 'd) t -> unit
