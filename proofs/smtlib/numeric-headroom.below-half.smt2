; claim: numeric-headroom
; unsat means: for a sum t < 1/2 with error l, rounded at 1-t (d) and at (1-t)-l (e), the relative error stays
; in bounds.
(set-logic QF_NRA)
(declare-const t Real)
(declare-const l Real)
(declare-const d Real)
(declare-const e Real)
(assert (<= (ite (>= l 0) l (- l)) (* (/ 1 9007199254740992) t)))
(assert (<= (ite (>= e 0) e (- e)) (/ 1 9007199254740992)))
(assert (> t 0))
(assert (> (- (- 1 t) l) 0))
(assert (<= (ite (>= d 0) d (- d)) (/ 1 9007199254740992)))
(assert (< t (/ 1 2)))
(assert (> (ite (>= (- (* (- (* (- 1 t) (+ 1 d)) l) (+ 1 e)) (- (- 1 t) l)) 0) (- (* (- (* (- 1 t) (+ 1 d)) l) (+ 1 e)) (- (- 1 t) l)) (- (- (* (- (* (- 1 t) (+ 1 d)) l) (+ 1 e)) (- (- 1 t) l)))) (* (/ 4503599627370497 20282409603651670423947251286016) (- (- 1 t) l))))
(check-sat)
