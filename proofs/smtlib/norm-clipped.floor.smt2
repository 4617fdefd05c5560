; claim: norm-clipped
; unsat means: t² ≤ k and k·S ≤ L with S ≥ 0 give t²·S ≤ L; an entry that is rounded towards 0 has no larger
; square.
(set-logic QF_NRA)
(declare-const t Real)
(declare-const k Real)
(declare-const S Real)
(declare-const L Real)
(declare-const v Real)
(declare-const w Real)
(assert (>= S 0))
(assert (>= t 0))
(assert (<= (* t t) k))
(assert (<= (* k S) L))
(assert (>= v 0))
(assert (<= v w))
(assert (or (> (* (* t t) S) L) (> (* v v) (* w w))))
(check-sat)
