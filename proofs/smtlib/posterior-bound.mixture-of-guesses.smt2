; claim: posterior-bound
; unsat means: a likelihood l0 that keeps the ratio y to both of two values keeps it to every mixture w of the
; two.
(set-logic QF_NRA)
(declare-const y Real)
(declare-const l0 Real)
(declare-const a Real)
(declare-const b Real)
(declare-const w Real)
(assert (> y 0))
(assert (>= l0 (* y a)))
(assert (>= l0 (* y b)))
(assert (>= w 0))
(assert (<= w 1))
(assert (< l0 (* y (+ (* w a) (* (- 1 w) b)))))
(check-sat)
