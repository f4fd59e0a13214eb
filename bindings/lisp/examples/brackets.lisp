;;;; Checks if the brackets of a text balance, and finds the first surplus bracket and the deepest nesting. One pass over the bytes,
;;;; piece by piece.

(in-package #:warpfold-examples)

(wf:define-function bracket-step (c)
  "1 for an opening bracket, -1 for a closing one. In ASCII [ and { differ in one bit, the same as ] and }."
  (let ((folded (logior c (logxor (char-code #\[) (char-code #\{)))))
    (- (if (or (= c (char-code #\()) (= folded (char-code #\{))) 1 0)
       (if (or (= c (char-code #\))) (= folded (char-code #\}))) 1 0))))

(defun count-lines (text)
  (wf:reduce #'+ (wf:map (wf:fn (c) (if (= c 10) 1 0)) text) :identity 0))

;;; The results of one pass over a piece of text; depths are relative to the depth before the piece.
(defstruct piece
  depth                                 ; after each character; never stored
  total lowest highest lines)

(defun piece (text)
  (multiple-value-bind (depth total) (wf:scan-incl #'+ (wf:map (wf:fn (c) (bracket-step c)) text) :identity 0)
    (make-piece :depth depth :total total :lines (count-lines text)
                :lowest (wf:reduce #'min depth :identity 0)
                :highest (wf:reduce #'max depth :identity 0))))

(defun piece-scalars (piece)
  (list (piece-total piece) (piece-lowest piece) (piece-highest piece) (piece-lines piece)))

(defun first-index (has s)
  "The first index whose element has the property, a function made by wf:fn, or the length if there is none."
  (let* ((n (wf:length s))
         (indices (wf:tabulate (wf:fn (i) i) n :context (wf:context-of s))))
    (wf:value (wf:reduce #'min (wf:map (wf:fn (x i) (if (funcall has x) i n)) s indices) :identity n))))

(defun place (text offset index lines-before)
  "Line and column, from 1, of the character at an index of the piece that begins at an offset."
  (let* ((at (+ offset index))
         (lines (wf:value (count-lines (wf:subseq text offset at))))
         (line-start (wf:with-data (bytes n text)
                       (declare (ignore n))
                       (loop for k from at above 0
                             until (= 10 (cffi:mem-ref bytes :uint8 (1- k)))
                             finally (return k)))))
    (list (+ lines-before lines 1) (+ (- at line-start) 1))))

(defstruct report
  (left-open 0)                         ; brackets open at the end
  (surplus nil)                         ; (line column) of the first closing bracket too many
  (depth 0)                             ; the greatest
  (deepest nil))                        ; (line column) of the first bracket that reaches it

(defun balanced-p (report)
  (and (zerop (report-left-open report)) (null (report-surplus report))))

(defun match-text (text piece-size)
  "A report about a sequence of bytes, which is read in pieces."
  (let ((report (make-report)) (n (wf:length text)) (deepest-start nil))
    (flet ((piece-at (offset) (piece (wf:subseq text offset (min n (+ offset piece-size))))))
      (loop with depth = 0 and lines = 0
            for offset from 0 below n by piece-size
            for piece = (piece-at offset)
            do (apply #'wf:force (piece-scalars piece))
               (when (and (null (report-surplus report)) (minusp (+ depth (wf:value (piece-lowest piece)))))
                 (let ((limit (- depth)))
                   (setf (report-surplus report)
                         (place text offset (first-index (wf:fn (d) (< d limit)) (piece-depth piece)) lines))))
               (when (> (+ depth (wf:value (piece-highest piece))) (report-depth report))
                 (setf (report-depth report) (+ depth (wf:value (piece-highest piece)))
                       deepest-start (list offset depth lines)))
               (incf depth (wf:value (piece-total piece)))
               (incf lines (wf:value (piece-lines piece)))
            finally (setf (report-left-open report) depth))
      (when deepest-start
        (destructuring-bind (offset depth lines) deepest-start
          (let* ((highest (- (report-depth report) depth))
                 (index (first-index (wf:fn (d) (= d highest)) (piece-depth (piece-at offset)))))
            (setf (report-deepest report) (place text offset index lines)))))
      report)))
