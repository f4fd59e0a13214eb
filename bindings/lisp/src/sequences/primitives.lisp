;;;; The primitives. Each checks its arguments at once and computes nothing; values are computed when they are read. n is the length of a
;;;; sequence; work and span count applications of f. Every primitive may signal ARGUMENT-ERROR for released sequences, closed contexts, and
;;;; sequences of different contexts.

(in-package #:warpfold)

(defun all-types (sequences)
  "The columns of all sequences."
  (if (rest sequences)
      (loop for sequence in sequences append (seq-types sequence))
      (seq-types (first sequences))))

;;; ---- elementwise

(defun tabulate (f n &key context)
  "r[i] = f(i) for 0 <= i < n; i is an :i64. For a list of dimensions instead of n, an array: r[i, j, ...] = f(i, j, ...). SIZE-ERROR for a
negative n. Work n, span 1; fused with its consumers."
  (if (listp n)
      (tabulate-axes f n context)
      (tabulate-sequence f n context)))

(defun tabulate-sequence (f n context)
  (let* ((f (find-fn f 1))
         (compiled (compile-fn f '(:i64)))
         (context (or context (current-context)))
         (n (calling (tabulate) (length-argument n "the length")))
         (sequence (new-seq ((compiled-results compiled)) (out (its compiled) (where context)) (wf.raw:wf-tabulate where its n out))))
    (unless (cl:some #'fn-or-handle-p (fn-captures f))
      (setf (cell-origin (seq-cell sequence))
            (lambda (cell)
              (declare (ignore cell))
              (take-pointer (seq-cell (tabulate f n :context context))))))
    sequence))

(defun tabulate-axes (f dimensions context)
  (calling (tabulate)
    (let* ((dimensions (dimension-list dimensions)) (rank (cl:length dimensions)))
      (unless dimensions
        (error 'argument-error :message "wf:tabulate: there are no dimensions: expected one per parameter of the function"))
      (apply #'map f
             (loop for n in dimensions for axis from 0
                   for along = (iota n :context context)
                   collect (broadcast (reshape along (cons n (make-list (- rank axis 1) :initial-element 1))) dimensions))))))

(define-called map (f sequence &rest more)
  "r[i] = f(s[i], ...) for sequences or arrays of one shape, or of shapes that BROADCAST repeats to one shape, else SIZE-ERROR. Numbers stand
for themselves, as in the body of f. The parameters of f are all columns of all sequences. If f returns several values, r has as many columns. A
map of delayed scalars is a delayed scalar. Work n, span 1; fused with its consumers."
  (let ((sequences (cons sequence more)))
    (unless (cl:every #'seq-p sequences)
      (setf (values f sequences) (without-numbers f sequences)))
    (let* ((types (all-types sequences))
           (compiled (compile-fn (find-fn f (cl:length types)) types)))
      (with-pointers ((its compiled))
        (call-matched (compiled-results compiled) sequences (lambda (array n out) (wf.raw:wf-map its array n out)))))))

(define-called zip (sequence &rest more)
  "A sequence with the columns of all sequences: of two, a sequence of pairs. Shapes must be equal, else SIZE-ERROR. Copies nothing."
  (let ((sequences (cons sequence more)))
    (new-seq ((all-types sequences) (seq-rank sequence)) (out (array sequences n)) (wf.raw:wf-zip array n out))))

(define-called columns (sequence &rest which)
  "A sequence of the columns with these numbers, from 0. RANGE-ERROR for a column that does not exist. Copies nothing."
  (let ((numbers (coerce which '(simple-array (signed-byte 32) (*)))))
    (with-pointers ((its sequence))
      (cffi:with-pointer-to-vector-data (array numbers)
        (new-seq ((loop for k in which collect (cl:nth k (seq-types sequence))) (seq-rank sequence)) (out)
          (wf.raw:wf-columns its array (cl:length numbers) out))))))

(define-called unzip (sequence)
  "The columns of a sequence, one per value: (multiple-value-bind (xs ys) (wf:unzip pairs) ...). Copies nothing."
  (values-list (loop for k below (cl:length (seq-types sequence)) collect (columns sequence k))))

(define-called filter (f sequence)
  "The elements for which f is true, in order. The length is unknown until the filter has run. Work n, span log n; a reduction of the
result, or its length, stores no elements."
  (let* ((types (seq-types sequence))
         (compiled (compile-fn (find-fn f (cl:length types)) types '(:bool))))
    (new-seq (types) (out (its compiled) (s sequence)) (wf.raw:wf-filter its s out))))

;;; ---- conversion

(sb-ext:define-load-time-global **casts**
    (loop for type in '(:bool :u8 :i32 :u32 :i64 :u64 :f32 :f64)
          collect (cons type (make-fn :template (make-template :parameters '("x") :form `(fn (x) (cast x ,type))
                                                               :body `(:cast (cast x ,type) ,type (:variable x "x")))))))

(defun cast (x type)
  "X converted to an element type. X is a sequence, a delayed scalar or a number; inside wf:fn, an element. Integers wrap; floats are
truncated to integers and saturate, NaN becomes 0; to :bool is x /= 0. The cast of a sequence is delayed: work n, span 1; fused with its
consumers."
  (calling (cast)
    (let ((f (cdr (assoc (element-type-of type) **casts**))))
      (if (seq-p x)
          (map f x)
          (value (map f (scalar x)))))))

(defun call-on-numbers (name numbers)
  "The values of a named function of elements for Lisp numbers."
  (dolist (number numbers)
    (unless (typep number '(or real boolean))
      (complain-of-argument number '(or real boolean) "~(~A~): ~A is not a number: expected one, T or NIL~:[~;; wf:map takes sequences~]"
                            name (form-text number) (seq-p number))))
  (if numbers
      (value (apply #'map (find-fn name (cl:length numbers)) (mapcar #'scalar numbers)))
      (elt (tabulate (eval `(fn (i) (,name))) 1) 0)))

;;; ---- over all elements

(defun identity-text (compiled identity types)
  "The literals of an identity as zero-terminated UTF-8; an identity is a number, or a list of one number per column."
  (let ((last (compiled-identity compiled)))
    (if (and last (eql identity (car last)))
        (cdr last)
        (cdr (setf (compiled-identity compiled)
                   (cons identity (octets-of (identity-literals identity types))))))))

(defun identity-literals (identity types &optional (what "the identity"))
  (let ((values (if (rest types) identity (list identity))))
    (unless (and (listp values) (= (cl:length values) (cl:length types)))
      (error 'element-type-error
             :message (format nil "~A is ~A: expected a list of one value per column, of types ~A" what (form-text identity)
                              (describe-types types))))
    (loop for value in values for type in types
          unless (and (typep value '(or real boolean)) (fits-p value type))
            do (complain-of-value value (lisp-type type) "~A is ~A: expected ~A" what (form-text value) (describe-range type)))
    (let ((literals (mapcar #'literal-text values types)))
      (if (rest literals) (format nil "(tuple ~{~A~^ ~})" literals) (first literals)))))

(defmacro with-identity ((pointer compiled identity given types) &body body)
  "Runs the body with the identity's text, or with a null pointer if none was GIVEN."
  `(flet ((its-body (,pointer) ,@body))
     (if ,given
         (let ((octets (identity-text ,compiled ,identity ,types)))
           (declare (type (simple-array (unsigned-byte 8) (*)) octets))
           (cffi:with-pointer-to-vector-data (,pointer octets) (its-body ,pointer)))
         (its-body (cffi:null-pointer)))))

(defun compile-combination (f types)
  "A function that combines two elements of these types."
  (compile-fn (find-fn f (* 2 (cl:length types))) (cl:append types types) types))

(defun reduce (f sequence &key (identity nil given) axis keep)
  "s[0] f s[1] f ... f s[n-1] as a delayed scalar; wf:value computes it. f must be associative; its parameters are the columns of two
elements. IDENTITY is the identity of f, for tuples a list, and the value for an empty sequence. It may be omitted if f is one operation,
such as #'+ or #'min. AXIS, a number or a list of them, reduces an array along these axes only: the result is the array of the other axes,
or with KEEP has extent 1 along AXIS. Without AXIS, all elements of an array are combined. Work n, span log n; reductions of the same data that
are computed together share one pass."
  (calling (reduce)
    (let* ((types (seq-types sequence))
           (compiled (compile-combination f types)))
      (with-pointers ((its compiled) (s sequence))
        (with-identity (literal compiled identity given types)
          (if (or axis keep)
              (reduce-axes sequence axis keep
                           (lambda (axes n keep rank)
                             (new-seq (types rank) (out) (wf.raw:wf-reduce-axis its literal s axes n keep out))))
              (new-seq (types 0) (out) (wf.raw:wf-reduce its literal s out))))))))

(defun axis-numbers (axis rank)
  "The axes that AXIS designates: a number, a list of numbers, or NIL for all."
  (if axis
      (loop for one in (if (listp axis) axis (list axis)) collect (axis-number one rank))
      (loop for k below rank collect k)))

(defun reduce-axes (array axis keep call)
  "CALL with a C array of axes, their number, 1 or 0 for KEEP, and the rank of the result."
  (let* ((rank (seq-rank array)) (axes (axis-numbers axis rank)) (n (cl:length axes)))
    (with-integers (numbers axes 32)
      (funcall call numbers n (if keep 1 0) (if keep rank (max 0 (- rank n)))))))

(defun scan-of (f sequence identity given axis inclusive)
  (let* ((types (seq-types sequence)) (rank (seq-rank sequence))
         (axis (and axis (axis-number axis rank)))
         (compiled (compile-combination f types)))
    (with-pointers ((its compiled) (s sequence))
      (with-identity (literal compiled identity given types)
        (if axis
            (two-seqs (types rank types (1- rank)) (prefixes totals)
              (wf.raw:wf-scan-axis its literal s axis inclusive prefixes totals))
            (two-seqs (types 1 types 0) (prefixes total)
              (wf.raw:wf-scan its literal s inclusive prefixes total)))))))

(defun scan (f sequence &key (identity nil given) axis)
  "Two values: the prefixes, p[i] = s[0] f ... f s[i-1], and the total as a delayed scalar. f and IDENTITY are as for REDUCE; p[0] is the
identity. For an array, AXIS is the axis along which each vector has its own prefixes; the totals are the array of the other axes. Work n, span
log n; fused into one pass with the maps and reductions that read the prefixes."
  (calling (scan) (scan-of f sequence identity given axis 0)))

(defun scan-incl (f sequence &key (identity nil given) axis)
  "Like SCAN, but with p[i] = s[0] f ... f s[i]."
  (calling (scan-incl) (scan-of f sequence identity given axis 1)))

(define-called lazy-length (sequence)
  "The length as a delayed scalar, an :i64. For a filter, it counts the elements without storing them."
  (new-seq ('(:i64) 0) (out (s sequence)) (wf.raw:wf-length s out)))

;;; ---- views: they have no memory of their own. A view of the result of a filter runs the filter first.

(define-called nth (i sequence)
  "Element i as a delayed scalar; wf:elt returns its value. RANGE-ERROR if i is out of range."
  (new-seq ((seq-types sequence) 0) (out (s sequence)) (wf.raw:wf-nth s (integer-argument i "the index") out)))

(defun subseq (sequence start &optional end)
  "s[start], ..., s[end - 1]; END is the length by default. RANGE-ERROR if the range is not inside s."
  (calling (subseq)
    (let ((n (count-between sequence start end)))
      (new-seq ((seq-types sequence)) (out (s sequence)) (wf.raw:wf-subseq s start n out)))))

(define-called take (sequence n)
  "The first n elements. RANGE-ERROR if there are fewer."
  (new-seq ((seq-types sequence)) (out (s sequence)) (wf.raw:wf-take s (integer-argument n "the number of elements") out)))

(define-called drop (sequence n)
  "All but the first n elements. RANGE-ERROR if there are fewer."
  (new-seq ((seq-types sequence)) (out (s sequence)) (wf.raw:wf-drop s (integer-argument n "the number of elements") out)))

(define-called reverse (sequence)
  "r[i] = s[n - 1 - i]"
  (new-seq ((seq-types sequence)) (out (s sequence)) (wf.raw:wf-rev s out)))

(define-called append (sequence &rest more)
  "The concatenation of the sequences, which must have columns of the same types."
  (new-seq ((seq-types sequence)) (out (array (cons sequence more) n)) (wf.raw:wf-append array n out)))
