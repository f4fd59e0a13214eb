(** C functions as functions of elements, on the CPU engine only. They take scalars and give one, may be called from several
    threads at once, and must not call OCaml; a [bool] is passed as [unsigned char]. *)

(** A function from elements seen as ['b] to scalars [('c, 'd)]. *)
type ('b, 'c, 'd) t

(** [by_name "j0" Dtype.f64 Dtype.f64] is libm's Bessel function; a pair for the parameters means two of them. It is looked for
    in [library] (["libgsl.so.27"]), else in what the program has loaded.
    @raise Invalid_argument if there is no such function. *)
val by_name :
  ?library:string -> string -> ('a, 'b) Dtype.t -> ('c, ('c, 'k) Expr.t) Dtype.t -> ('b, 'c, ('c, 'k) Expr.t) t

(** By its address; [name] is what [Warpfold.explain] shows. *)
val of_address :
  ?name:string -> nativeint -> ('a, 'b) Dtype.t -> ('c, ('c, 'k) Expr.t) Dtype.t -> ('b, 'c, ('c, 'k) Expr.t) t

(** r\[i\] = f s\[i\]. Lazy, and fused as other maps are. *)
val map : ('b, 'c, 'd) t -> ('a, 'b) Seq.t -> ('c, 'd) Seq.t

(** Gives it up without waiting for the collector. *)
val release : ('b, 'c, 'd) t -> unit
