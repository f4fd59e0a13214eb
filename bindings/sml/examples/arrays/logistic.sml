(* logistic [STEPS]: logistic regression by gradient descent. Rows are drawn, and their labels with the probability that true weights give; each step is
   one call of a compiled function, whose gradient is derived from the loss. *)
structure Logistic =
struct
  type model = {weights : real Tensor.t, bias : real Scalar.t}
  val model : (model, model) Jit.value =
    let open Jit
    in convert (fn {weights, bias} => (weights, bias), fn (weights, bias) => {weights = weights, bias = bias}) (pair (tensor, scalar)) end

  fun scores (x, {weights, bias} : model) = let open Tensor.Infix in Linear.matmul (x, weights) + Tensor.fromScalar bias end
  (* The mean of -log (the probability that the model gives to the label). *)
  fun loss (x, labels) model =
    let fun one (score, label) = let open Exp in softplus score - label * score end
    in Tensor.toScalar (Along.mean [0] (Tensor.zipWith one (scores (x, model), labels))) end

  (* The loss, and the model after a step against its gradient. *)
  fun step rate (x, labels, {weights, bias} : model) =
    let
      val (value, {weights = dw, bias = db}) = Gradient.valueAndGrad model (loss (x, labels)) {weights = weights, bias = bias}
      fun moved (w, d) = let open Exp in w - real rate * d end
    in
      (value, {weights = Tensor.zipWith moved (weights, dw), bias = Scalar.zipWith moved (bias, db)})
    end
  fun start n : model = {weights = RealTensor.fill 0.0 [n], bias = Scalar.nth (RealSeq.fromList [0.0]) 0}
  (* The losses, latest first, and the model *)
  fun descend (rate, steps) (x, labels) =
    let
      val compiled = let open Jit in jit (triple (tensor, tensor, model), pair (scalar, model)) end (step rate)
      fun go (0, losses, model) = (losses, model)
        | go (k, losses, model) =
            let val (value, next) = compiled (x, labels, model)
            in go (k - 1, Scalar.value value :: losses, next) end
    in
      go (steps, [], start (Tensor.extent 1 x))
    end

  val truth = [1.0, ~2.0, 0.5]
  fun example n =
    let
      fun key k = Random.split (Random.key 7) k
      val x = Tensor.fromSeq [n, 3] (Random.gaussian Type.real [] (key 0) (3 * n))
      val scores = let open Tensor.Infix in Linear.matmul (x, RealTensor.fromList [3] truth) + R 0.25 end
      val draws = Tensor.fromSeq [n] (Random.uniform Type.real [] (key 1) n)
      fun label (score, u) = let open Exp in cond (u * (real 1.0 + exp (~ score)) < real 1.0, real 1.0, real 0.0) end
    in
      (x, Tensor.zipWith label (scores, draws))
    end
end

fun main () =
  let
    val steps = Timing.argument 100
    val (x, labels) = Logistic.example 100000
    val () = Seq.force [Tensor.any x, Tensor.any labels]
    val (losses, {weights, bias}) = Timing.timed "descent" (fn () => Logistic.descend (2.0, steps) (x, labels))
    val shown = Real.fmt (StringCvt.FIX (SOME 3))
  in
    print ("loss " ^ shown (List.last losses) ^ " to " ^ shown (List.hd losses) ^ ", weights " ^ Tensor.toString shown weights ^ ", bias "
           ^ shown (Scalar.value bias) ^ "\n")
  end
