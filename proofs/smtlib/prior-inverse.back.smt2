; claim: prior-inverse
; unsat means: the permitted ratio at the advantage that a ratio causes is always that ratio.
(set-logic QF_NRA)
(declare-const P Real)
(declare-const y Real)
(assert (and (< 0 P) (< P 1)))
(assert (and (< 0 y) (< y 1)))
(assert (not (= (* (/ P (- 1 P)) (- (/ 1 (+ (- (/ 1 (+ 1 (/ (* y (- 1 P)) P))) P) P)) 1)) y)))
(check-sat)
