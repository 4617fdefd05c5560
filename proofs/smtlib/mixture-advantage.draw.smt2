; claim: mixture-advantage
; unsat means: given a draw of the part of probability 1-t, with likelihoods l0 ≥ x²·l1 in it, no prior gains
; more than (1-x)/(1+x).
(set-logic QF_NRA)
(declare-const P Real)
(declare-const x Real)
(declare-const t Real)
(declare-const l1 Real)
(declare-const l0 Real)
(assert (and (< 0 P) (< P 1)))
(assert (and (< 0 x) (< x 1)))
(assert (>= t 0))
(assert (< t 1))
(assert (> l1 0))
(assert (>= l0 (* (* x x) l1)))
(assert (> (- (/ (* (* P (- 1 t)) l1) (+ (* (* P (- 1 t)) l1) (* (* (- 1 P) (- 1 t)) l0))) P) (/ (- 1 x) (+ 1 x))))
(check-sat)
