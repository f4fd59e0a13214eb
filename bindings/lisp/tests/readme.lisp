;;;; The README: every snippet runs and returns the values stated in its comments; a program uses the installed system.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun lisp-snippets (text)
  "A list of the texts between ```lisp and ```."
  (loop with fence = (format nil "```lisp~%")
        for start = (search fence text) then (search fence text :start2 end)
        while start
        for end = (search "```" text :start2 (+ start (length fence)))
        collect (subseq text (+ start (length fence)) end)))

(defun stated-values (text start)
  "The text after ; => on the rest of the line, or NIL."
  (let* ((end (or (position #\Newline text :start start) (length text)))
         (mark (search "; => " text :start2 start :end2 end)))
    (and mark (subseq text (+ mark 5) end))))

(defun run-snippet (text)
  "Evaluates the forms of a snippet as the REPL does, and compares their values with the stated values."
  (loop with *package* = (find-package '#:cl-user)
        with start = 0
        for (form end) = (multiple-value-list (read-from-string text nil :end :start start :preserve-whitespace t))
        until (eq form :end)
        do (let* ((values (multiple-value-list (eval form)))
                  (stated (stated-values text end))
                  (printed (let ((*print-pretty* nil)) (format nil "~{~S~^, ~}" values))))
             (setf * (first values)
                   start end)
             (when stated (is (equal stated printed) "~S gives ~A, the README says ~A" form printed stated)))))

(test every-snippet-of-the-readme
  (let ((snippets (lisp-snippets (uiop:read-file-string (asdf:system-relative-pathname "warpfold" "README.md")))))
    (is (= 24 (length snippets)))
    (mapc #'run-snippet snippets)))

(test the-installed-system
  (let ((build (uiop:getenv "WARPFOLD_BUILD")))
    (if (not (and build (probe-file (format nil "~A/build.ninja" build))))
        (skip "WARPFOLD_BUILD names no build folder")
        ;; The same folder each time, so that only the first run compiles.
        (let ((folder (format nil "~A/installed/" (or (uiop:getenv "XDG_CACHE_HOME") (namestring (uiop:temporary-directory))))))
          (unwind-protect
               (progn
                 (uiop:run-program (list "meson" "install" "-C" build "--no-rebuild" "--quiet" "--tags" "runtime,lisp" "--destdir" folder))
                 (let* ((asd (first (directory (format nil "~A**/warpfold.asd" folder))))
                        (registry (format nil "CL_SOURCE_REGISTRY=~A/:" (namestring (uiop:pathname-directory-pathname asd)))))
                   (flet ((output (expression setting)
                            (output-of-lisp (namestring sb-ext:*core-pathname*)
                                            (list "(require :asdf)" "(asdf:load-system \"warpfold\")" expression) registry setting)))
                     (is (search "COMPILED" (output "(princ :compiled)" "WARPFOLD_LIBRARY=/no/such/library.so")) "it compiles without the library")
                     (is (search "(2 4)" (output "(print (wf:to-list (wf:map (wf:fn (x) (* 2 x)) (wf:from-list '(1 2)))))" "LD_LIBRARY_PATH="))))))
            (uiop:delete-directory-tree (pathname folder) :validate t :if-does-not-exist :ignore))))))
