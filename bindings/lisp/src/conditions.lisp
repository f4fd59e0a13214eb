;;;; Conditions: one subclass of WARPFOLD-ERROR for each error code of the library, and the printing of forms in their messages.

(in-package #:warpfold)

(define-condition warpfold-error (error)
  ((message :initarg :message :reader error-message
            :documentation "The message: the function, the argument, the types and lengths, and the expected ones."))
  (:report (lambda (condition stream) (write-string (error-message condition) stream)))
  (:documentation "The superclass of all errors that this library signals. ERROR-MESSAGE reads the message."))

(setf (documentation 'error-message 'function)
      "The message of a WARPFOLD-ERROR: the function, the argument, the types and lengths, and the expected ones.")

(defmacro define-errors (&rest clauses)
  "Each clause: (NAME CODE DOCUMENTATION). Defines the conditions and CONDITION-OF-CODE."
  `(progn
     ,@(loop for (name nil documentation) in clauses
             collect `(define-condition ,name (warpfold-error) () (:documentation ,documentation)))
     (defun condition-of-code (code)
       "The name of the condition for an error code of the C API."
       (case code
         ,@(loop for (name code) in clauses collect `(,code ',name))
         (otherwise 'internal-error)))))

(define-errors
  (argument-error 1 "An invalid argument: a released sequence, a closed context, sequences of different contexts.")
  (element-type-error 2 "Types of elements or numbers of columns do not match.")
  (size-error 3 "Lengths differ, are negative, or overflow.")
  (range-error 4 "An index outside a sequence, at the call or inside a function of elements.")
  (memory-error 5 "The budget or the system's memory is exhausted, even after a garbage collection.")
  (compile-error 6 "A function of elements does not compile.")
  (device-error 7 "A device is missing or failed.")
  (unsupported-error 8 "The engine does not support the operation, such as a C function on a GPU.")
  (io-error 9 "A file cannot be read.")
  (internal-error 10 "A bug in the library.")
  (canceled 11 "The computation was ended by wf:cancel. Everything is usable as before."))

(define-condition argument-type-error (argument-error type-error) ()
  (:documentation "An argument of the wrong type. TYPE-ERROR-DATUM reads the argument, TYPE-ERROR-EXPECTED-TYPE the expected type."))

(define-condition element-value-error (element-type-error type-error) ()
  (:documentation "A value that is not of the element type of its sequence. TYPE-ERROR-DATUM reads the value, TYPE-ERROR-EXPECTED-TYPE
the expected type. wf:cast converts."))

(define-condition library-error (warpfold-error) ()
  (:documentation "The shared library cannot be loaded, or is older than this binding."))

;;; ---- messages name the function that the user called

(defvar *called* nil
  "The exported function that is being called, if its name does not follow from the name of the C function.")

(defun name-text (name)
  "The name of an exported function in messages: \"wf:map\", \"wf.op:+\"."
  (let ((home (and (symbolp name) (symbol-package name))))
    (format nil "~A:~(~A~)" (cond ((eq home (find-package '#:warpfold.operators)) "wf.op")
                                  ((eq home (find-package '#:warpfold.random)) "wf.random")
                                  (t "wf"))
            name)))

(defun called ()
  "The name of the exported function that is being called, or NIL."
  (and *called* (name-text *called*)))

(defun complain-of-argument (datum expected-type control &rest arguments)
  "Signals an ARGUMENT-TYPE-ERROR."
  (error 'argument-type-error :datum datum :expected-type expected-type :message (apply #'format nil control arguments)))

;;; ---- forms in messages: symbols without their packages, nothing deep or long

(defun form-text (form &optional (depth 5))
  "The text of a form for a message. Only symbols that this package exports have a package prefix."
  (cond ((keywordp form) (format nil ":~A" form))
        ((symbolp form)
         (if (and (eq (symbol-package form) (load-time-value (find-package '#:warpfold)))
                  (eq (nth-value 1 (find-symbol (symbol-name form) '#:warpfold)) :external))
             (format nil "WF:~A" form)
             (symbol-name form)))
        ((atom form) (let ((*print-length* 8) (*print-level* 3) (*print-pretty* nil)) (prin1-to-string form)))
        ((zerop depth) "(...)")
        ((and (member (car form) '(quote function)) (consp (cdr form)) (null (cddr form)))
         (format nil "~A~A" (if (eq (car form) 'quote) "'" "#'") (form-text (second form) depth)))
        (t (with-output-to-string (text)
             (write-char #\( text)
             (loop for (item . rest) on form
                   for k from 0
                   do (when (> k 0) (write-char #\Space text))
                      (when (>= k 8) (write-string "..." text) (return))
                      (write-string (form-text item (1- depth)) text)
                      (when (and rest (atom rest)) (format text " . ~A" (form-text rest))))
             (write-char #\) text)))))

(define-condition form-error (element-type-error program-error)
  ((form :initarg :form :reader offending-form :documentation "The invalid form inside wf:fn.")
   (called :initform (called) :reader form-called :documentation "The name of the function that was called with it, or NIL."))
  (:report (lambda (condition stream)
             (format stream "~@[~A: ~]in ~A: ~A" (form-called condition) (form-text (offending-form condition)) (error-message condition))))
  (:documentation "A form inside wf:fn that is not a function of elements, or whose types do not match. OFFENDING-FORM reads the form."))

(setf (documentation 'offending-form 'function) "The form inside wf:fn that a FORM-ERROR reports.")

(defun reject (form control &rest arguments)
  "Signals a FORM-ERROR about a form. Symbols and lists among the arguments are printed as forms; their directive is ~A."
  (error 'form-error
         :form form
         :message (apply #'format nil control
                         (mapcar (lambda (argument) (if (typep argument '(or symbol cons)) (form-text argument) argument))
                                 arguments))))
