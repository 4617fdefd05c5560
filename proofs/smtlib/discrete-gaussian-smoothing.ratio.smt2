; claim: discrete-gaussian-smoothing
; unsat means: of a bell curve g, divided by 1+u with 0 ≤ u ≤ t in the discrete law and by something within t of
; 1 in the smoothed one, the two masses are within the factors (1-t)/(1+t) and 1+t.
(set-logic QF_NRA)
(declare-const t Real)
(declare-const u Real)
(declare-const g Real)
(declare-const p Real)
(declare-const q Real)
(assert (>= t 0))
(assert (< t 1))
(assert (>= u 0))
(assert (<= u t))
(assert (> g 0))
(assert (>= (* p (+ 1 t)) g))
(assert (<= (* p (- 1 t)) g))
(assert (= (* q (+ 1 u)) g))
(assert (or (> q (* (+ 1 t) p)) (< q (* (/ (- 1 t) (+ 1 t)) p))))
(check-sat)
