structure Blas =
struct
  open Tensor

  fun elementType (Array (s, _)) = Core.typeOf s
    | elementType (Constant (ty, _)) = ty
  fun named name = "Blas." ^ name
  fun axesOf (name, a) = Shape.numbers (Shape.rank (shapeOf (named name, a)))
  fun times (name, a, b) = zipped2 (named name, Exp.*, a, b)
  fun scaled (name, alpha, a) = mapped (named name, fn x => Exp.* (x, Trace.const (elementType a) alpha), a)
  fun plus (name, a, b) = zipped2 (named name, Exp.+, a, b)
  fun sumOf (name, a) = Along.sum (axesOf (name, a)) a

  fun asum a = sumOf ("asum", mapped ("Blas.asum", Exp.abs, a))
  fun dot (a, b) =
    let val (s, t) = (shapeOf ("Blas.dot", a), shapeOf ("Blas.dot", b))
    in
      if s = t then sumOf ("dot", times ("dot", a, b))
      else raise Shape.wrong ("Blas.dot", "the shapes are " ^ Shape.toString s ^ " and " ^ Shape.toString t ^ "; expected equal shapes")
    end
  fun nrm2 a = Along.norm (axesOf ("nrm2", a)) a
  fun scal (alpha, x) = scaled ("scal", alpha, x)
  fun axpy (alpha, x, y) = plus ("axpy", scaled ("axpy", alpha, x), y)

  fun sum (name, alpha, product, beta, c) = plus (name, scaled (name, alpha, product), scaled (name, beta, c))
  fun gemm (alpha, a, b, beta, c) = sum ("gemm", alpha, Linear.of2 ("Blas.gemm", a, b, CApi.wf_matmul), beta, c)
  fun geem (alpha, a, b, beta, c) = sum ("geem", alpha, times ("geem", a, b), beta, c)

  (* A vector x along the axis k of a matrix *)
  fun along (name, k, x) =
    let
      val shape = shapeOf (named name, x)
      val n = case shape of [n] => n | _ => raise Shape.wrong (named name, "the shape is " ^ Shape.toString shape ^ "; expected a vector")
    in
      reshapedTo (named name, x, if k = 0 then [n, 1] else [1, n])
    end
  fun geerv (alpha, a, x, beta, c) = sum ("geerv", alpha, times ("geerv", a, along ("geerv", 1, x)), beta, c)
  fun scaleRows (x, a) = times ("scaleRows", along ("scaleRows", 0, x), a)
  fun scaleColumns (x, a) = times ("scaleColumns", along ("scaleColumns", 1, x), a)
end
