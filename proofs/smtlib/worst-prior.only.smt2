; claim: worst-prior
; unsat means: no other prior than (1-A)/2 reaches the minimum.
(set-logic QF_NRA)
(declare-const P Real)
(declare-const A Real)
(assert (and (< 0 P) (< P 1)))
(assert (and (< 0 A) (< A 1)))
(assert (< (+ P A) 1))
(assert (not (= P (/ (- 1 A) 2))))
(assert (= (* (/ P (- 1 P)) (- (/ 1 (+ A P)) 1)) (* (/ (- 1 A) (+ 1 A)) (/ (- 1 A) (+ 1 A)))))
(check-sat)
