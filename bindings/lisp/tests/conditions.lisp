;;;; Errors as conditions, and their restarts.

(in-package #:warpfold-test)
(in-suite warpfold)

(test one-condition-for-each-class-of-error
  (let ((s (wf:from-list '(1 2 3))))
    (signals wf:argument-error (wf:make-context "no such engine"))
    (signals wf:argument-error (wf:zip s (wf:from-list '(1 2 3) :context (wf:make-context "cpu"))))
    (signals wf:range-error (wf:columns s 1))
    (signals wf:element-type-error (wf:append s (wf:from-list '(1.0))))
    (signals wf:element-type-error (wf:reduce #'+ s :identity '(0 0)))
    (signals wf:element-type-error (wf:reduce #'+ s :identity 0.5))
    (signals wf:size-error (wf:zip s (wf:from-list '(1))))
    (signals wf:size-error (wf:tabulate (wf:fn (i) i) -1))
    (signals wf:range-error (wf:subseq s 2 9))
    (signals wf:io-error (wf:from-file "/no/such/file"))
    (signals wf:argument-error (wf:reduce (wf:fn (a b) (- a b)) s) "an identity that the library does not know")))

(test messages-are-the-librarys
  (handler-case (wf:take (wf:from-list '(1 2 3)) 7)
    (wf:range-error (condition)
      (is (search "wf_take" (princ-to-string condition)))
      (is (equal (princ-to-string condition) (wf:error-message condition))))))

(test the-restart-retry-makes-the-call-again
  (let ((tries 0)
        (path (uiop:with-temporary-file (:pathname path) path)))
    (unwind-protect
         (is (equal '(120)
                    (handler-bind ((wf:io-error (lambda (condition)
                                                  (declare (ignore condition))
                                                  (incf tries)
                                                  (with-open-file (out path :direction :output :if-exists :supersede)
                                                    (write-char #\x out))
                                                  (invoke-restart 'wf:retry))))
                      (wf:to-list (wf:from-file path)))))
      (ignore-errors (delete-file path)))
    (is (= 1 tries))))

(test the-restart-use-value-replaces-the-result
  (let ((s (wf:from-list '(1 2 3))) (t0 (wf:from-list '(9))))
    (flet ((use (value thunk)
             (handler-bind ((wf:warpfold-error (lambda (condition) (use-value value condition)))) (funcall thunk))))
      (is (eql 7 (use 7 (lambda () (wf:elt s 5)))))
      (is (eql 7 (use 7 (lambda () (wf:value (wf:reduce #'+ (wf:tabulate (wf:fn (i) (aref s i)) 5)))))))
      (is (eq t0 (use t0 (lambda () (wf:from-file "/no/such/file"))))))
    (is (null (handler-bind ((wf:range-error (lambda (condition)
                                               (is (null (find-restart 'use-value condition)))
                                               (throw 'out nil))))
                (catch 'out (wf:take s 7))))
        "none where a value would make no sense")))

(test a-range-error-names-the-index-and-changes-nothing
  (let* ((s (wf:from-list '(1 2 3))) (bad (wf:tabulate (wf:fn (i) (aref s i)) 5)) (good (wf:map #'1+ s)))
    (handler-case (wf:force bad good)
      (wf:range-error (condition) (is (search "3" (wf:error-message condition)))))
    (is (not (wf:manifest-p bad)))
    (is (equal '(2 3 4) (wf:to-list good)))))

(test the-restart-use-cpu
  (handler-bind ((wf:device-error (lambda (condition) (declare (ignore condition)) (invoke-restart 'wf:use-cpu))))
    (is (equal "cpu" (wf:context-name (wf:make-context "cuda:99"))))
    (is (equal "cpu" (wf:with-context ("cuda:99") (wf:context-name))))
    (let ((runs 0))
      (is (equal '(2 3) (wf:with-context ("cpu")
                          (incf runs)
                          (when (= runs 1) (error 'wf:device-error :message "as if a device had failed"))
                          (wf:to-list (wf:map #'1+ (wf:from-list '(1 2)))))))
      (is (= 2 runs) "the body starts anew"))))

(test closed-and-released
  (let* ((context (wf:make-context "cpu")) (s (wf:from-list '(1 2) :context context)))
    (is (equal "cpu" (wf:context-name (wf:context-of s))))
    (wf:close-context context)
    (signals wf:argument-error (wf:force (wf:map #'1+ s)))
    (wf:release context))
  (let* ((s (wf:from-list '(1 2))) (m (wf:map #'1+ s)))
    (wf:release s)
    (wf:release s)
    (signals wf:argument-error (wf:to-list s))
    (is (equal '(2 3) (wf:to-list m)) "what was made from it stays valid")
    (wf:with-released ((a (wf:from-list '(1))) (b (wf:reverse a)))
      (setf s b)
      (is (equal '(1) (wf:to-list b))))
    (signals wf:argument-error (wf:to-list s))))
