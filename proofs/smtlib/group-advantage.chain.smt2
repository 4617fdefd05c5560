; claim: group-advantage
; unsat means: two replacements with ratios of at least x² each never gain more than (1-x²)/(1+x²) =
; tanh(2·ε/4).
(set-logic QF_NRA)
(declare-const P Real)
(declare-const x Real)
(declare-const l1 Real)
(declare-const m Real)
(declare-const l0 Real)
(assert (and (< 0 P) (< P 1)))
(assert (and (< 0 x) (< x 1)))
(assert (> l1 0))
(assert (>= m (* (* x x) l1)))
(assert (>= l0 (* (* x x) m)))
(assert (> (- (/ (* P l1) (+ (* P l1) (* (- 1 P) l0))) P) (/ (- 1 (* x x)) (+ 1 (* x x)))))
(check-sat)
