(* A loss of at most 2 ln((1+A)/(1-A)) keeps the advantage within A, whatever the prior. *)
From Coq Require Import Reals Lra Psatz.
Require Import Formulas.
Open Scope R_scope.

Lemma kept : forall P A y : R, 0 < P < 1 -> 0 < A < 1 -> worst_ratio A <= y -> posterior P y - P <= A.
Proof.
  intros P A y HP HA Hy.
  assert (W : 0 < worst_ratio A).
  { unfold worst_ratio. apply pow_lt. apply Rdiv_lt_0_compat; lra. }
  assert (S : worst_ratio A * (1 + A) ^ 2 = (1 - A) ^ 2).
  { unfold worst_ratio. field. lra. }
  assert (D : 0 < P + y * (1 - P)).
  { assert (0 < y * (1 - P)) by (apply Rmult_lt_0_compat; lra). lra. }
  assert (E : posterior P y = P / (P + y * (1 - P))).
  { unfold posterior. field. split; lra. }
  rewrite E.
  apply Rplus_le_reg_r with P. replace (P / (P + y * (1 - P)) - P + P) with (P / (P + y * (1 - P))) by ring.
  apply Rmult_le_reg_r with (P + y * (1 - P)); [exact D |].
  replace (P / (P + y * (1 - P)) * (P + y * (1 - P))) with P by (field; lra).
  (* P (1-P-A) <= y (1-P) (P+A): enough with the worst ratio for y, and times (1+A)^2. *)
  assert (K : P * (1 - P - A) * (1 + A) ^ 2 <= (1 - A) ^ 2 * ((1 - P) * (P + A))).
  { assert (0 <= A * (2 * P + A - 1) ^ 2) by (apply Rmult_le_pos; [lra | apply pow2_ge_0]).
    assert ((1 - A) ^ 2 * ((1 - P) * (P + A)) - P * (1 - P - A) * (1 + A) ^ 2 = A * (2 * P + A - 1) ^ 2) by ring.
    lra. }
  assert (Q : 0 < (1 + A) ^ 2) by (apply pow_lt; lra).
  assert (V : P * (1 - P - A) <= worst_ratio A * ((1 - P) * (P + A))).
  { apply Rmult_le_reg_r with ((1 + A) ^ 2); [exact Q |].
    replace (worst_ratio A * ((1 - P) * (P + A)) * (1 + A) ^ 2)
      with (worst_ratio A * (1 + A) ^ 2 * ((1 - P) * (P + A))) by ring.
    rewrite S. exact K. }
  assert (U : worst_ratio A * ((1 - P) * (P + A)) <= y * ((1 - P) * (P + A))).
  { apply Rmult_le_compat_r; [| exact Hy]. apply Rmult_le_pos; lra. }
  nra.
Qed.

Theorem sound : forall P A loss : R, 0 < P < 1 -> 0 < A < 1 ->
  loss <= 2 * ln ((1 + A) / (1 - A)) -> posterior P (exp (- loss)) - P <= A.
Proof.
  intros P A loss HP HA H. apply kept; try assumption.
  assert (B : 0 < (1 - A) / (1 + A)) by (apply Rdiv_lt_0_compat; lra).
  assert (B' : 0 < (1 + A) / (1 - A)) by (apply Rdiv_lt_0_compat; lra).
  assert (F : worst_ratio A = exp (- (2 * ln ((1 + A) / (1 - A))))).
  { replace (- (2 * ln ((1 + A) / (1 - A)))) with (ln ((1 - A) / (1 + A)) + ln ((1 - A) / (1 + A))).
    - rewrite exp_plus. rewrite exp_ln by exact B. unfold worst_ratio. ring.
    - replace ((1 - A) / (1 + A)) with (/ ((1 + A) / (1 - A))) by (field; lra).
      rewrite ln_Rinv by exact B'. ring. }
  rewrite F.
  destruct (Rle_lt_or_eq_dec _ _ H) as [L | L].
  - left. apply exp_increasing. lra.
  - right. rewrite L. reflexivity.
Qed.
