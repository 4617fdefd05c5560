; claim: mixture-composition
; unsat means: two mixtures with δ = t and δ = y leave at least 1-t-y for the part in which neither fails.
(set-logic QF_NRA)
(declare-const t Real)
(declare-const y Real)
(assert (>= t 0))
(assert (<= t 1))
(assert (>= y 0))
(assert (<= y 1))
(assert (< (* (- 1 t) (- 1 y)) (- (- 1 t) y)))
(check-sat)
