(* The identities of operations on scalars, in the written form. *)
structure Identity =
struct
  open Type

  fun suffixed (text, scalar) = text ^ ":" ^ scalarName scalar
  fun zero scalar = if scalar = Bool then "false" else suffixed ("0", scalar)
  fun one scalar = if scalar = Bool then "true" else suffixed ("1", scalar)

  fun limit (ofBool, ofFloat, ofInteger) scalar =
    case scalar of
      Bool => ofBool
    | F32 => suffixed (ofFloat, scalar)
    | F64 => suffixed (ofFloat, scalar)
    | _ => suffixed (ofInteger scalar, scalar)
  fun largestInteger scalar =
    case scalar of
      U8 => "255" | I32 => "2147483647" | U32 => "4294967295" | I64 => "9223372036854775807" | _ => "18446744073709551615"
  fun smallestInteger scalar =
    case scalar of I32 => "-2147483648" | I64 => "-9223372036854775808" | _ => "0"
  val largest = limit ("true", "inf", largestInteger)
  val smallest = limit ("false", "-inf", smallestInteger)

  (* Poly/ML reads 63 bits of an i64 that is an int: the limits of an int are those of ML. *)
  fun ofInt (limit, text) = case limit of SOME i => suffixed (plain (Int.toString i), I64) | NONE => text
  fun withinInt text =
    if text = largest I64 then ofInt (Int.maxInt, text) else if text = smallest I64 then ofInt (Int.minInt, text) else text

  (* The identity, if the elements are scalars; the operation refuses tuples. *)
  fun literals text ty =
    case scalars ty of
      [I64] => [(if isNarrow ty then withinInt else fn text => text) (text I64)]
    | [scalar] => [text scalar]
    | _ => [text Bool]
end
