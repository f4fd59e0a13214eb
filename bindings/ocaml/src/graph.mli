(** Several sequences, scalars and arrays at once: those computed together share passes over memory. *)

type any = Any.t =
  | Seq : ('a, 'b) Seq.t -> any
  | Scalar : ('a, 'b) Scalar.t -> any
  | Ndarray : ('rank, 'a, 'b) Ndarray.t -> any

(** Computes all of them. Values over the same data share a pass: [force [ Scalar sum; Scalar largest ]] reads the data once.
    @raise Invalid_argument if an index inside a traced function is out of range.
    @raise Warpfold.Error [Memory], or [Unsupported] if the engine cannot compute them; all are then unchanged. *)
val force : any list -> unit

(** As {!force}, and returns when all elements are in memory, as a measurement of time needs. On a GPU, [force] may return while kernels
    still store elements; whatever reads these waits for them by itself. *)
val wait : any list -> unit

type format = Text | Dot

(** The plan for computing these together, without running it: kernels, fusions with their rules, bytes read and written. For
    values already computed: the kernels that ran, their time and their GB/s. [Dot] is for Graphviz. *)
val explain : ?format:format -> any list -> string
