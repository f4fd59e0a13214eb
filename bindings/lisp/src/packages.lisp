;;;; The two layers: warpfold.raw binds the C API without changes, warpfold (nickname wf) is the Lisp API.

(defpackage #:warpfold.raw
  (:nicknames #:wf.raw)
  (:documentation "The C API of warpfold, function by function; warpfold.h documents each.")
  (:use #:common-lisp)
  (:export #:*c-functions* #:load-library #:*library*))

(defpackage #:warpfold
  (:nicknames #:wf)
  (:documentation
   "Lazily fused parallel sequences. (wf:map (wf:fn (x) (* 2 x)) s) computes nothing. Reading values, by wf:value, wf:to-vector
or wf:force, computes all that they need in as few passes over memory as possible, on all cores or a GPU.")
  (:use #:common-lisp)
  (:shadow #:aref #:trace #:variable #:map #:reduce #:length #:append #:reverse #:nth #:elt #:subseq #:sort #:merge
           #:every #:some #:count-if #:find-if #:position-if #:mismatch #:union #:intersection #:set-difference)
  ;; Functions of elements
  (:export #:fn #:define-function #:foreign-function #:block-function #:source-function #:fn-text #:cast
           #:fma #:rsqrt #:cbrt #:exp2 #:expm1 #:log2 #:log10 #:log1p #:pow #:hypot #:atan2 #:erf #:erfc #:copysign
           #:isnan #:isinf #:isfinite #:shl #:shr #:popcount #:clz #:round-away #:philox32 #:philox64
           #:pos #:rectify #:exp10 #:sinpi #:cospi #:sigmoid #:softplus #:log1mexp #:logit #:erfinv #:erfcinv #:ndtr
           #:ndtri #:lgamma #:tgamma #:digamma #:trigamma #:lfact #:bessel-j0 #:bessel-j1 #:bessel-y0 #:bessel-y1
           #:bessel-i0 #:bessel-i1 #:logaddexp #:lchoose #:lbeta #:mvlgamma #:mvdigamma #:gamma-p #:gamma-q #:ibeta
           #:polygamma #:mvpolygamma #:gamma-p-da #:ibeta-da #:ibeta-db)
  ;; Sequences
  (:export #:seq #:seq-p #:element-types #:rank #:manifest-p #:context-of
           #:from-vector #:from-array #:from-list #:from-file #:from-pointer #:from-dlpack #:scalar
           #:tabulate #:map #:zip #:unzip #:columns #:reduce #:scan #:scan-incl #:filter #:sort #:merge #:scatter #:histogram
           #:iota #:enumerate #:map-indexed #:map-shortest #:zip-shortest #:filter-indexed #:positions-if #:partition
           #:sum #:product #:minimum #:maximum #:minmax #:mean #:dot #:count-if #:every #:some
           #:find-if #:position-if #:mismatch #:collate #:argmax #:argmin
           #:map-reduce #:map-scan #:map-scan-incl #:map-filter #:map-filter-indexed #:map-merge
           #:iterate #:iterate-prefixes #:iterate-prefixes-incl
           #:top-k #:sorted-p #:binary-search #:dedup #:unique #:union #:intersection #:set-difference
           #:run-lengths #:count-by-key #:reduce-by-key #:collect #:group-by
           #:nested #:nested-p #:segments #:split #:split-before #:tokens #:runs #:chunks #:windows #:flatten #:nested-list
           #:segment #:segment-count #:segment-lengths #:segment-offsets #:segment-ids
           #:map-segments #:reduce-segments #:scan-segments #:scan-segments-incl #:filter-segments #:sort-segments #:append-segments #:segments-at
           #:from-records #:to-records #:constant-code
           #:order-segments #:unique-segments #:merge-segments #:collate-segments #:argmax-segments #:search-segments
           #:inject #:update #:rotate #:interleave #:split-head #:split-mid #:to-string
           #:nth #:subseq #:take #:drop #:reverse #:append #:lazy-length
           #:force #:wait #:value #:elt #:length #:to-vector #:to-array #:copy-to #:to-list #:with-data #:to-dlpack
           #:explain #:explain-dot #:release #:with-released
           #:mutable #:mutable-p #:contents #:modify
           #:jit #:define-jit)
  ;; Gradients
  (:export #:variable #:gradients #:grad #:value-and-grad #:vjp #:jvp #:hessian-vector #:stop-gradient #:fn-gradient #:map-sequences)
  ;; Arrays
  (:export #:dimensions #:dimension #:strides #:conforms-p
           #:aref #:reshape #:broadcast #:permute #:transpose #:slice #:overwrite #:flip #:diagonal #:insert-axis
           #:sliding-windows #:displace #:translate #:full #:eye #:diagonal-matrix #:join #:split-along #:stack #:where #:clamp
           #:variance #:all #:any #:norm #:softmax #:logsumexp #:cumulative-sum #:cumulative-product
           #:matmul #:matrix-power #:inner #:outer #:frobenius #:kronecker #:triangle #:triangle-product #:phi #:trace
           #:solve #:inverse #:log-determinant
           #:asum #:nrm2 #:scal #:axpy #:gemm #:geem #:geerv #:scale-rows #:scale-columns
           #:cholesky #:qr #:eigen #:singular-values #:fft #:inverse-fft #:real-fft #:inverse-real-fft #:convolve #:max-pool
           #:read-array #:write-array #:write-arrays #:array-names)
  ;; Contexts
  (:export #:context #:*context* #:make-context #:current-context #:with-context #:close-context #:cancel #:context-name
           #:context-ranks #:context-memory #:context-limit #:reset-peak #:trim)
  ;; Conditions and restarts
  (:export #:warpfold-error #:error-message #:argument-error #:element-type-error #:size-error #:range-error
           #:memory-error #:compile-error #:device-error #:unsupported-error #:io-error #:internal-error #:canceled
           #:library-error #:argument-type-error #:element-value-error #:form-error #:offending-form #:retry #:use-cpu)
  (:export #:library-version))

(defpackage #:warpfold.random
  (:nicknames #:wf.random)
  (:documentation "Random numbers without state: (wf.random:uniform (wf.random:key 42) n). warpfold.h lists the distributions.")
  (:use #:common-lisp)
  (:export #:key #:split #:keys #:log-density #:distribution-function
           #:uniform #:gaussian #:lognormal #:exponential #:weibull #:gumbel #:laplace #:cauchy #:gamma #:chi-squared #:student-t #:beta
           #:bernoulli #:uniform-int #:geometric #:negative-binomial #:poisson #:binomial
           #:log-gamma #:dirichlet #:permutation #:categorical #:sample
           #:multivariate-gaussian #:wishart #:inverse-wishart #:orthogonal #:permutation-matrix))

(defpackage #:warpfold.operators
  (:nicknames #:wf.op)
  (:documentation "Operators between arrays and numbers, element by element: (wf.op:+ a 1) is (wf:map #'+ a 1).")
  (:use)
  (:export #:+ #:- #:* #:/ #:= #:/= #:< #:<= #:> #:>= #:and #:or #:not #:min #:max #:abs #:signum #:mod #:rem
           #:floor #:ceiling #:truncate #:round #:expt #:exp #:log #:sqrt #:sin #:cos #:tan #:asin #:acos #:atan #:sinh #:cosh #:tanh
           #:logand #:logior #:logxor #:lognot #:ash))
