;;;; Scatters and histograms: views, flags, errors. values.lisp has their values.

(in-package #:warpfold-test)
(in-suite warpfold)

(test scatters-are-views-and-flags-too
  (let ((s (wf:tabulate (wf:fn (i) i) 10)))
    (is (equal '(9 8 7 6 5 4 3 2 1 0) (wf:to-list (wf:scatter s (wf:reverse s) s))))
    (is (equal '(nil t nil t) (wf:to-list (wf:scatter (wf:from-list '(nil nil nil nil)) (wf:from-list '(1 3 1))
                                                      (wf:from-list '(t t nil)) :by 'or))))))

(test errors-of-scatters
  (let ((s (wf:from-list '(1 2 3))) (released (wf:from-list '(1))))
    (wf:release released)
    (says "wf:to-list: index 3 at element 2" (wf:to-list (wf:scatter s s s)))
    (signals wf:range-error (wf:to-list (wf:histogram s 3)))
    (signals wf:size-error (wf:histogram s -1))
    (signals wf:size-error (wf:scatter s s (wf:from-list '(1))))
    (signals wf:element-type-error (wf:scatter s (wf:from-list '(1.0 2.0 3.0)) s))
    (signals wf:element-type-error (wf:scatter s s (wf:from-list '(1.0 2.0 3.0))))
    (signals wf:argument-error (wf:scatter s s s :by #'-))
    (names-itself (wf:scatter released s s) (wf:scatter s s s :by #'-) (wf:scatter s s 5) (wf:histogram released 3) (wf:histogram s 1.5)
                  (wf:histogram s -1))))
