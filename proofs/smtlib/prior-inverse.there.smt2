; claim: prior-inverse
; unsat means: the posterior at the permitted ratio is always prior + advantage.
(set-logic QF_NRA)
(declare-const P Real)
(declare-const A Real)
(assert (and (< 0 P) (< P 1)))
(assert (and (< 0 A) (< A 1)))
(assert (< (+ P A) 1))
(assert (not (= (/ 1 (+ 1 (/ (* (* (/ P (- 1 P)) (- (/ 1 (+ A P)) 1)) (- 1 P)) P))) (+ P A))))
(check-sat)
