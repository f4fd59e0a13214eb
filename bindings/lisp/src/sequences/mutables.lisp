;;;; Mutables: variables that hold a computed sequence or array, and are updated in place where nothing can tell.
;;;;
;;;; The handle of the contents is the mutable's own. A handle that the program can reach, or that is garbage but not collected yet, would
;;;; keep the old elements.

(in-package #:warpfold)

(defstruct (mutable (:constructor own-mutable (handle)) (:copier nil))
  "A variable that holds a computed sequence or array. One thread at a time may use it; its contents are values like any other."
  (handle nil :type seq))

(setf (documentation 'mutable-p 'function) "True of objects that MUTABLE made.")

(defmethod print-object ((mutable mutable) stream)
  (print-unreadable-object (mutable stream)
    (format stream "mutable: ~A" (mutable-handle mutable))))

(defun held (mutable)
  "The handle of the contents."
  (if (mutable-p mutable)
      (mutable-handle mutable)
      (complain-of-argument mutable 'mutable "~A: ~A is not a variable that holds a sequence: expected one made by wf:mutable"
                            (called) (form-text mutable))))

(defun another-handle (sequence)
  (with-pointers ((its sequence))
    (wf.raw:wf-retain its)
    (own-seq its (seq-types sequence) (seq-rank sequence))))

(define-called mutable (sequence)
  "A variable that holds SEQUENCE, which is computed: (CONTENTS variable), (SETF CONTENTS), MODIFY."
  (own-mutable (another-handle (force sequence))))

(define-called contents (mutable)
  "The sequence or array that a variable made by MUTABLE holds; a place for SETF, which computes the new contents. As long as it, or a delayed
sequence made from it, is not released or collected, MODIFY gets new memory. If SETF signals an error, the contents are as before."
  (another-handle (held mutable)))

(defun (setf contents) (sequence mutable)
  (calling (contents) (replace-contents mutable (another-handle sequence)))
  sequence)

(define-called modify (f mutable &rest more)
  "Replaces each element x by f(x, y, ...), at once, where y, ... are the elements of MORE at its index: (SETF CONTENTS) of MAP. On the CPU, the new
elements are written over the old ones if nothing else needs those and f checks no index; otherwise they get new memory. The values are the same.
SIZE-ERROR and ELEMENT-TYPE-ERROR if the shape or the types would change. After an error, the contents are as before. Returns MUTABLE. Work n, span 1."
  (let* ((old (held mutable)) (next (apply #'map f old more)))
    (unless (equal (seq-types next) (seq-types old))
      (error 'element-type-error
             :message (format nil "wf:modify: the elements would change from ~A to ~A: expected a function that returns ~:*~:*~A"
                              (describe-types (seq-types old)) (describe-types (seq-types next)))))
    (unless (equal (dimensions next) (dimensions old))
      (error 'size-error :message (format nil "wf:modify: the shape would change from ~A to ~A: expected operands that broadcast to ~:*~:*~A"
                                          (shape-text (dimensions old)) (shape-text (dimensions next)))))
    (replace-contents mutable next)
    mutable))

(defun replace-contents (mutable next)
  "Computes and assigns a sequence whose handle nothing else uses."
  (let* ((old (held mutable))
         (types (seq-types next)) (rank (seq-rank next)) (is-replaced nil)
         (value (cffi:make-pointer (take-pointer (seq-cell next)))))
    (cffi:with-foreign-object (slot :pointer)
      (setf (cffi:mem-ref slot :pointer) (cffi:make-pointer (take-pointer (seq-cell old))))
      (unwind-protect
           (progn
             (checked (wf.raw:wf-replace value slot))
             (setf is-replaced t))
        (unless is-replaced
          (wf.raw:wf-release value)
          (setf types (seq-types old) rank (seq-rank old)))
        (setf (mutable-handle mutable) (own-seq (cffi:mem-ref slot :pointer) types rank))))))
