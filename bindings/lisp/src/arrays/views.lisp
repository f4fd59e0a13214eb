;;;; Views of arrays: they copy and compute nothing, and are index arithmetic in the kernel that reads them. A view of the result of a filter runs
;;;; the filter first. wf:reshape and wf:broadcast are in sequences/shapes.lisp.

(in-package #:warpfold)

;;; ---- axes

(define-called permute (array &rest axes)
  "The array whose axis k is axis AXES[k] of ARRAY: (wf:permute a 1 0) transposes a matrix. One number per axis. A view."
  (let ((rank (seq-rank array)))
    (new-seq ((seq-types array) rank) (out (s array) (numbers (loop for axis in axes collect (axis-number axis rank)) 32))
      (wf.raw:wf-permute s numbers (cl:length axes) out))))

(define-called transpose (array &optional (axis -2) (other -1))
  "ARRAY with two axes exchanged, by default the last two: the transpose of a matrix, or of each matrix of a stack. A view."
  (let ((axes (loop for k below (seq-rank array) collect k)))
    (rotatef (cl:nth (axis-number axis (cl:length axes)) axes) (cl:nth (axis-number other (cl:length axes)) axes))
    (apply #'permute array axes)))

(define-called insert-axis (array axis)
  "ARRAY with a new axis of extent 1, which has the number AXIS in the result: (wf:insert-axis s 1) is a column, 0 a row. A view."
  (let ((axis (axis-number axis (1+ (seq-rank array)))) (dimensions (dimensions array)))
    (reshape array (cl:append (cl:subseq dimensions 0 axis) '(1) (nthcdr axis dimensions)))))

;;; ---- parts

(defun part-error (axis part extent)
  (error 'range-error :message (format nil "~A: ~A is not a part of axis ~D, whose extent is ~D: expected an index, T, or (start end [step])"
                                       (called) (form-text part) axis extent)))

(defun bounds-of-part (axis part extent)
  "Three values: the start, the count and the step of a part (start end [step]) of an axis, whose ends may be NIL and negative."
  (destructuring-bind (&optional start end (step 1) &rest more) part
    (flet ((bound (value default low high)
             (let ((k (cond ((null value) default)
                            ((not (typep value '(signed-byte 64))) (part-error axis part extent))
                            ((minusp value) (+ value extent))
                            (t value))))
               (if (<= low k high) k (part-error axis part extent)))))
      (when (or more (not (typep step '(signed-byte 64))) (zerop step)) (part-error axis part extent))
      (let* ((forward (plusp step))
             (start (if forward (bound start 0 0 extent) (bound start (1- extent) -1 (1- extent))))
             (end (if forward (bound end extent 0 extent) (bound end -1 -1 (1- extent))))
             (count (max 0 (ceiling (- end start) step))))
        (values (if (zerop count) 0 start) count step)))))

(defun bounds-along (axis part extent)
  "Four values: the start, the count and the step of a part of an axis, and whether the axis stays."
  (cond ((eq part t) (values 0 extent 1 t))
        ((integerp part)
         (unless (< (- -1 extent) part extent)
           (error 'range-error :message (format nil "~A: the index of axis ~D is ~D, but its extent is ~D" (called) axis part extent)))
         (values (mod part extent) 1 1 nil))
        ((listp part) (multiple-value-bind (start count step) (bounds-of-part axis part extent) (values start count step t)))
        (t (part-error axis part extent))))

(define-called slice (array &rest parts)
  "A part of an array. There is one of PARTS per axis, or fewer: the other axes stay whole. An index selects, and its axis is dropped; T is the
whole axis; (start end) and (start end step) are a range, whose end is excluded. Negative numbers count from the end, NIL is the end from which
or to which the steps go. For a matrix (wf:slice a 0) is a row, (wf:slice a t -1) the last column, (wf:slice a '(nil nil 2) '(1 -1)) every
other row without its first and last element. RANGE-ERROR names the axis. A view."
  (let* ((dimensions (dimensions array)) (rank (cl:length dimensions)))
    (when (> (cl:length parts) rank)
      (error 'size-error :message (format nil "~A: there are ~D parts, but the shape is ~A: expected at most one part per axis"
                                          (called) (cl:length parts) (shape-text dimensions))))
    (let ((bounds (loop for extent in dimensions for axis from 0
                        for part = (if parts (pop parts) t)
                        collect (multiple-value-list (bounds-along axis part extent)))))
      (let ((view (sliced array (mapcar #'first bounds) (mapcar #'second bounds) (mapcar #'third bounds))))
        (if (cl:every #'fourth bounds)
            view
            (reshape view (loop for (nil count nil stays) in bounds when stays collect count)))))))

(defun sliced (array starts counts steps)
  (new-seq ((seq-types array) (seq-rank array)) (out (s array) (starts starts 64) (counts counts 64) (steps steps 64))
    (wf.raw:wf-slice s starts counts steps (seq-rank array) out)))

(define-called flip (array &rest axes)
  "ARRAY with the order of its elements reversed along these axes, or along all. A view."
  (let* ((rank (seq-rank array)) (numbers (loop for axis in axes collect (axis-number axis rank))))
    (apply #'slice array
           (loop for axis below rank collect (if (or (null axes) (member axis numbers)) '(nil nil -1) t)))))

(define-called aref (array &rest indices)
  "The value of one element, an index per axis; for a tuple, several values. Computes the array. RANGE-ERROR names the axis whose index is out of
range. One call costs some microseconds; use wf:to-array for many elements. Inside wf:fn, the element of a captured array."
  (let ((dimensions (dimensions array)))
    (unless (= (cl:length indices) (cl:length dimensions))
      (error 'size-error :message (format nil "wf:aref: there ~[are no indices~;is 1 index~:;are ~:*~D indices~], but the shape is ~A: expected ~
                                               one index per axis"
                                          (cl:length indices) (shape-text dimensions))))
    (loop for index in indices for extent in dimensions for axis from 0
          unless (< -1 (integer-argument index "an index") extent)
            do (error 'range-error
                      :message (format nil "wf:aref: the index of axis ~D is ~D, but the shape is ~A" axis index (shape-text dimensions))))
    (values-of (element-values array (cl:reduce #'+ (mapcar #'* indices (row-major-strides dimensions)))))))

;;; ---- arrays with other elements

(define-called overwrite (array value &rest parts)
  "ARRAY with the part (wf:slice array . PARTS) replaced by VALUE, a number or an array that broadcasts to the part. One scatter, fused with what computes
VALUE; (setf (wf:slice a . parts) value) assigns it to a. ELEMENT-TYPE-ERROR if VALUE has another type. Work n + m for m elements of the part."
  (let* ((dimensions (dimensions array)) (context (context-of array))
         (region (apply #'slice (iota (or dimensions 1) :context context) parts))
         (value (if (seq-p value) value (scalar value :type (single-type array) :context context))))
    (reshape (scatter (reshape array -1) (reshape region -1) (reshape (broadcast value (dimensions region)) -1)) dimensions)))

(macrolet ((define-place (name)
             `(define-setf-expander ,name (place &rest parts &environment environment)
                (multiple-value-bind (names forms stores setter getter) (get-setf-expansion place environment)
                  (let ((its-parts (loop for nil in parts collect (gensym))) (value (gensym)))
                    (values (cl:append names its-parts) (cl:append forms parts) (list value)
                            `(let ((,(first stores) (overwrite ,getter ,value ,@its-parts))) ,setter ,value)
                            `(,',name ,getter ,@its-parts)))))))
  (define-place aref)
  (define-place slice))

;;; ---- by distances and strides

(defun outside-literals (outside types)
  "OUTSIDE, a number or a list of one per column, in the written form; 0 stands for zeros of all columns."
  (if (eql outside 0)
      (identity-literals (let ((zeros (loop for type in types collect (if (eq type :bool) nil (coerce 0 (lisp-type type))))))
                           (if (rest types) zeros (first zeros)))
                         types "the value outside")
      (identity-literals outside types "the value outside")))

(define-called translate (array distances &key (outside 0))
  "ARRAY moved by DISTANCES, a list of one per axis, or a number for a sequence: element (i, j) is element (i - DISTANCES[0], j - DISTANCES[1]) of ARRAY,
or OUTSIDE where there is none; for a tuple, OUTSIDE is a list. The dimensions stay. A distance may be negative, and larger than the extent; see ROTATE
for a move around the end. A view."
  (let ((distances (if (listp distances) distances (list distances))) (rank (seq-rank array)) (types (seq-types array)))
    (unless (= rank (cl:length distances))
      (error 'size-error :message (format nil "~A: the distances are ~A, but the shape is ~A: expected one per axis"
                                          (called) (form-text distances) (shape-text (dimensions array)))))
    (new-seq (types rank) (out (s array) (numbers (loop for k in distances collect (integer-argument k "a distance")) 64)
                               (literals (outside-literals outside types) :text))
      (wf.raw:wf-translate s numbers rank literals out))))

(define-called displace (array dimensions &key (offset 0) strides)
  "The array of DIMENSIONS whose element (i, j, ...) is the element of ARRAY with the row-major number OFFSET + i * STRIDES[0] + j * STRIDES[1] +
..., like :displaced-to of CL:MAKE-ARRAY. STRIDES are by default those of DIMENSIONS in row-major order; they may be 0 or negative. RANGE-ERROR if an
element is outside of ARRAY. A view."
  (let* ((dimensions (dimension-list dimensions)) (rank (cl:length dimensions))
         (strides (if strides (dimension-list strides) (row-major-strides dimensions))))
    (unless (= rank (cl:length strides))
      (error 'size-error :message (format nil "wf:displace: the strides are ~A: expected one per dimension, ~D" strides rank)))
    (new-seq ((seq-types array) rank) (out (s array) (extents dimensions 64) (strides strides 64))
      (wf.raw:wf-view s (integer-argument offset "the offset") extents strides rank out))))

(define-called diagonal (matrix &optional (offset 0))
  "The elements (i, i + OFFSET) of a matrix as a sequence; a negative OFFSET is below the main diagonal. A view."
  (require-rank matrix 2 "a matrix")
  (let ((dimensions (dimensions matrix)))
    (destructuring-bind (rows columns) dimensions
      (let ((count (max 0 (if (minusp offset) (min (+ rows offset) columns) (min rows (- columns offset))))))
        (displace matrix count :offset (cond ((zerop count) 0) ((minusp offset) (* (- offset) columns)) (t offset))
                               :strides (1+ columns))))))

(define-called sliding-windows (array extents)
  "All windows of EXTENTS, one per axis: for a matrix, element (i, j, k, l) is element (i + k, j + l). Their axes follow those of their positions. A
view: a reduction of each window stores nothing."
  (let ((dimensions (dimensions array)) (extents (dimension-list extents)))
    (unless (and (= (cl:length dimensions) (cl:length extents)) (cl:every #'plusp extents))
      (error 'size-error :message (format nil "wf:sliding-windows: the extents are ~A and the shape is ~A: expected one positive extent per axis"
                                          extents (shape-text dimensions))))
    (let ((strides (row-major-strides dimensions)))
      (displace array (cl:append (mapcar (lambda (n k) (max 0 (- n k -1))) dimensions extents) extents)
                :strides (cl:append strides strides)))))
