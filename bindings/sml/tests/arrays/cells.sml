(* Cells: the values after updates, whoever else has the old ones, and the memory that updates need. *)
structure CellTests =
struct
  open Arrays

  val large = 1048583
  fun counted n = Seq.iota n
  fun vector s = Tensor.fromSeq [Seq.length s] s
  fun isLinear (n, a, b) s =
    let val elements = Seq.toArray s
    in
      int (n, Array.length elements);
      holds ("the elements are " ^ Int.toString a ^ " i + " ^ Int.toString b)
        (Array.foldli (fn (i, x, ok) => ok andalso x = a * i + b) true elements)
    end

  fun run () =
    (test "cells: updates" (fn () =>
       List.app
         (fn n =>
            let val c = Cell.ofSeq (counted n)
            in
              Cell.update (fn x => Exp.+ (Exp.* (x, Exp.int 2), Exp.int 1)) c;
              Cell.updateWith Exp.+ (c, vector (counted n));
              isLinear (n, 3, 1) (Cell.toSeq c);
              Cell.updateWith Exp.+ (c, vector (Seq.rev (Cell.toSeq c)));
              isLinear (n, 0, 3 * (n - 1) + 2) (Cell.toSeq c)
            end)
         [0, 1, 2, 63, 64, 65, 2047, large]);
     test "cells: updates within the memory of one" (fn () =>
       let val context = Context.create "cpu"
       in
         Context.within context (fn () =>
           let
             val c = Cell.ofSeq (counted large)
             fun times 0 = ()
               | times k = (Cell.update (fn x => Exp.+ (x, Exp.int 3)) c; times (k - 1))
           in
             Context.setLimit context (SOME (#live (Context.memory context)));
             times 50;
             Context.setLimit context NONE;
             isLinear (large, 1, 150) (Cell.toSeq c)
           end)
       end);
     test "cells: old values" (fn () =>
       let
         val c = Cell.ofSeq (counted large)
         val old = Cell.toSeq c
         val view = Seq.drop old 3
         val captured = Seq.tabulate (fn i => Exp.at (old, i)) large
       in
         Cell.update Exp.~ c;
         isLinear (large, ~1, 0) (Cell.toSeq c);
         isLinear (large, 1, 0) old;
         isLinear (large - 3, 1, 3) view;
         isLinear (large, 1, 0) captured;
         Cell.set (c, vector view);
         Cell.update (fn x => Exp.+ (x, Exp.int 1)) c;
         isLinear (large - 3, 1, 3) view;
         isLinear (large - 3, 1, 4) (Cell.toSeq c)
       end);
     test "cells: arrays" (fn () =>
       let
         val c = Cell.new (Tensor.iota [3, 4])
         val pairs = Cell.ofSeq (Seq.zip (counted 1000, counted 1000))
       in
         Cell.updateWith (fn (x, y) => Exp.+ (x, Exp.* (Exp.int 100, y))) (c, Tensor.iota [4]);
         isArray ([3, 4], fn [i, j] => 4 * i + 101 * j | _ => 0) (Cell.get c);
         size (fn () => Cell.updateWith Exp.+ (c, Tensor.iota [2, 3, 4]));
         size (fn () => Cell.updateWith Exp.+ (c, Tensor.iota [5]));
         Cell.set (c, Tensor.iota [2, 2]);
         isArray ([2, 2], fn [i, j] => 2 * i + j | _ => 0) (Cell.get c);
         Cell.update (fn p => let val (x, y) = Exp.unpair p in Exp.pair (Exp.+ (y, Exp.int 1), x) end) pairs;
         isLinear (1000, 1, 1) (Seq.map (#1 o Exp.unpair) (Cell.toSeq pairs));
         isLinear (1000, 1, 0) (Seq.map (#2 o Exp.unpair) (Cell.toSeq pairs))
       end);
     test "cells: errors" (fn () =>
       let
         val c = Cell.ofSeq (counted large)
         val table = counted (large - 1)
       in
         subscript (fn () => Cell.update (fn x => Exp.at (table, x)) c);
         size (fn () => Cell.updateWith Exp.+ (c, vector table));
         subscript (fn () => Cell.set (c, vector (Seq.map (fn x => Exp.at (table, x)) (Cell.toSeq c))));
         isLinear (large, 1, 0) (Cell.toSeq c)
       end))
end
