; claim: mixture-excess
; unsat means: of each output, with likelihoods l0 ≥ x²·l1 in the part of probability 1-t and any in the other,
; the mass of being right exceeds P + (1-x)/(1+x) of its mass by at most t·(1 - P - (1-x)/(1+x)) of the other
; part's mass; summed over all outputs, by at most t·(1 - P - (1-x)/(1+x)).
(set-logic QF_NRA)
(declare-const P Real)
(declare-const x Real)
(declare-const t Real)
(declare-const l1 Real)
(declare-const l0 Real)
(declare-const m1 Real)
(declare-const m0 Real)
(assert (and (< 0 P) (< P 1)))
(assert (and (< 0 x) (< x 1)))
(assert (>= t 0))
(assert (< t 1))
(assert (>= l1 0))
(assert (>= l0 (* (* x x) l1)))
(assert (>= m1 0))
(assert (>= m0 0))
(assert (<= (+ P (/ (- 1 x) (+ 1 x))) 1))
(assert (> (- (* P (+ (* (- 1 t) l1) (* t m1))) (* (+ P (/ (- 1 x) (+ 1 x))) (+ (* (- 1 t) (+ (* P l1) (* (- 1 P) l0))) (* t (+ (* P m1) (* (- 1 P) m0)))))) (* (* t (- 1 (+ P (/ (- 1 x) (+ 1 x))))) (+ (* P m1) (* (- 1 P) m0)))))
(check-sat)
