; claim: requirement-r2
; unsat means: no ratio below y* (a larger ε) keeps the posterior within prior + advantage.
(set-logic QF_NRA)
(declare-const P Real)
(declare-const A Real)
(declare-const y Real)
(assert (and (< 0 P) (< P 1)))
(assert (and (< 0 A) (< A 1)))
(assert (< (+ P A) 1))
(assert (> y 0))
(assert (< y (* (/ P (- 1 P)) (- (/ 1 (+ A P)) 1))))
(assert (<= (/ 1 (+ 1 (/ (* y (- 1 P)) P))) (+ P A)))
(check-sat)
