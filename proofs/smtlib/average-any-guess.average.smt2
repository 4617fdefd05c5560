; claim: average-any-guess
; unsat means: if for each of two values (prior P) the success c or d exceeds that at the reference, r or s, by
; at most D, and the average at the reference is at most V, then the average success is at most V + D.
(set-logic QF_NRA)
(declare-const P Real)
(declare-const r Real)
(declare-const s Real)
(declare-const c Real)
(declare-const d Real)
(declare-const D Real)
(declare-const V Real)
(assert (>= P 0))
(assert (<= P 1))
(assert (<= c (+ r D)))
(assert (<= d (+ s D)))
(assert (<= (+ (* P r) (* (- 1 P) s)) V))
(assert (> (+ (* P c) (* (- 1 P) d)) (+ V D)))
(check-sat)
