open Ctypes
module D = Warpfold_description
module Raw = Warpfold_raw

let named name f = Call.named "Gradient." name f

(* The same elements as another sequence. *)
let made_by call node = Node.use node (fun pointer -> Call.seq (fun out -> call pointer out))
let as_variables form x = Described.with_handles { next = (fun node -> made_by Raw.variable node) } form x
let handles form x = Described.add_handles form x []

(* x with these handles, in their order. *)
let replaced form x handles =
  let rest = ref handles in
  let next _ =
    let handle = List.hd !rest in
    rest := List.tl !rest;
    handle
  in
  Described.with_handles { next } form x

(* The handles of x, which is to have as many arrays as those that it belongs to. *)
let as_many what form x those =
  let found = handles form x in
  if List.compare_lengths found those <> 0 then
    invalid_arg
      (Printf.sprintf "warpfold: %s have %d arrays, expected %d, one like each %s" what (List.length found) (List.length those)
         (if what = "tangents" then "argument" else "result"));
  found

(* f of the arguments as variables, and these. *)
let evaluated form f x =
  let arguments = Described.(lifted (context_of (first form x)) form x) in
  let variables = as_variables form arguments in
  (Jit.following (fun () -> f variables), variables)

let no_seeds = from_voidp (ptr D.seq) null

(* The gradients of values, of which seeds are the cotangents. *)
let pulled form values seeds variables =
  let with_seeds f = match seeds with [] -> f no_seeds | _ -> Handle.use_seqs seeds (fun pointers _ -> f pointers) in
  Handle.use_seqs values (fun of_ n ->
      with_seeds (fun seeds -> Handle.use_seqs (handles form variables) (fun by m -> Call.seqs m (Raw.gradient of_ seeds n by m))))
  |> replaced form variables

(* The derivatives of y, if the variables change by these. *)
let pushed result y form variables tangents =
  let by = handles form variables in
  Handle.use_seqs (handles result y) (fun of_ n ->
      Handle.use_seqs by (fun by m -> Handle.use_seqs tangents (fun in_ _ -> Call.seqs n (Raw.tangent of_ n by in_ m))))
  |> replaced result y

let value_and_gradient form f x =
  let (value : _ Node.scalar), variables = evaluated form f x in
  (value, pulled form [ value.handle ] [] variables)

let value_and_tangent form result f x dx =
  let y, variables = evaluated form f x in
  let tangents = Described.(lifted (context_of (first form dx)) form dx) in
  (y, pushed result y form variables (as_many "tangents" form tangents (handles form variables)))

(* ---- for users, whose descriptions are those of Jit *)

let variable form x =
  let form = Jit.described form in
  named "variable" (fun () -> as_variables form Described.(lifted (context_of (first form x)) form x))

let stop_gradient form x =
  named "stop_gradient" (fun () -> Described.with_handles { next = (fun node -> made_by Raw.constant node) } (Jit.described form) x)

let gradients (value : _ Node.scalar) form variables =
  named "gradients" (fun () -> pulled (Jit.described form) [ value.handle ] [] variables)

let value_and_grad form f x = named "value_and_grad" (fun () -> value_and_gradient (Jit.described form) f x)
let grad form f x = named "grad" (fun () -> snd (value_and_gradient (Jit.described form) f x))

let vjp form result f x =
  let form = Jit.described form and result = Jit.described result in
  let y, variables = named "vjp" (fun () -> evaluated form f x) in
  let values = handles result y in
  (y, fun cotangent -> named "vjp" (fun () -> pulled form values (as_many "cotangents" result cotangent values) variables))

let jvp form result f x dx = named "jvp" (fun () -> value_and_tangent (Jit.described form) (Jit.described result) f x dx)

let hessian_vector form f x v =
  let form = Jit.described form in
  let gradient x = snd (value_and_gradient (Described.seen form) f x) in
  named "hessian_vector" (fun () -> snd (value_and_tangent form form gradient x v))
