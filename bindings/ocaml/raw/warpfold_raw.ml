(** The functions of [warpfold.h] without the prefix [wf_]. They return error codes, and the caller releases pointers. See
    {!Warpfold_description}. *)

include Warpfold_description.Quick (Warpfold_quick)
include Warpfold_description.Blocking (Warpfold_blocking)
