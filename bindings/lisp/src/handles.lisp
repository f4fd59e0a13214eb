;;;; Handles: Lisp objects that own an object of the library, and their release.
;;;;
;;;; A handle refers to a cell, and the cell contains the pointer. Explicit release and the sweep after a garbage collection both
;;;; exchange the pointer with 0 atomically, so that only one of them releases the object.
;;;;
;;;; A pointer is valid in the process that made it. In a saved image all cells are empty; a cell with an ORIGIN gets a new
;;;; pointer when it is first used in the process that the image starts (images.lisp).
;;;;
;;;; A registry lists every cell with a weak pointer to its handle; after a collection it releases the cells whose handles are gone.
;;;; SB-EXT:FINALIZE does the same with a closure and an entry in a locked hash table per object. It costs 0.9 us per object
;;;; (SBCL 2.2.9, Zen 4, 2026-11), more than building a node; the registry costs a twentieth of that. The registry can also be swept
;;;; at once if memory is short, and emptied before an image is saved.

(in-package #:warpfold)

(defstruct (cell (:copier nil) (:predicate nil))
  "The object of the library that a handle owns. KIND selects the function that releases it."
  (pointer 0 :type sb-ext:word)
  (kind :seq :type (member :seq :fn :context :program))
  (owner nil :type (or null sb-ext:weak-pointer))
  (next nil :type (or null cell))
  (origin nil :type (or null function))) ; a function of the cell that recreates the pointer in another process

(defstruct (seq-cell (:include cell) (:copier nil) (:predicate nil))
  "The cell of a sequence, with the TYPES of its columns; RANK is the number of its axes."
  (types '() :type list :read-only t)
  (rank 1 :type (integer 0 8) :read-only t))

(defstruct (handle (:constructor nil) (:copier nil))
  "A context, a function, or a program."
  (cell (make-cell) :type cell :read-only t))

(defclass seq (sequence standard-object)
  ((cell :initarg :cell :type seq-cell))
  (:documentation "An immutable sequence that may not have been computed yet; if its rank is 0, a delayed scalar, and from 2 to 8 an array, whose
elements are in row-major order. The functions of the package WARPFOLD for primitives stay lazy. Common Lisp's sequence functions, LENGTH, ELT,
MAP, REDUCE, COERCE, ..., compute it."))

(sb-mop:finalize-inheritance (find-class 'seq))

(declaim (inline seq-p seq-cell cell-of))
(defun seq-p (object)
  "Returns true if OBJECT is a sequence of this library, or a delayed scalar."
  (typep object 'seq))

(defun complain-of-sequence (object)
  (complain-of-argument object 'seq "~A~A is not a sequence of warpfold: expected one made by wf:from-list, wf:from-vector, wf:tabulate ~
                                     or the like"
                        (format nil "~@[~A: ~]" (called)) (form-text object)))

(defun seq-cell (sequence)
  (if (seq-p sequence)
      (the seq-cell (sb-mop:standard-instance-access sequence 0))
      (complain-of-sequence sequence)))

(defun cell-of (handle)
  (if (handle-p handle) (handle-cell handle) (seq-cell handle)))

;;; ---- the registry

(declaim (type (or null cell) **fresh** **kept**))
(sb-ext:define-load-time-global **fresh** nil)        ; a lock-free stack of new cells
(sb-ext:define-load-time-global **kept** nil)         ; the cells that survived a sweep; under the lock
(sb-ext:define-load-time-global **registry-lock** (sb-thread:make-mutex :name "warpfold's registry of handles"))

(declaim (inline register))
(defun register (handle cell)
  "Registers the cell of a handle, so that it is released when the handle is garbage. Returns the handle."
  (declare (type cell cell))
  (setf (cell-owner cell) (sb-ext:make-weak-pointer handle))
  (loop for top = **fresh**
        do (setf (cell-next cell) top)
        until (eq top (sb-ext:compare-and-swap (symbol-value '**fresh**) top cell)))
  handle)

(defun take-pointer (cell)
  "Removes the pointer from a cell and returns it. If several threads call this at once, all but one get 0."
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
          (:context (wf.raw:wf-context-release pointer))
          (:program (wf.raw:wf-program-release pointer)))))))

(defun take-fresh ()
  (loop for all = **fresh**
        until (eq all (sb-ext:compare-and-swap (symbol-value '**fresh**) all nil))
        finally (return all)))

(defun sweep-list (cells)
  "Releases the cells whose handles are gone, drops empty cells, and keeps the others."
  (loop while cells
        do (let ((cell (shiftf cells (cell-next cells))))
             (cond ((zerop (cell-pointer cell)))
                   ((sb-ext:weak-pointer-value (cell-owner cell))
                    (setf (cell-next cell) **kept**
                          **kept** cell))
                   (t (release-cell cell))))))

(defun sweep (&key wait)
  "Releases the cells of handles that were collected. If another thread is sweeping, waits for it if WAIT is true, else returns."
  (unless (sb-thread:holding-mutex-p **registry-lock**)
    (sb-sys:without-interrupts
      (sb-thread:with-mutex (**registry-lock** :wait-p wait)
        (sweep-list (shiftf **kept** nil))
        (sweep-list (take-fresh))))))

(pushnew 'sweep sb-ext:*after-gc-hooks*)

;;; ---- using and releasing

(sb-ext:define-load-time-global **revival-lock** (sb-thread:make-mutex :name "warpfold's handles from a saved image"))

(defun revived-pointer (handle)
  "The pointer of a handle whose cell is empty. It is recreated if the handle is from a saved image; else ARGUMENT-ERROR."
  (let ((cell (cell-of handle)))
    (sb-thread:with-recursive-lock (**revival-lock**)
      (when (zerop (cell-pointer cell))
        (unless (cell-origin cell)
          (error 'argument-error
                 :message (format nil "~@[~A: ~]the ~A was released: expected one that is in use" (called)
                                  (ecase (cell-kind cell) (:seq "sequence") ((:fn :program) "function") (:context "context")))))
        (setf (cell-pointer cell) (funcall (the function (cell-origin cell)) cell))
        (register handle cell))
      (cell-pointer cell))))

(declaim (inline handle-pointer))
(defun handle-pointer (handle)
  "The pointer of a handle that the caller keeps alive."
  (let ((pointer (cell-pointer (cell-of handle))))
    (cffi:make-pointer (if (zerop pointer) (revived-pointer handle) pointer))))

(defmacro with-pointers (bindings &body body)
  "Runs the body with arguments of C bound, whose values stay alive until its end: (POINTER HANDLE), (POINTER HANDLES COUNT-VARIABLE) for an array of a
list, (POINTER INTEGERS BITS) for an array of 32 or 64 bits each, or (POINTER STRING :TEXT)."
  (let* ((k (or (cl:position-if #'third bindings) (cl:length bindings))) (handles (cl:subseq bindings 0 k)))
    (destructuring-bind (&optional ((&optional pointer value kind)) &rest more) (nthcdr k bindings)
      `(sb-sys:with-pinned-objects ,(mapcar #'second handles)
         (let ,(loop for (pointer handle) in handles collect `(,pointer (handle-pointer ,handle)))
           ,@(etypecase kind
               (null body)
               (integer `((with-integers (,pointer ,value ,kind) (with-pointers ,more ,@body))))
               ((eql :text) `((with-text (,pointer ,value) (with-pointers ,more ,@body))))
               (symbol `((with-pointer-array (,pointer ,kind ,value) (with-pointers ,more ,@body))))))))))

(defmacro with-pointer-array ((array count handles) &body body)
  "Runs the body with a C array of the pointers of a list of handles, which stay alive until its end."
  (let ((words (gensym "WORDS")) (list (gensym "LIST")))
    `(let* ((,list ,handles)
            (,count (list-length ,list))
            (,words (make-array ,count :element-type 'sb-ext:word)))
       (loop for handle in ,list
             for k of-type fixnum from 0
             do (setf (cl:aref ,words k) (cffi:pointer-address (handle-pointer handle))))
       (sb-sys:with-pinned-objects (,list)
         (cffi:with-pointer-to-vector-data (,array ,words)
           ,@body)))))

(defun release (handle)
  "Releases a sequence, a context or a function at once, without a garbage collection. Using it afterwards signals ARGUMENT-ERROR;
releasing it again has no effect. No other thread may be using it. Sequences made from it stay valid."
  (let ((cell (cell-of handle)))
    (setf (cell-origin cell) nil)
    (release-cell cell))
  (values))

(defmacro with-released (bindings &body body)
  "Like LET*, for handles; they are released at the end of the body, also after a non-local exit."
  (if (null bindings)
      `(progn ,@body)
      (destructuring-bind ((variable form) . more) bindings
        `(let ((,variable ,form))
           (unwind-protect (with-released ,more ,@body)
             (release ,variable))))))
