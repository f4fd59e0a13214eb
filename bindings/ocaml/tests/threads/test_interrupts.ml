(* Ctrl-C and other signals end each kind of call soon, with the exception of their handler, and everything is usable afterwards. *)

open Warpfold

let context = lazy (Context.cpu ())
let deep x = Expr.(sin (exp (sin (exp (sin (exp (sin x)))))))
let long_map n = Seq.init_to ~context:(Lazy.force context) Dtype.f64 n (fun i -> deep (Expr.cast Dtype.f64 i))
let total s = Scalar.get (Seq.reduce Expr.( + ) 0. s)

(* Calls that take many seconds: a force, a reduction, a sort, a product, a function of Jit. *)
let slow_calls =
  lazy
    (let keys = Seq.init_to ~context:(Lazy.force context) Dtype.int 4_000_000 (fun i -> Expr.(i mod int 1_000_003 * int 6364136223846793)) in
     Seq.force keys;
     let sorted () = Seq.force (Seq.sort_by Expr.(fun a b -> deep (cast Dtype.f64 a) < deep (cast Dtype.f64 b)) keys) in
     let reals = Seq.map Expr.(fun x -> cast Dtype.f64 x) keys in
     Seq.force reals;
     let rec mapped k s = if k = 0 then s else mapped (k - 1) (Seq.map Expr.(fun x -> sin (exp x)) s) in
     let program = Jit.(fn (seq @-> returning scalar)) (fun s -> Seq.reduce Expr.( + ) 0. (mapped 100 s)) in
     [
       (fun () -> Seq.force (long_map 60_000_000)); (fun () -> ignore (total (long_map 100_000_000_000))); sorted;
       (fun () -> ignore (Scalar.get (program reals)));
     ])

let usable () = Check.(check int) "usable" 49_995_000 (Scalar.get (Seq.reduce Expr.( + ) 0 (Seq.init 10_000 Fun.id)))

exception Timeout

let soon name expected call =
  let start = Unix.gettimeofday () in
  (match call () with
  | () -> Check.failf "%s: the call was not ended" name
  | exception e -> if e <> expected then raise e);
  let seconds = Unix.gettimeofday () -. start in
  Check.(check bool) (Printf.sprintf "%s: %.3f s" name seconds) true (seconds < 3.);
  usable ()

let in_milliseconds k = ignore (Unix.setitimer Unix.ITIMER_REAL { Unix.it_interval = 0.; it_value = float_of_int k /. 1000. })

let timeouts () =
  let before = Sys.signal Sys.sigalrm (Sys.Signal_handle (fun _ -> raise Timeout)) in
  List.iter
    (fun call ->
      for k = 1 to 25 do
        soon "timeout" Timeout (fun () -> in_milliseconds (4 * k); call ())
      done)
    (Lazy.force slow_calls);
  Sys.set_signal Sys.sigalrm before

let break () =
  let before = Sys.signal Sys.sigint Sys.Signal_default in
  Sys.catch_break true;
  List.iter
    (fun call ->
      for _ = 1 to 5 do
        (* Another process sends the signal: OCaml runs a handler in whichever of its threads comes first. *)
        let script = Printf.sprintf "sleep 0.03; kill -INT %d" (Unix.getpid ()) in
        let sender = Unix.create_process "sh" [| "sh"; "-c"; script |] Unix.stdin Unix.stdout Unix.stderr in
        soon "break" Sys.Break call;
        ignore (Unix.waitpid [] sender)
      done)
    (Lazy.force slow_calls);
  Sys.set_signal Sys.sigint before

(* A handler that returns runs while the call goes on. *)
let returning_handler () =
  let ran = ref 0 in
  let expected = total (long_map 3_000_000) in
  let before = Sys.signal Sys.sigalrm (Sys.Signal_handle (fun _ -> incr ran; Gc.minor (); in_milliseconds 5)) in
  in_milliseconds 5;
  let sum = total (long_map 3_000_000) in
  in_milliseconds 0;
  Sys.set_signal Sys.sigalrm before;
  Check.(check (float 0.)) "the same" expected sum;
  Check.(check bool) "ran" true (!ran > 0)

let cancel () =
  List.iter
    (fun call ->
      let canceler = Thread.create (fun () -> Thread.delay 0.05; Context.cancel ~context:(Lazy.force context) ()) () in
      (match call () with
      | () -> Check.fail "the call was not canceled"
      | exception Error (Canceled, _) -> usable ());
      Thread.join canceler)
    (Lazy.force slow_calls)

let tests =
  [
    Support.case "a timeout ends each kind of call" timeouts; Support.case "Ctrl-C ends each kind of call" break;
    Support.case "a handler that returns" returning_handler; Support.case "cancel" cancel;
  ]
