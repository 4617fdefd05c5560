; claim: noisy-max
; unsat means: what a score must reach to win against a rival with noise z moves by at most 2·D if both scores
; move by at most D; so does the largest of several.
(set-logic QF_LIA)
(declare-const s Int)
(declare-const r Int)
(declare-const u Int)
(declare-const w Int)
(declare-const z Int)
(declare-const D Int)
(assert (<= (ite (>= (- s u) 0) (- s u) (- (- s u))) D))
(assert (<= (ite (>= (- r w) 0) (- r w) (- (- r w))) D))
(assert (> (- (- (+ w z) u) (- (+ r z) s)) (* 2 D)))
(check-sat)
