(** The functions of [warpfold.h] as they are, without [wf_]: codes are returned, pointers are the caller's to release. See
    {!Warpfold_description}. *)

include Warpfold_description.Quick (Warpfold_quick)
include Warpfold_description.Blocking (Warpfold_blocking)
