(* Named functions for reduce, scan, map, filter and tabulate: Seq.scanIncl Lambdas.add 0 s. *)
signature LAMBDAS =
sig
  (* functions of two numbers; min and max take any scalars *)
  val add : 'a Exp.t * 'a Exp.t -> 'a Exp.t
  val sub : 'a Exp.t * 'a Exp.t -> 'a Exp.t
  val mul : 'a Exp.t * 'a Exp.t -> 'a Exp.t
  val multiply : 'a Exp.t * 'a Exp.t -> 'a Exp.t
  val min : 'a Exp.t * 'a Exp.t -> 'a Exp.t
  val max : 'a Exp.t * 'a Exp.t -> 'a Exp.t
  val left : 'a Exp.t * 'a Exp.t -> 'a Exp.t   (* the first of the two *)
  val right : 'a Exp.t * 'a Exp.t -> 'a Exp.t
  val both : bool Exp.t * bool Exp.t -> bool Exp.t
  val either : bool Exp.t * bool Exp.t -> bool Exp.t

  (* functions of one value *)
  val identity : 'a Exp.t -> 'a Exp.t
  val double : 'a Exp.t -> 'a Exp.t
  val is_even : 'a Exp.t -> bool Exp.t
  val parens : int Exp.t -> int Exp.t          (* 1, ~1, 1, ~1, ...: brackets that match *)
  val const1 : int Exp.t -> (int * int) Exp.t  (* (1, 1) *)
end
