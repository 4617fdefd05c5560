; claim: pure-step
; unsat means: a concave curve that is 0 at 0, 1 at 1 and D/(D+1) at 1/(D+1) is at least D·V and at least 1 -
; (1-V)/D where these are its chords; its distance from the diagonal there is the shipped one.
(set-logic QF_NRA)
(declare-const D Real)
(declare-const V Real)
(declare-const A Real)
(declare-const t Real)
(assert (> D 1))
(assert (>= t 0))
(assert (<= t 1))
(assert (or (and (<= (/ (* t D) (+ D 1)) A) (= V (/ t (+ D 1)))) (and (<= (- (+ (/ (* t D) (+ D 1)) 1) t) A) (= V (- (+ (/ t (+ D 1)) 1) t)))))
(assert (or (> (ite (<= (* D V) (- 1 (/ (- 1 V) D))) (* D V) (- 1 (/ (- 1 V) D))) A) (not (= (/ (- D 1) (+ D 1)) (- (/ D (+ D 1)) (/ 1 (+ D 1)))))))
(check-sat)
