;;;; Sequences inside wf:fn that depend on its parameters, such as a row of a matrix. A sequence form is an argument of a reduction (REDUCE,
;;;; COUNT-IF, EVERY, SOME, LENGTH) or of AREF, or the value of a variable of LET. It is walked to a node of its own kind:
;;;;
;;;;   (:sequence form k)                      a captured sequence
;;;;   (:row form k index...)                  the elements along the last axis of a captured array, at these indices of the other axes
;;;;   (:part form node start end n)           from start to end, or the first n; an end or n that is NIL: to the end of the sequence
;;;;   (:reversed form node)
;;;;   (:tabulated form function n)
;;;;   (:mapped form function node...)
;;;;   (:zipped form node...)
;;;;   (:filtered form function negated node)
;;;;
;;;; A function is (names node): unique names for the columns of its arguments, and its body. Reductions are nodes of elements:
;;;;
;;;;   (:reduce form function identity initial node)   identity: nodes, or an operation; initial: a node or NIL
;;;;   (:extent form node)                             the length
;;;;   (:pick form node index)                         an element

(in-package #:warpfold)

(sb-ext:define-load-time-global **sequence-forms** (make-hash-table :test #'eq)) ; functions of (form scope)

(defparameter *no-sequence*
  "its value is a sequence, which is not an element: expected a reduction of it, by REDUCE, COUNT-IF, EVERY, SOME or LENGTH; a result of several ~
   elements each is wf:tabulate of all of them")

(defmacro define-sequence-form (names (lambda-list scope) &body body)
  "Defines the translation of sequence forms with one of these names; as elements, they are refused."
  `(dolist (name ',(if (consp names) names (list names)))
     (setf (gethash name **sequence-forms**)
           (lambda (form ,scope)
             (declare (ignorable ,scope))
             (destructuring-bind ,lambda-list (cdr form) ,@body))
           (gethash name **special-forms**)
           (lambda (form scope)
             (declare (ignore scope))
             (reject form *no-sequence*)))))

;;; ---- sequences

(defun bound-sequence (form scope)
  "The node of a variable that is bound to a sequence, or NIL."
  (and (symbolp form) (let ((variable (assoc form (scope-variables scope)))) (and (consp (cdr variable)) (cdr variable)))))

(defun sequence-form-p (form scope)
  "Returns true if a form is a sequence, not counting a captured one."
  (or (bound-sequence form scope)
      (and (consp form) (symbolp (car form)) (gethash (car form) **sequence-forms**) (not (assoc (car form) (scope-functions scope))))))

(defun sequence-node-p (node)
  (member (car node) '(:sequence :row :part :reversed :tabulated :mapped :zipped :filtered :appended :shortest :enumerated :indexed-filter
                       :kept-positions :rotated :interleaved :updated)))

(defun walk-sequence (form scope)
  (cond ((bound-sequence form scope))
        ((symbolp form) (list :sequence form (captured-place form form scope)))
        ((and (consp form) (sequence-form-p form scope))
         (handler-case (funcall (gethash (car form) **sequence-forms**) form scope)
           (form-error (condition) (error condition))
           (error (condition) (reject form "~A" (remove #\Newline (princ-to-string condition))))))
        (t (multiple-value-bind (expansion expanded)
               (if (consp form) (macroexpand-1 form (scope-lexical scope)) (values form nil))
             (if expanded
                 (walk-sequence expansion scope)
                 (reject form "it is not a sequence: expected a variable from outside whose value is one, or SUBSEQ, wf:slice, REVERSE, MAP, REMOVE-IF, ~
                               wf:tabulate and so on of sequences"))))))

(defun walk-sequences (forms scope) (loop for form in forms collect (walk-sequence form scope)))

(defun walk-function (function n scope)
  "The names and the body of a function of N single values, or of a lambda expression."
  (let ((name (if (and (consp function) (member (car function) '(function quote))) (second function) function)))
    (cond ((and (consp name) (member (car name) '(lambda fn)))
           (let* ((variables (loop for parameter in (second name) append (if (consp parameter) parameter (list parameter))))
                  (names (mapcar #'unique-name variables)))
             (dolist (variable (distinct-variables variables (second name))) (checked-variable variable (second name)))
             (list names (walk-body name (cddr name) (bind-variables scope variables names)))))
          ((symbolp name)
           (let* ((variables (loop repeat n collect (make-symbol "X")))
                  (names (mapcar #'unique-name variables)))
             (list names (walk (if (eq name function) `(funcall ,name ,@variables) `(,name ,@variables))
                               (bind-variables scope variables names)))))
          (t (reject function "it is not a function of elements: expected #'NAME, (lambda (x) ...), or a variable whose value is one")))))

(defun maybe-walk (form scope) (and form (walk form scope)))

(define-sequence-form (subseq cl:subseq) ((sequence start &optional end) scope)
  (list :part form (walk-sequence sequence scope) (walk start scope) (maybe-walk end scope) nil))
(define-sequence-form slice ((array &rest indices) scope)
  (list* :row form (captured-place form array scope) (walk-all indices scope)))
(define-sequence-form take ((sequence n) scope)
  (list :part form (walk-sequence sequence scope) nil nil (walk n scope)))
(define-sequence-form drop ((sequence n) scope)
  (list :part form (walk-sequence sequence scope) (walk n scope) nil nil))
(define-sequence-form (reverse cl:reverse) ((sequence) scope)
  (list :reversed form (walk-sequence sequence scope)))
(define-sequence-form tabulate ((function n) scope)
  (list :tabulated form (walk-function function 1 scope) (walk n scope)))

(defun walk-map (form function sequences scope)
  (unless sequences (reject form "it has no sequence: expected one or more"))
  (list* :mapped form (walk-function function (cl:length sequences) scope) (walk-sequences sequences scope)))
(define-sequence-form (map mapcar) ((function &rest sequences) scope) (walk-map form function sequences scope))
(define-sequence-form cl:map ((type function &rest sequences) scope)
  (unless type (reject form "a MAP for its effects has no value: expected a result type, such as 'VECTOR"))
  (walk-map form function sequences scope))
(define-sequence-form zip ((&rest sequences) scope) (list* :zipped form (walk-sequences sequences scope)))

(define-sequence-form (filter remove-if-not) ((function sequence) scope)
  (list :filtered form (walk-function function 1 scope) nil (walk-sequence sequence scope)))
(define-sequence-form remove-if ((function sequence) scope)
  (list :filtered form (walk-function function 1 scope) t (walk-sequence sequence scope)))

(defmacro define-refused-sequence (names message)
  "Sequence forms that have no translation."
  `(progn
     (define-sequence-form ,names ((&rest arguments) scope) (declare (ignore arguments)) (reject form ,message))
     (define-refusal ,names ,message)))

(define-refused-sequence (scan scan-incl)
  "its prefixes would be a sequence for each element: expected wf:scan of a whole sequence outside, or a LOOP")
(define-refused-sequence (sort merge cl:sort cl:merge stable-sort)
  "its value would be a sequence for each element: expected wf:sort of a whole sequence outside, by a key that begins with the element's number")

;;; ---- reductions

(defun identity-nodes (form scope)
  "The nodes of an identity: several for (values ...), (list ...) and quoted lists."
  (cond ((atom form) (list (walk form scope)))
        ((eq (car form) 'quote) (loop for value in (second form) collect (constant-node form value)))
        ((member (car form) '(values list)) (walk-all (cdr form) scope))
        (t (list (walk form scope)))))

(defun named-operation (function)
  "The name of the function for #'NAME and 'NAME, or NIL."
  (and (consp function) (member (car function) '(function quote)) (symbolp (second function)) (second function)))

(defun selected (sequence start end key)
  "A sequence form for the keyword arguments of Common Lisp's functions."
  (let ((part (if (or start end) `(subseq ,sequence ,(or start 0) ,end) sequence)))
    (if key `(map ,key ,part) part)))

(define-form (reduce cl:reduce)
    ((function sequence &key (identity nil identity-p) (initial-value nil initial-p) start end key) scope)
  (let ((operation (find (named-operation function) '(+ * min max logand logior logxor))))
    (list :reduce form (walk-function function 2 scope)
          (cond (identity-p (identity-nodes identity scope))
                (operation operation)
                (initial-p (identity-nodes initial-value scope))
                (t (reject form "the identity of the function is not known: expected :IDENTITY, the value for an empty sequence")))
          (and initial-p operation (walk initial-value scope))
          (walk-sequence (selected sequence start end key) scope))))

(defun walk-search (form operation function sequences identity scope)
  (list :reduce form (walk-function `(function ,operation) 2 scope) (list (constant identity form)) nil
        (walk-map form function sequences scope)))
(define-form (every cl:every) ((function &rest sequences) scope) (walk-search form 'and function sequences t scope))
(define-form (some cl:some) ((function &rest sequences) scope) (walk-search form 'or function sequences nil scope))
(define-form notany ((function &rest sequences) scope) (walk `(not (some ,function ,@sequences)) scope))
(define-form notevery ((function &rest sequences) scope) (walk `(not (every ,function ,@sequences)) scope))

(defun walk-count (form function negated sequence scope)
  (walk-extent form (list :filtered form (walk-function function 1 scope) negated (walk-sequence sequence scope))))
(define-form (count-if cl:count-if) ((function sequence &key start end key) scope)
  (walk-count form function nil (selected sequence start end key) scope))
(define-form count-if-not ((function sequence &key start end key) scope)
  (walk-count form function t (selected sequence start end key) scope))

(defun walk-extent (form node) (list :extent form node))

;;; ---- the forms of captured sequences, for all sequences

(defun walk-pick (form sequence index scope)
  (if (sequence-form-p sequence scope)
      (list :pick form (walk-sequence sequence scope) (walk index scope))
      (list :element form (captured-place form sequence scope) (walk index scope))))

(define-form (svref row-major-aref elt cl:elt) ((sequence index) scope) (walk-pick form sequence index scope))
(define-form (aref cl:aref) ((sequence &rest indices) scope)
  (if (sequence-form-p sequence scope)
      (destructuring-bind (index) indices (walk-pick form sequence index scope))
      (list* :subscripted form (captured-place form sequence scope) (walk-all indices scope))))
(define-form (dimension array-dimension) ((sequence axis) scope)
  (list :extent-along form (captured-place form sequence scope) (walk axis scope)))
(define-form (nth cl:nth) ((index sequence) scope) (walk-pick form sequence index scope))
(define-form (length cl:length) ((sequence) scope)
  (if (sequence-form-p sequence scope)
      (walk-extent form (walk-sequence sequence scope))
      (list :length form (captured-place form sequence scope))))
