; claim: discrete-gaussian-release
; unsat means: for t ≤ 3/5 the lower factor is at least 1/(1+t)³, and lower over upper at least 1/(1+t)⁴.
(set-logic QF_NRA)
(declare-const t Real)
(assert (>= t 0))
(assert (<= t (/ 3 5)))
(assert (or (< (* (/ (- 1 t) (+ 1 t)) (* (+ 1 t) (+ 1 t) (+ 1 t))) 1) (< (* (/ (- 1 t) (+ 1 t)) (* (+ 1 t) (+ 1 t) (+ 1 t) (+ 1 t))) (+ 1 t))))
(check-sat)
