structure RandomMatrix =
struct
  open Tensor

  (* The number of rows of a square matrix, called `what` *)
  fun size (name, what, a) =
    let
      val shape = shapeOf (name, a)
      fun refuse () = raise Shape.wrong (name, what ^ " has the shape " ^ Shape.toString shape ^ "; expected a square matrix")
    in
      case shape of
        [r, c] => if r = c then r else refuse ()
      | _ => refuse ()
    end
  (* The number of rows of the scale of a Wishart distribution whose density exists *)
  fun wishartSize (name, scale, degrees) =
    let val p = size (name, "the scale", scale)
    in
      if degrees > Real.fromInt (p - 1) then p
      else
        raise Shape.argument
          (name, "the degrees of freedom are " ^ Real.toString degrees ^ " for a scale of " ^ Shape.toString [p, p] ^ "; expected more than "
                 ^ Int.toString (p - 1))
    end
  fun checkMean (name, mean, m) =
    if shapeOf (name, mean) = [m] then ()
    else
      raise Shape.wrong
        (name, "the mean has the shape " ^ Shape.toString (shapeOf (name, mean)) ^ "; expected " ^ Int.toString m ^ " as the covariance")

  fun number ty x = Exp.cast ty (Exp.real x)
  fun gaussian (name, ty, key, shape) = fromSeq shape (Random.gaussian ty [] key (Shape.length (name, shape)))

  (* ---- samples *)

  fun multivariateGaussian {mean, covariance} key n =
    let
      val name = "RandomMatrix.multivariateGaussian"
      val m = size (name, "the covariance", covariance)
      val () = checkMean (name, mean, m)
      val z = gaussian (name, typeOf covariance, key, [n, m])
    in
      Infix.+ (mean, Linear.matmul (z, transpose (Linear.cholesky covariance)))
    end

  fun wishartOf (name, scale, degrees, key) =
    let
      val (p, ty) = (wishartSize (name, scale, degrees), typeOf scale)
      fun within f = Context.within (contextOf (seqOf scale)) f
      val each = within (fn () => Seq.tabulate (fn i => Exp.- (number ty degrees, Exp.cast ty i)) p)
      val roots = Seq.map Exp.sqrt (Random.chiSquared ty [Random.each each] (Random.split key 0) p)
      val z = gaussian (name, ty, Random.split key 1, [p, p])
      fun element (i, j) =
        Exp.cond (Exp.> (i, j), at (z, [i, j]), Exp.cond (Exp.== (i, j), Exp.at (roots, j), number ty 0.0))
      val lower = within (fn () => Matrix.tabulate element (p, p))
      val factor = Linear.triangularProduct Linear.Lower (Linear.cholesky scale, lower)
    in
      Linear.outer (factor, factor)
    end
  fun wishart {scale, degrees} key = wishartOf ("RandomMatrix.wishart", scale, degrees, key)
  fun inverse a = Linear.inverse Linear.Positive a
  fun inverseWishart {scale, degrees} key =
    let val name = "RandomMatrix.inverseWishart"
        val _ = wishartSize (name, scale, degrees)
    in inverse (wishartOf (name, inverse scale, degrees, key)) end

  fun orthogonal ty key n = #1 (Linear.qr (gaussian ("RandomMatrix.orthogonal", ty, key, [n, n])))
  fun permutation ty key n =
    let
      val _ = Shape.length ("RandomMatrix.permutation", [n, n])
      val order = Random.permutation Type.int [] key n
      fun each () = Matrix.tabulate (fn (i, j) => Exp.cast ty (Exp.== (Exp.at (order, i), j))) (n, n)
    in
      Context.within (contextOf order) each
    end

  (* ---- log densities *)

  structure LogDensity =
  struct
    fun multivariateGaussian {mean, covariance} x =
      let
        val name = "RandomMatrix.LogDensity.multivariateGaussian"
        val (m, ty) = (size (name, "the covariance", covariance), typeOf covariance)
        val () = checkMean (name, mean, m)
        val l = Linear.cholesky covariance
        val z = Linear.solve (Linear.Triangle Linear.Lower) (l, transpose (Infix.- (x, mean)))
        val constant = number ty (0.5 * Math.ln (2.0 * Math.pi) * Real.fromInt m)
        fun density (squares, determinant) =
          Exp.- (Exp.* (number ty ~0.5, squares), Exp.+ (constant, Exp.* (number ty 0.5, determinant)))
      in
        zipped2 (name, density, Along.sum [0] (Infix.* (z, z)), Linear.logDeterminant Linear.Cholesky l)
      end

    (* The logarithm of 2^(degrees p / 2) and the multivariate gamma function of degrees / 2 *)
    fun constant (ty, p, degrees) =
      Exp.cast ty (Exp.+ (Exp.real (degrees * Real.fromInt p / 2.0 * Math.ln 2.0), Exp.mvlgamma (Exp.real (degrees / 2.0), Exp.real (Real.fromInt p))))
    (* a (log determinant of scale) - (constant + b (log determinant of x)) - trace / 2, or with the determinants exchanged *)
    fun sum (name, ty, c, (a, first), (b, second), trace) =
      zipped3 (name, fn (first, second, trace) =>
        Exp.- (Exp.- (Exp.* (number ty a, first), Exp.+ (c, Exp.* (number ty b, second))), Exp.* (number ty 0.5, trace)), first, second, trace)
    fun determinant a = Linear.logDeterminant Linear.Positive a
    fun trace (a, b) = Linear.trace (Linear.solve Linear.Positive (a, b))
    fun wishart {scale, degrees} x =
      let
        val name = "RandomMatrix.LogDensity.wishart"
        val (p, ty) = (wishartSize (name, scale, degrees), typeOf scale)
      in
        sum (name, ty, constant (ty, p, degrees), ((degrees - Real.fromInt p - 1.0) / 2.0, determinant x), (degrees / 2.0, determinant scale), trace (scale, x))
      end
    fun inverseWishart {scale, degrees} x =
      let
        val name = "RandomMatrix.LogDensity.inverseWishart"
        val (p, ty) = (wishartSize (name, scale, degrees), typeOf scale)
      in
        sum (name, ty, constant (ty, p, degrees), (degrees / 2.0, determinant scale), ((degrees + Real.fromInt p + 1.0) / 2.0, determinant x), trace (x, scale))
      end

    (* log gamma (k / 2), by gamma (x + 1) = x gamma (x) *)
    fun logGammaHalf 1 = Math.ln Math.pi / 2.0
      | logGammaHalf 2 = 0.0
      | logGammaHalf k = Math.ln (Real.fromInt k / 2.0 - 1.0) + logGammaHalf (k - 2)
    fun sumTo (n, f) = List.foldl (fn (k, sum) => sum + f (k + 1)) 0.0 (Shape.numbers n)
    fun orthogonal n = ~(sumTo (n, fn k => Math.ln 2.0 + Real.fromInt k / 2.0 * Math.ln Math.pi - logGammaHalf k))
    fun permutation n = ~(sumTo (n, fn k => Math.ln (Real.fromInt k)))
  end
end
