module Raw = Warpfold_raw

type ('rank, 'a, 'b) t = ('rank, 'a, 'b) Node.t

let named name f = Call.composed ~folder:"Linalg." name f

(* The array that the call makes of two. *)
let of_two (a : _ t) (b : _ t) call : _ t =
  Node.use a (fun p -> Node.use b (fun q -> { a with Node.handle = Call.seq (fun out -> call p q out) }))

let of_one (a : _ t) call : _ t = Viewed.derived a call
let linear name (a : _ t) others : _ t = Node.from_handles a.dtype (a.handle :: others) (Raw.linear name)

(* ---- products *)

let product a b = of_two a b Raw.matmul
let matmul a b = named "matmul" (fun () -> product a b)
let ( *@ ) a b = named "( *@ )" (fun () -> product a b)
let matvec a x = named "matvec" (fun () -> product a x)
let outer x (y : _ t) = named "outer" (fun () -> linear "outer" x [ y.handle ])
let inner a (b : _ t) = named "inner" (fun () -> linear "inner" a [ b.handle ])
let frobenius a (b : _ t) : _ t = named "frobenius" (fun () -> linear "frobenius" a [ b.handle ])
let kronecker a (b : _ t) = named "kronecker" (fun () -> linear "kronecker" a [ b.handle ])
let power a n = named "power" (fun () -> of_one a (fun pointer out -> Raw.matrix_power pointer n out))
let trace a = named "trace" (fun () -> linear "trace" a [])
let norm a = named "norm" (fun () -> linear "norm" a [])

(* ---- triangles and systems *)

let triangle_name = function `Lower -> "lower" | `Upper -> "upper" | `Unit_lower -> "unit_lower" | `Unit_upper -> "unit_upper"

let form_name = function
  | `General -> "general"
  | `Positive -> "positive"
  | `Cholesky -> "cholesky"
  | (`Lower | `Upper | `Unit_lower | `Unit_upper) as triangle -> triangle_name triangle

let triangle which a = named "triangle" (fun () -> linear (triangle_name which) a [])

let triangle_product which a (b : _ t) =
  named "triangle_product" (fun () -> linear (triangle_name which ^ "_product") a [ b.handle ])

let solution form a b = of_two a b (fun p q out -> Raw.solve (form_name form) p q out)
let solve ?(form = `General) a b = named "solve" (fun () -> solution form a b)
let solve_vector ?(form = `General) a b = named "solve_vector" (fun () -> solution form a b)

let phi a = named "phi" (fun () -> linear "phi" a [])
let suffix = function `General -> "" | `Positive -> "_positive" | `Cholesky -> "_cholesky" | `Triangular -> "_triangular"
let inverse_name = function `General -> "inverse" | form -> "inverse_" ^ form_name form
let inverse ?(form = `General) a = named "inverse" (fun () -> linear (inverse_name form) a [])

let log_determinant ?(form = `General) a = named "log_determinant" (fun () -> linear ("log_determinant" ^ suffix form) a [])

(* ---- factorizations *)

(* The handles of the results of a factorization. *)
let factors name n (a : _ t) =
  Node.use a (fun pointer -> Call.seqs n (fun results -> Raw.factor name pointer results n))

let result (a : _ t) handle : _ t = { a with handle }

let two name a =
  match factors name 2 a with [ first; second ] -> (result a first, result a second) | _ -> assert false

let cholesky a = named "cholesky" (fun () -> result a (List.hd (factors "cholesky" 1 a)))
let qr a = named "qr" (fun () -> two "qr" a)
let eigen a = named "eigen" (fun () -> two "eigen" a)

let singular_values a =
  named "singular_values" (fun () ->
      match factors "singular_values" 3 a with
      | [ u; values; v ] -> (result a u, result a values, result a v)
      | _ -> assert false)

(* ---- Fourier transforms *)

let fourier name axes a = linear (if axes = 1 then name else name ^ string_of_int axes) a []
let fft ?(axes = 1) a = named "fft" (fun () -> fourier "fft" axes a)
let inverse_fft ?(axes = 1) a = named "inverse_fft" (fun () -> fourier "inverse_fft" axes a)
let real_fft ?(axes = 1) a = named "real_fft" (fun () -> fourier "real_fft" axes a)

let inverse_real_fft ?(axes = 1) ?(odd = false) a =
  named "inverse_real_fft" (fun () ->
      let name = if axes = 1 then "inverse_real_fft" else "inverse_real_fft" ^ string_of_int axes in
      linear (if odd then name ^ "_odd" else name) a [])

(* ---- images *)

let convolve image kernel = named "convolve" (fun () -> of_two image kernel Raw.convolve)
let max_pool rows columns image = named "max_pool" (fun () -> of_one image (fun p out -> Raw.max_pool p rows columns out))

(* ---- BLAS *)

(* The last two axes exchanged. *)
let exchanged (a : _ t) =
  let rank = List.length (Shape.of_node a) in
  let axis k = if k = rank - 2 then rank - 1 else if k = rank - 1 then rank - 2 else k in
  Viewed.permuted (List.init rank axis) a

module Blas = struct
  open Elementwise.Infix

  let named name f = Call.composed ~folder:"Linalg.Blas." name f
  let asum x = named "asum" (fun () -> Reductions.sum All (Node.map Expr.abs x))
  let dot x y = named "dot" (fun () -> Reductions.sum All (x * y))
  let nrm2 x = named "nrm2" (fun () -> Reductions.norm All x)
  let scal alpha x = named "scal" (fun () -> x *$ alpha)
  let axpy alpha x y = named "axpy" (fun () -> (x *$ alpha) + y)
  let plus alpha product beta c = (product *$ alpha) + (c *$ beta)

  let flipped is_transposed a = if is_transposed then exchanged a else a

  let gemm ?(transpose_a = false) ?(transpose_b = false) alpha a b beta c =
    named "gemm" (fun () -> plus alpha (product (flipped transpose_a a) (flipped transpose_b b)) beta c)

  let geem alpha a b beta c = named "geem" (fun () -> plus alpha (a * b) beta c)
  let geerv alpha a x beta c = named "geerv" (fun () -> plus alpha (a * Viewed.expanded 0 x) beta c)
  let scale_rows scales a = named "scale_rows" (fun () -> Viewed.expanded 1 scales * a)
  let scale_columns scales a = named "scale_columns" (fun () -> Viewed.expanded 0 scales * a)
end
