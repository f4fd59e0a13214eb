(** The types of what a traced function captures, as {!Expr} and messages of the compiler name them. *)

(** {!Seq.t} *)
type ('a, 'b) seq = ('a, 'b) Node.seq

(** {!Scalar.t} *)
type ('a, 'b) scalar = ('a, 'b) Node.scalar
