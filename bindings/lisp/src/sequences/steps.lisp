;;;; Sequential steps. The function need not be associative, so these are sequential by definition: span n. REDUCE and SCAN are the parallel
;;;; ones; CL:REDUCE takes an ordinary function.

(in-package #:warpfold)

(defun state-columns (state) (if (consp state) state (list state)))

(defun state-types (f state types)
  "The types of a state's columns: each has the promoted type of its first and its next values."
  (loop with its = (mapcar (lambda (value) (default-type value)) state)
        for next = (mapcar #'promoted its (compiled-results (compile-fn f (cl:append its types))))
        until (equal next its) do (setf its next)
        finally (return its)))

(defmacro with-steps ((function literal pointer types) (f initial sequence) &body body)
  "Runs the body with a function of the library, the text of the first state, the pointer of the sequence, and the types of the state."
  (let ((state (gensym "STATE")) (its (gensym "TYPES")) (compiled (gensym "COMPILED")) (fn (gensym "FN")))
    `(let* ((,state (state-columns ,initial)) (,its (seq-types ,sequence))
            (,fn (find-fn ,f (+ (cl:length ,state) (cl:length ,its))))
            (,types (state-types ,fn ,state ,its))
            (,compiled (compile-fn ,fn (cl:append ,types ,its) ,types)))
       (with-pointers ((,function ,compiled) (,pointer ,sequence))
         (with-identity (,literal ,compiled ,initial t ,types)
           ,@body)))))

(define-called iterate (f initial sequence)
  "f(... f(f(initial, s[0]), s[1]) ..., s[n-1]) as a delayed scalar. INITIAL is a number, or a list for a state of several columns; a column has
the promoted type of its first and its next values. One kernel, a loop of one thread. Work n."
  (with-steps (function initial-text s types) (f initial sequence)
    (new-seq (types 0) (out) (wf.raw:wf-iterate function initial-text s out))))

(defun prefixes-of (f initial sequence inclusive)
  (with-steps (function initial-text s types) (f initial sequence)
    (two-seqs (types 1 types 0) (prefixes last)
      (wf.raw:wf-iterate-prefixes function initial-text s inclusive prefixes last))))

(define-called iterate-prefixes (f initial sequence)
  "Two values: the states before each element, initial, f(initial, s[0]), ..., and the one after the last, as a delayed scalar; see ITERATE. One
step of a plan, in which one thread goes through the stored elements: work n. If f captures sequences, a few kernels compute every 2^k-th
state first, then those between them."
  (prefixes-of f initial sequence 0))

(define-called iterate-prefixes-incl (f initial sequence)
  "The states after each element; see ITERATE-PREFIXES."
  (values (prefixes-of f initial sequence 1)))
