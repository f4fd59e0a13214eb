(** Sequences: immutable arrays that may not have been computed yet.

    Functions that make sequences from others check their arguments at once and run nothing; asking for values ({!force},
    {!get}, {!to_array}, {!Scalar.get}, ...) computes what they need in as few passes over memory as fusion allows. As in the
    standard library, lengths that do not fit and indices outside raise [Invalid_argument]; other failures, such as a closed
    context or exhausted memory, raise [Warpfold.Error]. Below, n is the length, and work does not count that of the functions
    given.

    Any thread may use any sequence; while values are computed, other OCaml threads run. *)

(** A sequence of elements that OCaml sees as ['a] and that traced functions see as ['b]: [(float, Expr.f32) t],
    [(float * int, Expr.f32 * Expr.int) t]. *)
type ('a, 'b) t = ('a, 'b) Node.seq

(** {1 From outside} *)

(** [init n f] has the elements f 0, ..., f (n - 1). [f] is traced: called once, with an expression. Work n, span 1.
    @raise Invalid_argument for a negative [n]. *)
val init : ?context:Context.t -> int -> (Expr.int -> ('a, 'k) Expr.t) -> ('a, ('a, 'k) Expr.t) t

(** For functions that give tuples, whose type has to be told: [init_to Dtype.(pair int f64) n (fun i -> (i, x))]. *)
val init_to : ?context:Context.t -> ('a, 'b) Dtype.t -> int -> (Expr.int -> 'b) -> ('a, 'b) t

(** [tabulate f n] is [init n f]. *)
val tabulate : ?context:Context.t -> (Expr.int -> ('a, 'k) Expr.t) -> int -> ('a, ('a, 'k) Expr.t) t

(** Copies. A [float array] is copied at memory speed, [int]s nearly so; others cost tens of nanoseconds an element. Integers
    outside of the type's range raise [Invalid_argument]. *)
val of_array : ?context:Context.t -> ('a, 'b) Dtype.t -> 'a array -> ('a, 'b) t

val of_list : ?context:Context.t -> ('a, 'b) Dtype.t -> 'a list -> ('a, 'b) t

(** Its bytes. *)
val of_string : ?context:Context.t -> string -> (int, Expr.u8) t

(** A bigarray of the kind that the type asks for, copied at memory speed, or with [~copy:false] read in place: then it must not
    be written to as long as the sequence, or one made from it, lives. It is kept alive for that long. *)
val of_bigarray :
  ?context:Context.t ->
  ?copy:bool ->
  ('a, ('a, 'c * ('x, 'e) Bigarray.kind) Expr.t) Dtype.t ->
  ('x, 'e, Bigarray.c_layout) Bigarray.Array1.t ->
  ('a, ('a, 'c * ('x, 'e) Bigarray.kind) Expr.t) t

(** The bytes of a file as scalars, mapped and read as they are needed. The file must not get shorter meanwhile.
    @raise Warpfold.Error [Io] with the system's reason
    @raise Invalid_argument where the size is no multiple of the scalar's. *)
val of_file : ?context:Context.t -> ('a, ('a, 'k) Expr.t) Dtype.t -> string -> ('a, ('a, 'k) Expr.t) t

(** {1 Element by element} *)

(** r\[i\] = f s\[i\]. [f] is traced; elements of pairs are pairs of expressions. Work n, span 1; fused with what reads it. *)
val map : ('b -> ('c, 'k) Expr.t) -> ('a, 'b) t -> ('c, ('c, 'k) Expr.t) t

(** For functions that give tuples: [map_to Dtype.(pair f32 f32) Expr.(fun x -> (x, x * x)) s]. *)
val map_to : ('c, 'd) Dtype.t -> ('b -> 'd) -> ('a, 'b) t -> ('c, 'd) t

(** r\[i\] = f i s\[i\]. On the result of a filter it runs it first. *)
val mapi : (Expr.int -> 'b -> ('c, 'k) Expr.t) -> ('a, 'b) t -> ('c, ('c, 'k) Expr.t) t

(** r\[i\] = f s\[i\] t\[i\].
    @raise Invalid_argument if the lengths differ. *)
val map2 : ('b -> 'd -> ('e, 'k) Expr.t) -> ('a, 'b) t -> ('c, 'd) t -> ('e, ('e, 'k) Expr.t) t

val map3 :
  ('b -> 'd -> 'f -> ('g, 'k) Expr.t) -> ('a, 'b) t -> ('c, 'd) t -> ('e, 'f) t -> ('g, ('g, 'k) Expr.t) t

(** Side by side; free.
    @raise Invalid_argument if the lengths differ. *)
val zip : ('a, 'b) t -> ('c, 'd) t -> ('a * 'c, 'b * 'd) t

val zip3 : ('a, 'b) t -> ('c, 'd) t -> ('e, 'f) t -> ('a * 'c * 'e, 'b * 'd * 'f) t

(** The fields of every element; free. *)
val unzip : ('a * 'c, 'b * 'd) t -> ('a, 'b) t * ('c, 'd) t

val unzip3 : ('a * 'c * 'e, 'b * 'd * 'f) t -> ('a, 'b) t * ('c, 'd) t * ('e, 'f) t

(** {1 Over all elements}

    The function is traced and must be associative, with [b] its identity; it need not commute. Work n, span log n. *)

(** [reduce f b s] is s\[0\] f s\[1\] f ... f s\[n-1\], [b] for an empty [s]: [reduce Expr.( + ) 0. s]. Lazy; see
    {!module-Scalar}. *)
val reduce : ('b -> 'b -> 'b) -> 'a -> ('a, 'b) t -> ('a, 'b) Scalar.t

(** With the identity that the library knows of one of its own operations: add, mul, min, max, and_, or_, xor.
    @raise Warpfold.Error [Argument] for any other function. *)
val reduce_op : ('b -> 'b -> 'b) -> ('a, 'b) t -> ('a, 'b) Scalar.t

(** [(prefixes, total)]: prefixes\[i\] = s\[0\] f ... f s\[i-1\], [b] for i = 0; total = s\[0\] f ... f s\[n-1\]. One pass
    together with the maps and reductions that read the prefixes. *)
val scan : ('b -> 'b -> 'b) -> 'a -> ('a, 'b) t -> ('a, 'b) t * ('a, 'b) Scalar.t

(** prefixes\[i\] = s\[0\] f ... f s\[i\]. *)
val scan_incl : ('b -> 'b -> 'b) -> 'a -> ('a, 'b) t -> ('a, 'b) t

val scan_incl_total : ('b -> 'b -> 'b) -> 'a -> ('a, 'b) t -> ('a, 'b) t * ('a, 'b) Scalar.t

(** The elements for which the function holds, in order. The length is unknown until something computes it. *)
val filter : ('b -> Expr.bool) -> ('a, 'b) t -> ('a, 'b) t

(** {1 Lengths} *)

(** Computes the result of a filter, whose length is not known before. *)
val length : ('a, 'b) t -> int

(** [None] while only running a filter would tell. Computes nothing. *)
val known_length : ('a, 'b) t -> int option

(** The length, lazily: of a filter, a count that stores nothing. *)
val count : ('a, 'b) t -> (int, Expr.int) Scalar.t

(** {1 Views}

    They have no memory of their own. On the result of a filter they run it first. Indices and lengths outside raise
    [Invalid_argument]. *)

(** Element [i], lazily. *)
val nth : ('a, 'b) t -> int -> ('a, 'b) Scalar.t

(** s\[start\], ..., s\[start + length - 1\]: [subseq s start length]. *)
val subseq : ('a, 'b) t -> int -> int -> ('a, 'b) t

(** The first so many elements. *)
val take : int -> ('a, 'b) t -> ('a, 'b) t

(** All but the first so many. *)
val drop : int -> ('a, 'b) t -> ('a, 'b) t

(** r\[i\] = s\[n - 1 - i\]. *)
val rev : ('a, 'b) t -> ('a, 'b) t

val append : ('a, 'b) t -> ('a, 'b) t -> ('a, 'b) t

(** One after another.
    @raise Invalid_argument for the empty list. *)
val concat : ('a, 'b) t list -> ('a, 'b) t

(** {1 Values} *)

(** Computes the elements. [Warpfold.force] computes several sequences together. *)
val force : ('a, 'b) t -> unit

(** Element [i]. *)
val get : ('a, 'b) t -> int -> 'a

(** Copies. Floats are copied at memory speed, [int]s nearly so; others cost tens of nanoseconds an element. *)
val to_array : ('a, 'b) t -> 'a array

val to_list : ('a, 'b) t -> 'a list

(** The elements in place: no copy is made on the CPU engine. The bigarray, and parts of it, keep the memory alive. It must not be
    written to, since other sequences may read the same memory. *)
val to_bigarray :
  ('a, ('a, 'c * ('x, 'e) Bigarray.kind) Expr.t) t -> ('x, 'e, Bigarray.c_layout) Bigarray.Array1.t

(** {1 Looking in} *)

val dtype : ('a, 'b) t -> ('a, 'b) Dtype.t
val context : ('a, 'b) t -> Context.t

(** Whether it has been computed. *)
val is_manifest : ('a, 'b) t -> bool

(** Gives the sequence up without waiting for the collector; to use it afterwards raises [Invalid_argument]. Those made from it
    stay as they are. *)
val release : ('a, 'b) t -> unit

(** For the toplevel: [<1,2,3>], shortened to 20 elements, if the sequence has been computed; its type and length if not.
    Computes nothing. *)
val pp : Format.formatter -> ('a, 'b) t -> unit
[@@ocaml.toplevel_printer]

(** [<1,2,3>], shortened to 20 elements. Computes the sequence. *)
val to_string : ('a, 'b) t -> string
