(** Sequences: immutable arrays that may not have been computed yet.

    Functions that make sequences from others check their arguments at once and run nothing. Reading values ({!force},
    {!get}, {!to_array}, {!Scalar.get}, ...) computes all that they need in as few passes over memory as fusion allows. As in
    the standard library, mismatched lengths and indices out of range raise [Invalid_argument]. Other failures, such as a closed
    context or exhausted memory, raise [Warpfold.Error]. Below, n is the length; work excludes the work of the argument
    functions.

    Any thread may use any sequence; other OCaml threads run while values are computed. *)

(* Printed types name a module as it is named here: Warpfold.Expr for Warpfold__Expr. Dune finds dependencies by the
   short names in [needed]. *)

type needed := Expr.int * (unit, unit) Dtype.t * (unit, unit) Scalar.t * Context.t [@@warning "-34"]
module Expr := Warpfold__Expr
module Dtype := Warpfold__Dtype
module Scalar := Warpfold__Scalar
module Context := Warpfold__Context

(** A sequence of elements that OCaml sees as ['a] and that traced functions see as ['b]: [(float, Expr.f32) t],
    [(float * int, Expr.f32 * Expr.int) t]. *)
type ('a, 'b) t = ('a, 'b) Node.seq

(** {1 Construction} *)

(** [init n f] has the elements f 0, ..., f (n - 1). [f] is traced: called once, with an expression. Work n, span 1.
    @raise Invalid_argument for a negative [n]. *)
val init : ?context:Context.t -> int -> (Expr.int -> ([< ('a, _, _) Expr.value Expr.scalar ] as 'r)) -> ('a, 'r) t

(** [init] for functions that return tuples; the result type is an argument: [init_to Dtype.(pair int f64) n (fun i -> (i, x))]. *)
val init_to : ?context:Context.t -> ('a, 'b) Dtype.t -> int -> (Expr.int -> 'b) -> ('a, 'b) t

(** [tabulate f n] is [init n f]. *)
val tabulate : ?context:Context.t -> (Expr.int -> ([< ('a, _, _) Expr.value Expr.scalar ] as 'r)) -> int -> ('a, 'r) t

(** [iota n] has the elements 0, 1, ..., n - 1. *)
val iota : ?context:Context.t -> int -> (int, Expr.int) t

val empty : ?context:Context.t -> ('a, 'b) Dtype.t -> ('a, 'b) t
val singleton : ?context:Context.t -> ('a, 'b) Dtype.t -> 'a -> ('a, 'b) t

(** Copies the array. A [float array] is copied at memory speed, an [int array] almost as fast; other types cost tens of
    nanoseconds per element. Integers out of the type's range raise [Invalid_argument]. *)
val of_array : ?context:Context.t -> ('a, 'b) Dtype.t -> 'a array -> ('a, 'b) t

val of_list : ?context:Context.t -> ('a, 'b) Dtype.t -> 'a list -> ('a, 'b) t

(** Copies the bytes of the string. *)
val of_string : ?context:Context.t -> string -> (int, Expr.u8) t

(** Copies the elements that a standard sequence yields; it must be finite. *)
val of_seq : ?context:Context.t -> ('a, 'b) Dtype.t -> 'a Stdlib.Seq.t -> ('a, 'b) t

(** The elements of a bigarray of the type's kind, copied at memory speed. With [~copy:false] the bigarray is read in place: it
    must not be written to while the sequence, or one made from it, is alive. The sequence keeps the bigarray alive. *)
val of_bigarray :
  ?context:Context.t ->
  ?copy:bool ->
  ('a, ([< ('a, 'x, 'e) Expr.value Expr.scalar ] as 'b)) Dtype.t ->
  ('x, 'e, 'layout) Bigarray.Array1.t ->
  ('a, 'b) t

(** The elements of a matrix in memory order: row-major in the C layout, column-major in the Fortran layout. *)
val of_array2 :
  ?context:Context.t ->
  ?copy:bool ->
  ('a, ([< ('a, 'x, 'e) Expr.value Expr.scalar ] as 'b)) Dtype.t ->
  ('x, 'e, 'layout) Bigarray.Array2.t ->
  ('a, 'b) t

(** The elements of a bigarray of any dimensions in memory order. *)
val of_genarray :
  ?context:Context.t ->
  ?copy:bool ->
  ('a, ([< ('a, 'x, 'e) Expr.value Expr.scalar ] as 'b)) Dtype.t ->
  ('x, 'e, 'layout) Bigarray.Genarray.t ->
  ('a, 'b) t

(** The bytes of a file as scalars; the file is memory-mapped and read on demand. It must not be truncated while in use.
    @raise Warpfold.Error [Io] with the system's reason if the file cannot be read.
    @raise Invalid_argument if the file size is not a multiple of the scalar's size. *)
val of_file :
  ?context:Context.t -> ('a, ([< ('a, _, _) Expr.value Expr.scalar ] as 'b)) Dtype.t -> string -> ('a, 'b) t

(** {1 Elementwise} *)

(** r\[i\] = f s\[i\]. [f] is traced; an element of a zipped sequence is a pair of expressions. Work n, span 1; fused with its
    consumers. *)
val map : ('b -> ([< ('c, _, _) Expr.value Expr.scalar ] as 'r)) -> ('a, 'b) t -> ('c, 'r) t

(** [map] for functions that return tuples: [map_to Dtype.(pair f32 f32) Expr.(fun x -> (x, x * x)) s]. *)
val map_to : ('c, 'd) Dtype.t -> ('b -> 'd) -> ('a, 'b) t -> ('c, 'd) t

(** r\[i\] = f i s\[i\]. If [s] is the result of a filter, the filter runs first. *)
val mapi : (Expr.int -> 'b -> ([< ('c, _, _) Expr.value Expr.scalar ] as 'r)) -> ('a, 'b) t -> ('c, 'r) t

(** r\[i\] = f s\[i\] t\[i\].
    @raise Invalid_argument if the lengths differ. *)
val map2 : ('b -> 'd -> ([< ('e, _, _) Expr.value Expr.scalar ] as 'r)) -> ('a, 'b) t -> ('c, 'd) t -> ('e, 'r) t

val map3 :
  ('b -> 'd -> 'f -> ([< ('g, _, _) Expr.value Expr.scalar ] as 'r)) -> ('a, 'b) t -> ('c, 'd) t -> ('e, 'f) t -> ('g, 'r) t

(** r\[i\] = (s\[i\], t\[i\]). Copies nothing.
    @raise Invalid_argument if the lengths differ. *)
val zip : ('a, 'b) t -> ('c, 'd) t -> ('a * 'c, 'b * 'd) t

(** [zip] and [map2] to the shorter of both lengths. *)
val zip_shortest : ('a, 'b) t -> ('c, 'd) t -> ('a * 'c, 'b * 'd) t

val map2_shortest :
  ('b -> 'd -> ([< ('e, _, _) Expr.value Expr.scalar ] as 'r)) -> ('a, 'b) t -> ('c, 'd) t -> ('e, 'r) t

val zip3 : ('a, 'b) t -> ('c, 'd) t -> ('e, 'f) t -> ('a * 'c * 'e, 'b * 'd * 'f) t

(** r\[i\] = (i, s\[i\]); 15-210's [enum]. If [s] is the result of a filter, the filter runs first. *)
val enumerate : ('a, 'b) t -> (int * 'a, Expr.int * 'b) t

(** One sequence per field of the elements. Copies nothing. *)
val unzip : ('a * 'c, 'b * 'd) t -> ('a, 'b) t * ('c, 'd) t

val unzip3 : ('a * 'c * 'e, 'b * 'd * 'f) t -> ('a, 'b) t * ('c, 'd) t * ('e, 'f) t

(** {1 Over all elements}

    The function is traced and must be associative, with [b] its identity; it need not commute. Work n, span log n. *)

(** [reduce f b s] is s\[0\] f s\[1\] f ... f s\[n-1\], [b] for an empty [s]: [reduce Expr.( + ) 0. s]. Lazy; see
    {!module-Scalar}. *)
val reduce : ('b -> 'b -> 'b) -> 'a -> ('a, 'b) t -> ('a, 'b) Scalar.t

(** [reduce] with the built-in identity of one of the operations add, mul, min, max, and_, or_, xor. For [int], the identities of min
    and max are those of an i64, of which OCaml reads the lower 63 bits; {!min} and {!max} return [max_int] and [min_int].
    @raise Warpfold.Error [Argument] for any other function. *)
val reduce_op : ('b -> 'b -> 'b) -> ('a, 'b) t -> ('a, 'b) Scalar.t

(** [(prefixes, total)]: prefixes\[i\] = s\[0\] f ... f s\[i-1\], [b] for i = 0; total = s\[0\] f ... f s\[n-1\]. Fused into one
    pass with the maps and reductions that read the prefixes. *)
val scan : ('b -> 'b -> 'b) -> 'a -> ('a, 'b) t -> ('a, 'b) t * ('a, 'b) Scalar.t

(** prefixes\[i\] = s\[0\] f ... f s\[i\]. *)
val scan_incl : ('b -> 'b -> 'b) -> 'a -> ('a, 'b) t -> ('a, 'b) t

val scan_incl_total : ('b -> 'b -> 'b) -> 'a -> ('a, 'b) t -> ('a, 'b) t * ('a, 'b) Scalar.t

(** The elements for which the function returns true, in order. The length is unknown until the filter has run. *)
val filter : ('b -> Expr.bool) -> ('a, 'b) t -> ('a, 'b) t

(** {1 Reductions by name, sequential steps} *)

include module type of Totals with type ('a, 'b) t := ('a, 'b) t

(** {1 Orders} *)

include module type of Orders with type ('a, 'b) t := ('a, 'b) t

(** {1 Computed indices} *)

include module type of Places with type ('a, 'b) t := ('a, 'b) t

(** {1 Lengths} *)

(** The length. If [s] is the result of a filter, the filter runs first. *)
val length : ('a, 'b) t -> int

(** The length, or [None] if it depends on a filter that has not run. Computes nothing. *)
val known_length : ('a, 'b) t -> int option

(** The length as a lazy scalar; {!count_if} counts by a predicate. For a filter, it counts the elements without storing them. *)
val count : ('a, 'b) t -> (int, Expr.int) Scalar.t

(** {1 Views}

    A view has no memory of its own. A view of the result of a filter runs the filter first. Indices and lengths out of range
    raise [Invalid_argument]. *)

(** Element [i] as a lazy scalar. *)
val nth : ('a, 'b) t -> int -> ('a, 'b) Scalar.t

(** s\[start\], ..., s\[start + length - 1\]: [subseq s start length]. *)
val subseq : ('a, 'b) t -> int -> int -> ('a, 'b) t

(** [take k s] is the first [k] elements. *)
val take : int -> ('a, 'b) t -> ('a, 'b) t

(** [drop k s] is all but the first [k] elements. *)
val drop : int -> ('a, 'b) t -> ('a, 'b) t

(** r\[i\] = s\[n - 1 - i\]. *)
val rev : ('a, 'b) t -> ('a, 'b) t

val append : ('a, 'b) t -> ('a, 'b) t -> ('a, 'b) t

(** {2 Views as in 15-210} *)

type ('a, 'b) list_view = Nil | Cons of 'a * ('a, 'b) t
type ('a, 'b) tree_view = Empty | One of 'a | Pair of ('a, 'b) t * ('a, 'b) t

(** The first element and the others, [drop 1 s]. Computes one element; a recursion over all elements that way is slower than
    {!iter} by orders of magnitude. *)
val split_head : ('a, 'b) t -> ('a, 'b) list_view

(** The two halves, of lengths n / 2 and n - n / 2, for divide and conquer. Computes nothing but a single element. *)
val split_mid : ('a, 'b) t -> ('a, 'b) tree_view

(** The sequences of the list, appended in order.
    @raise Invalid_argument for the empty list. *)
val concat : ('a, 'b) t list -> ('a, 'b) t

(** {1 Values} *)

(** Computes the elements. [Warpfold.force] computes several sequences together. *)
val force : ('a, 'b) t -> unit

(** Element [i], computed. *)
val get : ('a, 'b) t -> int -> 'a

(** Computes and copies the elements. Floats are copied at memory speed, [int]s almost as fast; other types cost tens of
    nanoseconds per element. *)
val to_array : ('a, 'b) t -> 'a array

val to_list : ('a, 'b) t -> 'a list

(** The elements as a bigarray, without a copy on the CPU engine. The bigarray and its sub-arrays keep the memory alive. They must
    not be written to, since other sequences may read the same memory; with [~copy:true] the bigarray is the caller's own. *)
val to_bigarray :
  ?copy:bool ->
  ('a, [< ('a, 'x, 'e) Expr.value Expr.scalar ]) t -> ('x, 'e, Bigarray.c_layout) Bigarray.Array1.t

(** [to_array2 layout rows columns s] is the same memory as a matrix: row-major in the C layout, column-major in the Fortran
    layout.
    @raise Invalid_argument if the length is not [rows * columns]. *)
val to_array2 :
  'layout Bigarray.layout ->
  int ->
  int ->
  ('a, [< ('a, 'x, 'e) Expr.value Expr.scalar ]) t ->
  ('x, 'e, 'layout) Bigarray.Array2.t

(** The same memory as a bigarray of any dimensions.
    @raise Invalid_argument if the length is not their product. *)
val to_genarray :
  'layout Bigarray.layout ->
  int array ->
  ('a, [< ('a, 'x, 'e) Expr.value Expr.scalar ]) t ->
  ('x, 'e, 'layout) Bigarray.Genarray.t

(** {1 Ordinary functions of the values}

    These compute the sequence and then call an ordinary OCaml function on each element in turn, on the calling thread.
    {!reduce} and {!map} are the parallel ones. *)

(** [f (... (f (f first s.(0)) s.(1)) ...) s.(n-1)]. *)
val fold_left : ('c -> 'a -> 'c) -> 'c -> ('a, 'b) t -> 'c

val iter : ('a -> unit) -> ('a, 'b) t -> unit

(** The elements as a standard sequence, which may be traversed more than once. The first read computes them; nothing is copied. *)
val to_seq : ('a, 'b) t -> 'a Stdlib.Seq.t

(** {1 Searches} *)

include module type of Searches with type ('a, 'b) t := ('a, 'b) t

(** {1 Properties} *)

val dtype : ('a, 'b) t -> ('a, 'b) Dtype.t
val context : ('a, 'b) t -> Context.t

(** Returns true if the sequence has been computed. *)
val is_manifest : ('a, 'b) t -> bool

(** Releases the sequence without waiting for the garbage collector. Using it afterwards raises [Invalid_argument]; sequences made
    from it stay usable. *)
val release : ('a, 'b) t -> unit

(** For the toplevel: [<1,2,3>], shortened to 20 elements, if the sequence has been computed; its type and length if not.
    Computes nothing. *)
val pp : Format.formatter -> ('a, 'b) t -> unit
[@@ocaml.toplevel_printer]

(** [<1,2,3>], shortened in the middle to [limit] elements, 20 by default. [element] prints one. Computes the sequence. *)
val to_string : ?element:('a -> string) -> ?limit:int -> ('a, 'b) t -> string
