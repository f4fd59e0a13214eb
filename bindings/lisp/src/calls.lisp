;;;; Calls of the C API: text outputs, error codes as conditions, and the recovery before they are signalled.

(in-package #:warpfold)

;;; ---- text outputs of the C API

(defmacro copied-text ((buffer capacity needed) &body call)
  "The string that a call writes. The first call returns the size, the second writes the text."
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
  "The library's message for the last error on this thread."
  (copied-text (buffer capacity needed) (wf.raw:wf-error-message buffer capacity needed)))

(defun library-version ()
  "The version of the shared library, such as \"0.1.0\"."
  (values (cffi:foreign-string-to-lisp (wf.raw:wf-version))))

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defun library-word (symbol)
    "A symbol as a name of the library: \"unit_lower\"."
    (substitute #\_ #\- (string-downcase symbol))))

;;; ---- messages name the function that the user called; see CALLED

(defmacro calling ((name) &body body)
  "Runs the body; its error messages name the exported function NAME, or the exported function that called it."
  `(let ((*called* (or *called* ',name)))
     ,@body))

(defmacro define-called (name lambda-list documentation &body body)
  "DEFUN of an exported function; the error messages of its body name it."
  `(defun ,name ,lambda-list ,documentation (calling (,name) ,@body)))

(defun lisp-name (c-name)
  "The name of the exported function for a C function, or its own name if there is none."
  (or (cdr (assoc c-name '(("wf_context_create" . make-context) ("wf_from_host" . from-vector)
                           ("wf_from_host_strided" . from-vector) ("wf_adopt" . from-pointer) ("wf_rev" . reverse)
                           ("wf_to_host" . value) ("wf_data" . with-data) ("wf_length" . lazy-length) ("wf_fn_create" . fn)
                           ("wf_fn_foreign" . foreign-function) ("wf_fn_block" . block-function)
                           ("wf_fn_source" . source-function) ("wf_context_set_limit" . context-limit)
                           ("wf_context_trim" . trim) ("wf_context_reset_peak" . reset-peak)
                           ("wf_context_close" . close-context) ("wf_constant" . stop-gradient) ("wf_gradient" . gradients))
                  :test #'string=))
      (find-symbol (substitute #\- #\_ (string-upcase (cl:subseq c-name 3))) '#:warpfold)
      c-name))

(defun message-of-call (message)
  "The library's message with the names of C functions replaced: at its start by that of the function that the user called."
  (with-output-to-string (text)
    (loop for start = 0 then end
          for at = (search "wf_" message :start2 start)
          for end = (and at (position-if-not (lambda (c) (or (alphanumericp c) (char= c #\_))) message :start at))
          do (write-string message text :start start :end at)
          while at
          do (let ((name (or (and (zerop at) *called*) (lisp-name (cl:subseq message at end)))))
               (write-string (if (symbolp name) (name-text name) name) text))
          while end)))

(defun integer-argument (value what)
  "VALUE if it is an integer that fits an int64_t, else an ARGUMENT-TYPE-ERROR about WHAT, such as \"the index\"."
  (if (typep value '(signed-byte 64))
      value
      (complain-of-argument value '(signed-byte 64) "~@[~A: ~]~A is ~A: expected an integer~:[~; of 64 bits~]" (called) what (form-text value)
                            (integerp value))))

(defun length-argument (value what)
  "INTEGER-ARGUMENT of a length: a SIZE-ERROR if it overflows 64 bits."
  (if (and (integerp value) (>= value (expt 2 63)))
      (error 'size-error :message (format nil "~@[~A: ~]~A is ~A: it overflows 64 bits" (called) what (form-text value)))
      (integer-argument value what)))

;;; ---- calls that may fail

(defun check-stack ()
  "ARGUMENT-ERROR if less than 300 KB of the control stack are left: nothing may unwind out of a call of C that exhausts it."
  (when (> (sb-kernel::control-stack-usage) (- (sb-alien:extern-alien "thread_control_stack_size" sb-alien:unsigned) 300000))
    (error 'argument-error :message (format nil "~@[~A: ~]calls are nested too deeply: a delayed scalar does not decide whether a function that calls ~
                                                 itself returns: expected DO, DOTIMES or LOOP inside wf:fn, or wf:iterate" (called)))))

(defmacro checked (call &key value-from)
  "Repeats a call of the C API until it succeeds. RECOVER handles an error. If the restart USE-VALUE is invoked, the block named
VALUE-FROM returns that value."
  (let ((attempt (gensym "ATTEMPT")) (code (gensym "CODE")))
    `(loop with ,attempt fixnum = (progn (check-stack) 0)
           for ,code of-type (signed-byte 32) = ,call
           until (zerop ,code)
           do ,(if value-from
                   `(multiple-value-bind (next replaced value) (recover ,code ,attempt t)
                      (when replaced (return-from ,value-from value))
                      (setf ,attempt next))
                   `(setf ,attempt (values (recover ,code ,attempt nil)))))))

(defun recover (code attempt replaceable)
  "Handles an error code. If memory is exhausted, frees memory by MAKE-ROOM so that the call is repeated, up to three times. Any other
code, or a fourth failure, signals an error with the restart RETRY and, if REPLACEABLE, USE-VALUE. Returns the number of the next
attempt, or (values next t value) for USE-VALUE."
  (let ((message (last-message)))
    (if (and (= code wf.raw:+error-memory+) (make-room attempt))
        (1+ attempt)
        (fail (condition-of-code code) (message-of-call message) replaceable))))

(defun fail (condition message replaceable)
  "Signals an error with the restart RETRY, which returns 0, and, if REPLACEABLE, USE-VALUE, which returns (values 0 t value)."
  (restart-case (error condition :message message)
    (retry ()
      :report "Make the call again."
      0)
    (use-value (value)
      :test (lambda (condition) (declare (ignore condition)) replaceable)
      :report "Return another value."
      :interactive (lambda () (format *query-io* "~&Value: ") (list (eval (read *query-io*))))
      (values 0 t value))))

(defmacro foreign-pointer ((out) call)
  "The address of the object that a call stores in OUT."
  `(cffi:with-foreign-object (,out :pointer)
     (checked ,call)
     (cffi:pointer-address (cffi:mem-ref ,out :pointer))))
