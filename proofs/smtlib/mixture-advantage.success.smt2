; claim: mixture-advantage
; unsat means: who succeeds with at most P + (1-x)/(1+x) in the part of probability 1-t, and always in the
; other, succeeds with at most (1-t)·(P + (1-x)/(1+x)) + t.
(set-logic QF_NRA)
(declare-const P Real)
(declare-const x Real)
(declare-const t Real)
(declare-const s Real)
(assert (and (< 0 P) (< P 1)))
(assert (and (< 0 x) (< x 1)))
(assert (>= t 0))
(assert (<= t 1))
(assert (<= s (+ P (/ (- 1 x) (+ 1 x)))))
(assert (> (+ (* (- 1 t) s) (* t 1)) (+ (* (- 1 t) (+ P (/ (- 1 x) (+ 1 x)))) t)))
(check-sat)
