structure Lambdas =
struct
  fun add (x, y) = Exp.+ (x, y)
  fun sub (x, y) = Exp.- (x, y)
  fun mul (x, y) = Exp.* (x, y)
  fun multiply (x, y) = Exp.* (x, y)
  fun min (x, y) = Exp.min (x, y)
  fun max (x, y) = Exp.max (x, y)
  fun left (x, _) = x
  fun right (_, y) = y
  fun both (x, y) = Exp.&& (x, y)
  fun either (x, y) = Exp.|| (x, y)

  fun identity x = x
  fun double x = Exp.+ (x, x)
  fun is_even x = Exp.== (Exp.andb (x, Exp.like x 1), Exp.like x 0)
  fun parens i = Exp.cond (is_even i, Exp.int 1, Exp.int ~1)
  fun const1 _ = Exp.pair (Exp.int 1, Exp.int 1)
end
