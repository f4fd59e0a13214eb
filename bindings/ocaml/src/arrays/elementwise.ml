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

let pos a = named "pos" (fun () -> Node.map Expr.pos a)
let rectify a = named "rectify" (fun () -> Node.map Expr.rectify a)
let not a = named "not" (fun () -> Node.map Expr.not a)
