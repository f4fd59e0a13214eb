;;;; Contexts: an engine with its memory budget.

(in-package #:warpfold)

(defstruct (context (:include handle) (:copier nil) (:constructor %make-context (cell)))
  "An engine, the CPU or a GPU, with its memory budget. A sequence keeps its context alive.")

(defvar *context* nil
  "The CONTEXT of new sequences that are not made from other sequences. If it is NIL, a default context is made on first use; the
environment variable WARPFOLD_CONTEXT is its name, \"auto\" if it is not set.")

(sb-ext:define-load-time-global **default-context** nil)
(sb-ext:define-load-time-global **contexts** '())     ; weak pointers to all of them; under the lock
(sb-ext:define-load-time-global **contexts-lock** (sb-thread:make-mutex :name "warpfold's contexts"))

(defun live-contexts ()
  (remove-if (lambda (context) (or (null context) (zerop (cell-pointer (handle-cell context)))))
             (mapcar #'sb-ext:weak-pointer-value **contexts**)))

(defun own-context (pointer)
  "A new CONTEXT that owns a reference of the library."
  (let* ((cell (make-cell :pointer (cffi:pointer-address pointer) :kind :context))
         (context (%make-context cell)))
    (list-context context)
    (register context cell)))

(defun list-context (context)
  (sb-thread:with-recursive-lock (**contexts-lock**)
    (setf **contexts** (cons (sb-ext:make-weak-pointer context)
                             (remove nil **contexts** :key #'sb-ext:weak-pointer-value)))))

(defun find-context (pointer)
  "The CONTEXT of a pointer, one of whose references is passed to it. A context is one object, as long as that is not released."
  (sb-thread:with-recursive-lock (**contexts-lock**)
    (let ((known (find (cffi:pointer-address pointer) (live-contexts)
                       :key (lambda (context) (cell-pointer (handle-cell context))))))
      (cond (known (wf.raw:wf-context-release pointer) known)
            (t (own-context pointer))))))

(defun make-context (&optional (name "auto"))
  "A context by name: \"cpu\", \"cuda:0\", or \"auto\", which is a GPU if there is one, else the CPU. ARGUMENT-ERROR for an unknown name,
DEVICE-ERROR if the device or its driver is missing. Restarts: RETRY, USE-CPU, USE-VALUE (another context)."
  (unless (stringp name)
    (complain-of-argument name 'string "wf:make-context: the name is ~A: expected a string, such as \"cpu\"" (form-text name)))
  (restart-case
      (block made
        (cffi:with-foreign-string (its-name name)
          (cffi:with-foreign-object (out :pointer)
            (checked (wf.raw:wf-context-create its-name out) :value-from made)
            (own-context (cffi:mem-ref out :pointer)))))
    (use-cpu ()
      :report "Compute on the CPU."
      (make-context "cpu"))))

(defun current-context ()
  "The context of new sequences that are not made from other sequences: *CONTEXT*, or the default context if that is NIL."
  (or *context* **default-context**
      (sb-thread:with-recursive-lock (**contexts-lock**)
        (or **default-context**
            (setf **default-context** (make-context (default-context-name)))))))

(defun default-context-name () (or (sb-ext:posix-getenv "WARPFOLD_CONTEXT") "auto"))

(defun close-context (context)
  "Closes a context and frees its cached memory. From now on operations on its sequences signal ARGUMENT-ERROR."
  (with-pointers ((its context))
    (checked (wf.raw:wf-context-close its)))
  (values))

(defun cancel (&optional context)
  "Ends the computations that run in a context now, on any threads, within some 50 ms: each signals CANCELED. Without a context: in all contexts."
  (if context
      (with-pointers ((its context))
        (checked (wf.raw:wf-cancel its)))
      (checked (wf.raw:wf-cancel (cffi:null-pointer))))
  (values))

(defun call-with-context (function context)
  "Calls FUNCTION in a context, or in a new context of that name; the restart USE-CPU calls it again on the CPU."
  (restart-case
      (if (context-p context)
          (let ((*context* context)) (funcall function))
          (with-released ((*context* (calling (with-context) (make-context context))))
            (funcall function)))
    (use-cpu ()
      :test (lambda (condition) (typep condition '(or null device-error unsupported-error memory-error)))
      :report "Start the body of WITH-CONTEXT anew, on the CPU."
      (call-with-context function "cpu"))))

(defmacro with-context ((context) &body body)
  "Runs the body with *CONTEXT* bound to a context, or to a new one of that name. If a device is missing, fails, lacks memory or does not
support an operation, the restart USE-CPU runs the body again from its beginning, on the CPU."
  `(call-with-context (lambda () ,@body) ,context))

(defun context-name (&optional (context (current-context)))
  "The name of a context: \"cpu\" or \"cuda:0\"."
  (with-pointers ((its context))
    (copied-text (buffer capacity needed)
      (checked (wf.raw:wf-context-name its buffer capacity needed)))))

(defun context-ranks (&optional (context (current-context)))
  "Two values: the number of this process, and the number of all that compute for the context; 0 and 1, except for \"mpi\"."
  (with-pointers ((its context))
    (cffi:with-foreign-object (numbers :int32 2)
      (checked (wf.raw:wf-context-ranks its numbers (cffi:mem-aptr numbers :int32 1)))
      (values (cffi:mem-aref numbers :int32 0) (cffi:mem-aref numbers :int32 1)))))

(defun context-memory (&optional (context (current-context)))
  "Four values in bytes: live (used by sequences and kernels), cached (kept for reuse), the peak of live, and the limit or NIL."
  (with-pointers ((its context))
    (cffi:with-foreign-object (bytes :int64 4)
      (flet ((place (k) (cffi:mem-aptr bytes :int64 k))
             (bytes (k) (cffi:mem-aref bytes :int64 k)))
        (checked (wf.raw:wf-context-memory its (place 0) (place 1) (place 2) (place 3)))
        (values (bytes 0) (bytes 1) (bytes 2) (if (minusp (bytes 3)) nil (bytes 3)))))))

(defun context-limit (&optional (context (current-context)))
  "The maximum of live bytes, or NIL. It is SETF-able: live sequences stay. A call that would exceed the limit collects garbage first.
If the limit is still exceeded, it signals MEMORY-ERROR."
  (cl:nth 3 (multiple-value-list (context-memory context))))

(defun (setf context-limit) (bytes &optional (context (current-context)))
  (unless (typep bytes '(or null (unsigned-byte 63)))
    (complain-of-argument bytes '(or null unsigned-byte) "wf:context-limit: the limit is ~A: expected a number of bytes, or NIL"
                          (form-text bytes)))
  (with-pointers ((its context))
    (checked (wf.raw:wf-context-set-limit its (or bytes -1))))
  bytes)

(defun reset-peak (&optional (context (current-context)))
  "Resets the peak of live memory to the current value."
  (with-pointers ((its context))
    (checked (wf.raw:wf-context-reset-peak its)))
  (values))

(defun trim (&optional (context (current-context)))
  "Returns the cached memory of a context to the system. Returns the number of bytes."
  (with-pointers ((its context))
    (cffi:with-foreign-object (freed :int64)
      (checked (wf.raw:wf-context-trim its freed))
      (cffi:mem-ref freed :int64))))

;;; ---- memory pressure: the garbage collector does not see the library's memory

(declaim (type fixnum **bytes-made**))
(sb-ext:define-load-time-global **bytes-made** 0) ; since the last call of RELIEVE-PRESSURE
(sb-ext:define-load-time-global **bytes-between-collections** (* 96 1024 1024))
(sb-ext:define-load-time-global **live-after-full-collection** 0)

(defun note-bytes (bytes)
  "Counts bytes of new sequences, and collects garbage if there were enough since the last time."
  (declare (type (unsigned-byte 61) bytes))
  (sb-ext:atomic-incf **bytes-made** bytes)
  (when (> **bytes-made** **bytes-between-collections**)
    (setf **bytes-made** 0)
    (relieve-pressure)))

(defun relieve-pressure ()
  "Collects the youngest generation, and all generations if much more memory is live than after the last full collection."
  (sb-ext:gc)
  (sweep)
  (flet ((live () (loop for context in (live-contexts) sum (values (context-memory context)))))
    (when (> (live) (+ (* 2 **live-after-full-collection**) **bytes-between-collections**))
      (sb-ext:gc :full t)
      (sweep :wait t)
      (setf **live-after-full-collection** (live)))))

(defun make-room (attempt)
  "Frees memory after a failed allocation, by a different method at the first, second and third ATTEMPT. Returns false after that."
  (case attempt
    (0 (dolist (context (live-contexts) t)
         (with-pointers ((its context))
           (wf.raw:wf-context-trim its (cffi:null-pointer)))))
    (1 (sb-ext:gc) (sweep :wait t) t)
    (2 (sb-ext:gc :full t) (sweep :wait t) t)))
