;;;; bfs FILE [START]: the numbers of vertices at distance 0, 1, 2, ... from START in a directed graph, from lines "FROM TO" of vertex numbers.
;;;; A round reads the edges of all vertices found in the last one, and a scatter marks the vertices that they lead to.

(in-package #:warpfold-examples)

(defun read-edges (path)
  (with-open-file (file path)
    (let ((*read-eval* nil))
      (wf:from-list (loop for from = (read file nil) while from collect (list from (read file)))))))

(defun adjacency (edges)
  "The targets of the edges of each vertex, as segments."
  (multiple-value-bind (from targets) (wf:unzip (wf:sort edges #'<))
    (let ((n (1+ (max (wf:value (wf:maximum from)) (wf:value (wf:maximum targets))))))
      (wf:segments (wf:force targets) :lengths (wf:histogram from n)))))

(defun targets-of (graph frontier)
  (let* ((starts (wf:force (wf:segment-offsets graph))) (all (wf:flatten graph))
         (degrees (wf:map (wf:fn (v) (- (aref starts (1+ v)) (aref starts v))) frontier))
         (edges (wf:segments (wf:iota (wf:value (wf:sum degrees))) :lengths degrees))
         (first (wf:segment-offsets edges)))
    (wf:map (wf:fn (k i) (aref all (+ (aref starts (aref frontier k)) (- i (aref first k))))) (wf:segment-ids edges) (wf:flatten edges))))

(defun bfs-counts (graph start)
  (let ((seen (wf:tabulate (wf:fn (v) (= v start)) (wf:segment-count graph))) (frontier (wf:from-list (list start))))
    (loop while (plusp (wf:length frontier))
          collect (wf:length frontier)
          do (let* ((found (wf:filter (let ((seen seen)) (wf:fn (v) (not (aref seen v)))) (targets-of graph frontier)))
                    (next (wf:unique found)))
               (setf seen (wf:scatter seen next (wf:map (wf:fn (v) (= v v)) next))
                     frontier next)
               (wf:force seen next)))))

(define-program bfs (&rest arguments)
  (let ((edges (read-edges (first arguments))))
    (format t "~{~D~^ ~}~%" (timed ((wf:length edges) "edges") (bfs-counts (adjacency edges) (number-argument arguments 1 0))))))
