;;;; word-counts FILE [K]: the K most frequent words of a text, in lower case. A word is a segment of letters; a reduction of segments hashes all
;;;; words, and words with the same hash of 64 bits are counted as one.

(in-package #:warpfold-examples)

(wf:define-function letter-p (c)
  (<= (char-code #\a) (logior c 32) (char-code #\z)))

(defun hashes (words)
  "One hash per word. The hash of two texts in sequence follows from theirs and 31^length."
  (wf:columns (wf:reduce-segments (wf:fn ((hash-1 power-1) (hash-2 power-2)) (values (+ (* hash-1 power-2) hash-2) (* power-1 power-2)))
                                  (wf:map-segments (wf:fn (c) (values (wf:cast (logior c 32) :i64) (wf:cast 31 :i64))) words)
                                  :identity '(0 1))
              0))

(defun word (words i)
  (string-downcase (map 'string #'code-char (wf:to-list (wf:segment words i)))))

(defun most-frequent-words (k text)
  "A list of (count word), the most frequent first."
  (let* ((words (wf:tokens (wf:fn (c) (not (letter-p c))) text))
         (hashes (hashes words))
         (groups (nth-value 1 (wf:collect (wf:zip hashes (wf:iota (wf:length hashes))))))
         (counted (wf:zip (wf:segment-lengths groups) (wf:reduce-segments #'min groups)))
         (best (wf:sort counted (wf:fn ((n i) (m j)) (or (> n m) (and (= n m) (< i j)))))))
    (loop for (count i) in (wf:to-list (wf:take best (min k (wf:length best))))
          collect (list count (word words i)))))

(define-program word-counts (&rest arguments)
  (let ((text (wf:from-file (first arguments))))
    (format t "~:{~D ~A~%~}" (timed ((wf:length text) "bytes") (most-frequent-words (number-argument arguments 1 10) text)))))
