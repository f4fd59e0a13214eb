;;;; Statements inside wf:fn: assignments, and loops with a body. A statement is a form before the last one of a body. It is translated to
;;;; a form that returns the new values of the variables that it assigns; the following forms see new bindings of their names:
;;;;
;;;;   (setf a e) rest...                    (let ((a e)) rest...)
;;;;   (when c (setf a e) (incf b)) rest...  (multiple-value-bind (a b) (if c (let* ((a e) (b (+ b 1))) (values a b)) (values a b)) rest...)
;;;;   (dotimes (k n) (incf a k)) rest...    (let ((a (%iterate ((k 0) (a a)) (>= k n) (values (1+ k) (+ a k)) a))) rest...)

(in-package #:warpfold)

;;; ---- the variables that a statement assigns

(sb-ext:define-load-time-global **statements** (make-hash-table :test #'eq)) ; (function of (arguments scope) . function of (form variables))

(defmacro define-statement (names (lambda-list variables) assigned effect)
  "Defines forms with one of these names as statements. ASSIGNED returns the variables that a form assigns, which may include variables
that it binds itself. EFFECT returns a form for the new values of VARIABLES. (ASSIGNED-IN forms) returns the variables that FORMS assign."
  `(dolist (name ',(if (consp names) names (list names)))
     (setf (gethash name **statements**)
           (cons (lambda (form scope)
                   (declare (ignorable form))
                   (flet ((assigned-in (forms) (assigned-by forms scope)))
                     (declare (ignorable #'assigned-in))
                     (destructuring-bind ,lambda-list (cdr form)
                       (declare (ignorable ,@(lambda-variables lambda-list)))
                       ,assigned)))
                 (lambda (form ,variables)
                   (declare (ignorable form ,variables))
                   (destructuring-bind ,lambda-list (cdr form)
                     (declare (ignorable ,@(lambda-variables lambda-list)))
                     ,effect))))))

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defun lambda-variables (tree)
    (cond ((null tree) '())
          ((symbolp tree) (if (member tree lambda-list-keywords) '() (list tree)))
          ((consp tree) (cl:append (lambda-variables (car tree)) (lambda-variables (cdr tree)))))))

(defun assigned-by (forms scope)
  "The variables that forms assign and do not bind themselves, without duplicates, in order."
  (let ((all '()))
    (dolist (form forms (cl:reverse all))
      (dolist (variable (assigned form scope))
        (pushnew variable all)))))

(defun expanded-statement (form scope)
  "FORM, or its macro expansion."
  (loop while (and (consp form) (symbolp (car form)) (not (gethash (car form) **statements**)))
        do (let ((local (assoc (car form) (scope-functions scope))))
             (cond ((and local (eq (second local) :macro))
                    (setf form (funcall (third local) form (scope-lexical scope))))
                   ((or local (gethash (car form) **special-forms**) (gethash (car form) **operators**) (find-inline (car form)))
                    (return))
                   (t (multiple-value-bind (expansion expanded) (macroexpand-1 form (scope-lexical scope))
                        (unless expanded (return))
                        (setf form expansion))))))
  form)

(defun assigned (form scope)
  (let* ((form (expanded-statement form scope))
         (statement (and (consp form) (symbolp (car form)) (gethash (car form) **statements**))))
    (if statement
        (handler-case (remove-duplicates (funcall (car statement) form scope) :from-end t)
          (form-error (condition) (error condition))
          (error (condition) (reject form "~A" (remove #\Newline (princ-to-string condition)))))
        '())))

;;; ---- from statements to forms

(defun values-form (variables)
  (if (rest variables) `(values ,@variables) (first variables)))

(defun binding-form (variables form body)
  (if (rest variables)
      `(multiple-value-bind ,variables ,form ,body)
      `(let ((,(first variables) ,form)) ,body)))

(defun check-assignable (form variables scope)
  (dolist (variable variables)
    (unless (symbolp variable)
      (reject form "~A cannot be assigned, since elements are immutable: expected a variable" variable))
    (unless (assoc variable (scope-variables scope))
      (reject form "~A is not a variable of the function: functions of elements assign only variables that they bind" variable))))

(defun reject-jump (statement)
  "Rejects a statement that assigns nothing because it is, or contains, a RETURN."
  (when (consp statement)
    (if (member (car statement) '(return return-from))
        (reject statement *no-jumps*)
        (loop for part on statement while (consp part) do (reject-jump (car part))))))

(defun idle-p (statement)
  "Returns true if the statement does nothing: a macro such as SHIFTF ends with variables, and a LOOP without ELSE has an empty PROGN."
  (or (atom statement)
      (eq (car statement) 'declare)
      (and (member (car statement) '(progn values)) (cl:every #'atom (cdr statement)))))

(define-form %statements ((statements final) scope)
  (let ((rest (rest statements)) (statement (and statements (expanded-statement (first statements) scope))))
    (cond ((null statements) (walk final scope))
          ((idle-p statement) (walk `(%statements ,rest ,final) scope))
          (t (let ((variables (assigned statement scope)))
               (unless variables
                 (reject-jump statement)
                 (reject statement "its value is not used: expected an assignment to a variable of the function, or one form in the body"))
               (check-assignable statement variables scope)
               (walk (binding-form variables (funcall (cdr (gethash (car statement) **statements**)) statement variables)
                                   `(%statements ,rest ,final))
                     scope))))))

(defun effects (forms variables)
  "A form for the values of variables after statements."
  `(%statements ,forms ,(values-form variables)))

;;; ---- assignments

(defun places (pairs) (loop for (place) on pairs by #'cddr collect place))

(define-statement (setq setf) ((&rest pairs) variables)
  (loop for place in (places pairs)
        append (if (and (eq (car form) 'setf) (typep place '(cons (eql values)))) (rest place) (list place)))
  (if (cddr pairs)
      (effects (loop for (place value) on pairs by #'cddr collect `(setf ,place ,value)) variables)
      (second pairs)))

(define-statement (psetq psetf) ((&rest pairs) variables)
  (places pairs)
  (binding-form (places pairs) (values-form (loop for (nil value) on pairs by #'cddr collect value)) (values-form variables)))

(define-statement incf ((place &optional (delta 1)) variables) (list place) `(+ ,place ,delta))
(define-statement decf ((place &optional (delta 1)) variables) (list place) `(- ,place ,delta))

(define-statement multiple-value-setq ((places form) variables) places form)

;;; ---- choosing and binding

(define-statement if ((test then &optional else) variables)
  (assigned-in (list then else))
  `(if ,test ,(effects (list then) variables) ,(effects (list else) variables)))

(define-statement when ((test &body body) variables)
  (assigned-in body)
  `(if ,test ,(effects body variables) ,(values-form variables)))

(define-statement unless ((test &body body) variables)
  (assigned-in body)
  `(if ,test ,(values-form variables) ,(effects body variables)))

(define-statement cond ((&rest clauses) variables)
  (assigned-in (loop for (nil . body) in clauses append body))
  (cl:reduce (lambda (clause rest) `(if ,(first clause) ,(effects (cdr clause) variables) ,rest))
             clauses :from-end t :initial-value (values-form variables)))

(define-statement (case ecase) ((key &rest clauses) variables)
  (assigned-in (loop for (nil . body) in clauses append body))
  `(,(car form) ,key
    ,@(loop for (keys . body) in clauses collect `(,keys ,(effects body variables)))
    ,@(unless (or (eq (car form) 'ecase) (cl:find-if (lambda (keys) (member keys '(t otherwise))) clauses :key #'car))
        `((t ,(values-form variables))))))

(define-statement (progn locally) ((&body body) variables)
  (assigned-in body)
  (effects body variables))

(defun bound-by (bindings) (mapcar (lambda (binding) (if (consp binding) (car binding) binding)) bindings))

(defun body-with-effects (body variables)
  (multiple-value-bind (specifiers forms) (split-declarations body)
    `(,@(and specifiers `((declare ,@specifiers))) ,(effects forms variables))))

(define-statement (let let*) ((bindings &body body) variables)
  (cl:set-difference (assigned-in body) (bound-by bindings))
  `(,(car form) ,bindings ,@(body-with-effects body variables)))

(define-statement multiple-value-bind ((names values-form &body body) variables)
  (cl:set-difference (assigned-in body) names)
  `(multiple-value-bind ,names ,values-form ,@(body-with-effects body variables)))

;;; ---- loops with a body

(define-form %iterate ((bindings test step result) scope)
  (let* ((variables (mapcar #'first bindings))
         (names (mapcar #'unique-name variables))
         (inner (bind-variables scope variables names)))
    (list :loop form names
          (loop for (nil init) in bindings collect (walk init scope))
          (walk test inner)
          (list (walk step inner))
          (walk result inner))))

(defun loop-state (variables body scope)
  "The variables from outside that a loop's body assigns."
  (cl:set-difference (assigned-by body scope) variables))

(define-form %dotimes ((k count result outer body) scope)
  (let ((limit (make-symbol "LIMIT")))
    (check-assignable form outer scope)
    (walk `(let ((,limit ,count))
             (%iterate ((,k (%like 0 ,limit)) ,@(mapcar #'list outer outer))
                       (>= ,k ,limit)
                       (%statements ,body (values (1+ ,k) ,@outer))
                       ,result))
          scope)))

(define-statement dotimes (((k count &optional result) &body body) variables)
  (cl:set-difference (assigned-in body) (list k))
  `(%dotimes ,k ,count ,(values-form variables) ,variables ,body))

(define-form dotimes (((k count &optional result) &body body) scope)
  (walk `(%dotimes ,k ,count ,result ,(loop-state (list k) body scope) ,body) scope))

(define-form %do ((clauses test result outer body sequential) scope)
  (let ((variables (bound-by clauses))
        (steps (loop for clause in clauses
                     collect (if (and (consp clause) (cddr clause)) (third clause) (if (consp clause) (car clause) clause)))))
    (dolist (clause clauses)
      (unless (and (consp clause) (cdr clause)) (reject form "~A has no first value: expected (variable first-value [step])" clause)))
    (check-assignable form outer scope)
    (walk (let ((iterate `(%iterate (,@(loop for (variable init) in clauses collect (list variable (if sequential variable init)))
                                     ,@(mapcar #'list outer outer))
                                    ,test
                                    (%statements ,body
                                                 ,(if sequential
                                                      `(let* ,(mapcar #'list variables steps) ,(values-form `(,@variables ,@outer)))
                                                      (values-form `(,@steps ,@outer))))
                                    ,result)))
            (if sequential
                `(let* ,(loop for (variable init) in clauses collect (list variable init)) ,iterate)
                iterate))
          scope)))

(define-statement (do do*) ((clauses (test &rest results) &body body) variables)
  (cl:set-difference (assigned-in body) (bound-by clauses))
  `(%do ,clauses ,test ,(values-form variables) ,variables ,body ,(eq (car form) 'do*)))

(defun walk-do (form clauses test results body scope)
  (let ((outer (loop-state (bound-by clauses) body scope)))
    (unless (or clauses outer) (reject form "it has no variable and never ends: expected (variable first-value step)"))
    (walk `(%do ,clauses ,test ,(if results `(progn ,@results) nil) ,outer ,body ,(eq (car form) 'do*)) scope)))

(define-form (do do*) ((clauses (test &rest results) &body body) scope) (walk-do form clauses test results body scope))
