; claim: loss-twin
; unsat means: 1/y* is always 1 + A/(P(1-A-P)).
(set-logic QF_NRA)
(declare-const P Real)
(declare-const A Real)
(assert (and (< 0 P) (< P 1)))
(assert (and (< 0 A) (< A 1)))
(assert (< (+ P A) 1))
(assert (not (= (/ 1 (* (/ P (- 1 P)) (- (/ 1 (+ A P)) 1))) (+ 1 (/ A (* P (- (- 1 A) P)))))))
(check-sat)
