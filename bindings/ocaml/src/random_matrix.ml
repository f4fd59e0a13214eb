type ('rank, 'a, 'b) t = ('rank, 'a, 'b) Node.t

let named name f = Call.composed ~folder:"Random_matrix." name f
let composed name dtype handles numbers = named name (fun () -> Node.prelude name dtype handles numbers)

(* The rows of a scale limit the degrees. *)
let wishart_like name dtype handles degrees =
  try composed name dtype handles [ degrees ] with Call.Error (Argument, message) -> invalid_arg message

(* ---- samples *)

let multivariate_gaussian ~(mean : _ t) ~(covariance : _ t) (key : Random.key) n : _ t =
  composed "multivariate_gaussian" covariance.dtype [ key.handle; mean.handle; covariance.handle ] [ float n ]

let wishart ~(scale : _ t) ~degrees (key : Random.key) : _ t = wishart_like "wishart" scale.dtype [ key.handle; scale.handle ] degrees

let inverse_wishart ~(scale : _ t) ~degrees (key : Random.key) : _ t =
  wishart_like "inverse_wishart" scale.dtype [ key.handle; scale.handle ] degrees

let square name dtype (key : Random.key) n : _ t =
  Node.prelude name dtype [ key.handle ] [ float n; float (List.hd (Layout.codes dtype)) ]

let orthogonal dtype key n = named "orthogonal" (fun () -> square "orthogonal" dtype key n)
let permutation dtype key n = named "permutation" (fun () -> square "permutation_matrix" dtype key n)

(* ---- log densities *)

let multivariate_gaussian_log_density ~(mean : _ t) ~(covariance : _ t) (x : _ t) : _ t =
  composed "multivariate_gaussian_log_density" covariance.dtype [ x.handle; mean.handle; covariance.handle ] []

let wishart_log_density ~(scale : _ t) ~degrees (x : _ t) : _ t =
  wishart_like "wishart_log_density" scale.dtype [ x.handle; scale.handle ] degrees

let inverse_wishart_log_density ~(scale : _ t) ~degrees (x : _ t) : _ t =
  wishart_like "inverse_wishart_log_density" scale.dtype [ x.handle; scale.handle ] degrees

(* log gamma (k / 2), by gamma (x + 1) = x gamma (x) *)
let pi = 4. *. atan 1.
let rec log_gamma_half k = match k with 1 -> log pi /. 2. | 2 -> 0. | _ -> log ((float k /. 2.) -. 1.) +. log_gamma_half (k - 2)

let sum_to n f = List.fold_left (fun sum k -> sum +. f (k + 1)) 0. (List.init n Fun.id)

let orthogonal_log_density n = -.sum_to n (fun k -> log 2. +. (float k /. 2. *. log pi) -. log_gamma_half k)
let permutation_log_density n = -.sum_to n (fun k -> log (float k))
