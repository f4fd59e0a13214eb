(* Lazy scalars: reductions, totals and lengths that may not have been computed yet. Scalars and sequences that are forced together
   share passes over memory. This check of parentheses takes one pass:

       val (depths, last) = Scalar.scanIncl Exp.+ 0 s
       val lowest = Scalar.reduce Exp.min 0 depths
       val () = Seq.force [Scalar.any last, Scalar.any lowest]
       val matched = Scalar.value last = 0 andalso Scalar.value lowest >= 0 *)
signature SCALAR =
sig
  type 'a t

  val reduce : ('a Exp.t * 'a Exp.t -> 'a Exp.t) -> 'a -> 'a Seq.seq -> 'a t
  val scan : ('a Exp.t * 'a Exp.t -> 'a Exp.t) -> 'a -> 'a Seq.seq -> 'a Seq.seq * 'a t
  (* inclusive prefixes and the total *)
  val scanIncl : ('a Exp.t * 'a Exp.t -> 'a Exp.t) -> 'a -> 'a Seq.seq -> 'a Seq.seq * 'a t
  val length : 'a Seq.seq -> int t
  val nth : 'a Seq.seq -> int -> 'a t

  val map : ('a Exp.t -> 'b Exp.t) -> 'a t -> 'b t
  val zipWith : ('a Exp.t * 'b Exp.t -> 'c Exp.t) -> 'a t * 'b t -> 'c t

  (* The value, which is computed if it has not been yet. *)
  val value : 'a t -> 'a
  val any : 'a t -> Seq.any
  val release : 'a t -> unit
end
