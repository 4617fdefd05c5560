; claim: single-output
; unsat means: if each of two values on one side keeps its excess over z times the other, so does every mixture
; w of them.
(set-logic QF_NRA)
(declare-const a Real)
(declare-const b Real)
(declare-const c Real)
(declare-const z Real)
(declare-const D Real)
(declare-const w Real)
(assert (>= z 0))
(assert (>= w 0))
(assert (<= w 1))
(assert (<= (- a (* z b)) D))
(assert (<= (- c (* z b)) D))
(assert (> (- (+ (* w a) (* (- 1 w) c)) (* z b)) D))
(check-sat)
