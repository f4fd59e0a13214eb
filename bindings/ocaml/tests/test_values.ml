(* Functions compared with what ../../values.py prints: the arguments, and per function its results for these lengths or shapes. *)

open Warpfold
open Support

let lengths = [ 0; 1; 7; 100_007 ]
let shapes = [ (0, 3); (3, 0); (1, 1); (2, 3); (17, 31); (64, 129) ]
module A = Ndarray
module L = Linalg

let script = "../../../../values.py"

let table =
  let rec read channel = match input_line channel with line -> line :: read channel | exception End_of_file -> close_in channel; [] in
  let named line = (String.sub line 0 (String.index line ':'), line) in
  lazy (List.map named (read (Unix.open_process_in ("python3 " ^ script))))

let text_of values =
  let digest h x = ((h * 31) + (x mod 65521) + 65521) mod 65521 in
  if List.length values <= 12 then String.concat " " (List.map string_of_int values)
  else Printf.sprintf "#%d %d" (List.length values) (List.fold_left digest 0 values)

(* One test per function: the texts of `cases n` for each of the arguments n. *)
let tests_of cases arguments =
  let found = lazy (List.map cases arguments) in
  let test k (name, _) =
    let expected () = Option.value ~default:"" (List.assoc_opt name (Lazy.force table)) in
    let results () = String.concat " | " (List.map (fun texts -> (snd (List.nth texts k)) ()) (Lazy.force found)) in
    case name (fun () -> Check.(check string) name (expected ()) (name ^ ": " ^ results ()))
  in
  List.mapi test (cases (List.hd arguments))

let ints s = text_of (Seq.to_list s)
let both a b = a ^ " & " ^ b
let pairs p = let a, b = Seq.unzip p in both (ints a) (ints b)
let number x = string_of_int (Scalar.get x)
let truths list = text_of (List.map Bool.to_int list)
let nested z = both (ints (Nested.lengths z)) (ints (Nested.flatten z))
let with_total (prefixes, total) = both (ints prefixes) (number total)
let keyed (keys, groups) = both (ints keys) (nested groups)
let tagged tag s = Seq.sort_on fst (Seq.map_to Dtype.(pair int int) Expr.(fun x -> (x land int 7, int tag)) s)

let of_numbers n =
  let open Expr.Infix in
  let int = Expr.int in
  let s = Seq.of_array Dtype.int (noise n) and t = Seq.map (fun x -> int 3 - x) (Seq.of_array Dtype.int (noise Stdlib.((n / 2) + 3))) in
  let longer = Seq.append s (Seq.iota 1) and some f = if n |> Stdlib.( = ) 0 then "-" else f () in
  let last x = Seq.update s Stdlib.(n - 1) x in
  let odd x = x land int 1 = int 1 and square x = (x land int 63) * (x land int 63) and low k x = x land int k in
  let affine (a, b) (c, d) = (a * c mod int 1009, ((b * c) + d) mod int 1009) in
  let maps = Seq.zip (Seq.map (fun x -> low 3 x + int 1) s) (Seq.map (low 1023) s) in
  let place = Seq.map (fun x -> (x + int 1001) mod int 17) s and base = Seq.init 17 (fun i -> (i * i) - int 40) in
  let step x y = ((x * int 5) + y) mod int 1009 in
  let u = Seq.sort_uniq s and v = Seq.sort_uniq t and third = Stdlib.( / ) n 3 and keyed_s = Seq.zip (Seq.map (low 15) s) (Seq.iota n) in
  let less_low x y = low 7 x < low 7 y and sort = Seq.sort and descending = true in
  let z = Nested.split (fun x -> low 7 x = int 0) s in
  [
    ("map", fun () -> ints (Seq.map (fun x -> (x * x) + int 1) s));
    ("map of two", fun () -> ints (Seq.map2 ( - ) s (Seq.rev s)));
    ("map of three", fun () -> ints (Seq.map3 (fun x y z -> (x * y) - z) s (Seq.rev s) (Seq.iota n)));
    ("map to the shorter", fun () -> ints (Seq.map2_shortest ( - ) s t));
    ("zip to the shorter", fun () -> pairs (Seq.zip_shortest s t));
    ("indexed map", fun () -> ints (Seq.mapi ( - ) s));
    ("tabulate", fun () -> both (ints (Seq.init n (fun i -> int 3 * i))) (ints (Seq.tabulate Fun.id n)));
    ("enumerate", fun () -> pairs (Seq.enumerate s));
    ("filter", fun () -> ints (Seq.filter odd s));
    ("filter of pairs", fun () -> pairs (Seq.filter (fun (i, x) -> x > low 511 i) (Seq.enumerate s)));
    ("indexed filter", fun () -> ints (Seq.filteri (fun i x -> low 3 (i + x) = int 0) s));
    ("reduce", fun () -> number (Seq.reduce Expr.max (-1002) s));
    ("reduce, in order", fun () -> let a, b = Scalar.get (Seq.reduce affine (1, 0) maps) in text_of [ a; b ]);
    ("scan", fun () -> with_total (Seq.scan ( + ) 0 s));
    ("inclusive scan", fun () -> ints (Seq.scan_incl Expr.max (-1002) s));
    ("inclusive scan, total", fun () -> with_total (Seq.scan_incl_total Expr.max (-1002) s));
    ("count", fun () -> number (Seq.count (Seq.filter odd s)));
    ("take", fun () -> ints (Seq.take third s));
    ("drop", fun () -> ints (Seq.drop third s));
    ("part", fun () -> ints (Seq.subseq s third (Stdlib.( / ) n 2)));
    ("reverse", fun () -> ints (Seq.rev s));
    ("append", fun () -> both (ints (Seq.append s t)) (ints (Seq.concat [ s; Seq.empty Dtype.int; t; s ])));
    ("sum", fun () -> number (Seq.sum s));
    ("product", fun () -> number (Seq.product (Seq.map (fun x -> int 1 - (int 2 * low 1 x)) s)));
    ("dot", fun () -> number (Seq.dot s (Seq.map (low 7) s)));
    ("count if", fun () -> number (Seq.count_if (fun x -> x > int 3) s));
    ("extremes", fun () ->
        some (fun () -> let a, b = Scalar.get (Seq.minmax s) in both (text_of [ a; b ]) (both (number (Seq.min s)) (number (Seq.max s)))));
    ("mean", fun () -> some (fun () -> Printf.sprintf "%.6f" (Scalar.get (Seq.mean (Seq.map (Expr.cast Dtype.f64) s)))));
    ("any and all", fun () -> truths (List.concat_map (fun k -> let f x = x > int k in [ Seq.exists f s; Seq.for_all f s ]) [ -1002; 0; 995; 1001 ]));
    ("find", fun () ->
        ints (Seq.of_list Dtype.int (List.map (fun k -> Option.value ~default:(-5000) (Seq.find_opt (fun x -> x > int k) s)) [ 0; 995; 1001 ])));
    ("position", fun () -> text_of (List.map (fun k -> Option.value ~default:(-1) (Seq.find_index (fun x -> x > int k) s)) [ 0; 995; 1001 ]));
    ("positions", fun () -> ints (Seq.pack_index (fun x -> x mod int 3 = int 0) s));
    ("partition", fun () -> let yes, no = Seq.partition (fun x -> x > int 0) s in both (ints yes) (ints no));
    ("argmax", fun () -> some (fun () -> both (number (Seq.argmax s)) (number (Seq.argmin s))));
    ("argmax in an order", fun () -> some (fun () -> both (number (Seq.argmax_by less_low s)) (number (Seq.argmax_by ( > ) s))));
    ("map, reduce", fun () -> number (Seq.map_reduce square ( + ) 0 s));
    ("map, scan", fun () -> with_total (Seq.map_scan square ( + ) 0 s));
    ("map, inclusive scan", fun () -> ints (Seq.map_scan_incl square ( + ) 0 s));
    ("map, filter", fun () -> ints (Seq.map_filter square odd s));
    ("map, filter, indexed", fun () -> ints (Seq.map_filteri ( - ) (fun i x -> low 3 (i + x) = int 0) s));
    ("map, merge", fun () -> let a = sort s in ints (Seq.map_merge (fun x -> x + int 1) ( < ) a a));
    ("iterate", fun () -> number (Seq.iterate Dtype.int step 7 s));
    ("iterated prefixes", fun () -> with_total (Seq.iterate_prefixes Dtype.int step 7 s));
    ("iterated inclusive prefixes", fun () -> ints (Seq.iterate_prefixes_incl Dtype.int step 7 s));
    ("equal", fun () ->
        truths (Seq.equal ( = ) s s :: Seq.equal ( = ) s longer :: (if Stdlib.( = ) n 0 then [] else [ Seq.equal ( = ) s (last 5000) ])));
    ("compare", fun () ->
        text_of Seq.(compare s s :: compare s longer :: compare longer s :: (if Stdlib.( = ) n 0 then [] else [ compare s (last 5000); compare_by
          ( > ) s (last 5000); compare (update s 0 6000) (last 5000) ])));
    ("sort", fun () -> both (ints (sort s)) (ints (sort ~descending s)));
    ("sort in an order", fun () -> ints (Seq.sort_by less_low s));
    ("sort by a key", fun () -> both (ints (Seq.sort_on (low 7) s)) (ints (Seq.sort_on ~descending (low 7) s)));
    ("sort of pairs", fun () ->
        both (pairs (Seq.sort_on fst keyed_s)) (both (pairs (Seq.sort_on ~descending fst keyed_s)) (pairs (Seq.sort_by (fun (x, _)
          (y, _) -> x > y) keyed_s))));
    ("merge", fun () -> both (ints (Seq.merge (sort s) (sort t))) (ints (Seq.merge ~descending (sort ~descending s) (sort ~descending t))));
    ("merge in an order", fun () -> pairs (Seq.merge_by (fun (x, _) (y, _) -> x < y) (tagged 1 s) (tagged 2 t)));
    ("sorted", fun () -> truths [ Seq.is_sorted u; Seq.is_sorted ~descending u; Seq.is_sorted s ]);
    ("unique", fun () -> ints u);
    ("union", fun () -> ints (Seq.union u v));
    ("intersection", fun () -> ints (Seq.inter u v));
    ("difference", fun () -> ints (Seq.diff u v));
    ("binary search", fun () -> both (ints (Seq.binary_search u t)) (ints (Seq.binary_search_by ( < ) u t)));
    ("top", fun () -> both (ints (Seq.top_k 0 s)) (both (ints (Seq.top_k 10 s)) (ints (Seq.top_k Stdlib.(n + 1) s))));
    ("scatter", fun () -> ints (Seq.scatter base place s));
    ("scatter by add", fun () -> ints (Seq.scatter ~by:( + ) base place s));
    ("scatter by min", fun () -> ints (Seq.scatter ~by:Expr.min base place s));
    ("scatter of pairs", fun () -> pairs (Seq.scatter ~by:(fun (a, b) (c, d) -> (a + c, Expr.max b d)) (Seq.zip base base) place (Seq.zip s s)));
    ("inject", fun () -> ints (Seq.inject base (Seq.zip place s)));
    ("histogram", fun () -> ints (Seq.histogram ~bins:17 place));
    ("update", fun () -> some (fun () -> both (ints (last 5)) (pairs (Seq.update (Seq.enumerate s) 0 (3, 4)))));
    ("rotate", fun () -> both (ints (Seq.rotate 3 s)) (ints (Seq.rotate Stdlib.(-1 - n) s)));
    ("interleave", fun () -> ints (Seq.interleave s (Seq.map ( ~- ) s)));
    ("run lengths", fun () -> pairs (Seq.run_lengths (Seq.map (low 1) s)));
    ("values by key", fun () -> pairs (Seq.reduce_by_key Expr.max (-1) keyed_s));
    ("lengths", fun () -> ints (Nested.lengths z));
    ("fields", fun () -> nested z);
    ("tokens", fun () -> nested (Nested.tokens (fun x -> low 7 x = int 0) s));
    ("split before", fun () -> nested (Nested.split_before (fun x -> low 7 x = int 0) s));
    ("chunks", fun () -> both (nested (Nested.chunks 3 s)) (nested (Nested.chunks 1000 s)));
    ("windows", fun () -> both (nested (Nested.windows 3 s)) (ints (Nested.sum (Nested.windows 1000 s))));
    ("runs", fun () -> nested (Nested.runs ~by:(fun x y -> low 1 x = low 1 y) s));
    ("map of segments", fun () -> nested (Nested.map (fun x -> int 2 * x) z));
    ("filter of segments", fun () -> nested (Nested.filter odd z));
    ("reduce of segments", fun () -> both (ints (Nested.reduce Expr.max (-5000) z)) (ints (Nested.sum z)));
    ("scan of segments", fun () -> let prefixes, totals = Nested.scan ( + ) 0 z in both (nested prefixes) (ints totals));
    ("inclusive scan of segments", fun () -> nested (Nested.scan_incl ( + ) 0 z));
    ("sort of segments", fun () -> nested (Nested.sort z));
    ("collect", fun () -> keyed (Nested.collect keyed_s));
    ("collect in an order", fun () -> keyed (Nested.collect_by (fun x y -> x / int 4 > y / int 4) keyed_s));
    ("group by", fun () -> keyed (Nested.group_by (low 15) s));
    ("segments of lengths", fun () ->
        let values = Nested.flatten z in both (nested (Nested.of_lengths (Nested.lengths z) values)) (nested (Nested.of_offsets
          (Nested.offsets z) values)));
    ("a segment", fun () -> ints (Nested.get z (Stdlib.( / ) (Nested.length z) 2)));
    ("segment ids", fun () -> ints (Nested.ids z));
    ("indexed map of segments", fun () -> nested (Nested.mapi ( - ) z));
    ("reduce of segments of pairs", fun () ->
        pairs (Nested.reduce (fun (a, i) (b, j) -> (a + b, Expr.max i j)) (0, -1) (Nested.zip z (Nested.mapi (fun k _ -> k) z))));
  ]

let array a = both (text_of (Axes.to_list (A.shape a))) (text_of (Array.to_list (A.to_array a)))
let arrays list = String.concat " & " (List.map array list)
let bools a = array (A.map (Expr.cast Dtype.int) a)
let thousandths a = array (A.map Expr.(fun x -> cast Dtype.int (round (x * f64 1000.))) a)

let of_arrays (m, n) =
  let a = A.init [ m; n ] Expr.(fun [ i; j ] -> (((i * int n) + j) * int 37 mod int 101) - int 50) and b = A.iota [ m; n ] in
  if m land 1 = 0 then A.force a;
  let some f = if m * n = 0 then "-" else f () and parts f = if m >= 2 && n >= 3 then f () else "-" in
  let x = A.map (Expr.cast Dtype.f64) a in
  let floats f = some (fun () -> thousandths (f x)) and tenths = A.(x /$ 10.) in
  let square = A.slice [ Until (min m n); Until (min m n) ] a and sign = A.map Expr.(fun x -> int 1 - (int 2 * cast Dtype.int (x > int 0))) a in
  (* The matrices of systems, their forms and the products with them. *)
  let solved f =
    let p = A.((L.matmul x (transpose x) *$ 1e-5) + eye Dtype.f64 m) in
    let l = L.cholesky p in
    let u = A.transpose l in
    let triangle which form t = (t, form, L.triangle_product which t) and unit which form t = (t, form, L.matmul (L.triangle which t)) in
    let triangles = [ triangle `Lower `Lower l; triangle `Upper `Upper u; unit `Unit_lower `Unit_lower l; unit `Unit_upper `Unit_upper u ] in
    some (fun () -> f p ((p, `General, L.matmul p) :: (p, `Positive, L.matmul p) :: (l, `Cholesky, L.matmul p) :: triangles))
  and each forms f = String.concat " & " (List.map (fun (t, form, times) -> thousandths (times (f form t))) forms) in
  let down = A.init [ m; 1 ] (fun [ i; _ ] -> i) and across = A.init [ 1; n ] (fun [ _; j ] -> j) in
  [
    ("array", fun () -> array a);
    ("transpose", fun () -> array (A.transpose a));
    ("reshape", fun () -> array (A.reshape [ n; m ] a));
    ("flip", fun () -> both (array (A.flip 0 a)) (array (A.flip (-1) a)));
    ("roll", fun () -> both (array (A.roll 0 2 a)) (array (A.roll (-1) (-1) a)));
    ("insert axis", fun () -> array (A.expand 1 a));
    ("broadcast", fun () -> array (A.broadcast [ 2; m; n ] a));
    ("join", fun () -> arrays [ A.join 0 [ a; b ]; A.join (-1) [ a; b ] ]);
    ("stack", fun () -> array (A.stack 0 [ a; b ]));
    ("steps", fun () -> arrays [ A.slice [ Every 3; All ] a; A.slice [ All; Every (-2) ] a ]);
    ("row and column", fun () -> parts (fun () -> both (ints (A.row 1 a)) (ints (A.column (-1) a))));
    ("part of an array", fun () -> parts (fun () -> array (A.slice [ From 1; Until (-1) ] a)));
    ("array windows", fun () -> parts (fun () -> array (A.windows 1 3 (A.windows 0 2 a))));
    ("diagonal", fun () -> both (ints (A.diagonal a)) (both (ints (A.diagonal ~offset:1 a)) (ints (A.diagonal ~offset:(-2) a))));
    ("translate", fun () -> array (A.translate ~outside:(-7) [ 1; -2 ] a));
    ("permute", fun () -> array (A.permute [ 2; 0; 1 ] (A.stack 0 [ a; b ])));
    ("slices", fun () ->
        parts (fun () ->
            let steps = A.slice [ All; Step (Some (n - 1), Some 0, -2) ] a in
            arrays [ A.slice [ From 1; Every 2 ] a; A.slice [ Range (-2, -1); All ] a; A.slice [ Every (-1); Range (1, -1) ] a; steps ]));
    ("view", fun () -> some (fun () -> arrays [ A.view [ n; m ] [ 1; n ] a; A.view ~offset:((m * n) - 1) [ 2; m * n ] [ 0; -1 ] a ]));
    ("split", fun () -> arrays (A.split 1 [ n / 2; 0; n - (n / 2) ] a));
    ("operators", fun () -> array A.((a * (a +$ 1)) - (3 $* (5 $- a))));
    ("row and column spread", fun () -> array A.((a * down) - across));
    ("choice", fun () -> array A.(where (a >$ 4 && a <$ 40) a (fill Dtype.int [ 1; 1 ] 0)));
    ("clamp", fun () -> array (A.clamp (-10) 20 a));
    ("rectify", fun () -> array (A.rectify a));
    ("captured elements", fun () -> array (A.init [ n; m ] (fun [ j; i ] -> Expr.(A.at a [ i; j ] * int 2))));
    ("sums", fun () -> both (array (A.sum (Axis 0) a)) (both (array (A.sum (Axis (-1)) a)) (both (array (A.sum (Keep [ 1 ]) a)) (number (A.sum All a)))));
    ("least", fun () -> some (fun () -> both (array (A.min (Axis 0) a)) (array (A.max (Axis 1) a))));
    ("products", fun () -> array (A.product (Axis 1) sign));
    ("counts", fun () -> array (A.count (Axis 1) A.(a >$ 20)));
    ("truths", fun () -> both (bools (A.any (Axis 0) A.(a >$ 49))) (bools (A.all (Axis 1) A.(a <$ 49))));
    ("reduce along", fun () -> array (A.reduce (Axis 1) Expr.( lxor ) 0 a));
    ("places", fun () -> some (fun () -> both (array (A.argmax 0 a)) (array (A.argmin 1 a))));
    ("scan along", fun () -> let prefixes, totals = A.scan 0 Expr.( + ) 0 a in both (array prefixes) (array totals));
    ("inclusive scan along", fun () -> array (A.scan_incl 1 Expr.max min_int a));
    ("cumulative sum", fun () -> array (A.cumulative_sum 0 a));
    ("cumulative product", fun () -> array (A.cumulative_product (-1) sign));
    ("sort along", fun () -> arrays [ A.sort 1 a; A.sort ~descending:true 0 a ]);
    ("means", fun () -> floats (A.mean (Axis 1)));
    ("variances", fun () -> floats (A.variance (Axis 1)));
    ("norms", fun () -> floats (A.norm (Axis 1)));
    ("logsumexp", fun () -> some (fun () -> thousandths (A.logsumexp (Axis 1) tenths)));
    ("softmax", fun () -> thousandths (A.softmax 1 tenths));
    ("matmul", fun () -> array L.(a *@ A.transpose b));
    ("matrix and vector", fun () -> ints (L.matvec a (Seq.iota n)));
    ("inner", fun () -> array (L.inner a b));
    ("outer", fun () -> array (L.outer (Seq.iota m) (Seq.iota n)));
    ("kronecker", fun () -> array (L.kronecker a (A.iota [ 2; 3 ])));
    ("frobenius", fun () -> number (L.frobenius a b));
    ("trace and triangle", fun () -> both (number (L.trace square)) (array (L.triangle `Lower square)));
    ("convolve", fun () -> parts (fun () -> array (L.convolve a (A.iota [ 2; 3 ]))));
    ("pool", fun () -> parts (fun () -> array (L.max_pool 2 3 a)));
    ("systems", fun () ->
        let vector p = thousandths (L.matvec p (L.solve_vector p (A.column 0 x))) in
        solved (fun p forms -> both (each forms (fun form t -> L.solve ~form t x)) (vector p)));
    ("inverses", fun () -> solved (fun _ forms -> each forms (fun form t -> L.inverse ~form t)));
    ("half of a diagonal", fun () -> some (fun () -> thousandths (L.phi (A.slice [ Until (min m n); Until (min m n) ] x))));
    ("fourier", fun () ->
        let back axes = thousandths (L.inverse_real_fft ~axes ~odd:(n land 1 = 1) (L.real_fft ~axes x)) in
        some (fun () -> both (back 1) (back 2)));
    ("factors", fun () ->
        let x = A.(x /$ 50.) and zero = A.fill Dtype.f64 [ m; m ] 0. in
        solved (fun p _ ->
            let q, r = L.qr x and u, s, v = L.singular_values x and values, vectors = L.eigen p in
            let descending = Seq.is_sorted (Seq.rev s) && Seq.is_sorted values in
            let rest = A.((L.matmul p vectors - (vectors * expand 0 values)) + zero) in
            String.concat " & "
              (List.map thousandths [ L.matmul q (L.triangle `Upper r); A.Infix.(L.matmul (u * A.expand 0 s) v); L.inner q q; L.inner vectors vectors;
                 (if descending then rest else vectors) ])));
    ("asum", fun () -> number (L.Blas.asum a));
    ("dot of arrays", fun () -> number (L.Blas.dot a b));
    ("scal", fun () -> array (L.Blas.scal 3 a));
    ("axpy", fun () -> array (L.Blas.axpy 3 a b));
    ("geem", fun () -> array (L.Blas.geem 2 a b (-1) b));
    ("geerv", fun () -> array (L.Blas.geerv 2 a (Seq.iota n) 5 b));
    ("scaled rows", fun () -> array (L.Blas.scale_rows (Seq.iota m) a));
    ("scaled columns", fun () -> array (L.Blas.scale_columns (Seq.iota n) a));
    ("gemm", fun () -> array (L.Blas.gemm ~transpose_b:true 2 a b 3 (A.eye Dtype.int m)));
  ]

(* A package has no table. *)
let tests = if Sys.file_exists script then tests_of of_numbers lengths @ tests_of of_arrays shapes else []
