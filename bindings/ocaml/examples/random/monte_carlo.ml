(* monte_carlo [N]: pi and the price of a call option, estimated from N random points, with standard errors. One kernel each, which reads no
   memory. *)

open Warpfold

(* The mean of f 0, ..., f (n - 1), which are independent, and its standard error. *)
let estimate f n =
  let x = Seq.init n f in
  let sum = Seq.reduce Expr.( + ) 0. x and squares = Seq.reduce Expr.( + ) 0. (Seq.map Expr.(fun x -> x * x) x) in
  let mean = Scalar.get sum /. float n in
  (mean, sqrt (((Scalar.get squares /. float n) -. (mean *. mean)) /. float n))

let pi key n =
  let of_x = Random.split key 0 and of_y = Random.split key 1 in
  let inside i =
    let open Expr in
    let x = uniform Dtype.f64 (value of_x) i and y = uniform Dtype.f64 (value of_y) i in
    where ((x * x) + (y * y) < f64 1.) (f64 4.) (f64 0.)
  in
  estimate inside n

(* A share that costs 100 now, with the interest 0.02 and the volatility 0.3, may be bought for 105 in a year. *)
let price, strike, interest, volatility = (100., 105., 0.02, 0.3)

let call_option key n =
  let drift = interest -. (volatility *. volatility /. 2.) and discount = exp (-.interest) in
  let payoff i =
    let open Expr in
    let price_then = f64 price * exp (f64 drift + (f64 volatility * gaussian Dtype.f64 (value key) i)) in
    f64 discount * max (price_then - f64 strike) (f64 0.)
  in
  estimate payoff n

let black_scholes () =
  let below x = Scalar.get (Scalar.map Expr.ndtr (Scalar.const Dtype.f64 x)) in
  let d = ((log (price /. strike) +. interest) /. volatility) +. (volatility /. 2.) in
  (price *. below d) -. (strike *. exp (-.interest) *. below (d -. volatility))

let () =
  Timing.main "monte_carlo [N], with N at least 1" (fun () ->
      let n = Timing.argument 1 10_000_000 and key = Random.key 2026 in
      let (area, area_error), (option, option_error) =
        Timing.timed (2 * n) "points" (fun () ->
            let area = pi (Random.split key 0) n in
            (area, call_option (Random.split key 1) n))
      in
      Printf.printf "pi %.6f, error %.6f\n" area area_error;
      Printf.printf "call option %.5f, error %.5f; by Black and Scholes %.5f\n" option option_error (black_scholes ()))
