; claim: average-yes-no
; unsat means: laws given yes (prior P of at least 1/2) and no with masses a and b of the first of two outputs:
; the best answer is right with probability at most P + |a-b|·(1-P).
(set-logic QF_NRA)
(declare-const P Real)
(declare-const a Real)
(declare-const b Real)
(assert (>= (* 2 P) 1))
(assert (<= P 1))
(assert (>= a 0))
(assert (<= a 1))
(assert (>= b 0))
(assert (<= b 1))
(assert (> (+ (ite (>= (* P a) (* (- 1 P) b)) (* P a) (* (- 1 P) b)) (ite (>= (* P (- 1 a)) (* (- 1 P) (- 1 b))) (* P (- 1 a)) (* (- 1 P) (- 1 b)))) (+ P (* (ite (>= (- a b) 0) (- a b) (- (- a b))) (- 1 P)))))
(check-sat)
