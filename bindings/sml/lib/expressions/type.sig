(* Element types as values: they define how the elements of a sequence are stored. Each SML type has one; a tuple is stored as one column
   per component. *)
signature TYPE =
sig
  type 'a t

  val bool : bool t             (* bool: 1 byte *)
  val word8 : Word8.word t      (* u8 *)
  val char : char t             (* u8 *)
  val int32 : Int32.int t       (* i32 *)
  val word32 : Word32.word t    (* u32 *)
  val int : int t               (* i64; i32 if int has 32 bits *)
  val int64 : Int64.int t       (* i64; Int64.int is LargeInt.int in Poly/ML *)
  val word64 : Word64.word t    (* u64 *)
  val single : Single.t t       (* f32 *)
  val real : real t             (* f64 *)

  val pair : 'a t * 'b t -> ('a * 'b) t
  val triple : 'a t * 'b t * 'c t -> ('a * 'b * 'c) t
  val quadruple : 'a t * 'b t * 'c t * 'd t -> ('a * 'b * 'c * 'd) t

  (* For example records: convert (to, from) ty has the columns of ty, to which `to` converts elements, and `from` back. Exp.view shows a lambda an
     element as one of ty. *)
  val convert : ('b -> 'a) * ('a -> 'b) -> 'a t -> 'b t
  (* At most 256 constants, such as those of a datatype: u8, the position in the list. Size if there are more. *)
  val enumeration : ''a list -> ''a t
  (* (bool, 'a): whether it is SOME, and the element *)
  val option : 'a t -> 'a option t

  (* The names of the columns' types in the library: "f64", "(i64, f64)". *)
  val name : 'a t -> string
  (* The text of an element, as toString and the toplevel print it. *)
  val show : 'a t -> 'a -> string
end
