(** Parts of arrays: the elements that {!Ndarray.slice} selects along each axis. Negative indices count from the end. *)

(* Printed types name a module as it is named here: Warpfold.Axes for Warpfold__Axes. Dune finds dependencies by the
   short names in [needed]. *)

type needed := (unit, unit) Axes.t [@@warning "-34"]
module Axes := Warpfold__Axes

type (_, _) item =
  | All : ('r, 'r Axes.axis) item
  | At : int -> ('r, 'r) item  (** one index; the result lacks the axis *)
  | From : int -> ('r, 'r Axes.axis) item  (** from an index to the end *)
  | Until : int -> ('r, 'r Axes.axis) item  (** up to an index, without it *)
  | Range : int * int -> ('r, 'r Axes.axis) item  (** from an index up to another one, without it *)
  | Every : int -> ('r, 'r Axes.axis) item  (** each k-th from the first, or for a negative k, from the last *)
  | Step : int option * int option * int -> ('r, 'r Axes.axis) item
      (** [Step (from, until, by)] is Python's from:until:by; [None] is the end at which a step [by] starts or stops *)
  | Steps : { from : int; count : int; by : int } -> ('r, 'r Axes.axis) item  (** from, from + by, ...: [count] indices *)

(** Written as a list of one item per axis. *)
type (_, _) items = [] : (Axes.rank0, Axes.rank0) items | ( :: ) : ('r, 's) item * ('q, 'r) items -> ('q Axes.axis, 's) items

(**/**)

(** The start, the count and the step along each axis, and false if the axis is dropped. *)
val of_items : int -> int list -> ('r, 's) items -> (int * int * int * bool) list
