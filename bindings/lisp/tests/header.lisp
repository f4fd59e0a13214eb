;;;; The raw layer, which is read from the header, and its structure, which is compared with it.

(in-package #:warpfold-test)
(in-suite warpfold)

(test the-header-is-read
  (is (> (length wf.raw:*c-functions*) 100))
  (dolist (expected '(("wf_abi_version" :int32) ("wf_type_name" :pointer :int32) ("wf_retain" :void :pointer)
                      ("wf_take" :int32 :pointer :int64 :pointer)
                      ("wf_adopt" :int32 :pointer :int32 :pointer :int64 :pointer :pointer :pointer)))
    (is (equal expected (assoc (first expected) wf.raw:*c-functions* :test #'equal)))))

(test every-constant-is-read
  (let ((constants (wf.raw::header-constants (wf.raw::header-text))))
    (is (= (length constants) (+ 12 8 1)))
    (is (equal (list 3 7 1) (list wf.raw:+error-size+ wf.raw:+f64+ wf.raw:+abi-version+)))))

(test an-unknown-type-is-an-error
  (signals error (wf.raw::header-functions "WF_API int32_t wf_new(float x);")))

(defun header-block-fields (text)
  "The names and types of the fields of wf_block."
  (let* ((start (+ (search "typedef struct wf_block {" text) 25))
         (fields (uiop:split-string (subseq text start (position #\} text :start start)) :separator ";")))
    (loop for field in (butlast fields)
          for plain = (string-trim '(#\Space #\Newline) field)
          for name = (if (find #\( plain)
                         (subseq plain (+ 2 (search "(*" plain)) (position #\) plain))
                         (subseq plain (1+ (position-if (lambda (c) (find c " *")) plain :from-end t))))
          collect (list (substitute #\- #\_ (string-upcase name))
                        (if (search "wf_block_function" plain) :pointer (wf.raw::c-type plain))))))

(test the-block-structure-is-the-headers
  (let ((slots (mapcar (lambda (slot) (list (string slot) (cffi:foreign-slot-type '(:struct wf.raw:wf-block) slot)))
                       (sort (cffi:foreign-slot-names '(:struct wf.raw:wf-block)) #'<
                             :key (lambda (slot) (cffi:foreign-slot-offset '(:struct wf.raw:wf-block) slot))))))
    (is (equal slots (header-block-fields (wf.raw::header-text))))
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
