;;;; Handles: Lisp objects that own something of the library, and how it is given back.
;;;;
;;;; A handle holds a cell, the cell holds the pointer. Whoever takes the pointer out of the cell, by an atomic exchange with 0,
;;;; releases what it points to: explicit release, or the sweep after a garbage collection, never both.
;;;;
;;;; A pointer is valid in the process that made it. In a saved image all cells are empty; a cell with an ORIGIN gets a new
;;;; pointer when it is first used in the process that the image starts (images.lisp).
;;;;
;;;; Every cell stands in a registry with a weak pointer to its handle; after a collection the cells whose handles are gone are
;;;; swept. That is what SB-EXT:FINALIZE does with a closure and an entry in a locked hash table for each object; it costs 0.9 us
;;;; an object (SBCL 2.2.9, Zen 4, 2026-11), more than building a node does, the registry a twentieth of that. Besides, the registry
;;;; can be swept at once, where memory is short, and emptied, when an image is saved.

(in-package #:warpfold)

(defstruct (cell (:copier nil) (:predicate nil))
  "What a handle owns. KIND says which function releases it."
  (pointer 0 :type sb-ext:word)
  (kind :seq :type (member :seq :fn :context))
  (owner nil :type (or null sb-ext:weak-pointer))
  (next nil :type (or null cell))
  (origin nil :type (or null function))) ; a function of the cell that makes the pointer again, in another process

(defstruct (seq-cell (:include cell) (:copier nil) (:predicate nil))
  "What a sequence owns, with the TYPES of its columns; RANK is 0 for a delayed scalar."
  (types '() :type list :read-only t)
  (rank 1 :type (member 0 1) :read-only t))

(defstruct (handle (:constructor nil) (:copier nil))
  "A context or a function."
  (cell (make-cell) :type cell :read-only t))

(defclass seq (sequence standard-object)
  ((cell :initarg :cell :type seq-cell))
  (:documentation "An immutable sequence that may not have been computed yet; of rank 0, a delayed scalar. The functions of Common Lisp
for sequences take it too: LENGTH, ELT, MAP, REDUCE, COERCE, ... compute it. Its own are those of the package WARPFOLD."))

(sb-mop:finalize-inheritance (find-class 'seq))

(declaim (inline seq-p seq-cell cell-of))
(defun seq-p (object)
  "Returns true if OBJECT is a sequence of this library, or a delayed scalar."
  (typep object 'seq))

(defun complain-of-sequence (object)
  (complain-of-argument object 'seq "~A~A is not a sequence of warpfold: expected one made by wf:from-list, wf:from-vector, wf:tabulate ~
                                     or the like"
                        (if *called* (format nil "wf:~(~A~): " *called*) "") (form-text object)))

(defun seq-cell (sequence)
  (if (seq-p sequence)
      (the seq-cell (sb-mop:standard-instance-access sequence 0))
      (complain-of-sequence sequence)))

(defun cell-of (handle)
  (if (handle-p handle) (handle-cell handle) (seq-cell handle)))

;;; ---- the registry

(declaim (type (or null cell) **fresh** **kept**))
(sb-ext:define-load-time-global **fresh** nil)        ; a stack of cells, pushed to without a lock
(sb-ext:define-load-time-global **kept** nil)         ; those that have survived a sweep; under the lock
(sb-ext:define-load-time-global **registry-lock** (sb-thread:make-mutex :name "warpfold's registry of handles"))

(declaim (inline register))
(defun register (handle cell)
  "Has what the handle owns, in its cell, released after nothing refers to the handle any more. Returns the handle."
  (declare (type cell cell))
  (setf (cell-owner cell) (sb-ext:make-weak-pointer handle))
  (loop for top = **fresh**
        do (setf (cell-next cell) top)
        until (eq top (sb-ext:compare-and-swap (symbol-value '**fresh**) top cell)))
  handle)

(defun take-pointer (cell)
  "The pointer in a cell, which is then empty: 0 for all but one caller."
  (declare (type cell cell))
  (loop for pointer of-type sb-ext:word = (cell-pointer cell)
        until (= pointer (the sb-ext:word (sb-ext:compare-and-swap (cell-pointer cell) pointer 0)))
        finally (return pointer)))

(defun release-cell (cell)
  (let ((pointer (take-pointer cell)))
    (unless (zerop pointer)
      (let ((pointer (cffi:make-pointer pointer)))
        (ecase (cell-kind cell)
          (:seq (wf.raw:wf-release pointer))
          (:fn (wf.raw:wf-fn-release pointer))
          (:context (wf.raw:wf-context-release pointer)))))))

(defun take-fresh ()
  (loop for all = **fresh**
        until (eq all (sb-ext:compare-and-swap (symbol-value '**fresh**) all nil))
        finally (return all)))

(defun sweep-list (cells)
  "Releases the cells whose handles are gone, and keeps the others, but those that were emptied by hand."
  (loop while cells
        do (let ((cell (shiftf cells (cell-next cells))))
             (cond ((zerop (cell-pointer cell)))
                   ((sb-ext:weak-pointer-value (cell-owner cell))
                    (setf (cell-next cell) **kept**
                          **kept** cell))
                   (t (release-cell cell))))))

(defun sweep (&key wait)
  "Releases what belonged to handles that were collected. If another thread is at it, waits for it, or else leaves it to it."
  (unless (sb-thread:holding-mutex-p **registry-lock**)
    (sb-sys:without-interrupts
      (sb-thread:with-mutex (**registry-lock** :wait-p wait)
        (sweep-list (shiftf **kept** nil))
        (sweep-list (take-fresh))))))

(pushnew 'sweep sb-ext:*after-gc-hooks*)

;;; ---- using and releasing

(sb-ext:define-load-time-global **revival-lock** (sb-thread:make-mutex :name "warpfold's handles from a saved image"))

(defun revived-pointer (handle)
  "The pointer of a handle whose cell is empty: made again if the handle comes from a saved image, else an ARGUMENT-ERROR."
  (let ((cell (cell-of handle)))
    (sb-thread:with-recursive-lock (**revival-lock**)
      (when (zerop (cell-pointer cell))
        (unless (cell-origin cell)
          (error 'argument-error
                 :message (format nil "~@[wf:~(~A~): ~]the ~A was released: expected one that is in use" *called*
                                  (ecase (cell-kind cell) (:seq "sequence") (:fn "function") (:context "context")))))
        (setf (cell-pointer cell) (funcall (the function (cell-origin cell)) cell))
        (register handle cell))
      (cell-pointer cell))))

(declaim (inline handle-pointer))
(defun handle-pointer (handle)
  "The pointer of a handle that the caller keeps alive."
  (let ((pointer (cell-pointer (cell-of handle))))
    (cffi:make-pointer (if (zerop pointer) (revived-pointer handle) pointer))))

(defmacro with-pointers (bindings &body body)
  "Runs the body with (POINTER HANDLE) bound; the handles stay alive until its end."
  `(sb-sys:with-pinned-objects ,(mapcar #'second bindings)
     (let ,(loop for (pointer handle) in bindings collect `(,pointer (handle-pointer ,handle)))
       ,@body)))

(defmacro with-pointer-array ((array count handles) &body body)
  "Runs the body with a C array of the pointers of a list of handles, which stay alive until its end."
  (let ((words (gensym "WORDS")) (list (gensym "LIST")))
    `(let* ((,list ,handles)
            (,count (list-length ,list))
            (,words (make-array ,count :element-type 'sb-ext:word)))
       (loop for handle in ,list
             for k of-type fixnum from 0
             do (setf (aref ,words k) (cffi:pointer-address (handle-pointer handle))))
       (sb-sys:with-pinned-objects (,list)
         (cffi:with-pointer-to-vector-data (,array ,words)
           ,@body)))))

(defun release (handle)
  "Gives back what a sequence, a context or a function holds in the library, at once and not after a garbage collection. To use it
afterwards is an ARGUMENT-ERROR; to release it again is nothing. No other thread may be using it. Sequences made from it stay
valid."
  (let ((cell (cell-of handle)))
    (setf (cell-origin cell) nil)
    (release-cell cell))
  (values))

(defmacro with-released (bindings &body body)
  "Like LET*, for handles that are released at the end, however the body is left."
  (if (null bindings)
      `(progn ,@body)
      (destructuring-bind ((variable form) . more) bindings
        `(let ((,variable ,form))
           (unwind-protect (with-released ,more ,@body)
             (release ,variable))))))
