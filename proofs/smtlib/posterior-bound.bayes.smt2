; claim: posterior-bound
; unsat means: no prior and no likelihoods l1 (guess right) and l0 ≥ y·l1 (guess wrong) give a posterior above
; the bound.
(set-logic QF_NRA)
(declare-const P Real)
(declare-const y Real)
(declare-const l1 Real)
(declare-const l0 Real)
(assert (and (< 0 P) (< P 1)))
(assert (> y 0))
(assert (> l1 0))
(assert (>= l0 (* y l1)))
(assert (> (/ (* P l1) (+ (* P l1) (* (- 1 P) l0))) (/ 1 (+ 1 (/ (* y (- 1 P)) P)))))
(check-sat)
