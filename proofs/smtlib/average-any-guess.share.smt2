; claim: average-any-guess
; unsat means: an output with mass m for a value and q for the reference, at which the guess is right with
; probability f, adds at most q·f + (m-q)₊ to the success; summed over outputs, values and other cases that is
; the theorem.
(set-logic QF_NRA)
(declare-const m Real)
(declare-const q Real)
(declare-const f Real)
(assert (>= m 0))
(assert (>= q 0))
(assert (>= f 0))
(assert (<= f 1))
(assert (> (* m f) (+ (* q f) (ite (>= (- m q) 0) (- m q) 0))))
(check-sat)
