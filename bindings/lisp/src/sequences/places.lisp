;;;; Elements at computed indices: scatters, histograms, updates.

(in-package #:warpfold)

(define-called scatter (base indices values &key by)
  "BASE with its element indices[i] replaced by values[i] for i = 0, 1, ..., so that the last of equal indices wins. BY combines values[i]
with the element instead: #'+, #'*, #'min, #'max, #'logand, #'logior, #'logxor, 'and or 'or; for tuples, a function that combines each column
by one of them. The result is the same every time. SIZE-ERROR if the lengths of INDICES and VALUES differ; the call that computes the result
signals a RANGE-ERROR for an index out of range. Work n + m for m values, m log m for floats with BY."
  (let* ((types (seq-types base))
         (compiled (and by (compile-combination by types))))
    (with-pointers ((b base) (i indices) (v values))
      (flet ((scattered (f) (new-seq (types) (out) (wf.raw:wf-scatter f b i v out))))
        (if compiled
            (with-pointers ((f compiled)) (scattered f))
            (scattered (cffi:null-pointer)))))))

(define-called histogram (sequence bins)
  "The number of elements that are k, for each k from 0 to BINS - 1, as :i64. The elements are integers; the call that computes the result
signals a RANGE-ERROR for one that is not below BINS. Work n + BINS."
  (new-seq ('(:i64)) (out (s sequence)) (wf.raw:wf-histogram s (integer-argument bins "the number of bins") out)))

(define-called inject (sequence updates)
  "SCATTER of tuples (index, value): SEQUENCE with the elements at the indices replaced; the last of equal indices wins. Work n + m."
  (scatter sequence (columns updates 0) (columns-from updates 1)))

(define-called update (sequence i value)
  "SEQUENCE with element i replaced by VALUE, for a tuple a list. RANGE-ERROR if i is out of range, ELEMENT-VALUE-ERROR if VALUE is not of the
elements' type. Work n; INJECT replaces many."
  (nth i sequence)                      ; a RANGE-ERROR
  (let ((context (context-of sequence)) (types (seq-types sequence)))
    (scatter sequence (from-list (list i) :context context)
             (apply #'zip (loop for part in (if (rest types) value (list value)) for type in types
                                collect (from-list (list part) :type type :context context))))))

(define-called rotate (sequence k &key (axis 0))
  "s[k], ..., s[n - 1], s[0], ..., s[k - 1]; k is taken modulo n. Each vector along AXIS of an array is rotated so. A view."
  (let* ((axis (axis-number axis (seq-rank sequence))) (n (dimension sequence axis))
         (k (if (zerop n) 0 (cl:mod (integer-argument k "the distance") n))))
    (flet ((part (bounds) (apply #'slice sequence (cl:append (make-list axis :initial-element t) (list bounds)))))
      (join axis (part (list k)) (part (list 0 k))))))

(define-called interleave (sequence other)
  "s[0], u[0], s[1], u[1], ... SIZE-ERROR if the lengths differ. Work n, span 1."
  (let ((n (length (zip sequence other))))
    (tabulate (fn (i) (if (evenp i) (aref sequence (ash i -1)) (aref other (ash i -1)))) (* 2 n) :context (context-of sequence))))
