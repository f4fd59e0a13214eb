(* Numbers of single precision (f32): the elements of a Single.t seq. Reals round to the nearest. *)
structure Single = Platform.Single
