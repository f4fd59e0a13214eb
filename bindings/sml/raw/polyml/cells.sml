(* Pointers with finalizers in Poly/ML, whose structure Foreign has none. Each pointer is paired with a token, and the list of all slots
   has a weak reference to the token: a full collection clears the weak references to tokens that are otherwise unreachable.

   If Poly/ML 5.7.1 runs out of space during a minor collection, it marks live objects while some are forwarded already. Its check of
   weak references does not follow forwarding pointers, so references to live tokens that were allocated since the last collection are
   cleared. This happens most often with the parallel collector. Tokens that have survived a collection are never forwarded, so only
   these have weak references; for younger tokens the list has strong references. *)
structure Cells =
struct
  open Foreign

  type pointer = Memory.voidStar

  type slot = {pointer : pointer ref, give : pointer -> unit}
  type token = int ref
  type registry =
    {old : (token option ref * slot) list, young : (token * slot) list, count : int,
     aged : token list,              (* tokens that survived a collection, for new slots *)
     canary : token option ref}      (* cleared by the first full collection since `drain` *)
  val registry : unit -> registry ref =
    Process.perProcess (fn () => ref {old = [], young = [], count = 0, aged = [], canary = Weak.weak NONE})

  fun giveBack ({pointer, give} : slot) =
    if !pointer = Memory.null then () else (give (!pointer); pointer := Memory.null)

  (* Called after a full collection, under the lock: releases the pointers of cleared tokens, and replaces strong references to young tokens by
     weak ones. *)
  fun drain () =
    let
      fun isAlive (token, {pointer, ...} : slot) = isSome (!token) andalso !pointer <> Memory.null
      val {old, young, aged, ...} = !(registry ())
      val (alive, dead) = List.partition isAlive old
      val old = List.foldl (fn ((token, slot), slots) => (Weak.weak (SOME token), slot) :: slots) alive young
    in
      registry () := {old = old, young = [], count = List.length old, aged = aged, canary = Weak.weak (SOME (ref 0))};
      List.app (giveBack o #2) dead
    end

  fun add slot =
    let
      val fresh = ref 0
    in
      Process.synchronized (fn () =>
        let
          val () = if isSome (!(#canary (!(registry ())))) then () else drain ()
          val {old, young, count, aged, canary} = !(registry ())
        in
          case aged of
            token :: aged =>
              (registry () := {old = (Weak.weak (SOME token), slot) :: old, young = young, count = count + 1, aged = aged,
                               canary = canary};
               token)
          | [] =>
              (registry () := {old = old, young = (fresh, slot) :: young, count = count + 1, aged = [], canary = canary};
               fresh)
        end)
    end

  fun count () = #count (!(registry ()))

  (* Young tokens need a second collection. The tokens that are allocated in advance here avoid it the next time. *)
  fun collect () =
    let
      val fresh = List.tabulate (Int.max (20000, count ()), fn _ => ref 0)
      val wasYoung = not (null (#young (!(registry ()))))
      fun supply () =
        let val {old, young, count, canary, ...} = !(registry ())
        in registry () := {old = old, young = young, count = count, aged = fresh, canary = canary} end
    in
      PolyML.fullGC ();
      Process.synchronized (fn () => (drain (); supply ()));
      if wasYoung then (PolyML.fullGC (); Process.synchronized drain) else ()
    end

  (* ---- cells *)

  type live = {slot : slot, token : token, process : Process.mark}
  fun track (pointer, give) : live =
    let val slot = {pointer = ref pointer, give = give}
    in {slot = slot, token = add slot, process = Process.mark ()} end
  fun pointerOf ({slot, ...} : live) = !(#pointer slot)
  fun touchLive ({token, ...} : live) = Weak.touch token

  (* A recipe records how a pointer is made from others. It refers to recipes, not to cells, so it keeps no C memory alive. `made` is
     written only in processes that inherited the recipe. *)
  datatype recipe =
    Recipe of {from : recipe list, make : pointer list -> pointer, give : pointer -> unit, depth : int, made : live option ref}
  val deepest = 1000

  exception Inherited

  type cell = {live : live ref, recipe : recipe option}

  fun remade (Recipe {from, make, give, made, ...}) =
    case !made of
      SOME live => if Process.isThis (#process live) andalso pointerOf live <> Memory.null then live else again (from, make, give, made)
    | NONE => again (from, make, give, made)
  and again (from, make, give, made) =
    let
      val parents = List.map remade from
      val live = track (make (List.map pointerOf parents), give)
    in
      List.app touchLive parents;
      made := SOME live;
      live
    end

  (* The pointer, which is made again if another process made it; a released pointer stays released. *)
  fun liveOf ({live, recipe} : cell) =
    if Process.isThis (#process (!live)) orelse pointerOf (!live) = Memory.null then !live
    else
      case recipe of
        NONE => raise Inherited
      | SOME recipe => (live := remade recipe; !live)

  fun using (cells, f) =
    let
      val lives = List.map liveOf cells
      fun leave () = List.app touchLive lives
      val result = f (List.map pointerOf lives) handle e => (leave (); raise e)
    in
      leave ();
      result
    end

  (* NONE if one of `from` has no recipe. *)
  fun recipeOf (from : cell list, make, give) =
    let
      fun all ([], recipes, depth) =
            SOME (Recipe {from = List.rev recipes, make = make, give = give, depth = depth + 1, made = ref NONE})
        | all ({recipe = SOME (recipe as Recipe {depth = d, ...}), ...} :: rest, recipes, depth) =
            if d >= deepest then NONE else all (rest, recipe :: recipes, Int.max (d, depth))
        | all ({recipe = NONE, ...} :: _, _, _) = NONE
    in
      all (from, [], 0)
    end

  fun cell {from, make, give, isRecorded} : cell =
    let
      val live = track (using (from, make), give)
      val recipe = if isRecorded andalso !Process.isExportable then recipeOf (from, make, give) else NONE
    in
      {live = ref live, recipe = recipe}
    end

  fun touch ({live, ...} : cell) = touchLive (!live)
  fun isCurrent ({live, ...} : cell) = Process.isThis (#process (!live))
  fun release ({live, ...} : cell) =
    let
      val {slot, process, ...} = !live
    in
      Process.synchronized (fn () => if Process.isThis process then giveBack slot else #pointer slot := Memory.null)
    end
  fun same (a : cell, b : cell) = #live a = #live b
end
