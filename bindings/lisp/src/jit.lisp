;;;; Functions of sequences that are traced once for each list of types and shapes of their arguments, and from then on run the plan of
;;;; their results:
;;;;
;;;;     (wf:define-jit descend (x rate) (wf:map (wf:fn (v) (- v (* rate v))) x))
;;;;     (loop repeat 1000 do (setf x (descend x 0.01)))                         ; one trace, a thousand runs
;;;;
;;;; A trace calls the function with parameters, which are sequences without elements, and makes a program of its results. The form of a
;;;; value is the same value with hollow sequences, which own no object of the library; the symbols in it are constants. A program has the
;;;; forms of its arguments and results, and a gradient that of a variable (gradients.lisp). The library compares the context, the types and the
;;;; shapes of the sequences among the arguments.

(in-package #:warpfold)

(defvar *tracing* nil "True while this thread calls a function to trace it.")

(defstruct (program (:include handle) (:copier nil) (:constructor own-program (cell arguments results)))
  "One trace of a function: a program of the library, with the forms of the lists of its arguments and results."
  (arguments '() :type list :read-only t)
  (results '() :type list :read-only t))

(defconstant +most-programs+ 64 "The maximal number of programs per function.")

(defstruct (traces (:copier nil))
  "A function and its programs, the latest first. The list is never modified, so that a reader needs no lock."
  (function nil :type function :read-only t)
  (programs '() :type list)
  (lock (sb-thread:make-mutex :name "warpfold's tracing of a function") :read-only t))

;;; ---- values made of sequences

(defun record-slots (value)
  "The descriptions of the slots of a structure that a program defined; NIL of any other object."
  (when (typep value 'structure-object)
    (let* ((name (type-of value)) (package (symbol-package name)))
      (unless (or (eq package (load-time-value (find-package '#:warpfold))) (and package (sb-ext:package-locked-p package)))
        (sb-kernel:dd-slots (sb-kernel:find-defstruct-description name))))))

(defun with-slot-value (structure slot value)
  (unless (typep value (sb-kernel:dsd-type slot))
    (complain-of-argument value (sb-kernel:dsd-type slot) "~@[~A: ~]the slot ~A of ~A cannot hold ~A: expected the slot's type to include wf:seq"
                          (called) (form-text (sb-kernel:dsd-name slot)) (form-text (type-of structure)) (form-text value)))
  (setf (sb-kernel:%instance-ref structure (sb-kernel:dsd-index slot)) value)) ; also if it is read-only

(defun each-part (function value)
  "Calls FUNCTION with the parts of a value, in order: all objects in it except symbols, lists, simple vectors, structures that a program defined,
and sequences of sequences."
  (declare (type function function))
  (typecase value
    (seq (funcall function value))
    (symbol)
    (cons (each-part function (car value))
          (each-part function (cdr value)))
    (simple-vector (loop for part across value do (each-part function part)))
    (nested (funcall function (nested-flat value))
            (funcall function (nested-starts value)))
    (t (let ((slots (record-slots value)))
         (if slots
             (dolist (slot slots) (each-part function (slot-value value (sb-kernel:dsd-name slot))))
             (funcall function value))))))

(defun map-parts (function value &optional (of-starts function))
  "The value with the results of FUNCTION instead of its parts, and of OF-STARTS instead of the offsets of sequences of sequences."
  (declare (type function function of-starts))
  (flet ((mapped (value) (map-parts function value of-starts)))
    (typecase value
      (seq (funcall function value))
      (symbol value)
      (cons (let ((first (mapped (car value))))
              (cons first (mapped (cdr value)))))
      (simple-vector (cl:map 'simple-vector #'mapped value))
      (nested (let ((flat (funcall function (nested-flat value))))
                (make-nested flat (funcall of-starts (nested-starts value)))))
      (t (let ((slots (record-slots value)))
           (if slots
               (let ((copy (copy-structure value)))
                 (dolist (slot slots copy)
                   (let ((old (slot-value value (sb-kernel:dsd-name slot))))
                     (unless (eq old (setf old (mapped old))) (with-slot-value copy slot old)))))
               (funcall function value)))))))

(defun map-seqs (function value)
  "The value with the results of FUNCTION instead of its sequences."
  (map-parts (lambda (part) (if (seq-p part) (funcall function part) part)) value))

(defun parts-of (value what)
  "A list of the sequences and numbers in a value. ARGUMENT-TYPE-ERROR about WHAT, such as \"the argument\", if there is anything else."
  (let ((parts '()))
    (each-part (lambda (part)
                 (unless (typep part '(or seq real))
                   (complain-of-argument part '(or seq real list simple-vector)
                                         "~A: ~A is ~A: expected sequences, numbers, symbols, and lists, simple vectors and structures of them~
                                          ~:[~;; wf:from-array makes a sequence~]"
                                         (or (called) "wf:jit") what (form-text part) (arrayp part)))
                 (push part parts))
               value)
    (nreverse parts)))

(defun form-of (value)
  (flet ((hollow (sequence) (make-instance 'seq :cell (make-seq-cell :types (seq-types sequence) :rank (seq-rank sequence)))))
    (map-seqs #'hollow value)))

(defun has-form-p (form value)
  "Returns true if a value has sequences where FORM has sequences, and otherwise equals it."
  (typecase form
    (seq (seq-p value))
    (symbol (eq form value))
    (cons (and (consp value)
               (has-form-p (car form) (car value))
               (has-form-p (cdr form) (cdr value))))
    (simple-vector (and (simple-vector-p value)
                        (= (cl:length form) (cl:length value))
                        (cl:every #'has-form-p form value)))
    (nested (nested-p value))
    (t (and (eq (type-of form) (type-of value))
            (loop for slot in (record-slots form)
                  for name = (sb-kernel:dsd-name slot)
                  always (has-form-p (slot-value form name) (slot-value value name)))))))

(defun context-of-parts (parts)
  "The context of the first sequence among the parts of a value."
  (let ((first (cl:find-if #'seq-p parts)))
    (if first (context-of first) (current-context))))

(defun with-scalars (value context)
  "The value with delayed scalars instead of its numbers, of the types that these have inside wf:fn."
  (flet ((lifted (part)
           (typecase part
             (seq part)
             ((or (signed-byte 32) (not integer)) (scalar part :type (default-type part) :context context))
             (t (scalar part :context context)))))
    (map-parts #'lifted value)))

;;; ---- traces

(defun call-to-trace (function arguments)
  "Calls a function that is traced or differentiated; messages name the functions that it calls."
  (let ((*tracing* t) (*called* nil))
    (apply function arguments)))

(defun parameter (sequence)
  (new-seq ((seq-types sequence) (seq-rank sequence)) (out (like sequence)) (wf.raw:wf-parameter like out)))

(defun traced (traces arguments context)
  "The program of a call with arguments of the form and types of ARGUMENTS."
  (let* ((parameters (map-parts #'parameter arguments))
         (results (let ((*context* context)) (multiple-value-list (call-to-trace (traces-function traces) parameters))))
         (program (own-program (make-cell :kind :program) (form-of parameters) (form-of results))))
    (with-pointers ((from (parts-of parameters "the argument") n-from) (to (remove-if-not #'seq-p (parts-of results "the result")) n-to))
      (setf (cell-pointer (handle-cell program)) (foreign-pointer (out) (wf.raw:wf-program-create from n-from to n-to out))))
    (register program (handle-cell program))))

(defun result-handles (form pointers)
  "The value of a form whose sequences own the pointers in a vector."
  (declare (type (simple-array sb-ext:word (*)) pointers))
  (let ((k -1))
    (map-seqs (lambda (hollow)
                (own-seq (cffi:make-pointer (cl:aref pointers (incf k))) (seq-types hollow) (seq-rank hollow)))
              form)))

(defun count-seqs (form)
  (let ((n 0))
    (each-part (lambda (part) (when (seq-p part) (incf n))) form)
    n))

(defun run-program (program parts)
  "The list of the results for arguments with these parts, or NIL if they have other types or shapes than those of the trace."
  (let* ((form (program-results program)) (n-results (count-seqs form))
         (words (make-array n-results :element-type 'sb-ext:word)))
    (with-pointers ((its program) (arguments parts n))
      (cffi:with-pointer-to-vector-data (results words)
        (cffi:with-foreign-object (fits :int32)
          (checked (wf.raw:wf-program-run its arguments n results n-results fits))
          (unless (zerop (cffi:mem-ref fits :int32))
            (result-handles form words)))))))

(defun run-known (programs arguments parts)
  "The list of the results of the first program that fits the arguments, or NIL."
  (dolist (program programs)
    (when (and (has-form-p (program-arguments program) arguments)
               (plusp (cell-pointer (handle-cell program)))) ; 0 after a saved image was restarted
      (let ((results (run-program program parts)))
        (when results (return results))))))

(defun add-trace (traces arguments parts)
  (let ((program (traced traces arguments (context-of-parts parts)))
        (kept (traces-programs traces)))
    (setf (traces-programs traces)
          (cons program (if (nthcdr (1- +most-programs+) kept) (butlast kept) kept)))))

(defun results-of-run (traces arguments parts)
  "The list of the results, after a trace if no program fits."
  (loop for programs = (traces-programs traces)
        for results = (run-known programs arguments parts)
        until results
        do (sb-thread:with-mutex ((traces-lock traces))
             (when (eq programs (traces-programs traces)) ; else another thread may have traced this call
               (add-trace traces arguments parts)))
        finally (return results)))

(defun run-counted (traces arguments parts)
  "The results, as values. Counts the new memory."
  (let* ((delayed (remove-if (lambda (part) (or (zerop (seq-rank part)) (manifest-p part))) parts))
         (results (results-of-run traces arguments parts)))
    (mapc #'note-sequence delayed)
    (each-part (lambda (part) (when (seq-p part) (note-sequence part))) results)
    (values-list results)))

(defun call-traced (traces arguments)
  (calling (jit)
    (let* ((given (parts-of arguments "the argument"))
           (numbers-p (notevery #'seq-p given))
           (arguments (if numbers-p (with-scalars arguments (context-of-parts given)) arguments))
           (parts (if numbers-p (parts-of arguments "the argument") given)))
      (if *tracing*
          (call-to-trace (traces-function traces) arguments)
          (multiple-value-prog1 (run-counted traces arguments parts)
            (loop for part in parts for its in given
                  unless (eq part its) do (release part)))))))

;;; ---- the functions

(defclass jit (sb-mop:funcallable-standard-object)
  ((traces :initarg :traces :reader jit-traces))
  (:metaclass sb-mop:funcallable-standard-class)
  (:documentation "A function that JIT made."))

(defun jit (function)
  "A function that calls FUNCTION once for each list of types and shapes of its arguments, to trace it, and otherwise runs the plan of the
results. Use it for a function of few elements that is called many times: a run plans nothing and makes no delayed sequences.

Arguments and results are sequences, arrays, delayed scalars and keys, sequences of sequences, and lists and simple vectors of them, nested or
not; FUNCTION may return several values. The results are computed at each call. A number as an argument is a delayed scalar for FUNCTION, of the
type that it has inside wf:fn, so that another number of that type needs no trace. A number as a result is a constant of the trace, and
so is a symbol, such as a keyword: for another one as an argument FUNCTION is traced again.

In a trace, the arguments have types and shapes but no elements. What else FUNCTION reads, numbers and sequences from outside, is a constant of
the plan, and its side effects happen during the trace alone. An ARGUMENT-ERROR is signalled if it computes anything from its arguments, for
example by wf:value or by the length of a filter. Other errors of FUNCTION, and of a run as by wf:force, pass to the caller; later calls are not
affected.

Up to 64 traces are kept. Any number of threads may call at once; they trace one after another. If it is called during the trace of another
function, FUNCTION is part of that trace. (wf:explain f argument ...) shows the plan of a call."
  (unless (functionp function)
    (complain-of-argument function 'function "wf:jit: ~A is not a function of Lisp: expected a function of sequences, such as #'f or a LAMBDA"
                          (form-text function)))
  (let* ((traces (make-traces :function function))
         (jit (make-instance 'jit :traces traces)))
    (sb-mop:set-funcallable-instance-function
     jit (lambda (&rest arguments) (declare (dynamic-extent arguments)) (call-traced traces arguments)))
    jit))

(defmacro define-jit (name lambda-list &body body)
  "Defines NAME as a function like DEFUN, which is traced once for each list of types and shapes of its arguments; see JIT."
  (multiple-value-bind (its-body documentation) (take-documentation body)
    (let ((declarations (loop while (and (consp (first its-body)) (eq (car (first its-body)) 'declare)) collect (pop its-body))))
      `(progn
         (declaim (ftype function ,name))
         (setf (fdefinition ',name) (jit (lambda ,lambda-list ,@declarations (block ,name ,@its-body)))
               (documentation ',name 'function) ,documentation)
         ',name))))

(defun explain-call (jit arguments format)
  "The plan of a call. Traces it, and does not keep the trace."
  (unless (typep jit 'jit) (complain-of-sequence jit))
  (let* ((context (context-of-parts (parts-of arguments "the argument")))
         (program (traced (jit-traces jit) (with-scalars arguments context) context)))
    (with-pointers ((its program))
      (copied-text (buffer capacity needed)
        (checked (wf.raw:wf-program-explain its format buffer capacity needed))))))
