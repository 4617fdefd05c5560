; claim: norm-group
; unsat means: two vectors, so far of squared lengths a and b and with a sum of m ≤ 2a + 2b, have a sum of at
; most 4S if one more cell keeps both squared lengths within S.
(set-logic QF_NRA)
(declare-const v Real)
(declare-const w Real)
(declare-const a Real)
(declare-const b Real)
(declare-const m Real)
(declare-const S Real)
(assert (>= a 0))
(assert (>= b 0))
(assert (<= (+ a (* v v)) S))
(assert (<= (+ b (* w w)) S))
(assert (<= m (+ (* 2 a) (* 2 b))))
(assert (> (+ m (* (+ v w) (+ v w))) (* 4 S)))
(check-sat)
