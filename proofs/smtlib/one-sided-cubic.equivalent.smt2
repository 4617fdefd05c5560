; claim: one-sided-cubic
; unsat means: the one-sided advantage is A exactly where the cubic vanishes.
(set-logic QF_NRA)
(declare-const A Real)
(declare-const x Real)
(assert (and (< 0 A) (< A 1)))
(assert (and (< 0 x) (< x 1)))
(assert (xor (= (+ (+ (* 2 (* x x x)) (* (- A 1) x)) (- A 1)) 0) (= (- (+ (* (* x x) (/ (- 1 x) (+ 1 x))) 1) (* x x)) A)))
(check-sat)
