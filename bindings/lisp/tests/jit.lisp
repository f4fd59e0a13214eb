;;;; Functions of sequences that are traced once: their results against those of the same functions untraced, and the number of traces.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun mixed (n &optional (seed 0) (type 'single-float))
  "A sequence of n numbers that differ by position and by SEED."
  (wf:from-vector (vector-of type n (lambda (i) (- (mod (+ (* i 7919) (* seed 31)) 1009) 500)))))

(defun elements (value)
  "A value with the elements of its sequences as vectors, for EQUALP."
  (typecase value
    (wf:seq (list (wf:element-types value) (wf:dimensions value) (multiple-value-list (wf:to-vector value))))
    (wf:nested (list :nested (wf:nested-list value)))
    (cons (cons (elements (car value)) (elements (cdr value))))
    (simple-vector (map 'vector #'elements value))
    (t value)))

(defun elements-of-call (function &rest arguments)
  (elements (multiple-value-list (apply function arguments))))

(defun counted-jit (function)
  "Two values: a function made by wf:jit of FUNCTION, and a function that returns the number of traces since it was last called."
  (let ((calls 0))
    (values (wf:jit (lambda (&rest arguments)
                      (incf calls)
                      (apply function arguments)))
            (lambda () (shiftf calls 0)))))

(defparameter *jit-sizes* '(0 1 1000 70001))

(defun check-jit (name function arguments)
  "Compares a function with its jit, for arguments that are a function of a size and a seed."
  (multiple-value-bind (jit traces) (counted-jit function)
    (dolist (n *jit-sizes*)
      (dotimes (seed 3)
        (let ((values (funcall arguments n seed)))
          (is (equalp (apply #'elements-of-call function values) (apply #'elements-of-call jit values))
              "~A of ~D elements, call ~D" name n seed)))
      (is (= 1 (funcall traces)) "~A of ~D elements" name n))
    (dolist (n *jit-sizes*)
      (let ((values (funcall arguments n 3)))
        (is (equalp (apply #'elements-of-call function values) (apply #'elements-of-call jit values)) "~A of ~D elements, again" name n)))
    (is (= 0 (funcall traces)) "~A: traces are kept" name)))

(defmacro same-by-jit (name lambda-list arguments &body body)
  "Checks a function of LAMBDA-LIST against its jit. ARGUMENTS are forms in which N is the size and SEED differs by call."
  `(check-jit ,name (lambda ,lambda-list ,@body) (lambda (n seed) (declare (ignorable n seed)) (list ,@arguments))))

(test jit-gives-the-results-of-the-function
  (same-by-jit "a scan" (x y) ((mixed n seed 'fixnum) (mixed n (+ seed 5) 'fixnum))
    (wf:scan #'+ (wf:map #'- x y)))
  (same-by-jit "a reverse" (x) ((mixed n seed)) (values (wf:reverse x) x))
  (same-by-jit "tuples" (x) ((wf:zip (mixed n seed) (mixed n (1+ seed) 'fixnum)))
    (values (wf:columns x 1 0) (wf:map (wf:fn (a b) (values (+ a b) (> a b) b)) x)))
  (same-by-jit "columns of a matrix" (a) ((wf:reshape (mixed (* 4 n) seed) (list n 4)))
    (values (wf:sum a :axis 1) (wf:transpose a) (wf:sum a :axis 0)))
  (same-by-jit "a gather" (x i) ((mixed n seed) (wf:map (wf:fn (j) (* (+ seed 3) j)) (wf:iota n)))
    (wf:map (wf:fn (j) (aref x (mod j (length x)))) i)))

(test jit-of-filters
  (same-by-jit "a filter" (x) ((mixed n seed)) (wf:filter #'plusp x))
  (same-by-jit "a filter and what is read from it" (x limit) ((mixed n seed) (+ 3.5 (* 100 seed)))
    (let ((kept (wf:filter (wf:fn (v) (> v limit)) x)))
      (values kept (wf:map #'- kept) (wf:sum kept) (wf:lazy-length kept) (wf:scan-incl #'+ kept))))
  (let ((kept (lambda (n) (wf:filter #'plusp (wf:from-list (loop for k from 1 to n collect k collect (- k)))))))
    (multiple-value-bind (jit traces) (counted-jit (lambda (x) (wf:map #'1+ x)))
      (is (equal '(2 3 4) (wf:to-list (funcall jit (funcall kept 3)))) "a filter as an argument is computed")
      (is (equal '(2 3 4) (wf:to-list (funcall jit (funcall kept 3)))))
      (is (= 1 (funcall traces)))
      (is (equal '(2 3 4 5) (wf:to-list (funcall jit (funcall kept 4)))))
      (is (= 1 (funcall traces))))))

(test jit-computes-its-results
  (let ((jit (wf:jit (lambda (x) (values (wf:map #'1+ x) (wf:sum x))))))
    (dotimes (k 2)
      (multiple-value-bind (more sum) (funcall jit (mixed 1000))
        (is (wf:manifest-p more))
        (is (wf:manifest-p sum))
        (is (= 0 (wf:rank sum)))))))

(test jit-of-numbers
  (multiple-value-bind (jit traces) (counted-jit (lambda (x k) (wf:map (wf:fn (v) (* v k)) x)))
    (let ((x (wf:from-list '(1 2 3) :type :i32)))
      (flet ((call (k) (let ((r (funcall jit x k))) (cons (first (wf:element-types r)) (wf:to-list r)))))
        (is (equal '(:i32 2 4 6) (call 2)))
        (is (equal '(:i32 -5 -10 -15) (call -5)))
        (is (= 1 (funcall traces)) "another number needs no trace")
        (is (equal '(:f32 0.5 1.0 1.5) (call 0.5)))
        (is (equal '(:f32 0.5 1.0 1.5) (call 1/2)))
        (is (= 1 (funcall traces)) "a single-float does")
        (is (equal '(:f64 0.5d0 1.0d0 1.5d0) (call 0.5d0)))
        (is (equal `(:i64 ,@(loop for k from 1 to 3 collect (* k 10000000000))) (call 10000000000)))
        (is (equal `(:u64 ,@(loop for k from 1 to 3 collect (mod (* k (expt 2 63)) (expt 2 64)))) (call (expt 2 63))))
        (is (= 3 (funcall traces)))
        (is (equal '(:f32 1.5 3.0 4.5) (call (wf:scalar 1.5))) "a delayed scalar is like a number")
        (is (equal '(:i32 3 6 9) (call 3)))
        (is (= 0 (funcall traces))))))
  (is (= 7.0 (wf:value (funcall (wf:jit (lambda (x y) (wf.op:* x y))) 2 3.5))) "numbers alone"))

(test jit-of-shapes-and-types
  (multiple-value-bind (jit traces) (counted-jit (lambda (x) (wf:map #'1+ x)))
    (flet ((called (x) (wf:force (funcall jit x)) (funcall traces)))
      (is (= 1 (called (mixed 12))))
      (is (= 0 (called (mixed 12 1))))
      (is (= 1 (called (mixed 13))))
      (is (= 1 (called (wf:reshape (mixed 12) '(3 4)))))
      (is (= 1 (called (wf:reshape (mixed 12) '(4 3)))))
      (is (= 0 (called (wf:reshape (mixed 12) '(3 4)))))
      (is (= 1 (called (mixed 12 0 'double-float))))
      (is (= 0 (called (mixed 12))))
      (is (equal '(3 4) (wf:dimensions (funcall jit (wf:reshape (mixed 12) '(3 4)))))))))

(test jit-keeps-64-traces
  (multiple-value-bind (jit traces) (counted-jit (lambda (x) (wf:sum x)))
    (flet ((call (n) (wf:value (funcall jit (wf:iota n)))))
      (loop for n from 1 to 64 do (call n))
      (is (= 64 (funcall traces)))
      (loop for n from 1 to 64 do (is (= (/ (* n (1- n)) 2) (call n))))
      (is (= 0 (funcall traces)))
      (call 65)
      (is (= 1 (funcall traces)))
      (call 2)
      (is (= 0 (funcall traces)))
      (call 1)
      (is (= 1 (funcall traces)) "the oldest one was dropped"))))

;;; ---- values made of sequences

(test jit-of-lists-and-vectors
  (flet ((model (seed) (list :weights (list (mixed 10 seed) (mixed 10 (+ seed 1))) :bias (vector (mixed 10 (+ seed 2)) 0.5) :name nil))
         (descend (model x &key (rate 0.25))
           (destructuring-bind (&key weights bias name) model
             (let ((y (wf.op:+ (wf.op:* x (first weights)) (wf.op:* (aref bias 1) (second weights)))))
               (values (list :weights (list (wf.op:- (first weights) (wf.op:* rate y)) (second weights))
                             :bias (vector (wf.op:+ (aref bias 0) y) (aref bias 1)) :name name)
                       (wf:sum y)
                       (cons y x)
                       (wf:length x)
                       :done)))))
    (multiple-value-bind (jit traces) (counted-jit #'descend)
      (dotimes (seed 3)
        (let* ((model (model seed)) (x (mixed 10 9)) (values (multiple-value-list (funcall jit model x))))
          (is (= 5 (length values)))
          (is (equalp (elements-of-call #'descend (substitute-if (vector (mixed 10 (+ seed 2)) (wf:scalar 0.5)) #'vectorp model) x)
                      (elements values)))
          (is (equalp (elements-of-call #'descend (first values) x :rate 0.125)
                      (elements-of-call jit (first values) x :rate 0.125)) "a result as an argument")))
      (is (= 2 (funcall traces)) "with and without :rate"))))

(test jit-compares-forms
  (multiple-value-bind (jit traces) (counted-jit (lambda (&rest arguments) (wf:sum (apply #'wf:append (flat-sequences arguments)))))
    (let ((a (mixed 5)) (b (mixed 5 1)) (c (mixed 5 2)))
      (flet ((traces-of (&rest arguments)
               (is (= (wf:value (wf:sum (wf:append a b c))) (wf:value (apply jit arguments))))
               (funcall traces)))
        (is (= 1 (traces-of a b c)))
        (is (= 1 (traces-of (list a b) c)))
        (is (= 1 (traces-of a (list b c))))
        (is (= 1 (traces-of (list a b c))))
        (is (= 1 (traces-of (vector a b c))))
        (is (= 1 (traces-of (vector a b c nil))))
        (is (= 1 (traces-of (vector a b) c)))
        (is (= 1 (traces-of (list* a b c))))
        (is (= 1 (traces-of a b c nil)))
        (is (= 1 (traces-of a b c t)))
        (is (= 1 (traces-of a b c :key)))
        (is (= 1 (traces-of a b (wf:segments c :lengths (wf:from-list '(2 3))))))
        (is (= 0 (traces-of a b (wf:segments c :lengths (wf:from-list '(1 4))))))
        (is (= 0 (traces-of a (list b c))))
        (is (= 0 (traces-of (list a b) c)))
        (is (= 0 (traces-of a b c t)))
        (is (= 0 (traces-of a b c nil)))))))

(defun flat-sequences (value)
  "The sequences of rank 1 in a value."
  (typecase value
    (wf:seq (list value))
    (wf:nested (list (wf:flatten value)))
    (cons (append (flat-sequences (car value)) (flat-sequences (cdr value))))
    (simple-vector (loop for part across value append (flat-sequences part)))))

(test jit-of-sequences-of-sequences
  (let ((double (lambda (s) (wf:map-segments (wf:fn (v) (* 2 v)) s))))
    (multiple-value-bind (jit traces) (counted-jit double)
      (dolist (lengths '((1 0 3) (2 2 0) (0 0 4)))
        (let ((s (wf:segments (mixed 4) :lengths (wf:from-list lengths))))
          (is (equal (wf:nested-list (funcall double s)) (wf:nested-list (funcall jit s))))))
      (is (= 1 (funcall traces))))))

(test jit-of-keys
  (let ((draw (lambda (key) (values (wf.random:split key 1) (wf.random:gaussian (wf.random:split key 0) 1000 2.0 0.5)))))
    (multiple-value-bind (jit traces) (counted-jit draw)
      (let ((key (wf.random:key 7)) (again (wf.random:key 7)))
        (dotimes (k 3)
          (multiple-value-bind (next x) (funcall jit key)
            (multiple-value-bind (expected-next expected) (funcall draw again)
              (is (equalp (elements expected) (elements x)))
              (setf key next again expected-next))))
        (is (= 1 (funcall traces)))))))

(test jit-of-delayed-arguments
  (multiple-value-bind (jit traces) (counted-jit (lambda (x y k) (values (wf:map #'+ x y) (wf:sum y) k)))
    (dotimes (seed 3)
      (let* ((x (wf:map #'1+ (mixed 1000 seed))) (y (wf:scan-incl #'+ x)) (k (wf:reduce #'max y)))
        (multiple-value-bind (sum total same) (funcall jit x y k)
          (is (wf:manifest-p x))
          (is (wf:manifest-p y))
          (is (equalp (elements (wf:map #'+ x y)) (elements sum)))
          (is (= (wf:value (wf:sum y)) (wf:value total)))
          (is (= (wf:value k) (wf:value same))))))
    (is (= 1 (funcall traces)))
    (let ((x (mixed 1000)))
      (is (equalp (elements (wf.op:* 2 x)) (elements (funcall jit x x 0))) "one sequence twice"))))

;;; ---- what else the function reads

(test jit-captures-constants
  (let* ((computed (mixed 1000 1)) (delayed (wf:map #'1+ (mixed 1000 2))) (k 3)
         (jit (wf:jit (lambda (x) (values (wf:map #'+ x computed) (wf:map (wf:fn (v) (+ v k)) x) (wf:map #'* x delayed) computed delayed
                                          (wf:sum (wf:map (wf:fn (i) (aref x i)) (wf:iota 10))))))))
    (dotimes (seed 3)
      (let ((x (mixed 1000 seed)))
        (is (equalp (elements (list (wf:map #'+ x computed) (wf:map (wf:fn (v) (+ v 3)) x) (wf:map #'* x delayed) computed delayed
                                    (wf:sum (wf:take x 10))))
                    (elements-of-call jit x))))
      (setf k (+ k 10)))))

(test jit-of-no-arguments
  (multiple-value-bind (jit traces) (counted-jit (let ((s (mixed 1000))) (lambda () (wf:sum s))))
    (dotimes (k 3) (is (= (wf:value (wf:sum (mixed 1000))) (wf:value (funcall jit)))))
    (is (= 1 (funcall traces)))))

(test jit-in-contexts
  (multiple-value-bind (jit traces) (counted-jit (lambda (x k) (wf:map #'+ x (wf:tabulate (wf:fn (i) (* i k)) 3))))
    (let ((context (wf:make-context "cpu")))
      (flet ((call (context) (funcall jit (wf:from-list '(1 2 3) :context context) 2)))
        (is (equal '(1 4 7) (wf:to-list (call nil))))
        (is (= 1 (funcall traces)))
        (let ((r (call context)))
          (is (eq context (wf:context-of r)))
          (is (equal '(1 4 7) (wf:to-list r))))
        (is (= 1 (funcall traces)))
        (is (equal '(1 4 7) (wf:to-list (call nil))))
        (is (= 0 (funcall traces)))
        (let ((x (wf:from-list '(1 2 3) :context context)))
          (wf:close-context context)
          (signals wf:argument-error (funcall jit x 2)))
        (is (equal '(1 4 7) (wf:to-list (call nil))))))))

;;; ---- errors

(test jit-whose-function-computes
  (let ((wrong t))
    (multiple-value-bind (jit traces) (counted-jit (lambda (x) (if wrong (wf:value (wf:sum x)) nil) (wf:map #'1+ x)))
      (dotimes (k 2)
        (signals wf:argument-error (funcall jit (mixed 10)))
        (is (search "parameter" (message-of-call jit (mixed 10)))))
      (is (= 4 (funcall traces)))
      (setf wrong nil)
      (dotimes (k 3) (is (equalp (elements (wf:map #'1+ (mixed 10))) (elements (funcall jit (mixed 10))))))
      (is (= 1 (funcall traces)))))
  (dolist (function (list #'wf:force #'wf:to-vector #'wf:to-list (lambda (x) (wf:elt x 0)) (lambda (x) (wf:length (wf:filter #'plusp x)))
                          (lambda (x) (map 'list #'1+ x)) #'wf:mutable))
    (signals wf:argument-error (funcall (wf:jit function) (mixed 10)))))

(define-condition own-error (error) ())

(test jit-passes-conditions
  (let ((k 0))
    (multiple-value-bind (jit traces) (counted-jit (lambda (x) (when (= 1 (incf k)) (error 'own-error)) (wf:map #'1+ x)))
      (signals own-error (funcall jit (mixed 10)))
      (is (equalp (elements (wf:map #'1+ (mixed 10))) (elements (funcall jit (mixed 10)))))
      (is (= 2 (funcall traces)))))
  (is (eql :out (catch 'out (funcall (wf:jit (lambda (x) (throw 'out :out) x)) 3))) "an exit that is no error")
  (signals wf:form-error (funcall (wf:jit (lambda (x) (wf:map (wf:fn (v) (logand v 1)) x))) (mixed 3)))
  (is (eql 0 (search "wf:map: " (message-of-call (wf:jit (lambda (x) (wf:map #'logand x x))) (mixed 3)))) "names the function that was called"))

(test jit-with-an-index-error
  (multiple-value-bind (jit traces) (counted-jit (let ((table (mixed 100))) (lambda (i k) (wf:map (wf:fn (j) (aref table (+ j k))) i))))
    (let ((i (wf:iota 10)) (expected (wf:to-list (mixed 100))))
      (flet ((good (k) (equal (subseq expected k (+ k 10)) (wf:to-list (funcall jit i k)))))
        (is (good 0))
        (dotimes (k 3)
          (signals wf:range-error (funcall jit i 91))
          (is (search "index 100" (message-of-call jit i 91)))
          (signals wf:range-error (funcall jit i -1))
          (is (good 90))
          (is (good 5)))
        (is (= 1 (funcall traces)))))))

(test jit-refuses
  (let ((f (lambda (x) x)))
    (flet ((says (text function &rest arguments)
             (let ((message (apply #'message-of-call function arguments)))
               (is (eql 0 (search text message)) "~A" message))))
      (says "wf:jit: #<WARPFOLD:FN (" #'wf:jit (wf:fn (x) x))
      (says "wf:jit: the argument is \"abc\": expected sequences, numbers, symbols, and lists, simple vectors and structures of them; wf:from-array"
            (wf:jit f) "abc")
      (says "wf:jit: the argument is #(1.0 2.0): expected sequences" (wf:jit f) (list 1 (vector-of 'single-float 2 #'1+)))
      (says "wf:jit: the argument is #C(1 2): expected sequences" (wf:jit f) #c(1 2))
      (says "wf:jit: the argument is #<FUNCTION " (wf:jit f) #'car)
      (says "wf:jit: element 0 is 36893488147419103232: expected a real number of at most 64 bits" (wf:jit f) (expt 2 65))
      (says "wf:jit: the result is \"abc\": expected" (wf:jit (lambda (x) x "abc")) 1)
      (says "wf:jit: the function returns no sequence; expected at least one" (wf:jit (lambda (x) x 3)) 1)
      (says "wf:take: the number of elements is #<scalar i32, delayed>: expected an integer" (wf:jit #'wf:take) (mixed 10) 3)
      (says "wf:explain: #<FUNCTION CAR> is not a sequence" #'wf:explain #'car)
      (let ((s (mixed 3)))
        (wf:release s)
        (says "wf:jit: the sequence was released" (wf:jit f) s))
      (signals type-error (funcall (wf:jit f) "abc"))
      (signals wf:form-error (wf:map (wf:fn (v) (funcall f v)) (mixed 3))))))

;;; ---- traces inside of traces

(test jit-inside-of-jit
  (multiple-value-bind (inner inner-traces) (counted-jit (lambda (x k) (values (wf:map (wf:fn (v) (* k v)) x) (wf:sum x))))
    (multiple-value-bind (outer outer-traces)
        (counted-jit (lambda (x) (multiple-value-bind (y sum) (funcall inner x 3)
                               (wf:map (wf:fn (v) (+ v sum)) (funcall inner y 2)))))
      (dotimes (seed 3)
        (let ((x (mixed 1000 seed 'fixnum)))
          (is (equalp (elements (wf:map (wf:fn (v s) (+ (* 6 v) s)) x (wf:sum x))) (elements (funcall outer x))))))
      (is (= 1 (funcall outer-traces)))
      (is (= 2 (funcall inner-traces)) "it is called, as a part of the outer trace")
      (is (null (warpfold::traces-programs (warpfold::jit-traces inner))) "and makes no program")
      (is (equalp (elements (wf:map (wf:fn (v) (* 5 v)) (mixed 10))) (elements (funcall inner (mixed 10) 5))))
      (is (= 1 (funcall inner-traces)) "outside of a trace it makes its own"))))

(wf:define-jit doubled (x times)
  (if times
      (doubled (wf:map (wf:fn (v) (* 2 v)) x) (rest times))
      x))

(test jit-calls-itself
  (is (equal '(8.0 16.0) (wf:to-list (doubled (wf:from-list '(1.0 2.0)) '(t t t))))))

(wf:define-jit blend (x y &key (weight 0.5))
  "WEIGHT parts of X."
  (when (eq y nil) (return-from blend x))
  (wf:map (wf:fn (a b w) (+ (* w a) (* (- 1 w) b))) x y weight))

(test functions-by-define-jit
  (is (equal '(2.0 3.0) (wf:to-list (blend (wf:from-list '(1.0 2.0)) (wf:from-list '(3.0 4.0))))))
  (is (equal '(1.0 2.0) (wf:to-list (blend (wf:from-list '(1.0 2.0)) (wf:from-list '(3.0 4.0)) :weight 1.0))))
  (is (equal '(1.0 2.0) (wf:to-list (blend (wf:from-list '(1.0 2.0)) nil))))
  (is (equal "WEIGHT parts of X." (documentation 'blend 'function)))
  (is (typep #'blend 'wf:jit))
  (is (functionp #'blend)))

(wf:define-jit endless (x k) (wf:where (wf.op:= k 0) 1 (wf.op:* x (endless x (wf.op:- k 1)))))

(defun plainly-endless (x k) (wf:where (wf.op:= k 0) 1 (wf.op:* x (plainly-endless x (wf.op:- k 1)))))

(test traces-without-an-end
  (dolist (function (list #'endless #'plainly-endless))
    (is (search "calls are nested too deeply" (message-of-call function (wf:iota 3) (wf:scalar 3)))))
  (is (= 6 (wf:value (wf:sum (wf:iota 4)))))
  (sb-ext:gc :full t))

(test plans-of-jit
  (multiple-value-bind (jit traces) (counted-jit (lambda (x k) (wf:sum (wf:map (wf:fn (v) (* k v)) x))))
    (is (eql 0 (search "1 kernel" (wf:explain jit (mixed 1000) 0.5))))
    (is (search "reduce(add)" (wf:explain jit (mixed 1000) 0.5)))
    (is (search "digraph" (wf:explain-dot jit (mixed 1000) 0.5)))
    (is (= 3 (funcall traces)))))

;;; ---- threads, memory

(test threads-call-one-jit
  (let ((calls 0))
    (let ((jit (wf:jit (lambda (x k)
                         (incf calls)
                         (sleep 0.001)
                         (wf:sum (wf:map (wf:fn (v) (+ v k)) x))))))
      (is (every #'identity
                 (in-threads 8 (lambda (thread)
                                 (loop for j below 200
                                       for n = (1+ (mod (+ j thread) 10))
                                       for x = (wf:iota n)
                                       always (= (+ (/ (* n (1- n)) 2) (* n j)) (wf:value (funcall jit x j))))))))
      (is (= 10 calls) "each shape is traced once"))))

(test threads-trace-apart
  ;; Tracing on one thread does not inline the calls of another.
  (let* ((inner (wf:jit (lambda (x) (wf:map #'1+ x)))) (programs nil)
         (outer (wf:jit (lambda (x)
                          (first (in-threads 1 (lambda (k) (declare (ignore k)) (funcall inner (mixed 10)))))
                          (setf programs (length (warpfold::traces-programs (warpfold::jit-traces inner))))
                          (wf:map #'1- x)))))
    (is (equalp (elements (wf:map #'1- (mixed 10))) (elements (funcall outer (mixed 10)))))
    (is (eql 1 programs))))

(defun live-after-collection (context)
  (loop repeat 5
        do (sb-ext:gc :full t)
           (warpfold::sweep :wait t))
  (values (wf:context-memory context)))

(test jit-gives-everything-back
  (with-budget (context nil)
    (flet ((in-a-thread (function) ; so that its stack refers to nothing any more
             (first (in-threads 1 (lambda (k) (declare (ignore k)) (let ((wf:*context* context)) (funcall function))))))
           (used ()
             (let* ((constant (mixed 100000))
                    (jit (wf:jit (lambda (x k) (values (wf:map (wf:fn (a b) (+ (* a k) b)) x constant) (wf:filter #'plusp x))))))
               (dotimes (k 20 jit) (funcall jit (mixed 100000 k) k)))))
      (let ((kept (list (in-a-thread #'used))))
        (is (< 400000 (live-after-collection context) 1000000) "the constant lives as long as the program")
        (setf (car kept) nil))
      (is (in-a-thread (lambda () (message-of-call (wf:jit (lambda (x) (wf:value (wf:sum (wf:map #'1+ x))))) (mixed 100000)))))
      (is (< (live-after-collection context) 2000)))))

(test garbage-of-jit-is-collected
  ;; 800 MB of results and 800 MB of arguments, but the collector sees only small handles.
  (let ((context (wf:make-context "cpu")) (threshold (shiftf warpfold::**bytes-between-collections** (* 8 +mega+))))
    (unwind-protect
         (let* ((wf:*context* context) (x (mixed 100000)) (jit (wf:jit (lambda (x) (wf:map #'1+ x)))) (sum (wf:jit #'wf:sum)))
           (dotimes (k 2000) (setf x (funcall jit x)))
           (is (= 1500.0 (wf:elt x 0)))
           (dotimes (k 2000) (funcall sum (wf:map #'1+ x))))
      (setf warpfold::**bytes-between-collections** threshold))
    (is (< (nth-value 2 (wf:context-memory context)) (* 200 +mega+)))))

(test jit-in-a-saved-image
  (call-with-image
   '("(defvar *calls* 0)"
     "(defvar *table* (wf:from-list '(10 20 30)))"
     "(wf:define-jit gather (i) (incf *calls*) (wf:map (wf:fn (j) (aref *table* j)) i))"
     "(princ (wf:to-list (gather (wf:from-list '(2 0)))))")
   (lambda (core output)
     (is (search "(30 10)" output))
     (is (search "((20 30) (10 10) 2)"
                 (output-of-lisp core '("(prin1 (list (wf:to-list (gather (wf:from-list '(1 2)))) (wf:to-list (gather (wf:from-list '(0 0)))) *calls*))")))))))
