(* Poly/ML 5.7.1 has no Int64, and its int has 63 bits. *)
structure Int64 = LargeInt
