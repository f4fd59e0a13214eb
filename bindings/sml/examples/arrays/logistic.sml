(* logistic [ROWS [STEPS]]: logistic regression by steps of gradient descent. The table is made: each column is Gaussian, and a row's label is 1 with the
   probability that a model with known weights gives. A step is one call of a function that jit has planned, with its gradient. *)
structure Logistic =
struct
  type model = {weights : real Tensor.t, bias : real Scalar.t}
  val model : (model, model) Jit.value =
    let open Jit
    in convert (fn {weights, bias} => (weights, bias), fn (weights, bias) => {weights = weights, bias = bias}) (pair (tensor, scalar)) end
  fun known (weights, bias) : model = {weights = RealTensor.fromList [4] weights, bias = Scalar.nth (RealSeq.fromList [bias]) 0}

  (* The logarithms of the odds. *)
  fun scores (x, {weights, bias} : model) = let open Tensor.Infix in Linear.matmul (x, weights) + Tensor.fromScalar bias end
  (* The mean of -log (the probability that the model gives to the label). *)
  fun loss (x, labels) model =
    let fun one (score, label) = let open Exp in softplus score - label * score end
    in Tensor.toScalar (Along.mean [0] (Tensor.zipWith one (scores (x, model), labels))) end

  fun step (x, labels, m : model) =
    let
      val (_, slope) = Gradient.valueAndGrad model (loss (x, labels)) m
      fun moved (w, d) = let open Exp in w - real 2.0 * d end
    in
      {weights = Tensor.zipWith moved (#weights m, #weights slope), bias = Scalar.zipWith moved (#bias m, #bias slope)}
    end
  fun descend steps (x, labels) start =
    let
      val compiled = let open Jit in jit (triple (tensor, tensor, model), model) end step
      fun go (0, m) = m
        | go (k, m) = go (k - 1, compiled (x, labels, m))
    in
      go (steps, start)
    end

  fun made rows =
    let
      val x = Tensor.fromSeq [rows, 4] (Random.gaussian Type.real [] (Random.key 1) (4 * rows))
      val chances = Tensor.fromSeq [rows] (Random.uniform Type.real [] (Random.key 2) rows)
      fun label (score, u) = Exp.cast Type.real (Exp.< (u, Exp.sigmoid score))
    in
      (x, Tensor.zipWith label (scores (x, known ([1.0, ~2.0, 0.5, 0.0], 0.25)), chances))
    end
end

val () = Program.define ("logistic", "[ROWS [STEPS]]", fn arguments =>
  let
    val (rows, steps) = (Program.number (arguments, 0, 100000), Program.number (arguments, 1, 100))
    val table as (x, labels) = Logistic.made rows
    val () = Seq.force [Tensor.any x, Tensor.any labels]
    val start = Logistic.known ([0.0, 0.0, 0.0, 0.0], 0.0)
    val found = Program.timed (rows * steps, "rows") (fn () => Logistic.descend steps table start)
    fun loss m = Program.fixed 4 (Scalar.value (Logistic.loss table m))
    val two = Program.fixed 2
  in
    Program.print ("loss " ^ loss start ^ " to " ^ loss found ^ ", weights " ^ String.concatWith " " (List.map two (Tensor.toList (#weights found)))
                   ^ ", bias " ^ two (Scalar.value (#bias found)) ^ "\n")
  end)
