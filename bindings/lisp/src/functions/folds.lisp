;;;; Elaboration of the sequences inside wf:fn (inner.lisp). A sequence is a length and a function from a position to an element, both of
;;;; terms; a reduction is a `fold` of the written form.

(in-package #:warpfold)

(defstruct (inner (:copier copy-inner) (:predicate nil))
  "LENGTH is a term, before the filter. ELEMENT is a function from a position, a term, to a term; KEEPS, from a position to a boolean, is the
filter or NIL. BINDINGS are texts that a reduction binds around it, in reverse order. An element of a CHECKED sequence is an error outside of it."
  length element (keeps nil) (bindings '()) (checked nil))

(defun call-text (name &rest terms) (apply #'parenthesised name (mapcar #'term-text terms)))
(defun position-term (name &rest terms) (typed '(:i64) (apply #'call-text name terms)))
(defun truth-term (name &rest terms) (typed '(:bool) (apply #'call-text name terms)))
(defun literal-position (k) (typed '(:i64) (literal-text k :i64)))

(defun elaborate-position (node)
  "A bound of a sequence as an :i64."
  (let ((term (elaborate-single node)))
    (unless (integer-type-p (term-type term))
      (reject (node-form node) "the bound has the type ~A: expected an integer" (describe-types (term-types term))))
    (of-type (settled term) :i64)))

(defun same-text-p (a b)
  (flet ((text (term) (with-output-to-string (stream) (write-text (term-text term) stream))))
    (string= (text a) (text b))))

(defun element-at (inner position)
  "The element; a position outside of the sequence is an error when it is evaluated."
  (funcall (inner-element inner)
           (if (inner-checked inner) position (position-term "check" position (inner-length inner)))))

(defun element-beside (first inner position)
  "The element of a sequence that is read together with FIRST."
  (if (same-text-p (inner-length first) (inner-length inner))
      (funcall (inner-element inner) position)
      (element-at inner position)))

(defun require-unfiltered (form &rest inners)
  (when (cl:some #'inner-keeps inners)
    (reject form "the positions of the elements that a filter keeps are not known: expected MAP, REMOVE-IF or a reduction of it")))

(defun applied (form function terms)
  "The body of a function with its names bound to the columns of terms."
  (destructuring-bind (names body) function
    (let ((columns (loop for term in terms sum (cl:length (term-types term)))) (rest names) (texts '()))
      (unless (= columns (cl:length names))
        (reject form "its function has ~D parameter~:P, and is applied to ~D column~:P: expected one parameter per column"
                (cl:length names) columns))
      (dolist (term terms)
        (let ((its (loop repeat (cl:length (term-types term)) collect (pop rest))))
          (push (binding-text its (settled term)) texts)
          (bind-names its (term-types term))))
      (let ((result (settled (elaborate body))))
        (typed (term-types result) (parenthesised "let" (list "(" (cl:reverse texts) ")") (term-text result)))))))

(defun elaborate-condition (form function terms)
  (let ((term (applied form function terms)))
    (unless (equal (term-types term) '(:bool))
      (reject form "its function has the type ~A: expected a boolean" (describe-types (term-types term))))
    term))

;;; ---- sequences

(define-elaborator :sequence (form k)
  (let ((sequence (captured-sequence (list 'sequence form) k)))
    (make-inner :length (typed '(:i64) (parenthesised "length" (slot-text sequence))) :checked t
                :element (lambda (position) (element-of sequence position)))))

(define-elaborator :row (form k &rest nodes)
  (let* ((array (captured-sequence form k)) (dimensions (dimensions array)) (name (gensym-name "s")) (indices (mapcar #'elaborate-single nodes)))
    (unless (= (1+ (cl:length indices)) (cl:length dimensions))
      (reject form "it has ~D ind~:*~[ices~;ex~:;ices~], but the array has the rank ~D: expected one index per axis but the last, which are a row"
              (cl:length indices) (cl:length dimensions)))
    (require-integers form indices)
    (make-inner :length (literal-position (first (last dimensions)))
                :bindings (list (binding-text (list name) (row-major-index form dimensions (cl:append indices (list (literal-position 0))))))
                :element (lambda (position) (element-of array (position-term "add" (typed '(:i64) name) position))))))

(define-elaborator :tabulated (form function n)
  (make-inner :length (elaborate-position n)
              :element (lambda (position) (applied form function (list position)))))

(define-elaborator :reversed (form node)
  (let* ((base (elaborate node))
         (last (position-term "sub" (inner-length base) (literal-position 1))))
    (flet ((back (function) (and function (lambda (position) (funcall function (position-term "sub" last position))))))
      (make-inner :length (inner-length base) :bindings (inner-bindings base)
                  :element (back (inner-element base)) :keeps (back (inner-keeps base))))))

(define-elaborator :part (form node start end n)
  (let* ((base (elaborate node)) (bindings (inner-bindings base)))
    (require-unfiltered form base)
    (flet ((named (term)
             (let ((name (gensym-name "s")))
               (push (binding-text (list name) term) bindings)
               (typed '(:i64) name))))
      (let* ((start (if start (named (elaborate-position start)) (literal-position 0)))
             (length (cond (n (elaborate-position n))
                           (end (position-term "sub" (elaborate-position end) start))
                           (t (position-term "sub" (inner-length base) start)))))
        (make-inner :length (named length) :bindings bindings
                    :element (lambda (position) (element-at base (position-term "add" start position))))))))

(defun common-length (inners)
  "The first length of sequences that are read together. If another one is larger, the index of its last element is out of range; if it is
smaller, ELEMENT-BESIDE checks each element."
  (flet ((common (length other)
           (if (same-text-p length other)
               length
               (position-term "where" (truth-term "and" (truth-term "gt" other length) (truth-term "gt" other (literal-position 0)))
                              (position-term "check" (position-term "sub" other (literal-position 1)) length) length))))
    (cl:reduce #'common (mapcar #'inner-length inners))))

(defun joined (inners)
  "The bindings of several sequences."
  (loop for inner in inners append (inner-bindings inner)))

(defun elements-of (inners position)
  (cons (funcall (inner-element (first inners)) position)
        (loop for inner in (rest inners) collect (element-beside (first inners) inner position))))

(define-elaborator :mapped (form function &rest nodes)
  (let ((inners (mapcar #'elaborate nodes)))
    (when (rest inners) (apply #'require-unfiltered form inners))
    (make-inner :length (common-length inners) :bindings (joined inners) :keeps (inner-keeps (first inners))
                :element (lambda (position) (applied form function (elements-of inners position))))))

(define-elaborator :zipped (form &rest nodes)
  (let ((inners (mapcar #'elaborate nodes)))
    (apply #'require-unfiltered form inners)
    (make-inner :length (common-length inners) :bindings (joined inners)
                :element (lambda (position) (tuple-of (elements-of inners position))))))

(defun tuple-of (terms)
  "All columns of several terms."
  (let* ((names (loop for nil in terms collect (gensym-name "z")))
         (parts (loop for term in terms for name in names collect (if (single-p term) (list (typed (term-types term) name)) (parts term name)))))
    (typed (loop for term in terms append (term-types term))
           (parenthesised "let"
                          (list "(" (loop for term in terms for name in names for its in parts
                                          collect (binding-text (if (single-p term) (list name) (part-names name its)) term)) ")")
                          (apply #'parenthesised "tuple" (mapcar #'term-text (apply #'cl:append parts)))))))

(define-elaborator :filtered (form function negated node)
  (let* ((base (elaborate node)) (before (inner-keeps base)) (result (copy-inner base)))
    (flet ((kept (position)
             (let ((condition (elaborate-condition form function (list (funcall (inner-element base) position)))))
               (if negated (typed '(:bool) (call-text "not" condition)) condition))))
      (setf (inner-keeps result)
            (if before
                (lambda (position) (typed '(:bool) (call-text "where" (funcall before position) (kept position) (typed '(:bool) "false"))))
                #'kept))
      result)))

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
  (destructuring-bind (names body) function
    (let ((both (cl:append types types))
          (*terms* (make-hash-table :test #'equal))
          (*slots* (make-array 0 :adjustable t :fill-pointer t)))
      (unless (= (cl:length names) (cl:length both))
        (reject form "its function has ~D parameter~:P: expected ~D, the columns of two elements" (cl:length names) (cl:length both)))
      (bind-names names both)
      (let ((result (converted (settled (elaborate body)) types form)))
        (when (plusp (cl:length *slots*))
          (reject form "the function that combines reads a sequence: expected one of its two arguments alone, after a MAP of the elements"))
        (list "(" (loop for name in names for type in both collect (list "(" name " " (type-text type) ")")) ") " (term-text result))))))

(defun or-identity (element kept literals)
  "The element if it is kept, else the identity."
  (let* ((name (gensym-name "e")) (k (gensym-name "k"))
         (parts (if (single-p element) (list (typed (term-types element) name)) (parts element name))))
    (typed (term-types element)
           (parenthesised "let"
                          (list "(" (binding-text (list k) kept)
                                (binding-text (if (single-p element) (list name) (part-names name parts)) element) ")")
                          (let ((chosen (loop for part in parts for literal in literals
                                              collect (parenthesised "where" k (term-text part) literal))))
                            (if (rest chosen) (apply #'parenthesised "tuple" chosen) (first chosen)))))))

(defun fold-term (form function identity inner)
  (let* ((j (gensym-name "j"))
         (position (typed '(:i64) j))
         (element (settled (funcall (inner-element inner) position)))
         (types (term-types element))
         (literals (identities form identity types))
         (value (if (inner-keeps inner) (or-identity element (funcall (inner-keeps inner) position) literals) element))
         (fold (parenthesised "fold" (combiner-text form function types)
                              (if (rest literals) (apply #'parenthesised "tuple" literals) (first literals))
                              (list "((" j " " (term-text (inner-length inner)) "))") (term-text value))))
    (typed types (bound-by-text inner fold))))

(defun bound-by-text (inner text)
  (if (inner-bindings inner)
      (parenthesised "let" (list "(" (cl:reverse (inner-bindings inner)) ")") text)
      text))

(define-elaborator :reduce (form function identity initial node)
  (let ((fold (fold-term form function identity (elaborate node))))
    (if initial
        (let ((term (elaborate-single initial)) (name (gensym-name "r")))
          (setf (gethash (first (first function)) *terms*) term
                (gethash (second (first function)) *terms*) (typed (term-types fold) name))
          (let ((result (settled (elaborate (second function)))))
            (typed (term-types result)
                   (parenthesised "let" (list "(" (binding-text (list name) fold) ")") (term-text result)))))
        fold)))

(define-elaborator :extent (form node)
  (let ((inner (elaborate node)))
    (if (inner-keeps inner)
        (let* ((ones (copy-inner inner)) (a (gensym-name "a")) (b (gensym-name "b")))
          (setf (inner-element ones) (constantly (literal-position 1)))
          (fold-term form `((,a ,b) (:apply ,form "add" (:variable ,form ,a) (:variable ,form ,b))) '+ ones))
        (typed '(:i64) (bound-by-text inner (call-text "max" (inner-length inner) (literal-position 0)))))))

(define-elaborator :pick (form node index)
  (let ((inner (elaborate node)) (index (elaborate-position index)))
    (require-unfiltered form inner)
    (let ((element (settled (element-at inner index))))
      (typed (term-types element) (bound-by-text inner (term-text element))))))
