structure RandomMatrix =
struct
  open Tensor

  fun keyOf (Rep.Scalar key) = key
  (* A function of wf_call of a key or a matrix, and arrays of one type *)
  fun composed (name, function, first, arrays, numbers) =
    let val s = seqOf (List.last arrays)
    in
      ofSeq (Core.composed ("RandomMatrix." ^ name, function, first :: List.map (cellOf o seqOf) arrays, contextOf s, Core.typeOf s, numbers))
    end

  (* ---- samples *)

  fun multivariateGaussian {mean, covariance} key n =
    composed ("multivariateGaussian", "multivariate_gaussian", cellOf (keyOf key), [mean, covariance], [Real.fromInt n])
  fun wishart {scale, degrees} key = composed ("wishart", "wishart", cellOf (keyOf key), [scale], [degrees])
  fun inverseWishart {scale, degrees} key = composed ("inverseWishart", "inverse_wishart", cellOf (keyOf key), [scale], [degrees])

  fun square (name, function, ty, key, n) =
    let val key = keyOf key
    in
      ofSeq (Core.composed ("RandomMatrix." ^ name, function, [cellOf key], contextOf key, ty,
                            [Real.fromInt n, Real.fromInt (Type.code (List.hd (Type.scalars ty)))]))
    end
  fun orthogonal ty key n = square ("orthogonal", "orthogonal", ty, key, n)
  fun permutation ty key n = square ("permutation", "permutation_matrix", ty, key, n)

  (* ---- log densities *)

  structure LogDensity =
  struct
    fun density (name, function, x, arrays, numbers) =
      composed ("LogDensity." ^ name, function ^ "_log_density", cellOf (seqOf x), arrays, numbers)
    fun multivariateGaussian {mean, covariance} x = density ("multivariateGaussian", "multivariate_gaussian", x, [mean, covariance], [])
    fun wishart {scale, degrees} x = density ("wishart", "wishart", x, [scale], [degrees])
    fun inverseWishart {scale, degrees} x = density ("inverseWishart", "inverse_wishart", x, [scale], [degrees])

    (* log gamma (k / 2), by gamma (x + 1) = x gamma (x) *)
    fun logGammaHalf 1 = Math.ln Math.pi / 2.0
      | logGammaHalf 2 = 0.0
      | logGammaHalf k = Math.ln (Real.fromInt k / 2.0 - 1.0) + logGammaHalf (k - 2)
    fun sumTo (n, f) = List.foldl (fn (k, sum) => sum + f (k + 1)) 0.0 (Shape.numbers n)
    fun orthogonal n = ~(sumTo (n, fn k => Math.ln 2.0 + Real.fromInt k / 2.0 * Math.ln Math.pi - logGammaHalf k))
    fun permutation n = ~(sumTo (n, fn k => Math.ln (Real.fromInt k)))
  end
end
