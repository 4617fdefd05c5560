; claim: weighted-histogram
; unsat means: whatever is released, the exponents of three cells that change by at most W in total differ by at
; most W; by induction so do those of any number.
(set-logic QF_LIA)
(declare-const o1 Int)
(declare-const v1 Int)
(declare-const w1 Int)
(declare-const o2 Int)
(declare-const v2 Int)
(declare-const w2 Int)
(declare-const o3 Int)
(declare-const v3 Int)
(declare-const w3 Int)
(declare-const W Int)
(assert (<= (+ (+ (ite (>= (- v1 w1) 0) (- v1 w1) (- (- v1 w1))) (ite (>= (- v2 w2) 0) (- v2 w2) (- (- v2 w2)))) (ite (>= (- v3 w3) 0) (- v3 w3) (- (- v3 w3)))) W))
(assert (> (+ (+ (- (ite (>= (- o1 w1) 0) (- o1 w1) (- (- o1 w1))) (ite (>= (- o1 v1) 0) (- o1 v1) (- (- o1 v1)))) (- (ite (>= (- o2 w2) 0) (- o2 w2) (- (- o2 w2))) (ite (>= (- o2 v2) 0) (- o2 v2) (- (- o2 v2))))) (- (ite (>= (- o3 w3) 0) (- o3 w3) (- (- o3 w3))) (ite (>= (- o3 v3) 0) (- o3 v3) (- (- o3 v3))))) W))
(check-sat)
