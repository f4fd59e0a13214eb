;;;; Structures and constants as elements: a column per slot. Functions of elements have a parameter per column, as for other tuples.

(in-package #:warpfold)

(defun constants-of (type)
  "The constants of a type such as (member :red :green), or NIL."
  (let ((expanded (sb-ext:typexpand type)))
    (and (consp expanded) (eq (first expanded) 'member) (not (cl:every (lambda (x) (typep x 'boolean)) (rest expanded))) (rest expanded))))

(defun structure-p (type) (and (symbolp type) (typep (find-class type nil) 'structure-class)))

(defun slots-of (type)
  "The names and types of a structure's slots."
  (loop for slot in (sb-mop:class-slots (find-class type)) collect (list (sb-mop:slot-definition-name slot) (sb-mop:slot-definition-type slot))))

(defun column-types-of (type)
  "The element types of the columns of values of a type."
  (let ((constants (constants-of type)))
    (cond ((structure-p type) (loop for (nil its) in (slots-of type) append (column-types-of its)))
          ((cl:nthcdr 256 constants) (complain-of-argument type 'type "~A: ~A has more than 256 constants" (called) (form-text type)))
          (t (list (if constants :u8 (element-type-of type)))))))

(defun numbers-of (value type)
  "The numbers of a value's columns."
  (let ((constants (constants-of type)))
    (unless (or (typep type 'element-type) (typep value type))
      (complain-of-value value type "~A is not of type ~A" (form-text value) (form-text type)))
    (cond ((structure-p type) (loop for (slot its) in (slots-of type) append (numbers-of (slot-value value slot) its)))
          (constants (list (position value constants)))
          (t (list value)))))

(defun value-of-numbers (numbers type)
  "Two values: the value of a type with these numbers, and the numbers of others."
  (let ((constants (constants-of type)))
    (cond ((structure-p type)
           (loop with structure = (allocate-instance (find-class type))
                 for (slot its) in (slots-of type)
                 do (setf (values (slot-value structure slot) numbers) (value-of-numbers numbers its))
                 finally (return (values structure numbers))))
          (constants (values (cl:nth (pop numbers) constants) numbers))
          (t (values (pop numbers) numbers)))))

(define-called from-records (type records &key context)
  "A sequence of the values in a list, all of TYPE: the name of a structure with a column for each slot, in their order, or a type of up to 256 constants,
such as (member :red :green), whose elements are their positions, of :u8. Slots have element types, or such types in turn. ELEMENT-VALUE-ERROR for another
value. wf:to-records is the inverse."
  (let ((rows (mapcar (lambda (value) (numbers-of value type)) records)) (types (column-types-of type)))
    (apply (if (rest types) #'zip #'identity)
           (loop for column-type in types for k from 0
                 collect (from-list (mapcar (lambda (row) (cl:nth k row)) rows) :type column-type :context context)))))

(define-called to-records (type sequence)
  "A list of the elements as values of TYPE, as wf:from-records takes them. Computes the sequence.
ELEMENT-TYPE-ERROR if the columns are not those of the type."
  (let ((types (column-types-of type)))
    (unless (equal types (seq-types sequence))
      (error 'element-type-error :message (format nil "~A: the elements have the type ~A: expected ~A for ~A" (called) (describe-types (seq-types sequence))
                                                  (describe-types types) (form-text type))))
    (loop for row in (to-list sequence) collect (values (value-of-numbers (if (consp row) row (list row)) type)))))

(defmacro constant-code (constant type)
  "The number of a constant of a type such as (member :red :green), for functions of elements: (= c (wf:constant-code :green color))."
  (or (position constant (constants-of type)) (reject constant "it is not a constant of ~A" type)))
