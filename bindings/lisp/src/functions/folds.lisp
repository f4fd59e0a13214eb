;;;; Elaboration of the sequences inside wf:fn (inner.lisp) to forms of the written form (docs/written-form.md), which the library lowers.

(in-package #:warpfold)

(defstruct (inner (:copier nil) (:predicate nil))
  "TEXT is a sequence of the written form, and TYPES those of an element's columns. The positions of a FILTERED sequence are not known."
  text (types '() :type list) (filtered nil))

(defun elaborate-position (node)
  "A bound of a sequence as an :i64."
  (let ((term (elaborate-single node)))
    (unless (integer-type-p (term-type term))
      (reject (node-form node) "the bound has the type ~A: expected an integer" (describe-types (term-types term))))
    (term-text (of-type (settled term) :i64))))

(defun require-unfiltered (form &rest inners)
  (when (cl:some #'inner-filtered inners)
    (reject form "the positions of the elements that a filter keeps are not known: expected MAP, REMOVE-IF or a reduction of it")))

(defun parameters-text (names types)
  (list "(" (loop for name in names for type in types collect (list "(" name " " (type-text type) ")")) ")"))

(defun function-body (form function types)
  "The term of a function's body, with its names bound to columns of these types."
  (destructuring-bind (names body) function
    (unless (= (cl:length types) (cl:length names))
      (reject form "its function has ~D parameter~:P, and is applied to ~D column~:P: expected one parameter per column"
              (cl:length names) (cl:length types)))
    (bind-names names types)
    (settled (elaborate body))))

(defun function-text (form function types &optional body)
  "((a t)) body"
  (list (parameters-text (first function) types) " " (term-text (or body (function-body form function types)))))

(defun condition-text (form function types &key negated)
  (let ((body (function-body form function types)))
    (unless (equal (term-types body) '(:bool))
      (reject form "its function has the type ~A: expected a boolean" (describe-types (term-types body))))
    (function-text form function types (if negated (typed '(:bool) (parenthesised "not" (term-text body))) body))))

(defmacro with-closed-function (() &body body)
  "Elaborates a function that depends on its parameters alone; returns BODY's text."
  `(let ((*terms* (make-hash-table :test #'equal)) (*slots* (make-array 0 :adjustable t :fill-pointer t)))
     (prog1 (progn ,@body)
       (when (plusp (cl:length *slots*))
         (reject form "the function that combines reads a sequence: expected one of its two arguments alone, after a MAP of the elements")))))

(defun same-elements (base text)
  "A sequence with elements of the same types as BASE."
  (make-inner :text text :types (inner-types base) :filtered (inner-filtered base)))

;;; ---- sequences

(define-elaborator :sequence (form k)
  (let ((sequence (captured-sequence (list 'sequence form) k)))
    (make-inner :text (slot-text sequence) :types (seq-types sequence))))

(define-elaborator :row (form k &rest nodes)
  (let* ((array (captured-sequence form k)) (dimensions (dimensions array)) (indices (mapcar #'elaborate-single nodes)))
    (unless (= (1+ (cl:length indices)) (cl:length dimensions))
      (reject form "it has ~D ind~:*~[ices~;ex~:;ices~], but the array has the rank ~D: expected one index per axis but the last, which are a row"
              (cl:length indices) (cl:length dimensions)))
    (require-integers form indices)
    (let ((first (row-major-index form dimensions (cl:append indices (list (typed '(:i64) "0:i64"))))))
      (make-inner :text (parenthesised "subseq" (slot-text array) (term-text first) (literal-text (first (last dimensions)) :i64))
                  :types (seq-types array)))))

(define-elaborator :tabulated (form function n)
  (let ((body (function-body form function '(:i64))))
    (make-inner :text (parenthesised "tabulate" (function-text form function '(:i64) body) (elaborate-position n)) :types (term-types body))))

(define-elaborator :reversed (form node)
  (let ((base (elaborate node))) (same-elements base (parenthesised "rev" (inner-text base)))))

(defun part (form name node &rest positions)
  (let ((base (elaborate node)))
    (require-unfiltered form base)
    (same-elements base (apply #'parenthesised name (inner-text base) (mapcar #'elaborate-position positions)))))

(define-elaborator :part (form node start end n)
  (cond (n (part form "take" node n))
        (end (part form "slice" node start end))
        (t (part form "drop" node start))))

(defun zipped (form nodes &optional (name "zip"))
  (let ((inners (mapcar #'elaborate nodes)))
    (apply #'require-unfiltered form inners)
    (make-inner :text (apply #'parenthesised name (mapcar #'inner-text inners)) :types (loop for inner in inners append (inner-types inner)))))

(define-elaborator :zipped (form &rest nodes) (zipped form nodes))
(define-elaborator :shortest (form &rest nodes) (zipped form nodes "zip_shortest"))

(define-elaborator :mapped (form function &rest nodes)
  (let* ((base (if (rest nodes) (zipped form nodes) (elaborate (first nodes)))) (body (function-body form function (inner-types base))))
    (make-inner :text (parenthesised "map" (function-text form function (inner-types base) body) (inner-text base))
                :types (term-types body) :filtered (inner-filtered base))))

(defun filtered (base condition)
  (make-inner :text (parenthesised "filter" condition (inner-text base)) :types (inner-types base) :filtered t))

(define-elaborator :filtered (form function negated node)
  (let ((base (elaborate node))) (filtered base (condition-text form function (inner-types base) :negated negated))))

(define-elaborator :enumerated (form node)
  (let ((base (elaborate node)))
    (require-unfiltered form base)
    (make-inner :text (parenthesised "enumerate" (inner-text base)) :types (cons :i64 (inner-types base)))))

(defun columns-of (base first count)
  "The columns from FIRST on of each element."
  (let* ((names (loop for nil in (inner-types base) collect (gensym-name "c"))) (end (+ first count)) (kept (cl:subseq names first end)))
    (make-inner :text (parenthesised "map" (list (parameters-text names (inner-types base)) " "
                                                 (if (rest kept) (apply #'parenthesised "tuple" kept) (first kept)))
                                     (inner-text base))
                :types (cl:subseq (inner-types base) first end) :filtered (inner-filtered base))))

(define-elaborator :indexed-filter (form function node)
  (let ((base (elaborate (list :enumerated form node))))
    (columns-of (filtered base (condition-text form function (inner-types base))) 1 (1- (cl:length (inner-types base))))))

(define-elaborator :kept-positions (form (names body) node)
  (let ((base (elaborate (list :enumerated form node))))
    (columns-of (filtered base (condition-text form (list (cons (gensym-name "j") names) body) (inner-types base))) 0 1)))

(defun require-same-types (form a b)
  (unless (equal (inner-types a) (inner-types b))
    (reject form "the elements have the types ~A and ~A: expected equal types" (describe-types (inner-types a)) (describe-types (inner-types b)))))

(define-elaborator :appended (form &rest nodes)
  (let ((inners (mapcar #'elaborate nodes)))
    (dolist (inner (rest inners)) (require-same-types form (first inners) inner))
    (make-inner :text (apply #'parenthesised "append" (mapcar #'inner-text inners)) :types (inner-types (first inners))
                :filtered (cl:some #'inner-filtered inners))))

(define-elaborator :rotated (form node k) (part form "rotate" node k))

(define-elaborator :interleaved (form a b)
  (let ((a (elaborate a)) (b (elaborate b)))
    (require-unfiltered form a b)
    (require-same-types form a b)
    (same-elements a (parenthesised "interleave" (inner-text a) (inner-text b)))))

(define-elaborator :updated (form node i value)
  (let ((base (elaborate node)))
    (require-unfiltered form base)
    (same-elements base (parenthesised "update" (inner-text base) (elaborate-position i)
                                       (term-text (converted (elaborate value) (inner-types base) form))))))

;;; ---- reductions

(defun limit-of (type least)
  "The smallest or largest value of an element type."
  (case (type-klass type)
    (:truth (not least))
    (:int (destructuring-bind (kind bits) (lisp-type type)
            (if (eq kind 'unsigned-byte)
                (if least 0 (1- (expt 2 bits)))
                (if least (- (expt 2 (1- bits))) (1- (expt 2 (1- bits)))))))
    (t (if least sb-ext:double-float-negative-infinity sb-ext:double-float-positive-infinity))))

(defun identities (form identity types)
  "The literals of an identity for elements of these types. :NOTHING: no elements and no position (inner-functions.lisp)."
  (when (eq identity :nothing)
    (return-from identities
      (list* "0:i64" "-1:i64" (loop for type in (cddr types) collect (literal-text (if (eq type :bool) nil 0) type)))))
  (if (symbolp identity)
      (loop for type in types
            collect (literal-text (ecase identity ((+ logior logxor) 0) (* 1)
                                    (logand (if (member type '(:i32 :i64)) -1 (limit-of type nil)))
                                    (min (limit-of type nil)) (max (limit-of type t)))
                                  type))
      (let ((terms (mapcar #'elaborate-single identity)))
        (unless (and (= (cl:length terms) (cl:length types))
                     (cl:every (lambda (term type) (and (term-literal-p term) (fits-p (term-value term) type))) terms types))
          (reject form "the identity is not a value of the elements' type, ~A: expected one constant per column" (describe-types types)))
        (loop for term in terms for type in types collect (literal-text (term-value term) type)))))

(defun combiner-text (form function types)
  "((a t) (b t)) body: the function that combines."
  (let ((both (cl:append types types)))
    (unless (= (cl:length (first function)) (cl:length both))
      (reject form "its function has ~D parameter~:P: expected ~D, the columns of two elements" (cl:length (first function)) (cl:length both)))
    (with-closed-function ()
      (function-text form function both (converted (function-body form function both) types form)))))

(define-elaborator :reduce (form function identity initial node)
  (let* ((base (elaborate node)) (types (inner-types base)) (literals (identities form identity types))
         (fold (typed types (parenthesised "reduce" (combiner-text form function types)
                                           (if (rest literals) (apply #'parenthesised "tuple" literals) (first literals))
                                           (inner-text base)))))
    (if initial
        (let ((term (elaborate-single initial)) (name (gensym-name "r")))
          (setf (gethash (first (first function)) *terms*) term
                (gethash (second (first function)) *terms*) (typed types name))
          (let ((result (settled (elaborate (second function)))))
            (typed (term-types result)
                   (parenthesised "let" (list "(" (binding-text (list name) fold) ")") (term-text result)))))
        fold)))

(define-elaborator :extent (form node) (typed '(:i64) (parenthesised "length" (inner-text (elaborate node)))))

(define-elaborator :pick (form node index)
  (let ((inner (elaborate node)))
    (require-unfiltered form inner)
    (typed (inner-types inner) (parenthesised "at" (inner-text inner) (elaborate-position index)))))

(define-elaborator :found (form function node)
  (let ((inner (elaborate node)))
    (typed '(:i64) (parenthesised "find_index" (condition-text form function (inner-types inner)) (inner-text inner)))))

(defun twice (inner) (cl:append (inner-types inner) (inner-types inner)))

(define-elaborator :best (form function node)
  (let ((inner (elaborate node)))
    (typed '(:i64) (parenthesised "argmax" (with-closed-function () (condition-text form function (twice inner))) (inner-text inner)))))

(define-elaborator :in-order (form function node)
  (let ((inner (elaborate node)))
    (typed '(:bool) (parenthesised "is_sorted" (condition-text form function (twice inner)) (inner-text inner)))))

(define-elaborator :compared (form function a b)
  (let ((a (elaborate a)) (b (elaborate b)))
    (require-unfiltered form a b)
    (require-same-types form a b)
    (typed '(:i64) (parenthesised "compare" (condition-text form function (twice a)) (inner-text a) (inner-text b)))))
