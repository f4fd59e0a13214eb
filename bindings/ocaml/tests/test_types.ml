(* Mistakes that the types prevent: programs that must not compile, with the expected compiler messages. Each is paired with a
   program that differs only in the mistake and does compile. *)

open Support

let interfaces =
  "-I ../src/.warpfold.objs/byte -I ../raw/.warpfold_raw.objs/byte -I ../raw/description/.warpfold_description.objs/byte"

let prelude =
  "open Warpfold\n\
   let f32s = Seq.of_list Dtype.f32 [ 1.; 2. ]\n\
   let f64s = Seq.of_list Dtype.f64 [ 1.; 2. ]\n\
   let ints = Seq.of_list Dtype.int [ 1; 2 ]\n\
   let bools = Seq.of_list Dtype.bool [ true ]\n\
   let pairs = Seq.zip ints f64s\n\
   let matrix = Ndarray.of_arrays Dtype.int [| [| 1; 2 |] |]\n"

let write file text =
  let channel = open_out file in
  output_string channel text;
  close_out channel

(* Compiles the program. The result is its success and the compiler's output. *)
let compile flags program =
  let folder = Filename.temp_file "warpfold" "" in
  Sys.remove folder;
  Unix.mkdir folder 0o700;
  let source = Filename.concat folder "program.ml" and log = Filename.concat folder "log" in
  write source program;
  let command =
    Printf.sprintf "ocamlfind ocamlc -package ctypes,integers %s %s %s > %s 2>&1" interfaces flags (Filename.quote source)
      (Filename.quote log)
  in
  let status = Sys.command command and text = Header.read log in
  Array.iter (fun file -> Sys.remove (Filename.concat folder file)) (Sys.readdir folder);
  Unix.rmdir folder;
  (status = 0, text)

(* The compiler's message for a program, or None if it compiles. *)
let complaint program =
  match compile "-short-paths -c" (prelude ^ program ^ "\n") with true, _ -> None | false, text -> Some text

(* A message on one line. OCaml 5.3 quotes types. *)
let plain text = Header.squeeze (Str.global_replace (Str.regexp_string "\"") "" text)

let mistake (name, right, wrong, reason) =
  case name (fun () ->
      Option.iter (Check.failf "%s does not compile: %s" right) (complaint ("let _ = " ^ right));
      match complaint ("let _ = " ^ wrong) with
      | None -> Check.failf "%s compiles" wrong
      | Some text ->
          if not (contains reason (plain text)) then Check.failf "%s: not %S but %s" wrong reason text;
          if contains "__" text then Check.failf "%s names an internal module: %s" wrong text)

let mistakes =
  [
    ("f32 and f64 do not mix", "Seq.map2 Expr.( + ) f32s f32s", "Seq.map2 Expr.( + ) f32s f64s", "has type (float, Expr.f64) Seq.t");
    ( "literals have a type", "Seq.map Expr.(fun x -> x + f32 1.) f32s",
      "Seq.map Expr.(fun x -> x + f64 1.) f32s", "expected of type (float, Expr.f64) Seq.t" );
    ( "OCaml's numbers are not expressions", "Seq.map Expr.(fun x -> x + f32 1.) f32s",
      "Seq.map Expr.(fun x -> x + 1.) f32s", "has type float but an expression was expected of type" );
    ( "float operators are OCaml's", "Seq.map Expr.(fun x -> x * f32 (1. /. 3.)) f32s",
      "Seq.map Expr.(fun x -> x *. f32 3.) f32s", "has type f32 but an expression was expected of type float" );
    ("functions of floats take no integers", "Seq.map Expr.(fun x -> sqrt (cast Dtype.f64 x)) ints", "Seq.map Expr.sqrt ints", "`Float");
    ("floats have no bits", "Seq.map Expr.popcount ints", "Seq.map Expr.popcount f32s", "`Int");
    ("truth values have no sum", "Seq.map Expr.not bools", "Seq.map Expr.(fun x -> x + x) bools", "`Bool");
    ("a filter asks for a bool", "Seq.filter Expr.(fun x -> x > int 0) ints", "Seq.filter Expr.(fun x -> x) ints", "Expr.bool");
    ("an identity is an element", "Seq.reduce Expr.( + ) 0 ints", "Seq.reduce Expr.( + ) 0. ints", "type float");
    ( "an operator of reduce keeps the type", "Seq.reduce Expr.(fun x y -> x + y) 0 ints",
      "Seq.reduce Expr.(fun x y -> x < y) 0 ints", "expected of type (int, Expr.bool) Seq.t" );
    ( "pairs are taken apart as pairs", "Seq.map (fun (i, _) -> i) pairs",
      "Seq.map (fun (i, _, _) -> i) pairs", "but an expression was expected of type" );
    ( "tuples need their type told", "Seq.map_to Dtype.(pair f64 int) (fun (i, x) -> (x, i)) pairs",
      "Seq.map_to Dtype.(pair int f64) (fun (i, x) -> (x, i)) pairs", "expected of type (int * float, Expr.f64 * Expr.int) Seq.t" );
    ( "bigarrays have the element's kind", "Seq.of_bigarray Dtype.f32 Bigarray.(Array1.create float32 c_layout 3)",
      "Seq.of_bigarray Dtype.f32 Bigarray.(Array1.create float64 c_layout 3)", "float64_elt" );
    ( "a bigarray of i32 holds int32", "(Seq.to_bigarray ints : (int, _, _) Bigarray.Array1.t)",
      "(Seq.to_bigarray ints : (int32, _, _) Bigarray.Array1.t)", "int32" );
    ("sequences of pairs are no bigarray", "Seq.to_bigarray f64s", "Seq.to_bigarray pairs", "Expr.scalar");
    ("sequences are no scalars", "Scalar.get (Seq.nth ints 0)", "Scalar.get ints", "but an expression was expected of type");
    ( "only scalars have a value", "Seq.map (fun x -> Expr.(x + value (Seq.nth f64s 0))) f64s",
      "Seq.map (fun x -> Expr.(x + value f64s)) f64s", "Captured.scalar" );
    ("only sequences are indexed", "Seq.init 2 (fun i -> Expr.(ints.%(i)))", "Seq.init 2 (fun i -> Expr.(i.%(i)))", "Seq.t");
    ("an inner sequence is no result", "Seq.init 2 (fun i -> Inner.sum (Inner.range i i))", "Seq.init 2 (fun i -> Inner.range i i)", "Inner.t");
    ("ranks do not mix", "Ndarray.(matrix + expand 0 ints)", "Ndarray.(matrix + ints)", "is not compatible with type");
    ("a matrix has two indices", "Ndarray.get matrix [ 0; 1 ]", "Ndarray.get matrix [ 0 ]", "is not compatible with type");
    ( "a function of indices takes as many as the shape has", "Ndarray.init [ 2; 3 ] (fun [ i; j ] -> Expr.(i + j))",
      "Ndarray.init [ 2; 3 ] (fun [ i; j; _ ] -> Expr.(i + j))", "is not compatible with type" );
    ( "a sum along an axis lacks it", "Seq.rev (Ndarray.sum (Axis 0) matrix)",
      "Seq.rev (Ndarray.sum (Keep [ 0 ]) matrix)", "is not compatible with type" );
    ( "an index drops its axis", "Seq.rev (Ndarray.slice [ At 0; All ] matrix)",
      "Seq.rev (Ndarray.slice [ From 0; All ] matrix)", "is not compatible with type" );
    ("an index is an integer", "Seq.init 2 (fun i -> Expr.(ints.%(i)))", "Seq.map (fun x -> Expr.(ints.%(x))) f32s", "`Int");
    ( "jit returns no number, which has no value yet",
      "Jit.(fn (seq @-> number Dtype.int @-> returning scalar)) (fun s n -> Scalar.map2 Expr.( + ) (Seq.sum s) n) ints 1",
      "Jit.(fn (seq @-> number Dtype.int @-> returning (number Dtype.int))) (fun s n -> Scalar.map2 Expr.( + ) (Seq.sum s) n) ints 1",
      "Scalar.t" );
    ( "loop variables keep their types", "Seq.map Expr.(fun x -> loop Dtype.int ~init:x ~while_:(fun x -> x < int 9) (fun x -> x + int 1)) ints",
      "Seq.map Expr.(fun x -> loop Dtype.int ~init:x ~while_:(fun x -> x < int 9) (fun x -> cast Dtype.f32 x)) ints", "expected of type Expr.int" );
  ]

(* `ocamlc -i` and the toplevel show inferred types by their names. *)
let readable () =
  let program =
    prelude
    ^ "let squares = Seq.map Expr.(fun x -> x * x) ints\n\
       let small = Seq.map Expr.(fun x -> x < int 3) ints\n\
       let halves = Seq.map Expr.(fun (_, x) -> x / f64 2.) pairs\n\
       let made = Seq.init 3 Expr.(fun i -> cast Dtype.f32 i + f32 (0.25 +. 0.25))\n\
       let total = Seq.reduce Expr.( + ) 0 squares\n\
       let twice x = Expr.(x + x)\n\
       let sums = Ndarray.row 0 matrix\n"
  in
  let compiles, text = compile "-i" program in
  Check.(check bool) text true compiles;
  let shown = Header.squeeze (Str.global_replace (Str.regexp_string "Warpfold.") "" text) in
  List.iter
    (fun line -> Check.(check bool) (line ^ " in " ^ shown) true (contains line shown))
    [
      "val ints : (int, Expr.int) Seq.t"; "val pairs : (int * float, Expr.int * Expr.f64) Seq.t";
      "val squares : (int, Expr.int) Seq.t"; "val small : (bool, Expr.bool) Seq.t"; "val halves : (float, Expr.f64) Seq.t";
      "val made : (float, Expr.f32) Seq.t"; "val total : (int, Expr.int) Scalar.t";
      "val twice : ([< 'a Expr.number ] as 'x) -> 'x"; "val matrix : (Axes.rank2, int, Expr.int) Ndarray.t";
      "val sums : (Axes.rank1, int, Expr.int) Ndarray.t";
    ]

let tests =
  case "inferred types are readable" readable :: List.map mistake mistakes
