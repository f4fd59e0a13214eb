;;;; Sequential steps. The function need not be associative, so these are sequential by definition: span n. REDUCE and SCAN are the parallel
;;;; ones; CL:REDUCE takes an ordinary function.

(in-package #:warpfold)

;;; A state and an element have columns of their own: KEYS of FORMED are lists (columns of the state, columns of the element).

(defun steps-form (xs ys from first last)
  "A form for the state after the elements of the captured sequence S from FIRST up to LAST, not included; FROM is a form for the state
before them, and F the captured function."
  (with-columns xs from
    `(let (,@(loop for x in xs collect (list x x)) (i ,first))
       (do () ((>= i ,last) ,(values-of-names xs))
         (multiple-value-bind ,ys (aref s i)
           (multiple-value-setq ,xs (funcall f ,@xs ,@ys)))
         (incf i)))))

(defun state-columns (state) (if (consp state) state (list state)))

(defun state-types (f state types)
  "The types of a state's columns: each has the promoted type of its first and its next values."
  (loop with its = (mapcar (lambda (value) (default-type value)) state)
        for next = (mapcar #'promoted its (compiled-results (compile-fn f (cl:append its types))))
        until (equal next its) do (setf its next)
        finally (return its)))

(define-called iterate (f initial sequence)
  "f(... f(f(initial, s[0]), s[1]) ..., s[n-1]) as a delayed scalar. INITIAL is a number, or a list for a state of several columns; a column has
the promoted type of its first and its next values. One kernel, a loop of one thread. Work n."
  (let* ((state (state-columns initial)) (types (seq-types sequence))
         (f (find-fn f (+ (cl:length state) (cl:length types))))
         (its (state-types f state types))
         (compiled (compile-fn f (cl:append its types) its)))
    (with-pointers ((function compiled) (s sequence))
      (with-identity (literal compiled initial t its)
        (new-seq (its 0) (out) (wf.raw:wf-iterate function literal s out))))))

(define-formed half-steps (widths f s known stride n)
  "State i of those before the elements 0, STRIDE, 2 STRIDE, ...; KNOWN has every second one of them."
  (destructuring-bind (m n) widths
    (let ((xs (column-names "X" m)) (ys (column-names "Y" n)))
      `(fn (i)
         (let* ((odd (logand i 1)) (first (* (- i odd) stride)) (last (min n (+ first (* odd stride)))))
           ,(steps-form xs ys '(aref known (ash i -1)) 'first 'last))))))

(defun states (f initial sequence n stride)
  "The states before the elements 0, STRIDE, 2 STRIDE, ... The first half of all steps is a loop of one thread, the next quarter of two, and so
on. INITIAL is a sequence of one state."
  (if (>= stride n)
      initial
      (let ((known (states f initial sequence n (* 2 stride))))
        (tabulate (half-steps (list (width initial) (width sequence)) f sequence known stride n)
                  (ceiling n stride) :context (context-of sequence)))))

(defun prefixes-of (f initial sequence)
  "Two values: the states before each element, and the one after the last."
  (let* ((state (state-columns initial)) (last (iterate f initial sequence)) (n (length sequence))
         (first (apply #'zip (loop for value in state for type in (seq-types last)
                                   collect (from-list (list value) :type type :context (context-of sequence))))))
    (values (if (zerop n)
                (take first 0)
                (states (find-fn f (+ (cl:length state) (width sequence))) first sequence n 1))
            last)))

(define-called iterate-prefixes (f initial sequence)
  "Two values: the states before each element, initial, f(initial, s[0]), ..., and the one after the last, as a delayed scalar; see ITERATE. log n
kernels: the first computes the middle state in n / 2 steps of one thread, the next two more in n / 4 steps of two threads, and so on. Work
n log n."
  (prefixes-of f initial sequence))

(define-called iterate-prefixes-incl (f initial sequence)
  "The states after each element. Work n log n."
  (map f (prefixes-of f initial sequence) sequence))
