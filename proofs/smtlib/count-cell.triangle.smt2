; claim: count-cell
; unsat means: whatever is released, the exponents |k-v| and |k-w| of two values that differ by at most D differ
; by at most D.
(set-logic QF_LIA)
(declare-const k Int)
(declare-const v Int)
(declare-const w Int)
(declare-const D Int)
(assert (<= (ite (>= (- v w) 0) (- v w) (- (- v w))) D))
(assert (> (- (ite (>= (- k w) 0) (- k w) (- (- k w))) (ite (>= (- k v) 0) (- k v) (- (- k v)))) D))
(check-sat)
