; claim: worst-loss
; unsat means: with likelihood ratios of at least ((1-A)/(1+A))² no prior gains more than A.
(set-logic QF_NRA)
(declare-const P Real)
(declare-const A Real)
(declare-const y Real)
(assert (and (< 0 P) (< P 1)))
(assert (and (< 0 A) (< A 1)))
(assert (>= y (* (/ (- 1 A) (+ 1 A)) (/ (- 1 A) (+ 1 A)))))
(assert (> (- (/ 1 (+ 1 (/ (* y (- 1 P)) P))) P) A))
(check-sat)
