;;;; Failures of the library as conditions: one class for each class of error, and what is tried before they are signalled.

(in-package #:warpfold)

(define-condition warpfold-error (error)
  ((message :initarg :message :reader error-message
            :documentation "What failed: the function, the argument, types and lengths, and what would be right."))
  (:report (lambda (condition stream) (write-string (error-message condition) stream)))
  (:documentation "The root of everything that this library signals."))

(defmacro define-errors (&rest clauses)
  "Each clause: (NAME CODE DOCUMENTATION). Defines the conditions and CONDITION-OF-CODE."
  `(progn
     ,@(loop for (name nil documentation) in clauses
             collect `(define-condition ,name (warpfold-error) () (:documentation ,documentation)))
     (defun condition-of-code (code)
       "The name of the condition for an error code of the C interface."
       (case code
         ,@(loop for (name code) in clauses collect `(,code ',name))
         (otherwise 'internal-error)))))

(define-errors
  (argument-error 1 "An unusable argument: a released sequence, a closed context, sequences of different contexts.")
  (element-type-error 2 "Types of elements or numbers of columns do not fit.")
  (size-error 3 "Lengths differ, are negative, or overflow.")
  (range-error 4 "An index outside a sequence, at the call or inside a function of elements.")
  (memory-error 5 "The budget or the system's memory is exhausted, and collecting garbage did not help.")
  (compile-error 6 "A function of elements does not compile.")
  (device-error 7 "There is no such device, or it failed.")
  (unsupported-error 8 "The engine cannot do that, such as a C function on a GPU.")
  (io-error 9 "A file cannot be read.")
  (internal-error 10 "A fault of the library."))

(define-condition form-error (element-type-error program-error)
  ((form :initarg :form :reader offending-form :documentation "The form inside wf:fn that is wrong."))
  (:report (lambda (condition stream)
             (let ((*print-length* 8) (*print-level* 5) (*print-pretty* nil) (*package* *package*))
               (format stream "in ~S: ~A" (offending-form condition) (error-message condition)))))
  (:documentation "A form inside wf:fn that cannot be a function of elements, or whose types do not fit."))

(defun reject (form control &rest arguments)
  "Signals a FORM-ERROR about a form."
  (error 'form-error :form form :message (apply #'format nil control arguments)))

;;; ---- text that the C interface copies out

(defmacro copied-text ((buffer capacity needed) &body call)
  "The string of a call that writes text: it is asked for the size first."
  (let ((write (gensym "WRITE")))
    `(flet ((,write (,buffer ,capacity ,needed) ,@call))
       (cffi:with-foreign-object (,needed :int64)
         (setf (cffi:mem-ref ,needed :int64) 0)
         (,write (cffi:null-pointer) 0 ,needed)
         (let ((,capacity (max 1 (cffi:mem-ref ,needed :int64))))
           (cffi:with-foreign-object (,buffer :char ,capacity)
             (setf (cffi:mem-ref ,buffer :char) 0)
             (,write ,buffer ,capacity ,needed)
             (values (cffi:foreign-string-to-lisp ,buffer :encoding :utf-8))))))))

(defun last-message ()
  "The library's message about the last failure on this thread."
  (copied-text (buffer capacity needed) (raw:wf-error-message buffer capacity needed)))

(defun library-version ()
  "The version of the shared library, such as \"0.1.0\"."
  (values (cffi:foreign-string-to-lisp (raw:wf-version))))

;;; ---- calls that may fail

(defmacro checked (call &key value-from)
  "Calls the C interface until it succeeds. A failure is handled by RECOVER; where the restart USE-VALUE is taken, the block
named VALUE-FROM returns that value."
  (let ((attempt (gensym "ATTEMPT")) (code (gensym "CODE")))
    `(loop with ,attempt fixnum = 0
           for ,code of-type (signed-byte 32) = ,call
           until (zerop ,code)
           do ,(if value-from
                   `(multiple-value-bind (next replaced value) (recover ,code ,attempt t)
                      (when replaced (return-from ,value-from value))
                      (setf ,attempt next))
                   `(setf ,attempt (values (recover ,code ,attempt nil)))))))

(defun recover (code attempt replaceable)
  "After a failure. Where memory is exhausted: the first time cached memory is given back, then garbage is collected, then
all of it; each time the call is made again. Everything else, and what that does not help, is an error with the restart RETRY
and, if REPLACEABLE, USE-VALUE. Returns the number of the next attempt, and (values next t value) for USE-VALUE."
  (let ((message (last-message)))
    (if (and (= code raw:+error-memory+) (make-room attempt))
        (1+ attempt)
        (restart-case (error (condition-of-code code) :message message)
          (retry ()
            :report "Make the call again."
            0)
          (use-value (value)
            :test (lambda (condition) (declare (ignore condition)) replaceable)
            :report "Return another value."
            :interactive (lambda () (format *query-io* "~&Value: ") (list (eval (read *query-io*))))
            (values 0 t value))))))
