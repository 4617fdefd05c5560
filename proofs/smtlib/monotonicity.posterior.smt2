; claim: monotonicity
; unsat means: a larger ratio never permits a larger or equal posterior.
(set-logic QF_NRA)
(declare-const P Real)
(declare-const A Real)
(declare-const B Real)
(assert (and (< 0 P) (< P 1)))
(assert (and (< 0 A) (< A 1)))
(assert (and (< 0 B) (< B 1)))
(assert (> B A))
(assert (>= (/ 1 (+ 1 (/ (* B (- 1 P)) P))) (/ 1 (+ 1 (/ (* A (- 1 P)) P)))))
(check-sat)
