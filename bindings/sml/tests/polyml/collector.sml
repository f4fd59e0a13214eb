(* Under Poly/ML: live cells keep their pointers in collections that run out of space. Poly/ML 5.7.1 was seen to clear weak references
   to live objects with several collector threads and a small heap (--gcthreads=2 --maxheap=90M), in some runs and not in others. So
   this test can show that Cells fails, and cannot prove that it never does. *)
structure CollectorTests =
struct
  open Check

  fun live i =
    Platform.cell
      {from = [], make = fn _ => Foreign.Memory.sysWord2VoidStar (SysWord.fromInt (i + 1)), give = ignore, isRecorded = false}

  (* Cells and ML data, both new and live; they become garbage after each round. *)
  fun round k =
    let
      val kept = List.tabulate (20000, live)
      val data = List.tabulate (300000, fn i => (i, [i, i + 1, k]))
    in
      holds "live cells keep their pointers"
        (List.all (fn cell => Platform.using ([cell], fn pointers => pointers <> [Platform.null])) kept);
      int (300000, List.length data)
    end
  fun rounds 0 = ()
    | rounds k = (round k; rounds (k - 1))

  fun run () = test "live cells survive collections that run out of space" (fn () => rounds 60)
end
