;;;; Saved images: handles are recreated in the process that an image starts.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun output-of-lisp (core expressions &rest environment)
  "The output of another Lisp process for expressions, each a string, with this core and these settings \"NAME=value\"."
  (uiop:run-program (append (list "env") environment
                            (list (namestring sb-ext:*runtime-pathname*) "--noinform" "--core" core "--no-sysinit" "--no-userinit"
                                  "--disable-debugger" "--non-interactive")
                            (loop for expression in expressions
                                  append (list "--eval" expression)))
                    :output :string :error-output :output :ignore-error-status t))

(defun loading-expressions ()
  (list (format nil "(load ~S)" (namestring (asdf:system-relative-pathname "warpfold" "load.lisp")))
        "(load-quietly \"warpfold\")"))

(defun call-with-image (expressions function)
  "Calls FUNCTION with the name of an image that is saved after the expressions, and with their output."
  (uiop:with-temporary-file (:pathname core :type "core")
    (let* ((path (namestring core))
           (output (output-of-lisp (namestring sb-ext:*core-pathname*)
                                   (append (loading-expressions) expressions
                                           (list (format nil "(sb-ext:save-lisp-and-die ~S)" path))))))
      (funcall function path output))))

(defparameter *made-before*
  '("(defvar *list* (wf:from-list '(1 2 3)))"
    "(defvar *bools* (wf:from-list '(t nil)))"
    "(defvar *large* (wf:from-vector (let ((v (make-array 1000007 :element-type 'single-float)))
                                       (dotimes (i 1000007 v) (setf (aref v i) (float (mod i 1000)))))))"
    "(defvar *tuples* (wf:zip *list* (wf:from-list '(0.5 1.5 2.5))))"
    "(defvar *huge* (wf:tabulate (wf:fn (i) (+ i 1)) 1000000000000))"
    "(defvar *map* (wf:map (wf:fn (x) (aref *list* (- 3 x))) *list*))"
    "(defvar *filter* (wf:filter #'oddp *list*))"
    "(defvar *sum* (wf:reduce #'+ *large*))"
    "(defvar *scalar* (wf:scalar 7))"
    "(defvar *matrix* (wf:transpose (wf:from-array #2a((1 2) (3 4) (5 6)))))"
    "(defvar *table* (wf:tabulate (wf:fn (i j) (+ i j)) '(2 2)))"
    "(defvar *bad* (wf:tabulate (wf:fn (i) (aref *list* i)) 5))"
    "(defvar *gone* (let ((s (wf:from-list '(1)))) (wf:release s) s))"
    "(defvar *context* (wf:make-context \"cpu\"))"
    "(setf (wf:context-limit *context*) 12345678)"
    "(defvar *other* (wf:from-list '(4 5 6) :context *context*))"
    "(defvar *alias* (wf:context-of *other*))"
    "(defvar *twice* (wf:fn (x) (* 2 x)))"
    "(defvar *j0* (wf:foreign-function \"j0\" '(:f64) :f64))"
    "(defvar *address* (wf:foreign-function (cffi:foreign-symbol-pointer \"j0\") '(:f64) :f64))"
    "(defvar *file* (wf:from-file (asdf:system-relative-pathname \"warpfold\" \"src/raw.lisp\")))"
    "(princ (wf:to-list (wf:map *twice* *list*)))"
    "(defun show (x) (prin1 x) (terpri))"
    "(defmacro message (form) `(handler-case (show ,form) (wf:warpfold-error (c) (format t \"~A: ~A~%\" (type-of c) c))))"))

(defparameter *used-after*
  '(("(show *list*)" "#<seq i64, saved>")
    ("(show (wf:to-list *list*))" "(1 2 3)")
    ("(show *list*)" "#<seq i64, 3 elements: 1 2 3>")
    ("(show (wf:to-list *bools*))" "(T NIL)")
    ("(show (wf:to-list *tuples*))" "((1 0.5) (2 1.5) (3 2.5))")
    ("(show (= (length (wf:to-vector *large*)) 1000007))" "T")
    ("(show (loop for i from 0 for x across (wf:to-vector *large*) always (= x (mod i 1000))))" "T")
    ("(show (wf:to-list (wf:take *huge* 3)))" "(1 2 3)")
    ("(show (wf:to-list *map*))" "(3 2 1)")
    ("(show (wf:to-list (wf:map #'+ *map* *list*)))" "(4 4 4)")
    ("(show (wf:to-list *filter*))" "(1 3)")
    ("(show (= (wf:value *sum*) (wf:value (wf:reduce #'+ *large*))))" "T")
    ("(show (wf:value *scalar*))" "7")
    ("(show (wf:to-array (wf:map #'+ *matrix* 1)))" "#2A((2 4 6) (3 5 7))")
    ("(show (wf:to-array *table*))" "#2A((0 1) (1 2))")
    ("(show (wf:to-list (wf:map *twice* *list*)))" "(2 4 6)")
    ("(show (wf:to-list (wf:map (wf:fn (x) (+ x (aref *list* 0))) *other*)))" "ARGUMENT-ERROR: wf:map: ")
    ("(show (wf:to-list (wf:map *twice* *other*)))" "(8 10 12)")
    ("(show (wf:to-list (wf:map #'+ *other* (wf:from-list '(1 1 1) :context *context*))))" "(5 6 7)")
    ("(show (wf:to-list (wf:map #'+ *other* (wf:from-list '(1 1 1) :context *alias*))))" "(5 6 7)")
    ("(show (wf:context-limit *context*))" "12345678")
    ("(show (wf:to-list (wf:map #'+ *list* (wf:from-list '(10 20 30)))))" "(11 22 33)")
    ("(show (wf:to-list (wf:map *j0* (wf:from-list '(0d0)))))" "(1.0d0)")
    ("(show (wf:to-list (wf:map *address* (wf:from-list '(0d0)))))" "ARGUMENT-ERROR: the function was given by its address")
    ("(show (equal (map 'list #'code-char (wf:to-list (wf:take *file* 5))) (coerce \";;;; \" 'list)))" "T")
    ("(show (wf:to-list *bad*))" "ARGUMENT-ERROR: the sequence was made before the image was saved, and could not be saved with it (")
    ("(show (wf:to-list *gone*))" "ARGUMENT-ERROR: wf:to-list: the sequence was released")))

(defun check-used-after (core)
  (let ((lines (uiop:split-string
                (output-of-lisp core (loop for (expression) in *used-after*
                                           collect (format nil "(message ~A)" (subseq expression 6 (1- (length expression))))))
                :separator '(#\Newline))))
    (loop for (expression expected) in *used-after*
          for line in lines
          do (is (eql 0 (search expected line)) "~A printed ~S, expected ~S" expression line expected))))

(defun check-image-of-image (core)
  (uiop:with-temporary-file (:pathname second :type "core")
    (output-of-lisp core (list "(wf:to-list *list*)" "(wf:to-list (wf:take *huge* 2))"
                               (format nil "(sb-ext:save-lisp-and-die ~S)" (namestring second))))
    (is (search "((1 2 3) (1 2 3) (1 3))"
                (output-of-lisp (namestring second)
                                '("(prin1 (list (wf:to-list *list*) (wf:to-list (wf:take *huge* 3)) (wf:to-list *filter*)))"))))))

(defun check-missing-library (output)
  (is (search "set the environment variable WARPFOLD_LIBRARY" output))
  (is (search "/no/such/library.so" output)))

(test saved-images
  (call-with-image
   *made-before*
   (lambda (core output)
     (is (search "(2 4 6)" output))
     (check-used-after core)
     (check-image-of-image core)
     (let ((output (output-of-lisp core '("(princ :alive)" "(wf:to-list *list*)") "WARPFOLD_LIBRARY=/no/such/library.so")))
       (check-missing-library output)
       (is (search "ALIVE" output) "an image starts without the library")))))

(test a-missing-library-says-what-was-tried
  (let ((output (output-of-lisp (namestring sb-ext:*core-pathname*) (append (loading-expressions) '("(princ :loaded)" "(wf:iota 3)"))
                                "WARPFOLD_LIBRARY=/no/such/library.so")))
    (is (search "LOADED" output) "the library is loaded at its first use")
    (check-missing-library output)))
