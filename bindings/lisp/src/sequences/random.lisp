;;;; Random numbers without state: element i of a sequence is a function of a key and i alone, so it is the same on every engine, in any order,
;;;; whole or in parts. Random sequences are delayed, so that a Monte Carlo estimate reads no memory:
;;;;
;;;;     (let ((x (wf.random:uniform (wf.random:split key 0) n)) (y (wf.random:uniform (wf.random:split key 1) n)))
;;;;       (/ (* 4.0 (wf:length (wf:filter (wf:fn (x y) (< (+ (* x x) (* y y)) 1)) (wf:zip x y)))) n))

(in-package #:warpfold.random)

(defun key (seed &key context)
  "A key with the bits of an integer. Draw from a key once, and from keys that it splits into for further draws."
  (warpfold::calling (key)
    (let ((context (or context (wf:current-context))) (seed (warpfold::integer-argument seed "the seed")))
      (warpfold::new-seq ('(:u64) 0) (out (where context)) (wf.raw:wf-random-key where seed out)))))

(defun split (key i)
  "The I-th of the keys that KEY splits into."
  (warpfold::calling (split)
    (let ((i (warpfold::integer-argument i "i")))
      (warpfold::new-seq ('(:u64) 0) (out (its key)) (wf.raw:wf-random-split its i out)))))

(defun parameter-sequences (parameters like)
  "Parameters as sequences; numbers in the context of the sequence LIKE."
  (loop for x in parameters collect (if (wf:seq-p x) x (wf:scalar x :context (wf:context-of like)))))

(defun draw (distribution key n type parameters)
  (let ((dimensions (and (consp n) (warpfold::extent-list n)))
        (n (if (consp n) (reduce #'* n) (warpfold::integer-argument n "the length")))
        (type (warpfold::element-type-of type))
        (sequences (parameter-sequences parameters key)))
    (when (minusp n)
      (error 'wf:size-error :message (format nil "~A: the length is ~D: expected 0 or more" (warpfold::called) n)))
    (let ((draws (warpfold::new-seq ((list type)) (out (its key) (array sequences count) (name distribution :text))
                   (wf.raw:wf-random name its array count n (warpfold::type-code type) out))))
      (if dimensions (wf:reshape draws dimensions) draws))))

(defun of-values (call distribution x parameters)
  (let ((sequences (parameter-sequences parameters x))
        (type (if (equal (wf:element-types x) '(:f32)) :f32 :f64)))
    (warpfold::new-seq ((list type) (wf:rank x)) (out (its x) (array sequences count) (name distribution :text))
      (funcall call name its array count out))))

(sb-ext:define-load-time-global **matrix-densities** (make-hash-table :test #'equal))  ; functions of x and parameters

(defun log-density (distribution x &rest parameters)
  "The logarithm of the density of each element of X, or of the probability of a count. DISTRIBUTION is a name, such as 'gaussian. For a random
matrix, such as 'wishart, X is a matrix; for 'multivariate-gaussian it has a sample in each row, and the result a density for each. For
'permutation, the result has one element: X is a permutation, or with a parameter m the indices of a sample of m elements, in order."
  (warpfold::calling (log-density)
    (let* ((name (warpfold::library-word distribution)) (of-matrix (gethash name **matrix-densities**)))
      (if of-matrix (apply of-matrix x parameters) (of-values #'wf.raw:wf-log-density name x parameters)))))

(defun distribution-function (distribution x &rest parameters)
  "The probability of numbers up to each element of X."
  (warpfold::calling (distribution-function)
    (of-values #'wf.raw:wf-distribution-function (warpfold::library-word distribution) x parameters)))

(defun walk-draw (form distribution default scope)
  "The node of (DISTRIBUTION key number parameter ... :type type) inside wf:fn."
  (unless (>= (cl:length form) 3) (warpfold::reject form "a draw inside wf:fn has a key and a number: expected (~A key number ...)" (car form)))
  (let ((place (position :type form)))
    (list* :draw form distribution (warpfold::element-type-of (if place (cl:nth (1+ place) form) default))
           (warpfold::walk-all (cl:subseq form 1 place) scope))))

(warpfold::define-elaborator :draw (form distribution type &rest nodes)
  (let ((terms (loop for node in nodes collect (warpfold::settled (warpfold::elaborate-single node)))))
    (loop for term in terms repeat 2
          unless (warpfold::integer-type-p (warpfold::term-type term))
            do (warpfold::reject form "its key or its number has the type ~A: expected integers"
                                 (warpfold::type-text (warpfold::term-type term))))
    (warpfold::typed (list type)
                     (apply #'warpfold::parenthesised (format nil "draw ~A ~A" distribution (warpfold::type-text type))
                            (mapcar #'warpfold::term-text terms)))))

(setf (gethash 'split warpfold::**special-forms**) (lambda (form scope) (walk-draw form "key" :u64 scope)))

(defmacro define-distribution (name type &rest parameters)
  "Defines (NAME key n parameter ... :type type): N draws. A parameter is a number, a delayed scalar, or a sequence of N elements. Inside
wf:fn, (NAME key i parameter ... :type type) is element I of that sequence."
  `(progn
   (setf (gethash ',name warpfold::**special-forms**) (lambda (form scope) (walk-draw form ,(warpfold::library-word name) ,type scope)))
   (defun ,name (key n &rest arguments)
     ,(format nil "N draws from KEY~@[, with parameters~{ ~(~A~)~}~]; N may be a list of dimensions. A last pair :type TYPE sets the type of the elements, by default ~(~S~)."
              parameters type)
     (warpfold::calling (,name)
       (let* ((place (position :type arguments))
              (type (if place (cl:nth (1+ place) arguments) ,type)))
         (draw ,(warpfold::library-word name) key n type (cl:subseq arguments 0 place)))))))

(macrolet ((define-distributions (&rest clauses)
             `(progn ,@(loop for (type . distributions) in clauses
                             append (loop for (name . parameters) in distributions collect `(define-distribution ,name ,type ,@parameters))))))
  (define-distributions
    (:f32 (uniform low high) (gaussian mean deviation) (lognormal mean deviation) (exponential rate)
      (weibull shape scale) (gumbel location scale) (laplace location scale) (cauchy location scale)
      (gamma shape scale) (chi-squared degrees) (student-t degrees) (beta a b) (log-gamma shape) (dirichlet shapes))
    (:i64 (permutation) (categorical weights) (uniform-int low high) (geometric probability)
      (negative-binomial successes probability) (poisson mean) (binomial n probability))
    (:bool (bernoulli probability))))

(defun keys (key n)
  "The keys 0 to N - 1 that KEY splits into, as a sequence. Draws from it are one from each."
  (warpfold::calling (keys) (draw "key" key n :u64 '())))

(defun sample (key sequence n)
  "N different elements of a sequence, in random order. Work m log m for a sequence of length m."
  (warpfold::calling (sample)
    (wf:map (wf:fn (i) (aref sequence i)) (wf:subseq (permutation key (wf:length sequence)) 0 n))))
