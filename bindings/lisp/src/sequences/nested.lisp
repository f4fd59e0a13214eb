;;;; Sequences of sequences: the segments of one sequence of values. Segment k is values[offsets[k]], ..., values[offsets[k + 1] - 1]; segments may
;;;; be empty and of very different lengths: they share all processors. n is the number of values, m that of segments.

(in-package #:warpfold)

(defstruct (nested (:copier nil) (:constructor make-nested (flat starts)))
  "A sequence of sequences."
  (flat nil :type seq :read-only t)
  (starts nil :type seq :read-only t))

(setf (documentation 'nested-p 'function) "Returns true if an object is a sequence of sequences.")

(defun nested-values (nested)
  (if (nested-p nested)
      (nested-flat nested)
      (complain-of-argument nested 'nested "~A: ~A is not a sequence of sequences: expected one made by wf:segments, wf:split or the like"
                            (called) (form-text nested))))

;;; ---- making

(defun offsets-of (lengths)
  (new-seq ('(:i64)) (out (its lengths)) (wf.raw:wf-offsets its out)))

(define-called segments (sequence &key lengths offsets)
  "A sequence of sequences: the elements in segments of these LENGTHS, or with these OFFSETS: those of all segments, and the length of SEQUENCE.
The call that reads the segments signals a RANGE-ERROR if they are not those of SEQUENCE. Work n, span log n."
  (make-nested sequence (or offsets (offsets-of lengths))))

(defun values-and-offsets (types call)
  "The sequence of sequences whose values and offsets a CALL stores."
  (multiple-value-call #'make-nested
    (two-seqs (types 1 '(:i64) 1) (values offsets) (funcall call values offsets))))

(defun compile-condition (f types)
  (compile-fn (find-fn f (cl:length types)) types '(:bool)))

(define-called split (f sequence)
  "The pieces of SEQUENCE between the elements for which f is true, which are dropped: one piece more than there are such elements; pieces may be
empty. Work n, span log n."
  (let ((types (seq-types sequence)))
    (with-pointers ((its (compile-condition f types)) (s sequence))
      (values-and-offsets types (lambda (values offsets) (wf.raw:wf-split its s values offsets))))))

(defun segments-between (offsets)
  "The number of segments between offsets."
  (when (zerop (length offsets))
    (error 'range-error :message (format nil "~@[~A: ~]there are no offsets: expected one more than segments" (called))))
  (1- (length offsets)))

(defun lengths-of (offsets)
  (let ((m (segments-between offsets)))
    (map #'- (drop offsets 1) (take offsets m))))

(define-called tokens (f sequence)
  "The pieces of (wf:split f sequence) that are not empty."
  (let ((pieces (split f sequence)))
    (make-nested (nested-flat pieces) (offsets-of (filter #'plusp (lengths-of (nested-starts pieces)))))))

(defun run-offsets (sequence n)
  "The offsets of the runs of neighbours whose first N columns are equal."
  (new-seq ('(:i64)) (out (s sequence)) (wf.raw:wf-runs s n out)))

(define-called runs (sequence &key (test nil test-p))
  "The maximal runs of equal neighbours; TEST is as for DEDUP. Work n, span log n."
  (let ((types (seq-types sequence)))
    (make-nested sequence
                 (if test-p
                     (new-seq ('(:i64)) (out (equal (compile-equality types test)) (s sequence)) (wf.raw:wf-runs-by equal s out))
                     (run-offsets sequence (cl:length types))))))

(define-formed starts-nothing (n f)
  "False for two neighbours if F is true for the second one."
  (let ((before (column-names "A" n)) (as (column-names "B" n)))
    `(fn (,@before ,@as) (declare (ignore ,@before)) (not (funcall f ,@as)))))

(define-called split-before (f sequence)
  "The pieces of SEQUENCE that begin with its first element, and with each element for which f is true. Copies nothing. Work n, span log n."
  (let ((n (width sequence)))
    (runs sequence :test (starts-nothing n (find-fn f n)))))

(defun positive (n what)
  (unless (plusp (integer-argument n what))
    (error 'size-error :message (format nil "~A: ~A is ~D: expected at least 1" (called) what n))))

(define-called chunks (sequence k)
  "The segments of K elements one after another; the last may be shorter. Copies nothing."
  (positive k "the length of a chunk")
  (let ((n (length sequence)))
    (make-nested sequence (tabulate (fn (i) (min n (* i k))) (1+ (ceiling n k)) :context (context-of sequence)))))

(define-called windows (sequence k)
  "s[i], ..., s[i + k - 1] for each i from 0 to n - k: overlapping segments. A reduction or a map of them stores nothing."
  (positive k "the length of a window")
  (let ((m (max 0 (- (length sequence) k -1))) (context (context-of sequence)))
    (make-nested (tabulate (fn (i) (aref sequence (+ (%div i k) (rem i k)))) (* m k) :context context)
                 (tabulate (fn (i) (* i k)) (1+ m) :context context))))

;;; ---- runs and keys

(defun run-heads (sequence offsets)
  "The first element of each run."
  (map (fn (i) (aref sequence i)) (take offsets (segments-between offsets))))

(defun by-key (pairs n &optional (predicate #'<))
  "Pairs sorted by their first N columns, the keys: three values, keys, values and the offsets of the runs of keys."
  (let* ((sorted (sorted-by-first pairs predicate n))
         (keys (apply #'columns sorted (loop for k below n collect k))))
    (values keys (columns-from sorted n)
            (if (order-of predicate)
                (run-offsets sorted n)
                (nested-starts (runs keys :test (neither-first n (find-fn predicate (* 2 n)))))))))

(define-called run-lengths (sequence)
  "The maximal runs of equal neighbours, in order: tuples of their element and their length, an :i64. Finds the runs at once. Work n, span log n."
  (let ((offsets (run-offsets sequence (width sequence))))
    (zip (run-heads sequence offsets) (lengths-of offsets))))

(define-called count-by-key (sequence)
  "The distinct elements, sorted, each with the number of times that it occurs. Work n log n, span log^2 n."
  (run-lengths (sort sequence #'<)))

(define-called collect (pairs &key (keys 1) (predicate #'<))
  "Two values: the distinct keys, sorted, and for each the sequence of its values, in their order. The first KEYS columns of PAIRS are the key;
PREDICATE compares two keys as for SORT: of keys of which neither comes first, the first one stands for all. A stable sort: work n log n, span
log^2 n."
  (multiple-value-bind (keys values offsets) (by-key pairs keys predicate)
    (values (run-heads keys offsets) (make-nested values offsets))))

(define-called group-by (key sequence)
  "COLLECT of the tuples (key(x), x)."
  (let ((keys (map key sequence)))
    (collect (zip keys sequence) :keys (width keys))))

(define-called reduce-by-key (f pairs &key (keys 1) (identity nil given))
  "Each distinct key, sorted, with the values of that key combined by f, in their order. KEYS is as for COLLECT, IDENTITY as for REDUCE."
  (multiple-value-bind (its-keys values offsets) (by-key pairs keys)
    (let ((groups (make-nested values offsets)))
      (zip (run-heads its-keys offsets)
           (if given (reduce-segments f groups :identity identity) (reduce-segments f groups))))))

;;; ---- parts

(define-called flatten (nested)
  "All elements of a sequence of sequences, one segment after another. A view."
  (nested-values nested))

(define-called segment-offsets (nested)
  "The offsets of all segments, and the number of all elements."
  (nested-values nested)
  (nested-starts nested))

(define-called segment-count (nested)
  "The number of segments."
  (segments-between (segment-offsets nested)))

(define-called segment-lengths (nested)
  "The number of elements of each segment."
  (lengths-of (segment-offsets nested)))

(define-called segment-ids (nested)
  "For each element, the number of its segment. Work n + m."
  (let ((n (length (nested-values nested))))
    (new-seq ('(:i64)) (out (its (nested-starts nested))) (wf.raw:wf-segment-ids its n out))))

(define-called segment (nested k)
  "Segment k, a view. Computes the offsets. RANGE-ERROR if there is none."
  (let* ((offsets (segment-offsets nested)) (m (segments-between offsets)))
    (unless (< -1 (integer-argument k "the segment") m)
      (error 'range-error :message (format nil "wf:segment: the segment is ~D: expected 0 to ~D" k (1- m))))
    (subseq (nested-flat nested) (elt offsets k) (elt offsets (1+ k)))))

(defun checked-offsets (nested n)
  "A list of the offsets. RANGE-ERROR unless they are those of all segments of N elements."
  (let* ((last (segments-between (segment-offsets nested))) (offsets (to-list (segment-offsets nested))))
    (flet ((complain (control &rest arguments)
             (error 'range-error :message (format nil "~A: ~?" (called) control arguments))))
      (loop for least = 0 then offset
            for offset in offsets
            for k from 0
            when (or (< offset least) (> offset n) (and (= k 0) (/= offset 0)) (and (= k last) (/= offset n)))
              do (complain "offset ~D of ~D is ~D: expected ~A" k (1+ last) offset
                           (cond ((= k last) (format nil "~D, the number of elements" n))
                                 ((= k 0) 0)
                                 (t (format nil "~D to ~D" least n))))))
    offsets))

(define-called nested-list (nested)
  "A list of lists: the elements of each segment. RANGE-ERROR if the offsets are not those of all elements. Work n."
  (let* ((all (to-list (nested-values nested))) (offsets (checked-offsets nested (cl:length all))))
    (loop for (start end) on offsets
          while end
          collect (loop repeat (- end start) collect (pop all)))))

;;; ---- inside segments

(define-called map-segments (f nested)
  "f of each element, in the same segments."
  (make-nested (map f (nested-values nested)) (nested-starts nested)))

(define-called reduce-segments (f nested &key (identity nil given))
  "One element per segment: its elements combined; f and IDENTITY are as for REDUCE. One kernel, fused with what computes the values. Work n + m."
  (let* ((values (nested-values nested)) (types (seq-types values)) (compiled (compile-combination f types)))
    (with-pointers ((its compiled) (v values) (o (nested-starts nested)))
      (with-identity (literal compiled identity given types)
        (new-seq (types) (out) (wf.raw:wf-segment-reduce its literal v o out))))))

(defun scan-segments-of (f nested identity given inclusive)
  (let* ((values (nested-values nested)) (types (seq-types values)) (compiled (compile-combination f types)))
    (with-pointers ((its compiled) (v values) (o (nested-starts nested)))
      (with-identity (literal compiled identity given types)
        (multiple-value-bind (prefixes totals)
            (two-seqs (types 1 types 1) (prefixes totals) (wf.raw:wf-segment-scan its literal v o inclusive prefixes totals))
          (values (make-nested prefixes (nested-starts nested)) totals))))))

(define-called scan-segments (f nested &key (identity nil given))
  "Two values: the prefixes in each segment, and the total of each; see SCAN. Work n + m, span log n."
  (scan-segments-of f nested identity given 0))

(define-called scan-segments-incl (f nested &key (identity nil given))
  "Like SCAN-SEGMENTS, but each prefix includes its element."
  (scan-segments-of f nested identity given 1))

(define-called filter-segments (f nested)
  "The elements for which f is true, in as many segments; some may become empty. Work n + m."
  (let* ((values (nested-values nested)) (types (seq-types values)))
    (with-pointers ((its (compile-condition f types)) (v values) (o (nested-starts nested)))
      (values-and-offsets types (lambda (values offsets) (wf.raw:wf-segment-filter its v o values offsets))))))

(define-called sort-segments (nested)
  "Each segment sorted by #'<, stably. A single sort of all elements: work n log n, span log^2 n."
  (let ((numbered (zip (segment-ids nested) (nested-values nested))))
    (make-nested (columns-from (sort numbered #'<) 1) (nested-starts nested))))

;;; ---- segments as elements

(define-called segments-at (nested numbers)
  "The segments with these NUMBERS, one after another. RANGE-ERROR if one is outside. Work of their elements."
  (let* ((starts (segment-offsets nested)) (flat (nested-flat nested))
         (offsets (offsets-of (map (fn (k) (- (aref starts (1+ k)) (aref starts k))) numbers)))
         (n (elt offsets (length numbers)))
         (ids (new-seq ('(:i64)) (out (its offsets)) (wf.raw:wf-segment-ids its n out))))
    (make-nested (map (fn (i k) (aref flat (+ (aref starts (aref numbers i)) (- k (aref offsets i))))) ids (iota n)) offsets)))

(define-called append-segments (nested other)
  "The segments of both."
  (let ((n (length (nested-values nested))))
    (make-nested (append (nested-flat nested) (nested-values other))
                 (append (nested-starts nested) (map (fn (k) (+ k n)) (drop (nested-starts other) 1))))))

(defun ranks-of (nested)
  "A rank for each segment, in the order of words: equal segments have equal ranks."
  (let ((longest (max 0 (value (maximum (segment-lengths nested))))))
    (composed "segment_ranks" (list (nested-flat nested) (nested-starts nested)) (list longest))))

(defun ranks-of-both (nested other)
  "Two values: ranks of the segments of either."
  (let ((ranks (ranks-of (append-segments nested other))) (n (segment-count nested)))
    (values (take ranks n) (drop ranks n))))

(defun numbered-ranks (nested)
  "The tuples (rank, number of the segment), sorted."
  (let ((ranks (ranks-of nested))) (sort (zip ranks (iota (length ranks))) #'<)))

(define-called order-segments (nested)
  "The segments in the order of words: by their first elements that differ in the order of SORT, or else the shorter one first. Stable. Computes the
greatest length, m, at once. Work n log n log m."
  (segments-at nested (columns (numbered-ranks nested) 1)))

(define-called unique-segments (nested)
  "The distinct segments, in the order of ORDER-SEGMENTS, of equal ones the first."
  (let ((ranks (numbered-ranks nested)))
    (segments-at nested (columns (run-heads ranks (run-offsets ranks 1)) 1))))

(define-called merge-segments (nested other)
  "The segments of both in the order of ORDER-SEGMENTS; of equal ones, those of NESTED come first."
  (order-segments (append-segments nested other)))

(define-called collate-segments (nested other)
  "-1, 0 or 1: the order of two sequences of segments, as COLLATE, with that of ORDER-SEGMENTS for the segments. Computed at once."
  (multiple-value-call #'collate (ranks-of-both nested other)))

(define-called argmax-segments (nested)
  "The number of the first segment that is last in the order of ORDER-SEGMENTS, as a delayed :i64. RANGE-ERROR if there are none."
  (argmax (ranks-of nested)))

(define-called search-segments (nested needles &key after)
  "For each segment of NEEDLES, the number of segments of NESTED, which are in the order of ORDER-SEGMENTS, that come before it; see BINARY-SEARCH."
  (multiple-value-bind (ranks its) (ranks-of-both nested needles)
    (binary-search ranks its #'< :after after)))

(defmethod print-object ((nested nested) stream)
  (print-unreadable-object (nested stream)
    (let ((n (known-length (nested-starts nested))))
      (format stream "segments of ~A~@[, ~D of them~]" (describe-types (seq-types (nested-flat nested))) (and n (1- n))))))
