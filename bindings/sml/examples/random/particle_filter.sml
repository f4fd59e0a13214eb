(* particle_filter [PARTICLES [STEPS]]: the position of a point, which moves at random and is observed with errors, estimated by particles (N. Gordon and
   others, 1993). They are resampled by a scan of the weights and a search in it. The model is linear, so Kalman's filter computes the
   exact mean; the program prints how far the estimates are from it. *)
structure ParticleFilter =
struct
  val (decay, noise, error) = (0.9, 1.0, 0.5) (* x' = decay x + noise z, observed as x' + error z' *)

  (* The mean of the moved particles, weighted by how well they explain the observation, and a particle for each of n equal parts of the sum
     of the weights. *)
  fun step (particles, key, observed) =
    let
      open Exp.Infix
      val n = Seq.length particles
      val offset = Random.split key 1
      fun move (x, z) = R decay * x + R noise * z
      fun weight x = let val z = (R observed - x) / R error in Exp.exp (R ~0.5 * z * z) end
      val moved = Seq.zipWith move (particles, Random.gaussian Type.real [] (Random.split key 0) n)
      val weights = Seq.map weight moved
      val (sums, total) = Scalar.scanIncl Exp.+ 0.0 weights
      val weighted = Scalar.reduce Exp.+ 0.0 (Seq.zipWith (fn (w, x) => w * x) (weights, moved))
      val () = Seq.force [Seq.any moved, Seq.any sums, Scalar.any weighted]
      fun place i =
        (Exp.cast Type.real i + Exp.uniform Type.real (Exp.scalar offset, I 0)) / R (Real.fromInt n) * Exp.scalar total
      val last = Int.- (n, 1)
      val places = Search.binarySearch Exp.< (sums, Seq.tabulate place n)
    in
      (Seq.now (Seq.map (fn k => Exp.at (moved, Exp.min (k, I last))) places), Real./ (Scalar.value weighted, Scalar.value total))
    end

  (* The root of the mean square distance of the estimates from the exact means, and the deviation of the position. *)
  fun distanceFromKalman (n, steps) =
    let
      val (truth, own) = (Random.split (Random.key 2026) 0, Random.split (Random.key 2026) 1)
      fun gaussians k = Seq.toList (Random.gaussian Type.real [] (Random.split truth k) steps)
      (* The mean and the variance are Kalman's. *)
      fun run ((z, z'), (t, x, mean, variance, squares, particles)) =
        let
          val x = decay * x + noise * z
          val observed = x + error * z'
          val predicted = decay * decay * variance + noise * noise
          val gain = predicted / (predicted + error * error)
          val mean = decay * mean + gain * (observed - decay * mean)
          val (particles, estimate) = step (particles, Random.split own t, observed)
        in (t + 1, x, mean, (1.0 - gain) * predicted, squares + (estimate - mean) * (estimate - mean), particles) end
      val start = (1, 0.0, 0.0, 1.0, 0.0, Random.gaussian Type.real [] (Random.split own 0) n)
      val (_, _, _, variance, squares, _) = List.foldl run start (ListPair.zip (gaussians 0, gaussians 1))
    in
      (Math.sqrt (squares / Real.fromInt steps), Math.sqrt variance)
    end
end

val () = Program.define ("particle_filter", "[PARTICLES [STEPS]], both at least 1", fn arguments =>
  let
    val (n, steps) = (Program.number (arguments, 0, 1000000), Program.number (arguments, 1, 50))
    val (distance, deviation) = Program.timed (n * steps, "particles") (fn () => ParticleFilter.distanceFromKalman (n, steps))
  in
    Program.print ("distance from Kalman's filter " ^ Program.fixed 6 distance ^ ", deviation of the position " ^ Program.fixed 6 deviation ^ "\n")
  end)
