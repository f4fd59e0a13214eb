(* OCaml's structural comparison must raise for expressions and handles: it would silently compare representations. *)

open Warpfold
open Support

(* Each of Stdlib's comparisons, and the functions built on them, applied to two values. *)
let comparisons x y =
  [
    ("max", fun () -> ignore (max x y)); ("min", fun () -> ignore (min x y)); ("compare", fun () -> ignore (compare x y));
    ("=", fun () -> ignore (x = y)); ("<>", fun () -> ignore (x <> y)); ("<", fun () -> ignore (x < y));
    ("<=", fun () -> ignore (x <= y)); (">", fun () -> ignore (x > y)); (">=", fun () -> ignore (x >= y));
    ("List.mem", fun () -> ignore (List.mem x [ y ])); ("List.sort", fun () -> ignore (List.sort compare [ x; y ]));
    ("in a tuple", fun () -> ignore (compare (1, x) (1, y))); ("in a list", fun () -> ignore ([ x ] = [ y ]));
  ]

let refuse_all remedy x y = List.iter (fun (_, f) -> says remedy f) (comparisons x y)

(* Comparisons inside a lambda, for each kind of term; = and max also of an expression and itself. *)
let expressions () =
  let s = Seq.init 5 Fun.id in
  says "Expr.( )" (fun () -> Seq.map (fun x -> max x (Expr.int 0)) s);
  says "Expr.( )" (fun () -> Seq.filter (fun x -> if x > Expr.int 2 then Expr.bool true else Expr.bool false) s);
  ignore
    (Seq.map
       (fun x ->
         let terms = Expr.[ x; int 1; x + int 1; cast Dtype.int (f32 1.); at s x; length s; value (Seq.count s) ] in
         List.iter (fun y -> List.iter (refuse_all "Expr.( )" y) (List.filter (( != ) y) terms)) terms;
         says "Expr.( )" (fun () -> x = x);
         says "Expr.( )" (fun () -> max x x);
         x)
       s)

let handles () =
  refuse_all "Seq.to_array" (Seq.init 5 Fun.id) (Seq.init 5 Fun.id);
  refuse_all "Scalar.get" (Scalar.const Dtype.int 1) (Scalar.const Dtype.int 1);
  refuse_all "Context.name" (Context.cpu ()) (Context.cpu ());
  let j0 = Foreign.by_name "j0" Dtype.f64 Dtype.f64 and j1 = Foreign.by_name "j1" Dtype.f64 Dtype.f64 in
  refuse_all "function" j0 j1;
  Check.(check bool) "types of elements are plain values" true Dtype.(pair int f32 = pair int f32)

let contexts () =
  let context = Context.cpu () in
  let s = Seq.init ~context 5 Fun.id in
  Check.(check bool) "that of a sequence" true (Context.equal context (Seq.context (Seq.rev s)));
  Check.(check bool) "another one" false (Context.equal context (Context.cpu ()));
  Context.release context;
  Check.(check bool) "after the release" true (Context.equal (Seq.context s) (Seq.context (Seq.rev s)))

let marshalling () =
  raises_invalid "a sequence" (fun () -> Marshal.to_string (Seq.init 5 Fun.id) []);
  raises_invalid "a scalar" (fun () -> Marshal.to_string (Scalar.const Dtype.int 1) []);
  raises_invalid "an expression" (fun () -> Marshal.to_string (Expr.int 1) [])

(* Physical identity and hashing by it keep working. *)
let identity () =
  let x = Expr.int 1 and s = Seq.init 5 Fun.id in
  Check.(check bool) "==" true (x == x && s == s && x != Expr.int 1);
  Check.(check int) "a hash is that of the value" (Hashtbl.hash x) (Hashtbl.hash x);
  Check.(check bool) "List.memq" true (List.memq s [ Seq.init 5 Fun.id; s ])

let tests =
  [
    case "expressions" expressions; case "sequences, scalars, contexts, functions" handles; case "equal contexts" contexts; case "marshalling" marshalling;
    case "identity" identity;
  ]
