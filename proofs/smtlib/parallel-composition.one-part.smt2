; claim: parallel-composition
; unsat means: if only one of two disjoint parts changes, the pair's masses keep the ratio E of that part.
(set-logic QF_NRA)
(declare-const a Real)
(declare-const b Real)
(declare-const c Real)
(declare-const E Real)
(assert (>= a 0))
(assert (>= b 0))
(assert (>= c 0))
(assert (>= E 1))
(assert (<= a (* E b)))
(assert (> (* a c) (* E (* b c))))
(check-sat)
