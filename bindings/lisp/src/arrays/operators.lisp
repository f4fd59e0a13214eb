;;;; The package warpfold.operators: functions of Common Lisp for arrays, element by element. Each is a MAP with its name.

(in-package #:warpfold)

(macrolet ((define-array-operators (&rest names)
             `(progn
                ,@(loop for name in names
                        for operator = (find-symbol (symbol-name name) '#:warpfold.operators)
                        collect `(defun ,operator (array &rest more)
                                   ,(format nil "(wf:map '~(~A~) array ...), for arrays and numbers, of which one is an array." name)
                                   (calling (,operator) (apply #'map ',name array more)))))))
  (define-array-operators + - * / = /= < <= > >= and or not min max abs signum mod rem floor ceiling truncate round expt exp log sqrt
                          sin cos tan asin acos atan sinh cosh tanh logand logior logxor lognot ash))

(define-called clamp (array low high)
  "The elements of ARRAY between LOW and HIGH: LOW for those below it, HIGH for those above it; NaN becomes HIGH. LOW and HIGH may be arrays. If HIGH is
below LOW, all elements are LOW."
  (map (fn (x low high) (max (min x high) low)) array low high))

(define-called where (condition array other)
  "The elements of ARRAY where CONDITION, an array of booleans, is true, else those of OTHER; each may be a number. Shapes are as for MAP."
  (map (fn (c a b) (if c a b)) condition array other))
