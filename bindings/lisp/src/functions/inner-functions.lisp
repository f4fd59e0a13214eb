;;;; The other functions of sequences inside wf:fn. Some have nodes of their own:
;;;;
;;;;   (:appended form node...)               (:shortest form node node)        both, up to the length of the shorter one
;;;;   (:enumerated form node)                each element after its position
;;;;   (:indexed-filter form function node)   (:kept-positions form function node)
;;;;   (:rotated form node k)                 (:interleaved form node node)     (:updated form node i value)
;;;;
;;;; and as reductions (:found form function node), (:best form function node), (:in-order form function node) and
;;;; (:compared form function node node). The others are forms of these.

(in-package #:warpfold)

;;; ---- views

(define-sequence-form (append cl:append) ((&rest sequences) scope)
  (unless sequences (reject form "it has no sequence: expected one or more"))
  (list* :appended form (walk-sequences sequences scope)))
(define-sequence-form concatenate ((type &rest sequences) scope)
  (unless sequences (reject form "it has no sequence: expected one or more"))
  (unless type (reject form "expected a result type, such as 'VECTOR"))
  (list* :appended form (walk-sequences sequences scope)))
(define-sequence-form iota ((n) scope) (walk-sequence `(tabulate (lambda (i) i) ,n) scope))
(define-sequence-form map-indexed ((function sequence) scope)
  (list :mapped form (walk-function function 2 scope) (list :enumerated form (walk-sequence sequence scope))))
(define-sequence-form enumerate ((sequence) scope) (list :enumerated form (walk-sequence sequence scope)))
(define-sequence-form filter-indexed ((function sequence) scope)
  (list :indexed-filter form (walk-function function 2 scope) (walk-sequence sequence scope)))
(define-sequence-form positions-if ((function sequence) scope)
  (list :kept-positions form (walk-function function 1 scope) (walk-sequence sequence scope)))

(defun walk-shortest (form sequence other scope) (list* :shortest form (walk-sequences (list sequence other) scope)))
(define-sequence-form map-shortest ((function sequence other) scope)
  (list :mapped form (walk-function function 2 scope) (walk-shortest form sequence other scope)))
(define-sequence-form zip-shortest ((sequence other) scope) (walk-shortest form sequence other scope))
(define-sequence-form rotate ((sequence k) scope) (list :rotated form (walk-sequence sequence scope) (walk k scope)))
(define-sequence-form interleave ((sequence other) scope) (list* :interleaved form (walk-sequences (list sequence other) scope)))
(define-sequence-form update ((sequence i value) scope)
  (list :updated form (walk-sequence sequence scope) (walk i scope) (walk value scope)))

(define-refused-sequence (partition) "its values are two sequences: expected wf:filter and REMOVE-IF with the same function")
(define-refused-sequence (split-head split-mid)
  "its value depends on a length that is not known: expected wf:take and wf:drop of half of the LENGTH, or an element by AREF")
(define-refusal (find-if cl:find-if) "it has no value if there is no such element: expected AREF at wf:position-if, which is then -1")

;;; ---- reductions by name

(define-form sum ((sequence) scope) (walk `(reduce #'+ ,sequence) scope))
(define-form product ((sequence) scope) (walk `(reduce #'* ,sequence) scope))
(define-form minimum ((sequence) scope) (walk `(reduce #'min ,sequence) scope))
(define-form maximum ((sequence) scope) (walk `(reduce #'max ,sequence) scope))
(define-form dot ((sequence other) scope) (walk `(reduce #'+ (map #'* ,sequence ,other)) scope))
(define-form all ((sequence) scope) (walk `(reduce 'and ,sequence :identity t) scope))
(define-form any ((sequence) scope) (walk `(reduce 'or ,sequence :identity nil) scope))

(define-form minmax ((sequence) scope)
  (walk `(values (reduce #'min ,sequence) (reduce #'max ,sequence)) scope))
(define-form mean ((sequence) scope)
  (walk `(/ (reduce #'+ (map (lambda (x) (cast x :f64)) ,sequence)) (length ,sequence)) scope))

;;; ---- positions

(define-form (position-if cl:position-if) ((function sequence) scope)
  (list :found form (walk-function function 1 scope) (walk-sequence sequence scope)))

(defun walk-best (form predicate swaps sequence scope)
  "The position of the first element that comes after all others in the order of PREDICATE, or before them if it SWAPS them."
  (destructuring-bind (names body) (walk-function predicate 2 scope)
    (let ((half (floor (cl:length names) 2)))
      (list :best form (list (if swaps (cl:append (nthcdr half names) (ldiff names (nthcdr half names))) names) body)
            (walk-sequence sequence scope)))))

;; Numbers are compared by value and chosen instead of NaN.
(define-form argmax ((sequence &key (predicate '(lambda (x y) (or (< x y) (and (/= x x) (= y y)))))) scope)
  (walk-best form predicate nil sequence scope))
(define-form argmin ((sequence &key (predicate '(lambda (x y) (or (< x y) (and (= x x) (/= y y)))))) scope)
  (walk-best form predicate t sequence scope))

;;; ---- comparisons

(defun order-predicate (predicate)
  "A form of the predicate in which NaN comes after every number by #'<, and before by #'>, as in the order of SORT."
  (case (named-operation predicate)
    (< '(lambda (x y) (or (< x y) (and (= x x) (/= y y)))))
    (> '(lambda (x y) (or (> x y) (and (/= x x) (= y y)))))
    (t predicate)))

(defun parameters-and-call (function n)
  "The parameters of a function of N groups of columns, as lists of symbols, and a form that calls it with them."
  (if (and (consp function) (member (car function) '(lambda fn)))
      (let ((parameters (loop for p in (second function) append (if (consp p) p (list p)))))
        (values parameters `(let () ,@(remove-if (lambda (f) (and (consp f) (eq (car f) 'declare))) (cddr function)))))
      (let ((parameters (loop repeat n collect (gensym "X"))))
        (values parameters (if (and (consp function) (member (car function) '(function quote)))
                               `(,(second function) ,@parameters)
                               `(funcall ,function ,@parameters))))))

(define-form mismatch ((sequence other &key (test '#'=)) scope)
  (multiple-value-bind (xs call) (parameters-and-call test 2)
    (walk `(let ((k (position-if (lambda ,xs (not ,call)) (zip-shortest ,sequence ,other))) (m (length ,sequence)) (n (length ,other)))
             (cond ((>= k 0) k) ((= m n) (cast -1 :i64)) (t (min m n))))
          scope)))

(define-form collate ((sequence other &optional (predicate '#'<)) scope)
  (list* :compared form (walk-function (order-predicate predicate) 2 scope) (walk-sequences (list sequence other) scope)))

(define-form sorted-p ((sequence predicate) scope)
  (list :in-order form (walk-function (order-predicate predicate) 2 scope) (walk-sequence sequence scope)))
