; claim: worst-prior
; unsat means: no prior permits a larger ratio (a smaller ε) than the worst one.
(set-logic QF_NRA)
(declare-const P Real)
(declare-const A Real)
(assert (and (< 0 P) (< P 1)))
(assert (and (< 0 A) (< A 1)))
(assert (< (+ P A) 1))
(assert (> (* (/ P (- 1 P)) (- (/ 1 (+ A P)) 1)) (* (/ (- 1 A) (+ 1 A)) (/ (- 1 A) (+ 1 A)))))
(check-sat)
