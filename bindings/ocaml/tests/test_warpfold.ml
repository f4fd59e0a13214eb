let () =
  Check.run
    [
      ("header", Test_header.tests);
      ("operations", Test_operations.tests);
      ("values", Test_values.tests);
      ("expressions", Test_expr.tests);
      ("comparisons", Test_compare.tests);
      ("sequences", Test_seq.tests);
      ("inner sequences", Test_inner.tests);
      ("named functions", Test_named.tests);
      ("nested sequences", Test_nested.tests);
      ("arrays", Test_arrays.tests);
      ("axes", Test_axes.tests);
      ("cells", Test_cells.tests);
      ("jit", Test_jit.tests);
      ("gradients", Test_gradients.tests);
      ("files", Test_files.tests);
      ("linear algebra", Test_linalg.tests);
      ("random matrices", Test_random_matrix.tests);
      ("draws", Test_draws.tests);
      ("host functions", Test_host.tests);
      ("random programs", Test_random.tests);
      ("memory", Test_memory.tests);
      ("threads", Test_threads.tests);
      ("interrupts", Test_interrupts.tests);
      ("programs", Test_programs.tests);
      ("types", Test_types.tests);
      ("readme", Test_readme.tests);
    ]
