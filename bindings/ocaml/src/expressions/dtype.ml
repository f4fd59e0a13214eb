include Layout

let bool = Element Element.Bool
let u8 = Element Element.U8
let i32 = Element Element.I32
let u32 = Element Element.U32
let int = Element Element.Int
let i64 = Element Element.I64
let u64 = Element Element.U64
let f32 = Element Element.F32
let f64 = Element Element.F64
let pair a b = Pair (a, b)
let triple a b c = Triple (a, b, c)

let conv (of_value, to_value) (of_term, to_term) inner = Conv (inner, { is_flat = false; of_value; to_value; of_term; to_term })
