;;;; The other functions of sequences inside wf:fn. Those that are views have nodes of their own:
;;;;
;;;;   (:appended form node...)               (:cut form k node node)           node k, up to the length of the shorter one
;;;;   (:indexed form function node)          function of a position and an element; NIL: both
;;;;   (:indexed-filter form function node)   (:kept-positions form function node)
;;;;   (:rotated form node k)                 (:interleaved form node node)     (:updated form node i value)
;;;;   (:counted form node)                   each element after 0 and its position, or after 1 and 0 if it is filtered
;;;;
;;;; The others are forms of reductions. Positions in filtered sequences are counted: a part is its number of elements and a position in it,
;;;; which is -1 for none.

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
  (list :indexed form (walk-function function 2 scope) (walk-sequence sequence scope)))
(define-sequence-form enumerate ((sequence) scope) (list :indexed form nil (walk-sequence sequence scope)))
(define-sequence-form filter-indexed ((function sequence) scope)
  (list :indexed-filter form (walk-function function 2 scope) (walk-sequence sequence scope)))
(define-sequence-form positions-if ((function sequence) scope)
  (list :kept-positions form (walk-function function 1 scope) (walk-sequence sequence scope)))

(defun cuts (form sequence other scope)
  (let ((nodes (walk-sequences (list sequence other) scope)))
    (list (list* :cut form 0 nodes) (list* :cut form 1 nodes))))
(define-sequence-form map-shortest ((function sequence other) scope)
  (list* :mapped form (walk-function function 2 scope) (cuts form sequence other scope)))
(define-sequence-form zip-shortest ((sequence other) scope)
  (list* :zipped form (cuts form sequence other scope)))
(define-sequence-form rotate ((sequence k) scope) (list :rotated form (walk-sequence sequence scope) (walk k scope)))
(define-sequence-form interleave ((sequence other) scope) (list* :interleaved form (walk-sequences (list sequence other) scope)))
(define-sequence-form update ((sequence i value) scope)
  (list :updated form (walk-sequence sequence scope) (walk i scope) (walk value scope)))
(define-sequence-form %counted ((sequence) scope) (list :counted form (walk-sequence sequence scope)))

(define-refused-sequence (partition) "its values are two sequences: expected wf:filter and REMOVE-IF with the same function")
(define-refused-sequence (split-head split-mid)
  "its value depends on a length that is not known: expected wf:take and wf:drop of half of the LENGTH, or an element by AREF")
(define-refusal (find-if cl:find-if) "it has no value if there is no such element: expected AREF at wf:position-if, which is then -1")

;;; ---- elaboration

(defun choice (condition a b form)
  "a if the condition holds, else b: terms of equal types."
  (unless (equal (term-types a) (term-types b))
    (reject form "the elements have the types ~A and ~A: expected equal types" (describe-types (term-types a)) (describe-types (term-types b))))
  (let* ((names (list (gensym-name "a") (gensym-name "b"))) (c (gensym-name "c"))
         (parts (mapcar #'parts (list a b) names)))
    (flet ((binding (term name its) (binding-text (if (single-p term) (list name) (part-names name its)) term)))
      (if (single-p a)
          (typed (term-types a) (call-text "where" condition a b))
          (typed (term-types a)
                 (parenthesised "let" (list "(" (binding-text (list c) condition) (mapcar #'binding (list a b) names parts) ")")
                                (apply #'parenthesised "tuple"
                                       (mapcar (lambda (x y) (parenthesised "where" c (term-text x) (term-text y)))
                                               (first parts) (second parts)))))))))

(defun with-named-length (inner length)
  "INNER with a LENGTH that is computed once."
  (let ((name (gensym-name "s")))
    (setf (inner-bindings inner) (cons (binding-text (list name) length) (inner-bindings inner))
          (inner-length inner) (typed '(:i64) name))
    inner))

(defun appended (a b form)
  (let* ((name (gensym-name "s"))
         (m (typed '(:i64) name))
         (bindings (cons (binding-text (list name) (position-term "max" (inner-length a) (literal-position 0))) (joined (list b a)))))
    (labels ((rest-of (position) (position-term "sub" position m))
             (left-p (position) (truth-term "lt" position m))
             (kept (inner position)
               (if (inner-keeps inner) (funcall (inner-keeps inner) position) (typed '(:bool) "true"))))
      (with-named-length
          (make-inner :bindings bindings
                      :keeps (and (or (inner-keeps a) (inner-keeps b))
                                  (lambda (position)
                                    (truth-term "where" (left-p position) (kept a position) (kept b (rest-of position)))))
                      :element (lambda (position)
                                 (choice (left-p position) (settled (funcall (inner-element a) position))
                                         (settled (funcall (inner-element b) (rest-of position))) form)))
        (position-term "add" m (position-term "max" (inner-length b) (literal-position 0)))))))

(define-elaborator :appended (form &rest nodes)
  (cl:reduce (lambda (a b) (appended a b form)) (mapcar #'elaborate nodes)))

(define-elaborator :indexed (form function node)
  (let ((base (elaborate node)))
    (require-unfiltered form base)
    (make-inner :length (inner-length base) :bindings (inner-bindings base)
                :element (lambda (position)
                           (let ((both (list position (funcall (inner-element base) position))))
                             (if function (applied form function both) (tuple-of both)))))))

(define-elaborator :indexed-filter (form function node)
  (let* ((base (elaborate node)) (result (copy-inner base)))
    (require-unfiltered form base)
    (setf (inner-keeps result)
          (lambda (position) (elaborate-condition form function (list position (funcall (inner-element base) position)))))
    result))

(define-elaborator :kept-positions (form function node)
  (let ((base (elaborate node)))
    (require-unfiltered form base)
    (make-inner :length (inner-length base) :bindings (inner-bindings base) :element #'identity
                :keeps (lambda (position) (elaborate-condition form function (list (funcall (inner-element base) position)))))))

(define-elaborator :cut (form k &rest nodes)
  (let* ((inners (mapcar #'elaborate nodes)) (chosen (cl:nth k inners)))
    (apply #'require-unfiltered form inners)
    (with-named-length
        (make-inner :bindings (joined (cl:reverse inners)) :element (inner-element chosen))
      (apply #'position-term "min" (mapcar #'inner-length inners)))))

(define-elaborator :rotated (form node k)
  (let* ((base (elaborate node)) (n (inner-length base)) (name (gensym-name "s"))
         (k (position-term "rem" (elaborate-position k) n))
         (bindings (cons (binding-text (list name)
                                       (position-term "where" (truth-term "lt" k (literal-position 0)) (position-term "add" k n) k))
                         (inner-bindings base)))
         (from (typed '(:i64) name)) (left (position-term "sub" n from)))
    (require-unfiltered form base)
    (make-inner :length n :bindings bindings
                :element (lambda (position)
                           (funcall (inner-element base)
                                    (position-term "where" (truth-term "lt" position left) (position-term "add" position from)
                                                   (position-term "sub" position left)))))))

(define-elaborator :interleaved (form &rest nodes)
  (let* ((inners (mapcar #'elaborate nodes)) (length (common-length inners)) (two (literal-position 2)))
    (apply #'require-unfiltered form inners)
    (with-named-length
        (make-inner :bindings (joined (cl:reverse inners))
                    :element (lambda (position)
                               (destructuring-bind (a b) (mapcar #'settled (elements-of inners (position-term "div" position two)))
                                 (choice (truth-term "eq" (position-term "rem" position two) (literal-position 0)) a b form))))
      (position-term "mul" length two))))

(define-elaborator :updated (form node i value)
  (let* ((base (elaborate node)) (n (inner-length base)) (name (gensym-name "s")) (i (elaborate-position i)) (value (elaborate value)))
    (require-unfiltered form base)
    (make-inner :length n
                :bindings (cons (binding-text (list name) i) (inner-bindings base))
                :element (lambda (position)
                           (let ((element (settled (funcall (inner-element base) position))))
                             (choice (truth-term "eq" position (position-term "check" (typed '(:i64) name) n))
                                     (converted value (term-types element) form) element form))))))

(define-elaborator :counted (form node)
  (let* ((base (elaborate node)) (result (copy-inner base)) (zero (literal-position 0)) (one (literal-position 1)))
    (setf (inner-checked result) nil
          (inner-element result)
          (lambda (position)
            (tuple-of (list (if (inner-keeps base) one zero) (if (inner-keeps base) zero position)
                            (funcall (inner-element base) position)))))
    result))

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

(defun parameters-and-call (function n)
  "The parameters of a function of N groups of columns, as lists of symbols, and a form that calls it with them."
  (if (and (consp function) (member (car function) '(lambda fn)))
      (let ((parameters (loop for p in (second function) append (if (consp p) p (list p)))))
        (values parameters `(let () ,@(remove-if (lambda (f) (and (consp f) (eq (car f) 'declare))) (cddr function)))))
      (let ((parameters (loop repeat n collect (gensym "X"))))
        (values parameters (if (and (consp function) (member (car function) '(function quote)))
                               `(,(second function) ,@parameters)
                               `(funcall ,function ,@parameters))))))

(define-form (position-if cl:position-if) ((function sequence) scope)
  (multiple-value-bind (xs call) (parameters-and-call function 1)
    (let ((c (gensym "C")) (j (gensym "J")))
      (walk `(multiple-value-bind (m i)
                 (reduce (lambda (m i n j) (values (+ m n) (cond ((>= i 0) i) ((< j 0) (cast -1 :i64)) (t (+ m j)))))
                         (map (lambda (,c ,j ,@xs) (values ,c (if ,call ,j (cast -1 :i64)))) (%counted ,sequence))
                         :identity '(0 -1))
               i)
            scope))))

(defun walk-best (predicate sequence swaps scope)
  "The position of the first element that comes after all others in the order of PREDICATE, or before them if it SWAPS them."
  (multiple-value-bind (xs call) (parameters-and-call predicate 2)
    (let* ((c (floor (cl:length xs) 2))
           (names (loop for prefix in '("A" "B") collect (loop repeat c collect (gensym prefix))))
           (given (loop for x in xs for y in (apply #'cl:append (if swaps (cl:reverse names) names)) collect (list x y))))
      (destructuring-bind (as bs) names
        (walk `(multiple-value-bind (m i ,@as)
                   (reduce (lambda (m i ,@as n j ,@bs)
                             (let ((right (or (< i 0) (and (>= j 0) (let ,given ,call)))))
                               (values (+ m n) (cond ((not right) i) ((< j 0) (cast -1 :i64)) (t (+ m j)))
                                       ,@(loop for a in as for b in bs collect `(if right ,b ,a)))))
                           (%counted ,sequence) :identity :nothing)
                 i)
              scope)))))

;; Numbers are compared by value and chosen instead of NaN.
(define-form argmax ((sequence &key (predicate '(lambda (x y) (or (< x y) (and (/= x x) (= y y)))))) scope)
  (walk-best predicate sequence nil scope))
(define-form argmin ((sequence &key (predicate '(lambda (x y) (or (< x y) (and (= x x) (/= y y)))))) scope)
  (walk-best predicate sequence t scope))

;;; ---- comparisons

(defun order-predicate (predicate)
  "A form of the predicate in which NaN comes after every number by #'<, and before by #'>, as in the order of SORT."
  (case (named-operation predicate)
    (< '(lambda (x y) (or (< x y) (and (= x x) (/= y y)))))
    (> '(lambda (x y) (or (> x y) (and (/= x x) (= y y)))))
    (t predicate)))

(define-form mismatch ((sequence other &key (test '#'=)) scope)
  (multiple-value-bind (xs call) (parameters-and-call test 2)
    (walk `(let ((k (position-if (lambda ,xs (not ,call)) (zip-shortest ,sequence ,other))) (m (length ,sequence)) (n (length ,other)))
             (cond ((>= k 0) k) ((= m n) (cast -1 :i64)) (t (min m n))))
          scope)))

(define-form collate ((sequence other &optional (predicate '#'<)) scope)
  (multiple-value-bind (xs call) (parameters-and-call (order-predicate predicate) 2)
    (let* ((c (floor (cl:length xs) 2)) (as (loop repeat c collect (gensym "A"))) (bs (loop repeat c collect (gensym "B"))))
      (flet ((before (x y) `(let ,(mapcar #'list xs (cl:append x y)) ,call))
             (sign (less greater) `(cond (,less (cast -1 :i64)) (,greater (cast 1 :i64)) (t (cast 0 :i64)))))
        (walk `(let ((first (reduce (lambda (a b) (if (/= a 0) a b))
                                    (map (lambda (,@as ,@bs) ,(sign (before as bs) (before bs as))) (zip-shortest ,sequence ,other))
                                    :identity 0))
                     (m (length ,sequence)) (n (length ,other)))
                 (if (/= first 0) first ,(sign '(< m n) '(> m n))))
              scope)))))

(define-form sorted-p ((sequence predicate) scope)
  (multiple-value-bind (xs call) (parameters-and-call (order-predicate predicate) 2)
    (let* ((c (floor (cl:length xs) 2)) (as (loop repeat c collect (gensym "A"))) (bs (loop repeat c collect (gensym "B"))))
      (walk `(reduce 'and (map (lambda (,@as ,@bs) (not (let ,(mapcar #'list xs (cl:append bs as)) ,call)))
                               (zip (take ,sequence (- (length ,sequence) 1)) (drop ,sequence 1)))
                     :identity t)
            scope))))
