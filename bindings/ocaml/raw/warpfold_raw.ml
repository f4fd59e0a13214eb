include Warpfold_description.Quick (Warpfold_quick)
include Warpfold_description.Blocking (Warpfold_blocking)
