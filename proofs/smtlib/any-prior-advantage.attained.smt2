; claim: any-prior-advantage
; unsat means: the prior x/(1+x) gains exactly that.
(set-logic QF_NRA)
(declare-const x Real)
(assert (and (< 0 x) (< x 1)))
(assert (not (= (- (/ 1 (+ 1 (/ (* (* x x) (- 1 (/ x (+ 1 x)))) (/ x (+ 1 x))))) (/ x (+ 1 x))) (/ (- 1 x) (+ 1 x)))))
(check-sat)
