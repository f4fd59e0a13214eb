;;;; Gradients of functions of sequences, arrays and scalars; docs/gradients.md states the derivative of each operation.
;;;;
;;;;     (defun loss (w x y) (wf:mean (wf:map (wf:fn (p y) (expt (- p y) 2)) (wf:matmul x w) y)))
;;;;     (wf:define-jit descend (w x y) (wf.op:- w (wf.op:* 0.1 (funcall (wf:grad #'loss) w x y))))
;;;;
;;;; A gradient is made of delayed sequences like any other. It has the form of the variable: a sequence, or a list, vector or structure of them as
;;;; for JIT. While a function is differentiated, functions made by JIT are called and not run, since the results of a run have no history.

(in-package #:warpfold)

;;; ---- the sequences in a value, except the offsets of sequences of sequences

(defun map-contents (function value)
  (map-parts function value #'identity))

(defun contents-of (value)
  (let ((all '()))
    (map-contents (lambda (part) (push part all) part) value)
    (nreverse all)))

(defun with-contents (value parts)
  "VALUE with other sequences, in their order."
  (map-contents (lambda (part) (declare (ignore part)) (pop parts)) value))

(defun lifted (value what)
  "The value with delayed scalars instead of its numbers. ARGUMENT-TYPE-ERROR about WHAT if there is anything but sequences and numbers."
  (with-scalars value (context-of-parts (parts-of value what))))

(defun contents-like (value other what like)
  "The sequences in OTHER, which has the form of VALUE, else an ARGUMENT-TYPE-ERROR about WHAT."
  (let ((other (lifted other what)))
    (unless (has-form-p (form-of value) other)
      (complain-of-argument other 'seq "~A: ~A is ~A: expected the form of ~A, ~A" (called) what (form-text other) like (form-text value)))
    (contents-of other)))

(define-called map-sequences (f value &rest more)
  "VALUE with f(s, ...) instead of each sequence s in it; the further arguments are the sequences at the same places of MORE, which have its form.
Numbers are delayed scalars: (wf:map-sequences (lambda (p g) (wf.op:- p (wf.op:* rate g))) parameters gradients)."
  (let* ((value (lifted value "the value"))
         (others (loop for other in more collect (contents-like value other "another value" "the first"))))
    (map-contents (lambda (part) (apply f part (loop for rest on others collect (pop (car rest))))) value)))

;;; ---- by run

(defun marked (call sequence)
  "A sequence of the same elements, by a call that marks it."
  (new-seq ((seq-types sequence) (seq-rank sequence)) (out (s sequence)) (funcall call s out)))

(define-called variable (value)
  "The same values, by which gradients can be taken: (wf:gradients loss x) follows how LOSS was made from X, whether it was computed meanwhile or not.
VALUE is a sequence, array, delayed scalar or number of :f32 or :f64, or a list, simple vector or structure of these, as for JIT. ELEMENT-TYPE-ERROR
for other elements. Free; what is made from a variable keeps how it was made."
  (flet ((variable (part)
           (unless (cl:every #'float-type-p (seq-types part))
             (error 'element-type-error :message (format nil "~A: the variable has elements of type ~A: expected f32 or f64; wf:cast converts"
                                                         (called) (describe-types (seq-types part)))))
           (marked #'wf.raw:wf-variable part)))
    (map-contents #'variable (lifted value "the variable"))))

(define-called stop-gradient (value)
  "The same values as constants, to which no gradient passes. VALUE is as for VARIABLE, with elements of any type."
  (map-contents (lambda (part) (marked #'wf.raw:wf-constant part)) (lifted value "the value")))

(defmacro new-seqs ((like out) call)
  "A list of the sequences that a call stores in a C array, with the types and ranks of the sequences in the list LIKE."
  (let ((words (gensym "WORDS")))
    `(let ((,words (make-array (cl:length ,like) :element-type 'sb-ext:word)))
       (cffi:with-pointer-to-vector-data (,out ,words) (checked ,call))
       (loop for word across ,words for its in ,like
             collect (own-seq (cffi:make-pointer word) (seq-types its) (seq-rank its))))))

(defun history (value what)
  "The sequences in a value. ARGUMENT-TYPE-ERROR about WHAT if there are numbers in it, or nothing."
  (let ((parts (progn (parts-of value what) (contents-of value))))
    (unless (and parts (cl:every #'seq-p parts))
      (complain-of-argument value 'seq "~A: ~A is ~A, which has no history: expected the delayed scalar or sequence itself, without wf:value"
                            (called) what (form-text value)))
    parts))

(defun check-single (parts)
  "SIZE-ERROR unless each part of a value has one element, as far as that is known."
  (dolist (part parts)
    (unless (member (known-length part) '(1 nil))
      (error 'size-error :message (format nil "~A: the value has the shape ~A: expected one element, as of wf:sum; wf:vjp takes cotangents"
                                          (called) (shape-text (dimensions part)))))))

(defun gradients-of (value variables &optional (seeds '() seeds-p))
  "The gradients by the VARIABLES, a list, of the sum of the parts of VALUE, which have one element, or times SEEDS, a list of sequences."
  (let ((parts (history value "the value")) (by (contents-of variables)))
    (unless seeds-p (check-single parts))
    (with-pointers ((values parts n) (its-seeds seeds m) (its-variables by k))
      (let ((its-seeds (if (zerop m) (cffi:null-pointer) its-seeds)))
        (with-contents variables (new-seqs (by out) (wf.raw:wf-gradient values its-seeds n its-variables k out)))))))

(define-called gradients (value variable &rest more)
  "The gradient of VALUE, which has one element, by each variable, as values: of the form of the variable, delayed; 0 if VALUE does not depend on it.
A value of several parts counts as their sum. ARGUMENT-ERROR for what wf:variable did not make, and for a value that was computed and not from a
variable; UNSUPPORTED-ERROR names an operation without a derivative."
  (values-list (gradients-of value (cons variable more))))

;;; ---- by function

(defun check-argument-number (k arguments)
  (unless (< -1 (integer-argument k "the number of an argument") (cl:length arguments))
    (error 'argument-error :message (format nil "~A: the function is differentiated by argument ~D, but called with ~D: expected a number below that"
                                            (called) k (cl:length arguments)))))

(defun followed (f arguments by)
  "Two values: the value of F for ARGUMENTS, of which those with the numbers BY are variables, and the list of these."
  (dolist (k by) (check-argument-number k arguments))
  (let* ((all (loop for argument in arguments for k from 0 collect (if (member k by) (variable argument) argument)))
         (value (if (fn-p f) (apply #'map f all) (call-to-trace f all))))
    (history value "the value of the function")
    (values value (loop for k in by collect (cl:nth k all)))))

(define-called value-and-grad (f &rest by)
  "A function of the arguments of F that returns the value of F and its gradients by the arguments with the numbers BY, by default 0, as values: they
are delayed, and the gradients have the forms of the arguments, which are as for VARIABLE. The value of F has one element. Other arguments are
passed as they are. F may be made by JIT, and the result be called in one. The call signals the errors of GRADIENTS."
  (let ((by (or by '(0))))
    (lambda (&rest arguments)
      (calling (value-and-grad)
        (multiple-value-bind (value variables) (followed f arguments by)
          (apply #'values value (gradients-of value variables)))))))

(define-called grad (f &rest by)
  "A function of the arguments of F that returns its gradients, as VALUE-AND-GRAD does, without the value."
  (let ((both (apply #'value-and-grad f by)))
    (lambda (&rest arguments)
      (calling (grad) (values-list (rest (multiple-value-list (apply both arguments))))))))

(defun followed-by-all (f arguments)
  (followed f arguments (loop for k below (cl:length arguments) collect k)))

(define-called vjp (f &rest arguments)
  "Two values: y, the value of F, and a function from a cotangent of the form of y to the cotangents of the arguments, as values: products with the
transpose of the Jacobian. F, the arguments and errors are as for VALUE-AND-GRAD; y may have any shape, or several parts."
  (multiple-value-bind (y variables) (followed-by-all f arguments)
    (values y (lambda (cotangent)
                (calling (vjp)
                  (values-list (gradients-of y variables (contents-like y cotangent "the cotangent" "the value"))))))))

(define-called jvp (f x dx &rest more)
  "Two values: the value of F, and its derivative in the direction in which the arguments change: (wf:jvp f x dx y dy) is for two arguments, x and y.
DX has the form of X; the derivative has that of the value, and is delayed. F, the arguments and errors are as for VJP."
  (let ((pairs (list* x dx more)))
    (when (oddp (cl:length pairs))
      (error 'argument-error :message (format nil "~A: the last argument has no direction: expected (wf:jvp f x dx y dy ...)" (called))))
    (multiple-value-bind (y variables) (followed-by-all f (loop for (x) on pairs by #'cddr collect x))
      (let ((parts (contents-of y))
            (directions (loop for variable in variables for (nil dx) on pairs by #'cddr
                              append (contents-like variable dx "the direction" "the argument"))))
        (with-pointers ((values parts n) (its-variables (contents-of variables) k) (tangents directions k))
          (values y (with-contents y (new-seqs (parts out) (wf.raw:wf-tangent values n its-variables tangents k out)))))))))

(define-called hessian-vector (f)
  "A function of x and v, of the form of x, that returns the product of the Hessian of F at x with v. F is a function of one argument as for
VALUE-AND-GRAD; each of its operations needs a second derivative."
  (let ((gradient (grad f)))
    (lambda (x v) (calling (hessian-vector) (nth-value 1 (jvp gradient x v))))))

;;; ---- of functions of elements

(define-called fn-gradient (f types &key forward)
  "The derivative of a function of elements of these types, as a function of elements: of the parameters, and a cotangent per result that is a float, to
a cotangent per parameter that is a float; with FORWARD, of the parameters, and a tangent per parameter that is a float, to a tangent per result that
is a float. FN-TEXT shows it. Captured sequences are constants. UNSUPPORTED-ERROR names an operation without a derivative."
  (let* ((types (mapcar #'element-type-of types)) (f (find-fn f (cl:length types)))
         (of-parameters (remove-if-not #'float-type-p types))
         (of-results (remove-if-not #'float-type-p (compiled-results (compile-fn f types)))))
    (foreign-fn (cl:append types (if forward of-parameters of-results)) (if forward of-results of-parameters)
                (lambda ()
                  (with-pointers ((its (compile-fn f types)))
                    (foreign-pointer (out) (wf.raw:wf-fn-gradient its (if forward 1 0) out)))))))
