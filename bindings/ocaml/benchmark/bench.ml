(* The cost of calls and transfers. Times are medians; contestants are measured in turn, in one run. *)

module By_libffi = Foreign (* the module of ctypes *)
open Warpfold

external c_loop : (float, Bigarray.float32_elt, Bigarray.c_layout) Bigarray.Array1.t -> int -> float = "bench_c_loop"

let seconds clock f =
  let start = clock () in
  f ();
  clock () -. start

let median times =
  let sorted = List.sort compare times in
  List.nth sorted (List.length sorted / 2)

(* The seconds of each contestant, run in turn: one list per round. CPU time, [Sys.time], does not count the time of other programs. *)
let race ?(clock = Unix.gettimeofday) ~rounds contestants =
  let once () = List.map (seconds clock) contestants in
  ignore (once ());
  List.init rounds (fun _ -> once ())

let median_of f rounds = median (List.map f rounds)

let float32s n f =
  let array = Bigarray.(Array1.create float32 c_layout n) in
  for i = 0 to n - 1 do
    array.{i} <- f i
  done;
  array

(* ---- the small call *)

let small_call () =
  let n = 1000 and times = 500 in
  let array = float32s n (fun i -> Float.sin (float i)) in
  let s = Seq.of_bigarray Dtype.f32 array in
  let map_sum () = Scalar.get (Seq.reduce Expr.( + ) 0. (Seq.map Expr.(fun x -> (x * f32 1.0001) + f32 0.5) s)) in
  let last = ref 0. in
  let from_ocaml () = for _ = 1 to times do last := map_sum () done in
  let from_c () = if c_loop array times <> !last then failwith "C and OCaml differ" in
  let rounds = race ~clock:Sys.time ~rounds:101 [ from_ocaml; from_c ] in
  let each k = median_of (fun round -> List.nth round k) rounds /. float times *. 1e6 in
  let ratio = median_of (fun round -> List.nth round 0 /. List.nth round 1) rounds in
  Printf.printf "small call, n = %d: map and reduce, traced and built anew each time; CPU time\n" n;
  Printf.printf "  OCaml  %6.2f us\n  C      %6.2f us\n  ratio  %6.2f (median of %d)\n" (each 0) (each 1) ratio
    (List.length rounds)

(* ---- a function of few elements, planned each time or once *)

let jit () =
  let n = 1000 and times = 500 in
  let s = Seq.of_bigarray Dtype.f32 (float32s n (fun i -> Float.sin (float i))) in
  let map x k = Seq.map Expr.(fun x -> (x * f32 1.0001) + f32 k) x in
  let f x = Seq.reduce Expr.( + ) 0. (List.fold_left map x [ 1.; 2.; 3.; 4.; 5.; 6.; 7.; 8. ]) in
  let traced = Jit.jit f in
  if Scalar.get (f s) <> Scalar.get (traced s) then failwith "jit differs";
  let repeat f () = for _ = 1 to times do ignore (Scalar.get (f s)) done in
  let rounds = race ~rounds:101 [ repeat f; repeat traced ] in
  let each k = median_of (fun round -> List.nth round k) rounds /. float times *. 1e6 in
  Printf.printf "eight maps and a reduce, n = %d: %.2f us, by jit %.2f us\n" n (each 0) (each 1)

(* ---- one call of the raw layer, by each method of ctypes *)

module Dynamic = Warpfold_description.Quick (struct
  include Ctypes

  type 'a return = 'a
  type 'a result = 'a

  let library = Dl.dlopen ~filename:"libwarpfold.so.0" ~flags:[ Dl.RTLD_NOW ]
  let foreign name fn = By_libffi.foreign ~from:library name fn
  let foreign_value name t = By_libffi.foreign_value ~from:library name t
end)

let raw_call () =
  let times = 200_000 in
  let s = Seq.init 10 Fun.id in
  let out = Ctypes.allocate Warpfold_description.int32_t 0 in
  Warpfold__Node.use s (fun pointer ->
      let repeat call () = for _ = 1 to times do ignore (call pointer out) done in
      let rounds = race ~rounds:15 [ repeat Warpfold_raw.rank; repeat Dynamic.rank ] in
      let each k = median_of (fun round -> List.nth round k) rounds /. float times *. 1e9 in
      Printf.printf "one raw call (wf_rank): by stubs %.0f ns, by libffi %.0f ns\n" (each 0) (each 1))

(* ---- bulk transfer *)

let bulk () =
  let n = 10_000_000 in
  let array = float32s n float and target = float32s n (fun _ -> 0.) in
  let floats = Array.init n float in
  let s = Seq.of_bigarray Dtype.f32 array and doubles = Seq.of_array Dtype.f64 floats in
  let copied = ref (Seq.of_bigarray Dtype.f32 array) and copied_doubles = ref (Seq.of_array Dtype.f64 floats) in
  let contestants =
    [
      ("memmove of a float32 bigarray", 8, fun () -> Bigarray.Array1.blit array target);
      ("float32 bigarray in", 8, fun () -> Seq.release !copied; copied := Seq.of_bigarray Dtype.f32 array);
      ("float32 bigarray in, no copy", 0, fun () -> Seq.release (Seq.of_bigarray ~copy:false Dtype.f32 array));
      ("float32 bigarray out, no copy", 0, fun () -> ignore (Seq.to_bigarray s));
      ("float32 bigarray out, copied", 8, fun () -> Bigarray.Array1.blit (Seq.to_bigarray s) target);
      ("float array in as f64", 16, fun () -> Seq.release !copied_doubles; copied_doubles := Seq.of_array Dtype.f64 floats);
      ("float array in as f32", 12, fun () -> Seq.release !copied; copied := Seq.of_array Dtype.f32 floats);
      ("f64 out as float array", 16, fun () -> ignore (Seq.to_array doubles));
      ("f32 out as float array", 12, fun () -> ignore (Seq.to_array s));
    ]
  in
  let rounds = race ~rounds:15 (List.map (fun (_, _, f) -> f) contestants) in
  Printf.printf "bulk transfer of %d floats; GB/s counts bytes read and written\n" n;
  List.iteri
    (fun k (name, bytes, _) ->
      let t = median_of (fun round -> List.nth round k) rounds in
      let speed = if bytes = 0 then "" else Printf.sprintf "%6.2f GB/s" (float (bytes * n) /. t *. 1e-9) in
      Printf.printf "  %-31s %9.3f ms  %s\n" name (t *. 1e3) speed)
    contestants

let () =
  Printf.printf "warpfold %s, OCaml %s, context %s\n" (version ()) Sys.ocaml_version (Context.name (Context.default ()));
  small_call ();
  jit ();
  raw_call ();
  bulk ()
