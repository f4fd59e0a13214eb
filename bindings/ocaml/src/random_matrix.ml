type ('rank, 'a, 'b) t = ('rank, 'a, 'b) Node.t

let named name f = Call.composed ~folder:"Random_matrix." name f

(* A number of an element type. *)
let number dtype x = Expr.cast dtype (Expr.f64 x)

(* The number of rows of a square matrix. *)
let size name (a : _ t) =
  match Shape.known a with
  | [ rows; columns ] when rows = columns -> rows
  | extents -> invalid_arg (Printf.sprintf "warpfold: %s has shape %s, expected a square matrix" name (Shape.text extents))

(* The number of rows of the scale of a Wishart distribution whose density exists. *)
let wishart_size scale degrees =
  let p = size "the scale" scale in
  if Stdlib.not (degrees > float p -. 1.) then
    invalid_arg (Printf.sprintf "warpfold: the degrees of freedom are %g for a scale of %d x %d, expected more than %d" degrees p p (p - 1));
  p

let check_mean (mean : _ t) m =
  if Shape.known mean <> [ m ] then
    invalid_arg (Printf.sprintf "warpfold: the mean has shape %s, expected %d as the covariance" (Shape.text (Shape.known mean)) m)

let check_extent n = if n < 0 then invalid_arg (Printf.sprintf "warpfold: the extent is %d, expected 0 or more" n)

let gaussian dtype key rows columns : (Axes.rank2, _, _) t =
  check_extent rows;
  Ndarray.reshape [ rows; columns ] (Random.gaussian dtype key (rows * columns))

(* ---- samples *)

let multivariate_gaussian ~mean ~(covariance : _ t) key n =
  named "multivariate_gaussian" (fun () ->
      let m = size "the covariance" covariance in
      check_mean mean m;
      let z = gaussian covariance.dtype key n m in
      Ndarray.Infix.(Ndarray.like z mean + Linalg.matmul z (Ndarray.transpose (Linalg.cholesky covariance))))

let wishart_matrix (scale : _ t) degrees key =
  let p = wishart_size scale degrees and dtype = scale.dtype and context = Ndarray.context scale in
  let degrees = Seq.init ~context p (fun i -> Expr.sub (number dtype degrees) (Expr.cast dtype i)) in
  let roots = Seq.map Expr.sqrt (Random.chi_squared dtype ~parameters:[ Seq degrees ] (Random.split key 0) p) in
  let z = gaussian dtype (Random.split key 1) p p in
  let lower =
    Ndarray.init ~context [ p; p ]
      Expr.(fun [ i; j ] -> where (i > j) (Ndarray.at z [ i; j ]) (where (i = j) roots.%(j) (number dtype 0.)))
  in
  let factor = Linalg.triangle_product `Lower (Linalg.cholesky scale) lower in
  Linalg.matmul factor (Ndarray.transpose factor)

let wishart ~scale ~degrees key = named "wishart" (fun () -> wishart_matrix scale degrees key)
let inverse_of a = Linalg.inverse ~form:`Positive a

let inverse_wishart ~scale ~degrees key =
  named "inverse_wishart" (fun () ->
      ignore (wishart_size scale degrees);
      inverse_of (wishart_matrix (inverse_of scale) degrees key))

let orthogonal dtype key n = named "orthogonal" (fun () -> fst (Linalg.qr (gaussian dtype key n n)))

let permutation dtype key n =
  named "permutation" (fun () ->
      check_extent n;
      let order = Random.permutation Dtype.int key n in
      let places = Seq.iota ~context:(Ndarray.context key) n in
      Ndarray.map2 Expr.(fun i j -> cast dtype (i = j)) (Ndarray.expand 1 order) (Ndarray.expand 0 places))

(* ---- log densities *)

let pi = 4. *. atan 1.

let multivariate_gaussian_log_density ~mean ~(covariance : _ t) x =
  named "multivariate_gaussian_log_density" (fun () ->
      let m = size "the covariance" covariance in
      check_mean mean m;
      let l = Linalg.cholesky covariance in
      let z = Linalg.solve ~form:`Lower l (Ndarray.transpose Ndarray.Infix.(x - Ndarray.like x mean)) in
      let squares = Ndarray.(sum (Axis 0) (z * z)) and determinant = Linalg.log_determinant ~form:`Cholesky l in
      let number x = number covariance.dtype x in
      let constant = number (0.5 *. log (2. *. pi) *. float m) in
      let density squares determinant = Expr.((number (-0.5) * squares) - (constant + (number 0.5 * determinant))) in
      Ndarray.map2 density squares (Ndarray.like squares determinant))

(* The logarithm of 2^(degrees p / 2) and the multivariate gamma function of degrees / 2. *)
let log_wishart_constant dtype p degrees =
  Expr.(cast dtype (f64 Stdlib.(degrees *. float p /. 2. *. log 2.) + mvlgamma (f64 Stdlib.(degrees /. 2.)) (f64 (float p))))

let wishart_log_density ~(scale : _ t) ~degrees x =
  named "wishart_log_density" (fun () ->
      let p = wishart_size scale degrees in
      let number x = number scale.dtype x in
      let density determinant trace scales =
        Expr.(
          (number Stdlib.((degrees -. float p -. 1.) /. 2.) * determinant) - (number 0.5 * trace)
          - (log_wishart_constant scale.dtype p degrees + (number Stdlib.(degrees /. 2.) * scales)))
      in
      let log_determinant a = Linalg.log_determinant ~form:`Positive a in
      Ndarray.map3 density (log_determinant x) (Linalg.trace (Linalg.solve ~form:`Positive scale x)) (log_determinant scale))

let inverse_wishart_log_density ~(scale : _ t) ~degrees x =
  named "inverse_wishart_log_density" (fun () ->
      let p = wishart_size scale degrees in
      let number x = number scale.dtype x in
      let density determinant trace scales =
        Expr.(
          (number Stdlib.(degrees /. 2.) * scales)
          - (log_wishart_constant scale.dtype p degrees + (number Stdlib.((degrees +. float p +. 1.) /. 2.) * determinant))
          - (number 0.5 * trace))
      in
      let log_determinant a = Linalg.log_determinant ~form:`Positive a in
      Ndarray.map3 density (log_determinant x) (Linalg.trace (Linalg.solve ~form:`Positive x scale)) (log_determinant scale))

(* log gamma (k / 2), by gamma (x + 1) = x gamma (x) *)
let rec log_gamma_half k = match k with 1 -> log pi /. 2. | 2 -> 0. | _ -> log ((float k /. 2.) -. 1.) +. log_gamma_half (k - 2)

let sum_to n f = List.fold_left (fun sum k -> sum +. f (k + 1)) 0. (List.init n Fun.id)

let orthogonal_log_density n = -.sum_to n (fun k -> log 2. +. (float k /. 2. *. log pi) -. log_gamma_half k)
let permutation_log_density n = -.sum_to n (fun k -> log (float k))
