(* The tests under Poly/ML. *)
PolyML.Compiler.printDepth := 0;
val directory = Option.getOpt (OS.Process.getEnv "WARPFOLD_SML", ".");
val () = use (OS.Path.concat (directory, "warpfold.sml"));
fun useAll folder = List.app (fn file => use (OS.Path.concat (directory, folder ^ "/" ^ file ^ ".sml")));
val () =
  useAll "tests"
    ["check", "primitives", "expressions", "traces", "inner", "orders", "draws", "scatter", "sequence", "search", "segments", "plans",
     "polyml/c", "errors", "native", "seeds", "arrays/making", "arrays/views", "arrays/elementwise", "arrays/cells", "arrays/jit", "arrays/gradients",
     "arrays/along", "arrays/matrices", "arrays/files", "arrays/linear", "arrays/random_matrices"];
val () =
  useAll "examples"
    ["timing", "text/brackets", "text/progress", "text/match_parens", "text/word_counts", "text/run_lengths", "sequences/mcss",
     "sequences/map_reduce", "sequences/sorts", "sequences/moving_average", "sequences/autofuse", "numeric/primes", "numeric/sparse_product",
     "numeric/n_body", "numeric/big_numbers", "graphs/page_rank", "graphs/bfs", "geometry/nearest_neighbours", "geometry/convex_hull",
     "geometry/k_means", "pictures/mandelbrot", "pictures/equalize", "random/monte_carlo", "random/particle_filter",
     "random/metropolis", "random/ising", "random/random_walk",
     "arrays/life", "arrays/heat", "arrays/jacobi", "arrays/regression", "arrays/pca", "arrays/edges", "arrays/digits"];
val () = useAll "tests" ["examples", "programs", "arrays/programs", "memory", "run", "polyml/threads", "polyml/interrupts"];
val () = (ThreadTests.run (); InterruptTests.run (); Tests.run (); Check.finish ());
