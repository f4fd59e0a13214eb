(* ising [SIZE [SWEEPS]]: the magnetization of the Ising model on a square of even size with wrapped edges, at the inverse temperature 0.6. Half of the spins,
   those of one colour of a chess board, do not depend on each other, and are drawn at once from their neighbours (heat bath). *)
structure Ising =
struct
  val beta = 0.6
  val slope = ~2.0 * beta

  local
    open Exp.Infix
    fun single x = Exp.const Type.single (Single.fromReal x)
  in
    (* New spins where row + column has this parity. A spin is 1 or -1. *)
    fun drawn (spins, size, parity, key) =
      let
        val area = Int.* (size, size)
        val (I, n) = (Exp.int, Exp.int size)
        fun spin i =
          let
            val (line, column) = (Exp.quot (i, n), Exp.rem (i, n))
            val row = line * n
            val (up, down) = (Exp.rem (row + I area - n, I area), Exp.rem (row + n, I area))
            val (left, right) = (Exp.rem (column + n - I 1, n), Exp.rem (column + I 1, n))
            fun at k = Exp.at (spins, k)
            val field = at (up + column) + at (down + column) + at (row + left) + at (row + right)
            val odds = Exp.exp (single slope * Exp.cast Type.single field)
            val chosen = Exp.cond (Exp.uniform Type.single (Exp.scalar key, i) * (single 1.0 + odds) < single 1.0, I 1, I ~1)
          in
            Exp.cond (Exp.== (Exp.rem (line + column, I 2), I parity), chosen, at i)
          end
      in
        Seq.now (Seq.tabulate spin area)
      end
  end

  fun magnetization (size, sweeps) =
    let
      val key = Random.key 2026
      fun sweep (t, spins) =
        if t = 2 * sweeps then spins else sweep (t + 1, drawn (spins, size, t mod 2, Random.split key t))
      val spins = sweep (0, Seq.tabulate (fn _ => Exp.int 1) (size * size))
    in
      Real.fromInt (Numbers.sum spins) / Real.fromInt (size * size)
    end

  (* L. Onsager, C. N. Yang: (1 - sinh(2 beta)^-4)^(1/8), of an infinite square. *)
  fun ofInfiniteSquare () = Math.pow (1.0 - Math.pow (Math.sinh (2.0 * beta), ~4.0), 0.125)
end

val () = Program.define ("ising", "[SIZE [SWEEPS]], with an even SIZE", fn arguments =>
  let
    val (size, sweeps) = (Program.number (arguments, 0, 1000), Program.number (arguments, 1, 100))
    val () = if size < 2 orelse size mod 2 = 1 then raise Fail "SIZE is odd" else ()
    val found = Program.timed (size * size * sweeps, "spins") (fn () => Ising.magnetization (size, sweeps))
  in
    Program.print ("magnetization " ^ Program.fixed 4 found ^ ", of an infinite square " ^ Program.fixed 4 (Ising.ofInfiniteSquare ()) ^ "\n")
  end)
