;;;; Compares the raw layer with the header: every function, its result, the number and types of its parameters, every constant.

(in-package #:warpfold-test)
(in-suite warpfold)

(defun header-text ()
  (uiop:read-file-string (asdf:system-relative-pathname "warpfold" "../../capi/warpfold.h")))

(defun without-comments (text)
  (with-output-to-string (out)
    (loop with start = 0
          for open = (search "/*" text :start2 start)
          do (write-string text out :start start :end open)
          while open
          do (setf start (+ 2 (search "*/" text :start2 open))))))

(defun squeezed (text)
  (string-trim " " (with-output-to-string (out)
                     (loop for previous = #\Space then c
                           for raw across text
                           for c = (if (member raw '(#\Newline #\Tab)) #\Space raw)
                           unless (and (char= c #\Space) (char= previous #\Space)) do (write-char c out)))))

(defun ffi-type (c-type)
  "The CFFI type for a C type, or for a parameter with its name."
  (let ((plain (squeezed c-type)))
    (cond ((find #\* plain) :pointer)
          ((search "int32_t" plain) :int32)
          ((search "int64_t" plain) :int64)
          ((string= plain "void") :void)
          (t (list :unknown plain)))))

(defun split-parameters (text)
  "The parameters between the outer parentheses; a function pointer has nested parentheses."
  (let ((depth 0) (start 0) (parts '()))
    (loop for k from 0 below (length text)
          do (case (char text k)
               (#\( (incf depth))
               (#\) (decf depth))
               (#\, (when (zerop depth)
                      (push (subseq text start k) parts)
                      (setf start (1+ k))))))
    (push (subseq text start) parts)
    (remove "void" (mapcar #'squeezed (reverse parts)) :test #'string=)))

(defun header-functions (text)
  "Lists (NAME RESULT PARAMETER...) of all functions that the header declares."
  (let ((text (without-comments text)))
    (loop for start = (search "WF_API " text) then (search "WF_API " text :start2 end)
          while start
          for end = (or (position #\; text :start start) (length text))
          for declaration = (squeezed (subseq text (+ start 7) end))
          for open = (position #\( declaration)
          for name-start = (and open (1+ (or (position-if (lambda (c) (find c " *")) declaration :end open :from-end t) -1)))
          for name = (and open (subseq declaration name-start open))
          when (and name (eql 0 (search "wf_" name)))
            collect (list* name (ffi-type (subseq declaration 0 name-start))
                           (mapcar #'ffi-type (split-parameters
                                               (subseq declaration (1+ open) (position #\) declaration :from-end t))))))))

(defun differences (header)
  "The differences between the raw layer and the text of a header."
  (set-exclusive-or (header-functions header) wf.raw:*c-functions* :test #'equal))

(test every-function-is-bound-as-the-header-has-it
  (is (null (differences (header-text))))
  (is (> (length (header-functions (header-text))) 50)))

(test a-changed-header-is-noticed
  (flet ((changed (old new)
           (let* ((text (header-text)) (at (search old text)))
             (differences (concatenate 'string (subseq text 0 at) new (subseq text (+ at (length old))))))))
    (is (changed "int32_t wf_take(wf_seq* s, int64_t n," "int32_t wf_take(wf_seq* s, int32_t n,"))
    (is (changed "int32_t wf_take(wf_seq* s, int64_t n," "int32_t wf_take(wf_seq* s,"))
    (is (changed "WF_API int32_t wf_rev" "WF_API int32_t wf_reverse"))
    (is (changed "WF_API void wf_retain" "WF_API int32_t wf_retain"))))

(defun header-constants (text)
  "An alist from the names to the values of all enumerators and of WF_ABI_VERSION."
  (let ((text (substitute #\Space #\Newline (without-comments text))))
    (append (loop for start = (search "WF_" text) then (search "WF_" text :start2 (1+ start))
                  while start
                  for end = (position-if-not (lambda (c) (or (alphanumericp c) (char= c #\_))) text :start start)
                  when (eql (search " = " text :start2 end) end)
                    collect (cons (subseq text start end) (parse-integer text :start (+ end 3) :junk-allowed t)))
            (let ((at (search "#define WF_ABI_VERSION " text)))
              (list (cons "WF_ABI_VERSION" (parse-integer text :start (+ at 23) :junk-allowed t)))))))

(test every-constant-has-the-headers-value
  (let ((constants (header-constants (header-text))))
    (is (= (length constants) (+ 11 8 1)))
    (loop for (name . value) in constants
          for symbol = (find-symbol (format nil "+~A+" (substitute #\- #\_ (subseq name 3))) '#:warpfold.raw)
          do (is (and symbol (eql value (symbol-value symbol))) "~A is ~A" name value))))

(defun header-block-fields (text)
  "The names and types of the fields of wf_block."
  (let* ((text (without-comments text))
         (start (+ (search "typedef struct wf_block {" text) 25))
         (fields (uiop:split-string (subseq text start (position #\} text :start start)) :separator ";")))
    (loop for field in (butlast fields)
          for plain = (squeezed field)
          for name = (if (find #\( plain)
                         (subseq plain (+ 2 (search "(*" plain)) (position #\) plain))
                         (subseq plain (1+ (position-if (lambda (c) (find c " *")) plain :from-end t))))
          collect (list (substitute #\- #\_ (string-upcase name))
                        (if (search "wf_block_function" plain) :pointer (ffi-type plain))))))

(test the-block-structure-is-the-headers
  (let ((slots (mapcar (lambda (slot) (list (string slot) (cffi:foreign-slot-type '(:struct wf.raw:wf-block) slot)))
                       (sort (cffi:foreign-slot-names '(:struct wf.raw:wf-block)) #'<
                             :key (lambda (slot) (cffi:foreign-slot-offset '(:struct wf.raw:wf-block) slot))))))
    (is (equal slots (header-block-fields (header-text))))
    (is (= 8 (length slots)))))

(test the-library-speaks-this-interface
  (is (<= wf.raw:+abi-version+ (wf.raw:wf-abi-version)))
  (is (find #\. (wf:library-version))))

(test everything-exported-is-documented
  (do-external-symbols (symbol '#:warpfold)
    (let ((kinds (remove-if-not #'identity
                                (list (and (fboundp symbol) 'function) (and (boundp symbol) 'variable)
                                      (and (find-class symbol nil) 'type)))))
      (dolist (kind kinds)
        (is (documentation symbol kind) "~S has no documentation as a ~(~A~)" symbol kind)))))
