;;;; Errors as conditions, and their restarts.

(in-package #:warpfold-test)
(in-suite warpfold)

(test one-condition-for-each-class-of-error
  (let ((s (wf:from-list '(1 2 3))))
    (signals wf:argument-error (wf:make-context "no such engine"))
    (signals wf:argument-error (wf:zip s (wf:from-list '(1 2 3) :context (wf:make-context "cpu"))))
    (signals wf:range-error (wf:columns s 1))
    (signals wf:element-type-error (wf:append s (wf:from-list '(1.0))))
    (signals wf:element-type-error (wf:reduce #'+ s :identity '(0 0)))
    (signals wf:element-type-error (wf:reduce #'+ s :identity 0.5))
    (signals wf:size-error (wf:zip s (wf:from-list '(1))))
    (signals wf:size-error (wf:tabulate (wf:fn (i) i) -1))
    (signals wf:range-error (wf:subseq s 2 9))
    (signals wf:io-error (wf:from-file "/no/such/file"))
    (signals wf:argument-error (wf:reduce (wf:fn (a b) (- a b)) s) "an identity that the library does not know")))

(defmacro message-of (form)
  "The text of the WARPFOLD-ERROR that a form signals, printed in a package that does not know the form's symbols."
  `(handler-case (progn ,form "no error")
     (wf:warpfold-error (condition)
       (let ((*package* (find-package '#:keyword))) (princ-to-string condition)))))

(defmacro says (text form)
  `(let ((message (message-of ,form)))
     (is (eql 0 (search ,text message)) "~S should begin with ~S" message ,text)))

(test messages-name-the-function-that-was-called
  (let ((s (wf:from-list '(1 2 3))))
    (says "wf:take: " (wf:take s 7))
    (says "wf:from-vector: " (let ((context (wf:make-context "cpu")))
                               (wf:close-context context)
                               (wf:from-vector #(1) :context context)))
    (says "wf:zip: " (wf:zip s (wf:from-list '(1))))
    (says "wf:elt: the index is 9, but the length is 3" (wf:elt s 9))
    (says "wf:elt: the index is -1, but the length is 3" (wf:elt s -1))
    (says "wf:subseq: the start is 1 and the end 4, but the length is 3" (wf:subseq s 1 4))
    (says "wf:subseq: the start is 2 and the end 1, but the length is 3" (wf:subseq s 2 1))
    (says "wf:subseq: the start is -1 and the end 3, but the length is 3" (wf:subseq s -1))
    (says "wf:subseq: the start is 0 and the end 2, but the length is 1" (wf:subseq (wf:filter (wf:fn (x) (= x 2)) s) 0 2))
    (says "wf:value: " (wf:value (wf:reduce #'+ (wf:tabulate (wf:fn (i) (aref s i)) 5))))
    (says "wf:to-list: " (wf:to-list (wf:tabulate (wf:fn (i) (aref s i)) 5)))
    (says "wf:to-vector: the start is 0 and the end 5, but the length is 3" (wf:to-vector s :end 5))
    (says "wf:scan-incl: " (wf:scan-incl (wf:fn (a b) (- a b)) s))
    (says "wf:from-list: " (wf:from-list '(1 a)))
    (says "wf:make-context: " (wf:make-context "no such engine"))
    (handler-case (wf:take s 7)
      (wf:range-error (condition) (is (equal (princ-to-string condition) (wf:error-message condition)))))))

(test messages-of-arrays-state-shapes-as-they-were-passed
  (let ((a (wf:from-array #2a((1 2 3) (4 5 6)))) (f (wf:from-array #2a((1.0 2.0) (2.0 4.0)))))
    (says "wf.op:+: the shapes are 2 x 3 and 2 x 2, with extents 3 and 2 along axis -1" (wf.op:+ a f))
    (says "wf.random:key: the seed is 1.5: expected an integer" (wf.random:key 1.5))
    (says "wf:stack: the shapes are 2 x 3 and 3 x 2: expected equal shapes" (wf:stack 0 a (wf:transpose a)))
    (says "wf:stack: the shapes are 2 x 3 and 3: expected equal shapes" (wf:stack 0 a (wf:from-list '(1 2 3))))
    (says "wf:to-array: the elements are tuples of (i64 i64): expected one column" (wf:to-array (wf:zip a a)))
    (says "wf:where: in C: the condition has the type i64" (wf:where a 1 2))
    (says "wf:any: in A: the condition has the type i64" (wf:any a))
    (says "wf:inner: a has shape 3 x 2 and b 2 x 2" (wf:inner (wf:transpose (wf:cast a :f32)) f))
    (says "wf:inverse: the form is :DIAGONAL: expected :GENERAL, :POSITIVE, :CHOLESKY, :LOWER, :UPPER, :UNIT-LOWER or :UNIT-UPPER" (wf:inverse f :form :diagonal))
    (says "wf:solve: the form is :UP: expected :GENERAL, " (wf:solve f f :form :up))
    (says "wf:log-determinant: the form is :UPPER: expected " (wf:log-determinant f :form :upper))
    (says "wf:triangle: the form is :UP: expected :LOWER, :UPPER, :UNIT-LOWER or :UNIT-UPPER" (wf:triangle f :up))
    (says "wf:triangle-product: the form is :UP: expected " (wf:triangle-product :up f f))
    (says "wf:full: the dimensions are (2 -1): expected numbers that are not negative" (wf:full '(2 -1) 0))
    (says "wf:eye: the dimensions are (-1 -1): " (wf:eye -1))
    (says "wf:eye: :FOO is not an element type" (wf:eye 2 :type :foo))
    (says "wf:diagonal-matrix: the shape is 2 x 3: expected a sequence" (wf:diagonal-matrix a))
    (says "wf:write-array: the array has type i64; expected u8: cast it, after * 255 if 1 is white" (wf:write-array "/tmp/a.png" a))))

(test messages-have-no-packages
  (says "wf:map: in (/ X 2): " (wf:map (wf:fn (x) (/ x 2)) (wf:from-list '(1))))
  (says "wf:map: in (WF:FN (X Y) (+ X Y)): " (wf:map (wf:fn (x y) (+ x y)) (wf:from-list '(1))))
  (says "wf:map: in (IF (< X 0) 1): it is NIL where no condition holds" (wf:map (wf:fn (x) (if (< x 0) 1)) (wf:from-list '(1))))
  (says "in (FOO X): FOO is not" (macroexpand-1 '(wf:fn (x) (foo x)))))

(test one-condition-above-all
  (let ((s (wf:from-list '(1 2 3))))
    (macrolet ((all-signal (&rest forms) `(progn ,@(loop for form in forms collect `(signals wf:warpfold-error ,form)))))
      (all-signal (wf:value 5) (wf:map #'+ s 'four) (wf:map 5 s) (wf:explain 3) (wf:to-list '(1)) (wf:release 7)
                  (wf:tabulate (wf:fn (i) i) 1.5) (wf:nth 1.5 s) (wf:elt s 'a) (wf:take s :all) (wf:subseq s 0 1.0)
                  (wf:from-vector '(1)) (wf:from-list 5) (wf:from-list '(1) :type :i16) (wf:make-context 5)
                  (wf:from-file 7) (setf (wf:context-limit) 1.5) (wf:foreign-function 'j0 '(:f64) :f64)
                  (macroexpand-1 '(wf:fn (x) (foo x)))))
    (handler-case (wf:map #'+ s 'four)
      (type-error (condition)
        (is (eq 'four (type-error-datum condition)))
        (is (eq 'wf:seq (type-error-expected-type condition)))))))

(test the-restart-retry-makes-the-call-again
  (let ((tries 0)
        (path (uiop:with-temporary-file (:pathname path) path)))
    (unwind-protect
         (is (equal '(120)
                    (handler-bind ((wf:io-error (lambda (condition)
                                                  (declare (ignore condition))
                                                  (incf tries)
                                                  (with-open-file (out path :direction :output :if-exists :supersede)
                                                    (write-char #\x out))
                                                  (invoke-restart 'wf:retry))))
                      (wf:to-list (wf:from-file path)))))
      (ignore-errors (delete-file path)))
    (is (= 1 tries))))

(test the-restart-use-value-replaces-the-result
  (let ((s (wf:from-list '(1 2 3))) (t0 (wf:from-list '(9))))
    (flet ((use (value thunk)
             (handler-bind ((wf:warpfold-error (lambda (condition) (use-value value condition)))) (funcall thunk))))
      (is (eql 7 (use 7 (lambda () (wf:elt s 5)))))
      (is (eql 7 (use 7 (lambda () (wf:value (wf:reduce #'+ (wf:tabulate (wf:fn (i) (aref s i)) 5)))))))
      (is (eq t0 (use t0 (lambda () (wf:from-file "/no/such/file"))))))
    (is (null (handler-bind ((wf:range-error (lambda (condition)
                                               (is (null (find-restart 'use-value condition)))
                                               (throw 'out nil))))
                (catch 'out (wf:take s 7))))
        "none where a value would make no sense")))

(defmacro names-itself (&rest forms)
  "Checks that the error of each form names the function at its head."
  `(progn ,@(loop for form in forms
                  collect `(is (eql 0 (search (format nil "wf:~(~A~): " ',(first form))
                                              (handler-case (progn ,form "no error")
                                                (wf:warpfold-error (condition) (princ-to-string condition)))))
                               "~S" ',form))))

(test messages-name-what-the-user-wrote
  (let ((s (wf:from-list '(3 1 2))))
    (flet ((message (thunk) (handler-case (progn (funcall thunk) "no error") (wf:warpfold-error (condition) (princ-to-string condition)))))
      (is (eql 0 (search "wf:map: #<FUNCTION (LAMBDA (X)" (message (lambda () (wf:map (lambda (x) x) s))))))
      (is (search "expected the identity of f" (message (lambda () (wf:reduce #'- s)))))
      (is (eql 0 (search "wf:with-context: \"gpu\" is not a valid context" (message (lambda () (wf:with-context ("gpu") s))))))
      (is (search "in (X Y X): the variable X occurs more than once" (message (lambda () (macroexpand-1 '(wf:fn (x y x) x))))))
      (is (search "in (A A): the variable A occurs more than once"
                  (message (lambda () (macroexpand-1 '(wf:fn (i) (reduce (lambda (a a) a) (subseq s 0 i) :identity 0))))))))))

(test errors-of-released-sequences-name-the-function
  (let ((s (wf:from-list '(1 2 3))) (sum (wf:reduce #'+ (wf:from-list '(1 2)))) (other (wf:from-list '(4 5 6))))
    (wf:release s)
    (wf:release sum)
    (names-itself (wf:map #'abs s) (wf:cast s :f32) (wf:zip other s) (wf:unzip s) (wf:columns s 0) (wf:reduce #'+ s) (wf:scan #'+ s)
                  (wf:scan-incl #'+ s) (wf:filter #'plusp s) (wf:nth 0 s) (wf:subseq s 0 1) (wf:take s 1) (wf:drop s 1) (wf:reverse s)
                  (wf:append other s) (wf:lazy-length s) (wf:value sum) (wf:elt s 0) (wf:length s) (wf:to-vector s) (wf:to-array s)
                  (wf:to-list s) (wf:force other s) (wf:wait other s) (wf:explain s) (wf:explain-dot s) (wf:manifest-p s) (wf:context-of s)
                  (wf:to-dlpack s) (wf:map (wf:fn (i) (aref s i)) other))
    (names-itself (wf:map #'abs '(1 2)) (wf:reverse 5) (wf:value 5) (wf:take other 'many) (wf:take other 4) (wf:map 'nonsense 5))
    (signals wf:argument-error (wf:with-data (data n s) (list data n)))))

(test a-range-error-names-the-index-and-changes-nothing
  (let* ((s (wf:from-list '(1 2 3))) (bad (wf:tabulate (wf:fn (i) (aref s i)) 5)) (good (wf:map #'1+ s)))
    (handler-case (wf:force bad good)
      (wf:range-error (condition) (is (search "3" (wf:error-message condition)))))
    (signals wf:range-error (wf:wait bad good))
    (is (not (wf:manifest-p bad)))
    (is (eq good (wf:wait good)))
    (is (equal '(2 3 4) (wf:to-list good)))))

(test the-restart-use-cpu
  (handler-bind ((wf:device-error (lambda (condition) (declare (ignore condition)) (invoke-restart 'wf:use-cpu))))
    (is (equal "cpu" (wf:context-name (wf:make-context "cuda:99"))))
    (is (equal "cpu" (wf:with-context ("cuda:99") (wf:context-name))))
    (let ((runs 0))
      (is (equal '(2 3) (wf:with-context ("cpu")
                          (incf runs)
                          (when (= runs 1) (error 'wf:device-error :message "as if a device had failed"))
                          (wf:to-list (wf:map #'1+ (wf:from-list '(1 2)))))))
      (is (= 2 runs) "the body starts anew"))))

(test a-context-is-one-object
  (let* ((s (wf:with-context ("cpu") (wf:from-list '(1 2)))) ; WITH-CONTEXT releases the context that it made
         (context (wf:context-of s)))
    (is (equal "cpu" (wf:context-name context)))
    (is (eq context (wf:context-of s)))
    (is (eq context (wf:context-of (wf:map #'1+ s))))
    (is (not (eq context (wf:context-of (wf:from-list '(1 2))))))))

(test closed-and-released
  (let* ((context (wf:make-context "cpu")) (s (wf:from-list '(1 2) :context context)))
    (is (eq context (wf:context-of s)))
    (is (not (eq context (wf:make-context "cpu"))))
    (wf:close-context context)
    (signals wf:argument-error (wf:force (wf:map #'1+ s)))
    (wf:release context))
  (let* ((s (wf:from-list '(1 2))) (m (wf:map #'1+ s)))
    (wf:release s)
    (wf:release s)
    (signals wf:argument-error (wf:to-list s))
    (is (equal '(2 3) (wf:to-list m)) "what was made from it stays valid")
    (wf:with-released ((a (wf:from-list '(1))) (b (wf:reverse a)))
      (setf s b)
      (is (equal '(1) (wf:to-list b))))
    (signals wf:argument-error (wf:to-list s))))

(defun debugger-output (form)
  "The output of another Lisp process, whose debugger is entered by a form, a string."
  (with-input-from-string (input form)
    (uiop:run-program (append (list (namestring sb-ext:*runtime-pathname*) "--noinform" "--no-sysinit" "--no-userinit")
                              (loop for expression in (loading-expressions) append (list "--eval" expression)))
                      :input input :output :string :error-output :output :ignore-error-status t)))

(test the-debugger-finds-the-source-of-the-frame
  (dolist (form '("(wf:map (wf:fn (x) (/ x 2)) (wf:iota 3))" "(let ((s (wf:iota 2))) (wf:to-list (wf:tabulate (wf:fn (i) (aref s i)) 5)))"))
    (let ((output (debugger-output form)))
      (is (search "debugger invoked" output) "~A" output)
      (is (not (search "error finding frame source" output)) "~A" output))))
