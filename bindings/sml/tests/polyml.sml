(* The tests under Poly/ML. *)
PolyML.Compiler.printDepth := 0;
val directory = Option.getOpt (OS.Process.getEnv "WARPFOLD_SML", ".");
val () = use (OS.Path.concat (directory, "warpfold.sml"));
val () =
  List.app (fn file => use (OS.Path.concat (directory, file ^ ".sml")))
    ["tests/check", "tests/header", "tests/primitives", "tests/expressions", "tests/inner", "tests/orders", "tests/draws",
     "tests/scatter", "tests/sequence", "tests/search", "tests/segments", "tests/plans", "tests/polyml-c", "tests/errors",
     "tests/native", "tests/seeds", "examples/timing", "examples/brackets", "examples/progress", "examples/match_parens",
     "examples/mcss", "examples/map_reduce", "examples/mandelbrot", "tests/examples", "examples/primes", "examples/word_counts",
     "examples/sorts", "examples/sparse_product", "examples/n_body", "examples/run_lengths", "examples/moving_average",
     "examples/big_numbers", "examples/page_rank", "examples/bfs", "examples/nearest_neighbours", "examples/convex_hull",
     "examples/k_means", "examples/equalize", "examples/autofuse", "tests/programs", "tests/memory", "tests/run", "tests/threads"];
val () = (ThreadTests.run (); Tests.run (); Check.finish ());
