(** Several sequences and scalars at once: what is computed together shares passes over memory. *)

type any = Seq : ('a, 'b) Seq.t -> any | Scalar : ('a, 'b) Scalar.t -> any

(** Computes all of them. Those over the same data share a pass: [force [ Scalar sum; Scalar largest ]] reads the data once.
    @raise Invalid_argument where an index inside a function was outside of a sequence
    @raise Warpfold.Error [Memory], or [Unsupported] for what the engine cannot do; all are then as before. *)
val force : any list -> unit

type format = Text | Dot

(** The plan for these together, not run: kernels, what was fused and by which rule, bytes read and written. For what has been
    computed: how, in which time, at how many GB/s. [Dot] is for Graphviz. *)
val explain : ?format:format -> any list -> string
