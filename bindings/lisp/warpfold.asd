;;;; The systems: the binding, its tests, its example programs, its measurements.

(defsystem "warpfold"
  :description "Lazily fused parallel sequences: map, scan, reduce, filter on all cores or a GPU."
  :version "0.1.0"
  :author "The authors of warpfold"
  :license "Apache-2.0"
  :depends-on ("cffi")
  :pathname "src"
  :serial t
  :components ((:file "packages") (:file "conditions") (:file "library")
               (:static-file "header" :pathname #.(or (probe-file (merge-pathnames "warpfold.h" *load-truename*))
                                                      (merge-pathnames "../../capi/warpfold.h" *load-truename*)))
               (:file "raw") (:file "calls") (:file "types") (:file "handles") (:file "contexts") (:file "objects")
               (:module "functions"
                :serial t
                :components ((:file "operations") (:file "walk") (:file "forms") (:file "statements") (:file "loops")
                             (:file "inner") (:file "prelude") (:file "terms") (:file "elaborate") (:file "folds")
                             (:file "inner-functions") (:file "functions")))
               (:module "sequences"
                :serial t
                :components ((:file "shapes") (:file "transfer") (:file "primitives") (:file "random")
                             (:file "values") (:file "columns") (:file "searches") (:file "totals") (:file "orders")
                             (:file "places") (:file "mutables") (:file "steps") (:file "nested") (:file "records")))
               (:module "arrays"
                :serial t
                :components ((:file "making") (:file "views") (:file "operators") (:file "linear") (:file "blas")
                             (:file "random-matrices") (:file "files") (:file "print")))
               (:file "jit") (:file "gradients") (:file "images") (:file "protocol") (:file "print"))
  :in-order-to ((test-op (test-op "warpfold/test"))))

(defsystem "warpfold/test"
  :description "Tests of warpfold, in fiveam."
  :license "Apache-2.0"
  :depends-on ("warpfold" "warpfold/examples" "fiveam")
  :pathname "tests"
  :serial t
  :components ((:file "suite") (:file "values") (:file "header") (:file "functions") (:file "operations") (:file "random")
               (:file "primitives") (:file "transfer") (:file "sequences") (:file "conditions")
               (:file "threads/interrupts") (:file "places") (:file "named") (:file "nested")
               (:file "draws") (:file "inner") (:file "memory") (:file "mutables") (:file "images")
               (:file "threads/threads") (:file "jit") (:file "gradients") (:file "print")
               (:module "arrays"
                :serial t
                :components ((:file "plain") (:file "shapes") (:file "views") (:file "elementwise") (:file "axes")
                             (:file "linear") (:file "random-matrices") (:file "files") (:file "print")))
               (:file "programs") (:file "readme"))
  :perform (test-op (operation system)
             (unless (symbol-call "WARPFOLD-TEST" "RUN-TESTS") (error "tests of warpfold failed"))))

(defsystem "warpfold/examples"
  :description "Small real programs."
  :license "Apache-2.0"
  :depends-on ("warpfold")
  :pathname "examples"
  :serial t
  :components ((:file "program") (:file "brackets") (:file "match-parens") (:file "mcss") (:file "mandelbrot")
               (:file "map-reduce") (:file "primes") (:file "word-counts") (:file "quicksort")
               (:file "sparse-product") (:file "n-body") (:file "run-length") (:file "moving-average")
               (:file "big-sum") (:file "bfs") (:file "page-rank") (:file "nearest")
               (:module "random"
                :serial t
                :components ((:file "monte-carlo") (:file "particle-filter") (:file "metropolis") (:file "ising")
                             (:file "random-walk")))
               (:module "arrays"
                :serial t
                :components ((:file "life") (:file "heat") (:file "jacobi") (:file "sobel") (:file "regression")
                             (:file "pca") (:file "digits")))
               (:file "gradients/logistic") (:file "gradients/network")))

(defsystem "warpfold/measure"
  :description "Measurements of small calls and of transfers."
  :license "Apache-2.0"
  :depends-on ("warpfold")
  :pathname "measure"
  :components ((:file "measure")))
