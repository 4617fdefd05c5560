; claim: any-prior-advantage
; unsat means: no prior gains more than (1-x)/(1+x) from likelihood ratios of at least x².
(set-logic QF_NRA)
(declare-const P Real)
(declare-const x Real)
(assert (and (< 0 P) (< P 1)))
(assert (and (< 0 x) (< x 1)))
(assert (> (- (/ 1 (+ 1 (/ (* (* x x) (- 1 P)) P))) P) (/ (- 1 x) (+ 1 x))))
(check-sat)
