(** Variables that hold a computed sequence or array, and are updated in place where nothing can tell.

    {[
      let weights = Cell.make (Ndarray.fill Dtype.f32 [ 100; 100 ] 0.) in
      Cell.update2 Expr.(fun w g -> w - (f32 0.1 * g)) weights gradient;
      let now = Cell.get weights in
      ...
    ]}

    A cell is no shared variable: one thread at a time may use it. Its values are. *)

type ('rank, 'a, 'b) t

(** Computes the sequence or array. A sequence has rank 1. *)
val make : ('rank, 'a, 'b) Ndarray.t -> ('rank, 'a, 'b) t

(** The value. As long as it exists ({!Seq.release} ends that), or anything made from it that is not computed, updates are not in place. *)
val get : ('rank, 'a, 'b) t -> ('rank, 'a, 'b) Ndarray.t

(** Computes the value and assigns it. If this raises, the cell is as before. *)
val set : ('rank, 'a, 'b) t -> ('rank, 'a, 'b) Ndarray.t -> unit

(** [update f c] replaces each element x by [f x]: [set c (map f (get c))], at once. On the CPU, the new elements are written over the old ones if
    nothing else needs those and [f] checks no index; otherwise they get new memory. The values are the same. If this raises, the cell is as before.
    Work n, span 1. *)
val update : ('b -> 'b) -> ('rank, 'a, 'b) t -> unit

(** [update2 f c a] replaces each element x by [f x y], where y is the element of [a] at the same index; [a] is broadcast to the shape of the
    cell. @raise Invalid_argument if the shapes differ otherwise. *)
val update2 : ('b -> 'd -> 'b) -> ('rank, 'a, 'b) t -> ('rank, 'c, 'd) Ndarray.t -> unit

(** The value, which is computed. *)
val pp : Format.formatter -> ('rank, 'a, 'b) t -> unit
[@@ocaml.toplevel_printer]
