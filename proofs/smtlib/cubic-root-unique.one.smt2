; claim: cubic-root-unique
; unsat means: the cubic never has two roots between 0 and 1.
(set-logic QF_NRA)
(declare-const A Real)
(declare-const x Real)
(declare-const z Real)
(assert (and (< 0 A) (< A 1)))
(assert (and (< 0 x) (< x 1)))
(assert (and (< 0 z) (< z 1)))
(assert (< x z))
(assert (= (+ (+ (* 2 (* x x x)) (* (- A 1) x)) (- A 1)) 0))
(assert (= (+ (+ (* 2 (* z z z)) (* (- A 1) z)) (- A 1)) 0))
(check-sat)
