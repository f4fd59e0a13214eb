(* The garbage collector and memory outside its heap. *)

open Warpfold
open Support

let mebibyte = 1 lsl 20
let live context = (Context.memory context).live

(* The peak resident size of this process in bytes. *)
let peak_resident () =
  let channel = open_in "/proc/self/status" in
  let rec find () =
    let line = input_line channel in
    if contains "VmHWM" line then Scanf.sscanf line "VmHWM: %d kB" (fun kilobytes -> kilobytes * 1024) else find ()
  in
  Fun.protect ~finally:(fun () -> close_in channel) find

let bigarray n f =
  let array = Bigarray.(Array1.create float32 c_layout n) in
  for i = 0 to n - 1 do
    array.{i} <- f i
  done;
  array

(* A budget of 256 MiB, and a million sequences that only finalizers release: 4 KB each, half of them computed, 6 GB in all. *)
let short_lived () =
  let context = Context.cpu () in
  Context.set_limit context (Some (256 * mebibyte));
  let array = bigarray 1000 float in
  let before = peak_resident () in
  for k = 1 to 500_000 do
    let s = Seq.of_bigarray ~context Dtype.f32 array in
    let t = Seq.map Expr.(fun x -> x + f32 1.) s in
    if k mod 2 = 0 then Seq.force t
  done;
  let memory = Context.memory context in
  Check.(check bool) (Printf.sprintf "peak of %d bytes" memory.peak) true (memory.peak <= 256 * mebibyte);
  let grown = peak_resident () - before in
  Check.(check bool) (Printf.sprintf "the process grew by %d bytes" grown) true (grown < 512 * mebibyte);
  Gc.full_major ();
  Check.(check int) "nothing is left" 0 (live context)

(* Handles are small but own much memory: without reports of it, the collector would let 8 GB accumulate. *)
let large () =
  let context = Context.cpu () in
  let array = bigarray mebibyte float in
  for _ = 1 to 2000 do
    ignore (Seq.of_bigarray ~context Dtype.f32 array)
  done;
  let peak = (Context.memory context).peak in
  Check.(check bool) (Printf.sprintf "peak of %d bytes" peak) true (peak < 512 * mebibyte)

(* The memory that force allocates is also reported. *)
let large_results () =
  let context = Context.cpu () in
  for _ = 1 to 500 do
    Seq.force (Seq.init ~context mebibyte Fun.id)
  done;
  let peak = (Context.memory context).peak in
  Check.(check bool) (Printf.sprintf "peak of %d bytes" peak) true (peak < 1024 * mebibyte)

let fill context n = let s = Seq.init ~context n Fun.id in Seq.force s; s

(* Garbage fills the budget: the call that reaches the limit collects it and succeeds. *)
let collects () =
  let context = Context.cpu () in
  Context.set_limit context (Some (16 * mebibyte));
  let first = fill context mebibyte in
  Gc.full_major ();
  Check.(check int) "the first fills half" (8 * mebibyte) (live context);
  ignore (Sys.opaque_identity first);
  let again = fill context (3 * mebibyte / 2) in
  Check.(check int) "the second found room" (12 * mebibyte) (live context);
  Check.(check int) "and is right" 12345 (Seq.get again 12345)

let exhausted () =
  let context = Context.cpu () in
  Context.set_limit context (Some (16 * mebibyte));
  let kept = fill context mebibyte in
  raises_code "no room" Memory (fun () -> fill context (3 * mebibyte / 2));
  Check.(check int) "what was there is usable" 4950 (Scalar.get (Seq.reduce Expr.( + ) 0 (Seq.take 100 kept)));
  Context.set_limit context None;
  Check.(check int) "with more room it goes on" 7 (Seq.get (fill context (3 * mebibyte / 2)) 7);
  Check.(check (option int)) "no limit" None (Context.memory context).limit

(* An allocation fails once: the call is repeated and succeeds. *)
let retried () =
  let context = Context.cpu () in
  let fail_next () =
    Warpfold__Context.use context (fun c -> Check.(check int) "armed" 0 (Warpfold_raw.context_fail_allocation c 1))
  in
  fail_next ();
  check_ints "of an array" [| 1; 2 |] (Seq.of_bigarray ~context Dtype.int (Bigarray.(Array1.of_array int c_layout [| 1; 2 |])));
  let s = Seq.init ~context 5 Fun.id in
  fail_next ();
  check_ints "force" [| 0; 1; 2; 3; 4 |] s

let trim () =
  let context = Context.cpu () in
  ignore (fill context (8 * mebibyte));
  Check.(check bool) "gives memory back" true (Context.trim context >= 64 * mebibyte);
  Check.(check int) "none is live" 0 (live context);
  Context.reset_peak context;
  Check.(check int) "peak" 0 (Context.memory context).peak

let address bytes = Ctypes.(raw_address_of_ptr (to_voidp (bigarray_start array1 bytes)))

(* An adopted bigarray is read in place, stays alive as long as the sequence, and is released afterwards. *)
let adopted () =
  let context = Context.cpu () in
  let collected = ref false in
  let adopt () =
    let array = bigarray 1000 float in
    Gc.finalise (fun _ -> collected := true) array;
    let s = Seq.of_bigarray ~context ~copy:false Dtype.f32 array in
    Check.(check bool) "in place" true (address array = address (Seq.to_bigarray s));
    s
  in
  let s = adopt () in
  let sum = Seq.reduce Expr.( + ) 0. s in
  for _ = 1 to 3 do Gc.full_major () done;
  Check.(check bool) "alive with the sequence" false !collected;
  Check.(check same_float) "sum" 499500. (Scalar.get sum);
  Seq.release s;
  Scalar.release sum;
  for _ = 1 to 3 do Gc.full_major () done;
  Check.(check bool) "let go of after it" true !collected

(* A bigarray made from a sequence keeps its memory alive, and so does a sub-array. *)
let shared () =
  let context = Context.cpu () in
  let part =
    let s = Seq.init ~context 1000 Fun.id in
    let whole = Seq.to_bigarray s in
    Seq.release s;
    Check.(check int) "whole" 999 whole.{999};
    Bigarray.Array1.sub whole 100 10
  in
  for _ = 1 to 3 do Gc.full_major () done;
  Check.(check bool) "the memory is there" true (live context >= 8000);
  Check.(check int) "part" 105 part.{5};
  ignore (Sys.opaque_identity part);
  for _ = 1 to 3 do Gc.full_major () done;
  Check.(check int) "and then is not" 0 (live context)

let released () =
  let s = Seq.init 10 Fun.id in
  let t = Seq.map Expr.(fun x -> x + int 1) s in
  Seq.release s;
  Seq.release s;
  raises_invalid "a released sequence" (fun () -> Seq.force s);
  Check.(check string) "shown as such" "<released>" (Format.asprintf "%a" Seq.pp s);
  check_ints "what was made from it stays" (Array.init 10 succ) t;
  let context = Context.cpu () in
  let u = Seq.init ~context 3 Fun.id in
  Context.release context;
  check_ints "so does what was made in a released context" [| 0; 1; 2 |] u

let tests =
  [
    case "a million short-lived sequences under 256 MiB" short_lived;
    case "large sources" large; case "large results" large_results; case "garbage is collected at the limit" collects;
    case "exhausted memory" exhausted; case "a failed allocation is tried again" retried; case "trim" trim;
    case "a bigarray read in place" adopted; case "bigarrays of a sequence" shared; case "explicit release" released;
  ]
