; claim: worst-prior
; unsat means: the prior (1-A)/2 reaches the minimum.
(set-logic QF_NRA)
(declare-const A Real)
(assert (and (< 0 A) (< A 1)))
(assert (not (= (* (/ (/ (- 1 A) 2) (- 1 (/ (- 1 A) 2))) (- (/ 1 (+ A (/ (- 1 A) 2))) 1)) (* (/ (- 1 A) (+ 1 A)) (/ (- 1 A) (+ 1 A))))))
(check-sat)
