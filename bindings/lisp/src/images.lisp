;;;; Saved images. A pointer of the library is valid in the process that made it, and SAVE-LISP-AND-DIE ends that process. So before an
;;;; image is saved every handle that is in use gets an ORIGIN, a function that makes its pointer again, and its cell is emptied. In
;;;; the new process the origin runs when the handle is first used (REVIVED-POINTER):
;;;;
;;;;   tabulate without captured sequences    made again from its function, still delayed
;;;;   from-file                              mapped again from its path
;;;;   every other sequence                   computed while the image is saved; its elements are in the image, as vectors of Lisp
;;;;   contexts                               made again by name; the default one as a new process makes it
;;;;   functions                              compiled again; those given by a C address are errors
;;;;
;;;; A sequence that cannot be computed, or whose context was closed, is an ARGUMENT-ERROR that gives the reason.

(in-package #:warpfold)

(defun live-cells (kind)
  "The cells of a kind that are in use: an alist to their handles."
  (sb-sys:without-interrupts
    (sb-thread:with-mutex (**registry-lock**)
      (sweep-list (take-fresh))))
  (loop for cell = **kept** then (cell-next cell)
        while cell
        for handle = (sb-ext:weak-pointer-value (cell-owner cell))
        when (and handle (eq (cell-kind cell) kind) (plusp (cell-pointer cell)))
          collect (cons cell handle)))

;;; ---- contexts: several handles may be of one

(defvar *homes* '()
  "While an image is saved: one handle for each context.")

(defun same-context-p (a b)
  "Returns true if two handles are of one context that is open."
  (handler-case (progn (zip (scalar 0 :context a) (scalar 0 :context b)) t)
    (argument-error () nil)))

(defun home-of (context)
  "The handle in *HOMES* for the context of a handle."
  (or (find context *homes* :test #'same-context-p)
      (first (push context *homes*))))

(defun context-origin (context)
  "How a context is made again: the default one as a new process makes it, others by name."
  (release (scalar 0 :context context)) ; an ARGUMENT-ERROR if it was closed
  (let ((home (home-of context))
        (name (if (eq context **default-context**) nil (context-name context)))
        (limit (context-limit context)))
    (lambda (cell)
      (setf (cell-origin cell) nil)
      (list-context context)
      (if (eq home context)
          (let ((again (make-context (or name (default-context-name)))))
            (when limit (setf (context-limit again) limit))
            (take-pointer (handle-cell again)))
          (with-pointers ((its home))
            (wf.raw:wf-context-retain its)
            (cffi:pointer-address its))))))

;;; ---- sequences

(defun column-hosts (sequence)
  "The elements of a sequence, which is computed for it: a simple specialized vector per column."
  (let ((n (if (zerop (seq-rank sequence)) 1 (length sequence))))
    (loop for type in (seq-types sequence) for column from 0
          collect (export-column sequence column type 0 n))))

(defun from-hosts (hosts types rank context)
  "A sequence of the elements of such vectors."
  (let ((columns (loop for host in hosts for type in types
                       collect (if (zerop rank)
                                   (import-scalar host type context)
                                   (import-host host type type 0 (cl:length host) context)))))
    (if (rest columns) (apply #'zip columns) (first columns))))

(defun seq-origin (sequence)
  "How a sequence is made again from its elements."
  (let ((hosts (column-hosts sequence)) (types (seq-types sequence)) (rank (seq-rank sequence))
        (context (home-of (context-of sequence))))
    (lambda (cell)
      (let ((pointer (take-pointer (seq-cell (from-hosts hosts types rank context)))))
        (setf (cell-origin cell) nil)   ; the vectors are garbage from now on
        pointer))))

(defun origin-of (handle)
  (handler-case (if (seq-p handle) (seq-origin handle) (context-origin handle))
    (error (condition)
      (let ((reason (princ-to-string condition)))
        (lambda (cell)
          (declare (ignore cell))
          (error 'argument-error
                 :message (format nil "the ~:[sequence~;context~] was made before the image was saved, and could not be saved with it (~A): ~
                                       expected one made in this process" (context-p handle) reason)))))))

(defun write-origins (kind)
  (loop for (cell . handle) in (live-cells kind)
        unless (cell-origin cell) do (setf (cell-origin cell) (origin-of handle))))

(defun leave-process ()
  "Before an image is saved: writes down how handles are made again, and releases what the library holds."
  (sb-ext:gc :full t)
  (sweep :wait t)
  (let ((*homes* (and **default-context** (list **default-context**))))
    (write-origins :seq)
    (write-origins :context))
  (dolist (kind '(:seq :fn :context))
    (loop for (cell) in (live-cells kind) do (release-cell cell)))
  (setf **kept** nil
        **contexts** '()
        **bytes-made** 0
        **live-after-full-collection** 0)
  (wf.raw::forget-library))

(pushnew 'leave-process sb-ext:*save-hooks*)
