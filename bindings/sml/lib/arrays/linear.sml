structure Linear =
struct
  open Tensor
  type 'a t = 'a Tensor.t

  datatype triangle = Lower | Upper | UnitLower | UnitUpper
  datatype form = General | Positive | Cholesky | Triangle of triangle
  fun triangleName t = case t of Lower => "lower" | Upper => "upper" | UnitLower => "unit_lower" | UnitUpper => "unit_upper"

  (* `call` takes the handles of both. *)
  fun of2 (name, a, b, call) =
    let val (s, t) = (seqOf a, seqOf b)
    in
      ofSeq (make (name, contextOf s, Core.typeOf s, [cellOf s, cellOf t], fn (handles, out) =>
        call (List.hd handles, List.last handles, out)))
    end
  fun function2 (name, which, a, b) =
    of2 (name, a, b, fn (p, q, out) => pointers ([p, q], fn (array, n) => CApi.wf_linear (text which, array, n, out)))
  fun function1 (name, which, a) = viewed (name, a, fn (p, out) => pointers ([p], fn (array, n) => CApi.wf_linear (text which, array, n, out)))

  fun matmul (a, b) = of2 ("Linear.matmul", a, b, CApi.wf_matmul)
  fun power a n = viewed ("Linear.power", a, fn (p, out) => CApi.wf_matrix_power (p, int64 n, out))
  fun triangularProduct t (a, b) = function2 ("Linear.triangularProduct", triangleName t ^ "_product", a, b)
  fun inner (a, b) = function2 ("Linear.inner", "inner", a, b)
  fun outer (a, b) = function2 ("Linear.outer", "outer", a, b)
  fun frobenius (a, b) = function2 ("Linear.frobenius", "frobenius", a, b)
  fun kronecker (a, b) = function2 ("Linear.kronecker", "kronecker", a, b)

  fun formName form = case form of General => "general" | Positive => "positive" | Cholesky => "cholesky" | Triangle t => triangleName t
  fun solve form (a, b) = of2 ("Linear.solve", a, b, fn (p, q, out) => CApi.wf_solve (text (formName form), p, q, out))
  fun inverse form a =
    function1 ("Linear.inverse", case form of General => "inverse" | _ => "inverse_" ^ formName form, a)
  fun logDeterminant form a =
    let
      val suffix = case form of General => "" | Triangle _ => "_triangular" | _ => "_" ^ formName form
    in
      function1 ("Linear.logDeterminant", "log_determinant" ^ suffix, a)
    end

  (* The n results of a factorization, which one call makes. A process that inherits them makes each by itself. *)
  fun factors (name, which, n, a) =
    let
      val s = seqOf a
      val kept = Array.array (n, null)
      val isFirst = ref true
      fun all p =
        scratch (fn out =>
          (checkMemory (name, fn () => CApi.wf_factor (text which, p, out, int32 n)); List.tabulate (n, fn k => getPointer (out, k))))
      fun keep k (j, p) = if j = k then () else if !isFirst then Array.update (kept, j, p) else CApi.wf_release p
      fun new (k, p) =
        let val results = all p
        in
          List.app (keep k) (ListPair.zip (Shape.numbers n, results));
          isFirst := false;
          List.nth (results, k)
        end
      fun factor k handles =
        if Array.sub (kept, k) = null then new (k, List.hd handles) else Array.sub (kept, k) before Array.update (kept, k, null)
    in
      List.tabulate (n, fn k => ofSeq (sequence (name, contextOf s, Core.typeOf s, [cellOf s], factor k, true)))
    end
  fun two (name, which, a) = case factors (name, which, 2, a) of [x, y] => (x, y) | _ => raise Match
  fun cholesky a = List.hd (factors ("Linear.cholesky", "cholesky", 1, a))
  fun qr a = two ("Linear.qr", "qr", a)
  fun eigen a = two ("Linear.eigen", "eigen", a)
  fun singularValues a = case factors ("Linear.singularValues", "singular_values", 3, a) of [u, values, v] => (u, values, v) | _ => raise Match

  fun fourier (name, which, axes, last, a) = function1 (name, which ^ (if axes = 1 then "" else Int.toString axes) ^ last, a)
  fun fft axes a = fourier ("Linear.fft", "fft", axes, "", a)
  fun inverseFft axes a = fourier ("Linear.inverseFft", "inverse_fft", axes, "", a)
  fun realFft axes a = fourier ("Linear.realFft", "real_fft", axes, "", a)
  fun inverseRealFft (axes, isOdd) a = fourier ("Linear.inverseRealFft", "inverse_real_fft", axes, if isOdd then "_odd" else "", a)

  fun trace a = function1 ("Linear.trace", "trace", a)
  fun phi a = function1 ("Linear.phi", "phi", a)
  fun triangle t a = function1 ("Linear.triangle", triangleName t, a)
  fun convolve (image, kernel) = of2 ("Linear.convolve", image, kernel, CApi.wf_convolve)
  fun maxPool (rows, columns) a = viewed ("Linear.maxPool", a, fn (p, out) => CApi.wf_max_pool (p, int64 rows, int64 columns, out))
end
