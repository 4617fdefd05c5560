; claim: single-output
; unsat means: an event with probability y under the statement and n otherwise, y - z·n ≤ D and y ≥ E·n with E >
; z ≥ 0, has y at most D/(1 - z/E).
(set-logic QF_NRA)
(declare-const y Real)
(declare-const n Real)
(declare-const z Real)
(declare-const E Real)
(declare-const D Real)
(assert (>= y 0))
(assert (>= n 0))
(assert (>= z 0))
(assert (> E z))
(assert (<= (- y (* z n)) D))
(assert (>= y (* E n)))
(assert (> y (/ D (- 1 (/ z E)))))
(check-sat)
