; claim: worst-loss
; unsat means: every larger loss gives more than A at the worst prior.
(set-logic QF_NRA)
(declare-const A Real)
(declare-const y Real)
(assert (and (< 0 A) (< A 1)))
(assert (> y 0))
(assert (< y (* (/ (- 1 A) (+ 1 A)) (/ (- 1 A) (+ 1 A)))))
(assert (<= (- (/ 1 (+ 1 (/ (* y (- 1 (/ (- 1 A) 2))) (/ (- 1 A) 2)))) (/ (- 1 A) 2)) A))
(check-sat)
