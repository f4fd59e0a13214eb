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
  (with-pointers ((s sequence))
    (new-seq ('(:i64)) (out) (wf.raw:wf-histogram s (integer-argument bins "the number of bins") out))))
