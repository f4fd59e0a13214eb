(** Elementwise functions and operators of arrays; part of {!Ndarray}.

    Arrays that are read together have one rank. Along each axis, extents are equal, or an array with extent 1 is repeated. {!Ndarray.like} gives
    an array the axes that it lacks at the front, {!Ndarray.expand} one at any place: [m + like m row], [m + expand 1 column]. Other shapes raise
    [Invalid_argument]. Fused with what reads the result. *)

(* Printed types name a module as it is named here: Warpfold.Expr for Warpfold__Expr. Dune finds dependencies by the
   short names in [needed]. *)

type needed := Expr.int * (unit, unit) Dtype.t [@@warning "-34"]
module Expr := Warpfold__Expr
module Dtype := Warpfold__Dtype

type ('rank, 'a, 'b) t = ('rank, 'a, 'b) Node.t

(** r\[i, j, ...\] = f a\[i, j, ...\]; [f] is traced. *)
val map : ('b -> ([< ('c, _, _) Expr.value Expr.scalar ] as 'r)) -> ('n, 'a, 'b) t -> ('n, 'c, 'r) t

(** [map] for functions that return tuples. *)
val map_to : ('c, 'd) Dtype.t -> ('b -> 'd) -> ('n, 'a, 'b) t -> ('n, 'c, 'd) t

val map2 : ('b -> 'd -> ([< ('e, _, _) Expr.value Expr.scalar ] as 'r)) -> ('n, 'a, 'b) t -> ('n, 'c, 'd) t -> ('n, 'e, 'r) t

val map3 :
  ('b -> 'd -> 'f -> ([< ('g, _, _) Expr.value Expr.scalar ] as 'r)) ->
  ('n, 'a, 'b) t ->
  ('n, 'c, 'd) t ->
  ('n, 'e, 'f) t ->
  ('n, 'g, 'r) t

val zip : ('n, 'a, 'b) t -> ('n, 'c, 'd) t -> ('n, 'a * 'c, 'b * 'd) t
val unzip : ('n, 'a * 'c, 'b * 'd) t -> ('n, 'a, 'b) t * ('n, 'c, 'd) t

(** [where c a b] has the elements of [a] where [c] is true, else those of [b]. *)
val where : ('n, bool, Expr.bool) t -> ('n, 'a, ([< _ Expr.scalar ] as 'b)) t -> ('n, 'a, 'b) t -> ('n, 'a, 'b) t

(** [clamp low high a]: [low] for elements below it, [high] for those above it, else the element. NaN becomes [high]; if [high] is below [low], all
    elements are [low]. *)
val clamp : 'a -> 'a -> ('n, 'a, ([< _ Expr.number ] as 'b)) t -> ('n, 'a, 'b) t

(** The elements themselves, as NumBirch's [pos]. *)
val pos : ('n, 'a, ([< _ Expr.number ] as 'b)) t -> ('n, 'a, 'b) t

(** The greater one of each element and 0. *)
val rectify : ('n, 'a, ([< _ Expr.number ] as 'b)) t -> ('n, 'a, 'b) t

val not : ('n, 'a, ([< _ Expr.bits ] as 'b)) t -> ('n, 'a, 'b) t

(** {2 Functions of each element, which {!Expr} documents} *)

val abs : ('n, 'a, ([< _ Expr.number ] as 'b)) t -> ('n, 'a, 'b) t
val sign : ('n, 'a, ([< _ Expr.number ] as 'b)) t -> ('n, 'a, 'b) t
val sqrt : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val cbrt : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val exp : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val exp2 : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val expm1 : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val log : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val log2 : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val log10 : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val log1p : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val sin : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val cos : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val tan : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val asin : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val acos : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val atan : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val sinh : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val cosh : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val tanh : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val erf : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val sigmoid : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val softplus : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val floor : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val ceil : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val round : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t
val trunc : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t

(** {2 Operators}

    [+], [*], ... of two arrays. With a number on one side, [$] stands on its side, as in Owl: [a *$ 2.], [1. $/ a]. An operator that begins with [$]
    binds as loosely as [=]. *)

module Infix : sig
  val ( + ) : ('n, 'a, ([< _ Expr.number ] as 'b)) t -> ('n, 'a, 'b) t -> ('n, 'a, 'b) t
  val ( - ) : ('n, 'a, ([< _ Expr.number ] as 'b)) t -> ('n, 'a, 'b) t -> ('n, 'a, 'b) t
  val ( * ) : ('n, 'a, ([< _ Expr.number ] as 'b)) t -> ('n, 'a, 'b) t -> ('n, 'a, 'b) t
  val ( / ) : ('n, 'a, ([< _ Expr.number ] as 'b)) t -> ('n, 'a, 'b) t -> ('n, 'a, 'b) t
  val ( mod ) : ('n, 'a, ([< _ Expr.number ] as 'b)) t -> ('n, 'a, 'b) t -> ('n, 'a, 'b) t
  val ( ** ) : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> ('n, 'a, 'b) t -> ('n, 'a, 'b) t
  val ( ~- ) : ('n, 'a, ([< _ Expr.number ] as 'b)) t -> ('n, 'a, 'b) t
  val ( = ) : ('n, 'a, ([< _ Expr.scalar ] as 'b)) t -> ('n, 'a, 'b) t -> ('n, bool, Expr.bool) t
  val ( <> ) : ('n, 'a, ([< _ Expr.scalar ] as 'b)) t -> ('n, 'a, 'b) t -> ('n, bool, Expr.bool) t
  val ( < ) : ('n, 'a, ([< _ Expr.scalar ] as 'b)) t -> ('n, 'a, 'b) t -> ('n, bool, Expr.bool) t
  val ( <= ) : ('n, 'a, ([< _ Expr.scalar ] as 'b)) t -> ('n, 'a, 'b) t -> ('n, bool, Expr.bool) t
  val ( > ) : ('n, 'a, ([< _ Expr.scalar ] as 'b)) t -> ('n, 'a, 'b) t -> ('n, bool, Expr.bool) t
  val ( >= ) : ('n, 'a, ([< _ Expr.scalar ] as 'b)) t -> ('n, 'a, 'b) t -> ('n, bool, Expr.bool) t
  val ( && ) : ('n, bool, Expr.bool) t -> ('n, bool, Expr.bool) t -> ('n, bool, Expr.bool) t
  val ( || ) : ('n, bool, Expr.bool) t -> ('n, bool, Expr.bool) t -> ('n, bool, Expr.bool) t
  val ( +$ ) : ('n, 'a, ([< _ Expr.number ] as 'b)) t -> 'a -> ('n, 'a, 'b) t
  val ( -$ ) : ('n, 'a, ([< _ Expr.number ] as 'b)) t -> 'a -> ('n, 'a, 'b) t
  val ( *$ ) : ('n, 'a, ([< _ Expr.number ] as 'b)) t -> 'a -> ('n, 'a, 'b) t
  val ( /$ ) : ('n, 'a, ([< _ Expr.number ] as 'b)) t -> 'a -> ('n, 'a, 'b) t
  val ( **$ ) : ('n, 'a, ([< _ Expr.real ] as 'b)) t -> 'a -> ('n, 'a, 'b) t
  val ( =$ ) : ('n, 'a, ([< _ Expr.scalar ] as 'b)) t -> 'a -> ('n, bool, Expr.bool) t
  val ( <>$ ) : ('n, 'a, ([< _ Expr.scalar ] as 'b)) t -> 'a -> ('n, bool, Expr.bool) t
  val ( <$ ) : ('n, 'a, ([< _ Expr.scalar ] as 'b)) t -> 'a -> ('n, bool, Expr.bool) t
  val ( <=$ ) : ('n, 'a, ([< _ Expr.scalar ] as 'b)) t -> 'a -> ('n, bool, Expr.bool) t
  val ( >$ ) : ('n, 'a, ([< _ Expr.scalar ] as 'b)) t -> 'a -> ('n, bool, Expr.bool) t
  val ( >=$ ) : ('n, 'a, ([< _ Expr.scalar ] as 'b)) t -> 'a -> ('n, bool, Expr.bool) t
  val ( $+ ) : 'a -> ('n, 'a, ([< _ Expr.number ] as 'b)) t -> ('n, 'a, 'b) t
  val ( $- ) : 'a -> ('n, 'a, ([< _ Expr.number ] as 'b)) t -> ('n, 'a, 'b) t
  val ( $* ) : 'a -> ('n, 'a, ([< _ Expr.number ] as 'b)) t -> ('n, 'a, 'b) t
  val ( $/ ) : 'a -> ('n, 'a, ([< _ Expr.number ] as 'b)) t -> ('n, 'a, 'b) t
end

include module type of Infix
