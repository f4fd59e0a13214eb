;;;; Scalar functions of Common Lisp that are not operations of the library, written in the language of wf:fn itself. They differ
;;;; from Lisp's in two ways: integers wrap at the width of their type, and a quotient or remainder by 0 is 0 instead of an error.

(in-package #:warpfold)

;;; ---- quotients and remainders: the quotient of floats is an :i64

(define-inline %floor1 (x) (if (%floatp x) (cast (ffloor x) :i64) x))
(define-inline %ceiling1 (x) (if (%floatp x) (cast (fceiling x) :i64) x))
(define-inline %truncate1 (x) (if (%floatp x) (cast x :i64) x))
(define-inline %round1 (x) (if (%floatp x) (cast (fround x) :i64) x))

(define-inline %truncate (a b)
  (if (%floatp (+ a b)) (cast (/ a b) :i64) (%div a b)))

(define-inline %floor (a b)
  (cond ((%floatp (+ a b)) (cast (ffloor (/ a b)) :i64))
        ((%signedp (%div a b))
         (let ((q (%div a b)) (r (rem a b)))
           (if (if (< b 0) (> r 0) (< r 0)) (- q 1) q)))
        (t (%div a b))))

(define-inline %ceiling (a b)
  (if (%floatp (+ a b))
      (cast (fceiling (/ a b)) :i64)
      (let ((q (%div a b)) (r (rem a b)))
        (if (if (< b 0) (< r 0) (> r 0)) (%like (+ q 1) q) q))))

(define-inline %round (a b)
  (if (%floatp (+ a b))
      (cast (fround (/ a b)) :i64)
      (let* ((q (%div a b))
             (below (abs (rem a b)))
             (above (- (abs b) below)))
        (cond ((not (and (/= below 0) (or (> below above) (and (= below above) (oddp q))))) q)
              ((eq (< a 0) (< b 0)) (%like (+ q 1) q))
              (t (%like (- q 1) q))))))

(define-inline mod (a b)
  (let ((r (rem a b)))
    (if (if (< b 0) (> r 0) (< r 0)) (%like (+ r b) r) r)))

(define-inline %floor2 (a &optional (b 1)) (values (%floor a b) (mod a b)))
(define-inline %truncate2 (a &optional (b 1)) (values (%truncate a b) (rem a b)))
(define-inline %ceiling2 (a &optional (b 1)) (let ((q (%ceiling a b))) (values q (- a (* q b)))))
(define-inline %round2 (a &optional (b 1)) (let ((q (%round a b))) (values q (- a (* q b)))))

(define-inline fround (x)
  "x rounded to the nearest integer, halves to even."
  (if (= (abs (- x (ftruncate x))) 1/2)
      (* 2 (round-away (/ x 2)))
      (round-away x)))

;;; ---- bits

(define-inline %ash (x count)
  (if (< count 0)
      (cond ((> count (- (%width x))) (shr x (%like (- count) x)))
            ((%signedp x) (shr x (%like (1- (%width x)) x)))
            (t (%like 0 x)))
      (if (< count (%width x)) (shl x (%like count x)) (%like 0 x))))

(define-inline logcount (x) (popcount (if (< x 0) (lognot x) x)))
(define-inline integer-length (x) (- (%width x) (clz (if (< x 0) (lognot x) x))))
(define-inline logtest (a b) (/= (logand a b) 0))
(define-inline logbitp (index x) (/= (logand (ash x (- index)) 1) 0))
(define-inline lognand (a b) (lognot (logand a b)))
(define-inline lognor (a b) (lognot (logior a b)))
(define-inline logeqv (a b) (lognot (logxor a b)))
(define-inline logandc1 (a b) (logand (lognot a) b))
(define-inline logandc2 (a b) (logand a (lognot b)))
(define-inline logorc1 (a b) (logior (lognot a) b))
(define-inline logorc2 (a b) (logior a (lognot b)))

;;; ---- predicates

(define-inline zerop (x) (= x 0))
(define-inline plusp (x) (> x 0))
(define-inline minusp (x) (< x 0))
(define-inline evenp (x) (= (logand x 1) 0))
(define-inline oddp (x) (/= (logand x 1) 0))

;;; ---- number theory

(define-inline gcd (a b)
  (do ((x (abs a) y)
       (y (abs b) (rem x y)))
      ((= y 0) x)))

(define-inline isqrt (n)
  "The floor of the square root; 0 for a negative number. In f64, that of a large number may be rounded up or down to another integer."
  (let ((r (%like (%truncate1 (sqrt n)) n)))
    (cond ((> r (%div n r)) (%like (- r 1) n))
          ((<= (+ r 1) (%div n (+ r 1))) (%like (+ r 1) n))
          (t r))))

(define-inline lcm (a b)
  (abs (* a (%div b (gcd a b)))))
