type ('rank, 'a, 'b) t = ('rank, 'a, 'b) Node.t

let named name f = Call.composed ~folder:"Ndarray." name f

let map f a = named "map" (fun () -> Node.map f a)
let map_to result f a = named "map_to" (fun () -> Node.map_to result f a)
let map2 f a b = named "map2" (fun () -> Broadcast.map2 f a b)
let map3 f a b c = named "map3" (fun () -> Broadcast.map3 f a b c)
let zip a b = named "zip" (fun () -> Broadcast.together a b Node.zip)
let unzip a = named "unzip" (fun () -> Node.unzip a)
let where c a b = named "where" (fun () -> Broadcast.map3 Expr.where c a b)

(* ---- operators *)

let array name f a b = named name (fun () -> Broadcast.map2 f a b)
let with_number name f (a : _ t) x = named name (fun () -> Node.map (fun y -> f y (Expr.const a.dtype x)) a)
let with_array name f x (a : _ t) = named name (fun () -> Node.map (fun y -> f (Expr.const a.dtype x) y) a)

module Infix = struct
  let ( + ) a b = array "(+)" Expr.add a b
  let ( - ) a b = array "(-)" Expr.sub a b
  let ( * ) a b = array "( * )" Expr.mul a b
  let ( / ) a b = array "(/)" Expr.div a b
  let ( mod ) a b = array "(mod)" Expr.rem a b
  let ( ** ) a b = array "( ** )" Expr.pow a b
  let ( ~- ) a = named "(~-)" (fun () -> Node.map Expr.neg a)
  let ( = ) a b = array "(=)" Expr.eq a b
  let ( <> ) a b = array "(<>)" Expr.ne a b
  let ( < ) a b = array "(<)" Expr.lt a b
  let ( <= ) a b = array "(<=)" Expr.le a b
  let ( > ) a b = array "(>)" Expr.gt a b
  let ( >= ) a b = array "(>=)" Expr.ge a b
  let ( && ) a b = array "(&&)" Expr.and_ a b
  let ( || ) a b = array "(||)" Expr.or_ a b
  let ( +$ ) a x = with_number "(+$)" Expr.add a x
  let ( -$ ) a x = with_number "(-$)" Expr.sub a x
  let ( *$ ) a x = with_number "( *$ )" Expr.mul a x
  let ( /$ ) a x = with_number "(/$)" Expr.div a x
  let ( **$ ) a x = with_number "( **$ )" Expr.pow a x
  let ( =$ ) a x = with_number "(=$)" Expr.eq a x
  let ( <>$ ) a x = with_number "(<>$)" Expr.ne a x
  let ( <$ ) a x = with_number "(<$)" Expr.lt a x
  let ( <=$ ) a x = with_number "(<=$)" Expr.le a x
  let ( >$ ) a x = with_number "(>$)" Expr.gt a x
  let ( >=$ ) a x = with_number "(>=$)" Expr.ge a x
  let ( $+ ) x a = with_array "($+)" Expr.add x a
  let ( $- ) x a = with_array "($-)" Expr.sub x a
  let ( $* ) x a = with_array "($*)" Expr.mul x a
  let ( $/ ) x a = with_array "($/)" Expr.div x a
end

include Infix

let clamp low high (a : _ t) =
  named "clamp" (fun () -> Node.map (fun x -> Expr.max (Expr.min x (Expr.const a.dtype high)) (Expr.const a.dtype low)) a)

let unary name f a = named name (fun () -> Node.map f a)
let pos a = unary "pos" Expr.pos a
let rectify a = unary "rectify" Expr.rectify a
let not a = unary "not" Expr.not a
let abs a = unary "abs" Expr.abs a
let sign a = unary "sign" Expr.sign a
let sqrt a = unary "sqrt" Expr.sqrt a
let cbrt a = unary "cbrt" Expr.cbrt a
let exp a = unary "exp" Expr.exp a
let exp2 a = unary "exp2" Expr.exp2 a
let expm1 a = unary "expm1" Expr.expm1 a
let log a = unary "log" Expr.log a
let log2 a = unary "log2" Expr.log2 a
let log10 a = unary "log10" Expr.log10 a
let log1p a = unary "log1p" Expr.log1p a
let sin a = unary "sin" Expr.sin a
let cos a = unary "cos" Expr.cos a
let tan a = unary "tan" Expr.tan a
let asin a = unary "asin" Expr.asin a
let acos a = unary "acos" Expr.acos a
let atan a = unary "atan" Expr.atan a
let sinh a = unary "sinh" Expr.sinh a
let cosh a = unary "cosh" Expr.cosh a
let tanh a = unary "tanh" Expr.tanh a
let erf a = unary "erf" Expr.erf a
let sigmoid a = unary "sigmoid" Expr.sigmoid a
let softplus a = unary "softplus" Expr.softplus a
let floor a = unary "floor" Expr.floor a
let ceil a = unary "ceil" Expr.ceil a
let round a = unary "round" Expr.round a
let trunc a = unary "trunc" Expr.trunc a
