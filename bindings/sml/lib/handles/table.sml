(* A growing hash table with ints as keys. *)
structure Table =
struct
  datatype 'a t = Table of {buckets : (int * 'a) list array ref, count : int ref}

  (* Most tables are those of small lambdas. *)
  fun table () = Table {buckets = ref (Array.array (4, [])), count = ref 0}

  (* The number of buckets is a power of 2, and a remainder takes ten times as long. *)
  fun bucket (buckets, key) = Word.toInt (Word.andb (Word.fromInt key, Word.fromInt (Array.length buckets - 1)))
  fun find (Table {buckets = ref buckets, ...}, key) =
    let
      fun within [] = NONE
        | within ((k : int, x) :: rest) = if k = key then SOME x else within rest
    in
      within (Array.sub (buckets, bucket (buckets, key)))
    end

  fun add buckets (key, x) =
    let val b = bucket (buckets, key)
    in Array.update (buckets, b, (key, x) :: Array.sub (buckets, b)) end

  (* The key must be new. *)
  fun insert (Table {buckets, count}, key, x) =
    (if !count >= Array.length (!buckets) then
       let val larger = Array.array (2 * Array.length (!buckets), [])
       in Array.app (List.app (add larger)) (!buckets); buckets := larger end
     else ();
     add (!buckets) (key, x);
     count := !count + 1)
end
