;;;; LOOP inside wf:fn, as a LET* of its variables around a DO with a body. Its clauses are
;;;;
;;;;   with v = e [and ...]      for v from|downfrom a [to|below|downto|above b] [by c]      for v = e [then e]
;;;;   for v across s            repeat n      while e      until e      always e      never e      thereis e
;;;;   do form...                sum|count|maximize|minimize e [into v]
;;;;   when|if|unless e clause [and clause...] [else clause [and clause...]] [end]           finally (return e)

(in-package #:warpfold)

(defvar *loop-form*)    ; the LOOP that is being parsed
(defvar *clauses*)      ; the rest of it

(defstruct (plan (:copier nil) (:predicate nil))
  "Parts of a LOOP, each in reverse order: BINDINGS around it, the TESTS that end it, PER-ROUND bindings, STEPS after each round, and the
form for its RESULT."
  (bindings '()) (tests '()) (per-round '()) (steps '()) (result nil))

(defvar *plan*)

(defun next-clause () (and (symbolp (first *clauses*)) (intern (symbol-name (first *clauses*)) '#:keyword)))
(defun next-is-p (&rest words) (and *clauses* (member (next-clause) words)))
(defun accept (&rest words)
  "The next word, if it is one of these."
  (when (apply #'next-is-p words)
    (prog1 (next-clause) (pop *clauses*))))
(defun next-form ()
  (if *clauses* (pop *clauses*) (reject *loop-form* "it ends after a keyword: expected a form")))

(defun bind-in-loop (variable init) (push (list variable init) (plan-bindings *plan*)))
(defun fresh (name init)
  (let ((variable (make-symbol name)))
    (bind-in-loop variable init)
    variable))

;;; ---- variables

(defun parse-with ()
  (loop do (let ((variable (next-form)))
             (bind-in-loop variable (if (accept :=) (next-form) 0)))
        while (accept :and)))

(defun parse-for ()
  (let ((variable (next-form)))
    (cond ((accept :across) (parse-across variable))
          ((accept :=)
           (let ((first (next-form)))
             (cond ((accept :then)
                    (bind-in-loop variable first)
                    (push `(setf ,variable ,(next-form)) (plan-steps *plan*)))
                   (t (push (list variable first) (plan-per-round *plan*))))))
          (t (parse-count variable)))))

(defun parse-across (variable)
  (let* ((sequence (next-form)) (k (fresh "K" `(%like 0 (length ,sequence)))))
    (push `(>= ,k (length ,sequence)) (plan-tests *plan*))
    (push (list variable `(aref ,sequence ,k)) (plan-per-round *plan*))
    (push `(incf ,k) (plan-steps *plan*))))

(defun parse-count (variable)
  "for v from a to b by c, in any order of its parts"
  (let ((from 0) (by 1) (down nil) (end nil) (compare nil))
    (loop for word = (accept :from :upfrom :downfrom :to :upto :downto :below :above :by)
          while word
          do (let ((form (next-form)))
               (ecase word
                 ((:from :upfrom) (setf from form))
                 (:downfrom (setf from form down t))
                 ((:to :upto) (setf end form compare '>))
                 (:below (setf end form compare '>=))
                 (:downto (setf end form compare '< down t))
                 (:above (setf end form compare '<= down t))
                 (:by (setf by form)))))
    (when (and down (eq compare '>)) (setf compare '<))
    (let ((limit (and end (fresh "LIMIT" end))))
      (bind-in-loop variable (if (and limit (numberp from)) `(%like ,from ,limit) from))
      (when limit (push `(,compare ,variable ,limit) (plan-tests *plan*)))
      (push (if down `(decf ,variable ,by) `(incf ,variable ,by)) (plan-steps *plan*)))))

(defun parse-repeat ()
  (let* ((limit (fresh "LIMIT" (next-form))) (k (fresh "K" `(%like 0 ,limit))))
    (push `(>= ,k ,limit) (plan-tests *plan*))
    (push `(incf ,k) (plan-steps *plan*))))

;;; ---- the body of each round: each clause is a function from the statements after it to statements

(defun statements-clause (&rest statements) (lambda (rest) (cl:append statements rest)))

(defun parse-do ()
  (apply #'statements-clause (loop while (consp (first *clauses*)) collect (pop *clauses*))))

(defun ending-clause (test)
  "A clause that ends the loop if TEST is true."
  (let ((done (fresh "DONE" nil)))
    (push done (plan-tests *plan*))
    (lambda (rest) `((if ,test (setf ,done t) (progn ,@rest))))))

(defun result-clause (test found)
  "A clause that ends the loop with the result FOUND if TEST is true; if TEST is never true, the result is the opposite."
  (let ((done (fresh "DONE" nil)))
    (push done (plan-tests *plan*))
    (setf (plan-result *plan*) (if found done `(not ,done)))
    (lambda (rest) `((if ,test (setf ,done t) (progn ,@rest))))))

(defun parse-accumulation (word)
  (let* ((form (next-form))
         (variable (if (accept :into)
                       (let ((variable (next-form)))
                         (unless (assoc variable (plan-bindings *plan*)) (bind-in-loop variable 0))
                         variable)
                       (or (and (symbolp (plan-result *plan*)) (plan-result *plan*))
                           (setf (plan-result *plan*) (fresh "RESULT" 0))))))
    (ecase word
      ((:sum :summing) (statements-clause `(incf ,variable ,form)))
      ((:count :counting) (statements-clause `(when ,form (incf ,variable))))
      ((:maximize :maximizing) (extreme-clause 'max variable form))
      ((:minimize :minimizing) (extreme-clause 'min variable form)))))

(defun extreme-clause (operation variable form)
  (let ((some (fresh "SOME" nil)) (value (make-symbol "VALUE")))
    (statements-clause `(let ((,value ,form))
                          (setf ,variable (if ,some (,operation ,variable ,value) ,value)
                                ,some t)))))

(defun parse-choice (word)
  (flet ((parse-clauses ()
           (let ((clauses (list (parse-round-clause))))
             (loop while (accept :and) do (push (parse-round-clause) clauses))
             (cl:reduce #'funcall (cl:reverse clauses) :from-end t :initial-value '()))))
    (let* ((test (next-form)) (then (parse-clauses)) (else (and (accept :else) (parse-clauses))))
      (accept :end)
      (statements-clause (if (eq word :unless)
                             `(if ,test (progn ,@else) (progn ,@then))
                             `(if ,test (progn ,@then) (progn ,@else)))))))

(defun parse-round-clause ()
  (let ((word (accept :do :doing :while :until :always :never :thereis :when :if :unless :sum :summing :count :counting
                      :maximize :maximizing :minimize :minimizing)))
    (case word
      ((:do :doing) (parse-do))
      (:while (ending-clause `(not ,(next-form))))
      (:until (ending-clause (next-form)))
      (:always (result-clause `(not ,(next-form)) nil))
      (:never (result-clause (next-form) nil))
      (:thereis (result-clause (next-form) t))
      ((:when :if :unless) (parse-choice word))
      ((nil) (reject *loop-form* "~A is not a clause of LOOP inside wf:fn: expected with, for, repeat, while, until, always, never, ~
                                  thereis, do, sum, count, maximize, minimize, when, if, unless or finally (return form)"
                     (first *clauses*)))
      (t (parse-accumulation word)))))

(defun parse-finally ()
  (let ((form (next-form)))
    (setf (plan-result *plan*)
          (cond ((and (consp form) (eq (car form) 'return)) (second form))
                ((and (symbolp form) (string= form "RETURN")) (next-form))
                (t (reject *loop-form* "~A follows FINALLY: expected (return form)" form))))))

;;; ---- the whole form

(defun expanded-loop (form)
  "A LOOP as a LET* around a DO."
  (let ((*loop-form* form) (*clauses* (cdr form)) (*plan* (make-plan)) (clauses '()) (result nil))
    (loop while *clauses*
          do (cond ((accept :with) (parse-with))
                   ((accept :for :as) (parse-for))
                   ((accept :repeat) (parse-repeat))
                   ((accept :finally) (parse-finally) (setf result (list (plan-result *plan*))))
                   (t (push (parse-round-clause) clauses))))
    (let* ((steps (cl:reverse (plan-steps *plan*)))
           (round (cl:reduce #'funcall (cl:reverse clauses) :from-end t :initial-value steps))
           (body (cl:reduce (lambda (round binding)
                              (destructuring-bind (variable value) binding
                                (list (if (consp variable)
                                          `(multiple-value-bind ,variable ,value ,@round)
                                          `(let ((,variable ,value)) ,@round)))))
                            (plan-per-round *plan*) :initial-value round))
           (tests (cl:reverse (plan-tests *plan*))))
      (unless tests (reject form "it never ends: expected a clause for, repeat, while or until"))
      `(let* ,(cl:reverse (plan-bindings *plan*))
         (do () (,(if (rest tests) `(or ,@tests) (first tests)) ,(if result (first result) (plan-result *plan*)))
           ,@body)))))

(define-form loop ((&rest clauses) scope) (walk (expanded-loop form) scope))

(define-statement loop ((&rest clauses) variables)
  (assigned-in (list (expanded-loop form)))
  (destructuring-bind (let bindings (do clauses (test &rest results) &body body)) (expanded-loop form)
    (declare (ignore results))
    `(,let ,bindings (,do ,clauses (,test ,(values-form variables)) ,@body))))
