; claim: norm-nonnegative
; unsat means: two vectors without negative entries, so far of squared lengths a and b and apart by m ≤ a + b,
; stay apart by at most 2S if one more cell keeps both squared lengths within S.
(set-logic QF_NRA)
(declare-const v Real)
(declare-const w Real)
(declare-const a Real)
(declare-const b Real)
(declare-const m Real)
(declare-const S Real)
(assert (>= v 0))
(assert (>= w 0))
(assert (>= a 0))
(assert (>= b 0))
(assert (<= (+ a (* v v)) S))
(assert (<= (+ b (* w w)) S))
(assert (<= m (+ a b)))
(assert (> (+ m (* (- v w) (- v w))) (* 2 S)))
(check-sat)
