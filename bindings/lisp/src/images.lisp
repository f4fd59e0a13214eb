;;;; Saved images. A pointer of the library is valid in the process that made it, and SAVE-LISP-AND-DIE ends that process. Before an
;;;; image is saved, every live handle gets an ORIGIN, a function that recreates its pointer, and its cell is emptied. In the new process
;;;; the origin runs when the handle is first used (REVIVED-POINTER):
;;;;
;;;;   tabulate without captured sequences    recreated from its function, still delayed
;;;;   from-file                              mapped again from its path
;;;;   every other sequence                   computed before the image is saved, which contains its elements as Lisp vectors
;;;;   contexts                               recreated by name; the default context as in a new process
;;;;   functions                              compiled again; functions passed by a C address signal an error
;;;;   functions made by jit                  traced again
;;;;
;;;; A sequence that could not be computed, or whose context was closed, signals an ARGUMENT-ERROR with the reason.

(in-package #:warpfold)

(defun live-cells (kind)
  "An alist from the live cells of a kind to their handles."
  (sb-sys:without-interrupts
    (sb-thread:with-mutex (**registry-lock**)
      (sweep-list (take-fresh))))
  (loop for cell = **kept** then (cell-next cell)
        while cell
        for handle = (sb-ext:weak-pointer-value (cell-owner cell))
        when (and handle (eq (cell-kind cell) kind) (plusp (cell-pointer cell)))
          collect (cons cell handle)))

;;; ---- contexts

(defun context-origin (context)
  "A function that recreates a context: the default context as in a new process, others by name."
  (release (scalar 0 :context context)) ; an ARGUMENT-ERROR if it was closed
  (let ((name (if (eq context **default-context**) nil (context-name context)))
        (limit (context-limit context)))
    (lambda (cell)
      (setf (cell-origin cell) nil)
      (list-context context)
      (let ((again (make-context (or name (default-context-name)))))
        (when limit (setf (context-limit again) limit))
        (take-pointer (handle-cell again))))))

;;; ---- sequences

(defun column-hosts (sequence)
  "Computes a sequence and returns its elements: one simple specialized vector per column."
  (let ((n (cl:reduce #'* (dimensions sequence))))
    (loop for type in (seq-types sequence) for column from 0
          collect (export-column sequence column type 0 n))))

(defun from-hosts (hosts types dimensions context)
  "A sequence of the elements of vectors made by COLUMN-HOSTS."
  (let ((columns (loop for host in hosts for type in types
                       collect (reshape (import-host host type type 0 (cl:length host) context) dimensions))))
    (if (rest columns) (apply #'zip columns) (first columns))))

(defun seq-origin (sequence)
  "A function that recreates a sequence from its elements."
  (let ((hosts (column-hosts sequence)) (types (seq-types sequence)) (dimensions (dimensions sequence))
        (context (context-of sequence)))
    (lambda (cell)
      (let ((pointer (take-pointer (seq-cell (from-hosts hosts types dimensions context)))))
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
  "Prepares for saving an image: sets the origins of all live handles, and releases their objects."
  (sb-ext:gc :full t)
  (sweep :wait t)
  (write-origins :seq)
  (write-origins :context)
  (dolist (kind '(:seq :fn :program :context))
    (loop for (cell) in (live-cells kind) do (release-cell cell)))
  (setf **kept** nil
        **contexts** '()
        **bytes-made** 0
        **live-after-full-collection** 0)
  (wf.raw::forget-library))

(pushnew 'leave-process sb-ext:*save-hooks*)
