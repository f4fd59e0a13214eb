;;;; The raw layer: the functions and constants of warpfold.h, read from it when this file is compiled. wf_map is WF-MAP, WF_ERROR_SIZE is
;;;; +ERROR-SIZE+. Strings and handles are pointers in this layer; the layer above converts them.

(in-package #:warpfold.raw)

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defun header-text ()
    "The text of warpfold.h without comments: of the file that was installed with this binding, or of the checkout."
    (let ((text (uiop:read-file-string (or (probe-file (source-file "warpfold.h")) (source-file "../../capi/warpfold.h")))))
      (with-output-to-string (out)
        (loop for start = 0 then (+ 2 (search "*/" text :start2 open))
              for open = (search "/*" text :start2 start)
              do (write-string text out :start start :end open)
              while open))))

  (defun c-type (text)
    "The CFFI type of a result, or of a parameter with its name."
    (cond ((find #\* text) :pointer)
          ((search "int32_t" text) :int32)
          ((search "int64_t" text) :int64)
          ((search "void" text) :void)
          (t (error "warpfold.h has the unknown type ~A" text))))

  (defun header-functions (text)
    "Lists (C-NAME RESULT-TYPE PARAMETER-TYPE...), in CFFI types, of all functions that the header declares."
    (loop for start = (search "WF_API " text) then (search "WF_API " text :start2 end)
          while start
          for end = (position #\; text :start start)
          for open = (position #\( text :start start :end end)
          for name = (search "wf_" text :start2 start :end2 open :from-end t)
          when name
            collect (list* (subseq text name open) (c-type (subseq text (+ start 7) name))
                           (remove :void (mapcar #'c-type (uiop:split-string (subseq text (1+ open) (position #\) text :end end :from-end t))
                                                                             :separator ","))))))

  (defun header-constants (text)
    "Lists (NAME VALUE) of all enumerators and of WF_ABI_VERSION."
    (loop for start = (search "WF_" text) then (search "WF_" text :start2 end)
          while start
          for end = (position-if-not (lambda (c) (or (alphanumericp c) (char= c #\_))) text :start start)
          for value = (parse-integer text :start (if (eql (search " = " text :start2 end) end) (+ end 2) end) :junk-allowed t)
          when value collect (list (subseq text (+ start 3) end) value)))

  (defun lisp-name (c-name) (intern (substitute #\- #\_ (string-upcase c-name)))))

(defun interrupt-waits-p ()
  "Returns true if an interrupt of this thread waits for the end of a call."
  (and sb-sys:*interrupt-pending* t))

(defvar *interruptible-from* 0
  "The time, as of GET-INTERNAL-REAL-TIME, from which a waiting interrupt ends a call.")

(defun repeat-interrupted (attempt)
  "Makes a call again whose interrupt has run and has not unwound. Further interrupts wait at first, twice as long each time, so that the call ends
even if a timer interrupts it again and again."
  (loop for milliseconds = 50 then (* 2 milliseconds)
        for code = (let ((*interruptible-from*
                           (+ (get-internal-real-time) (ceiling (* milliseconds internal-time-units-per-second) 1000))))
                     (funcall attempt))
        while (minusp code)
        finally (return code)))

(defmacro uninterrupted (call)
  "A call during which interrupts wait, since nothing may unwind out of a call of C: SB-EXT:WITH-TIMEOUT, C-c and TERMINATE-THREAD interrupt. A
computation notices that one waits, and ends (POLL). After the call the interrupt runs, and if it does not unwind, the call is made again."
  `(flet ((attempt ()
            (sb-sys:without-interrupts
              (let ((code ,call))
                (if (and (= code +error-canceled+) (interrupt-waits-p)) -1 code)))))
     (let ((code (attempt)))
       (declare (type (signed-byte 32) code))
       (if (minusp code) (repeat-interrupted #'attempt) code))))

(sb-ext:defglobal **addresses** (make-array 1000 :element-type '(unsigned-byte 64) :initial-element 0))
(declaim (type (simple-array (unsigned-byte 64) (1000)) **addresses**))

(defun forget-functions () (fill **addresses** 0))

(defun loaded-address (k)
  "The address of function K, of which none is known: after the library is loaded."
  (load-library)
  (when (zerop (aref **addresses** k))
    (error 'warpfold:library-error :message (format nil "~A has no function ~A: it is older than this binding" *library* (first (nth k *c-functions*)))))
  (aref **addresses** k))

(declaim (inline function-address))
(defun function-address (k)
  (let ((address (aref **addresses** k)))
    (cffi:make-pointer (if (zerop address) (loaded-address k) address))))

(defmacro define-c-functions ()
  "Binds the functions of the header inline, and exports their names; *C-FUNCTIONS* lists them."
  (let ((functions (header-functions (header-text))))
    `(progn
       (defparameter *c-functions* ',functions "The bound functions: lists (C-NAME RESULT-TYPE PARAMETER-TYPE...), in CFFI types.")
       ,@(loop for (c-name result . types) in functions
               for k from 0
               for name = (lisp-name c-name)
               for parameters = (loop for nil in types for k from 0 collect (lisp-name (format nil "parameter_~D" k)))
               for call = `(cffi:foreign-funcall-pointer (function-address ,k) () ,@(loop for type in types for p in parameters collect type collect p)
                                                         ,result)
               collect `(declaim (inline ,name))
               collect `(export ',name)
               collect `(defun ,name ,parameters ,(if (eq result :int32) `(uninterrupted ,call) `(sb-sys:without-interrupts ,call)))))))

(defmacro define-constants ()
  `(progn ,@(loop for (c-name value) in (header-constants (header-text))
                  for name = (lisp-name (format nil "+~A+" c-name))
                  collect `(export ',name)
                  collect `(defconstant ,name ,value))))

(define-constants)
(define-c-functions)

(cffi:defcallback poll :int32 ()
  (if (and (interrupt-waits-p) (>= (get-internal-real-time) *interruptible-from*)) 1 0))

(defun find-functions ()
  "Finds the addresses of the functions of the library that was just loaded."
  (loop for (c-name) in *c-functions*
        for k from 0
        do (setf (aref **addresses** k) (or (sb-sys:find-foreign-symbol-address c-name) 0)))
  (wf-cancel-on-poll (cffi:callback poll)))

(export 'wf-block)
(cffi:defcstruct wf-block
  (name :pointer) (function :pointer) (user :pointer) (destroy :pointer) (param-types :pointer) (result-types :pointer)
  (n-params :int32) (n-results :int32))
