; claim: monotonicity
; unsat means: a larger loss (smaller x) never permits a smaller or equal advantage.
(set-logic QF_NRA)
(declare-const A Real)
(declare-const B Real)
(assert (and (< 0 A) (< A 1)))
(assert (and (< 0 B) (< B 1)))
(assert (> B A))
(assert (>= (/ (- 1 B) (+ 1 B)) (/ (- 1 A) (+ 1 A))))
(check-sat)
