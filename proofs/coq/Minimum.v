(* The prior (1-A)/2 permits the largest ratio, that is the smallest loss, and no other prior does. *)
From Coq Require Import Reals Lra Psatz.
Require Import Formulas.
Open Scope R_scope.

Lemma certificate : forall P A : R, 0 < P -> 0 < A -> P + A < 1 ->
  worst_ratio A - likelihood_ratio P A = A * (2 * P + A - 1) ^ 2 / ((1 - P) * (P + A) * (1 + A) ^ 2).
Proof.
  intros P A HP HA H. unfold worst_ratio, likelihood_ratio.
  field. repeat split; lra.
Qed.

Lemma positive_below : forall P A : R, 0 < P -> 0 < A -> P + A < 1 -> 0 < (1 - P) * (P + A) * (1 + A) ^ 2.
Proof.
  intros P A HP HA H.
  apply Rmult_lt_0_compat. apply Rmult_lt_0_compat; lra. apply pow_lt; lra.
Qed.

Theorem minimum : forall P A : R, 0 < P -> 0 < A -> P + A < 1 -> likelihood_ratio P A <= worst_ratio A.
Proof.
  intros P A HP HA H.
  pose proof (certificate P A HP HA H) as C.
  pose proof (positive_below P A HP HA H) as B.
  assert (0 <= A * (2 * P + A - 1) ^ 2 / ((1 - P) * (P + A) * (1 + A) ^ 2)).
  { apply Rmult_le_pos.
    - apply Rmult_le_pos; [lra | apply pow2_ge_0].
    - left; apply Rinv_0_lt_compat; exact B. }
  lra.
Qed.

Theorem reached : forall A : R, 0 < A < 1 -> likelihood_ratio (worst_prior A) A = worst_ratio A.
Proof.
  intros A HA. unfold likelihood_ratio, worst_prior, worst_ratio.
  field. repeat split; lra.
Qed.

Theorem only_there : forall P A : R, 0 < P -> 0 < A -> P + A < 1 ->
  likelihood_ratio P A = worst_ratio A -> P = worst_prior A.
Proof.
  intros P A HP HA H E.
  pose proof (certificate P A HP HA H) as C.
  pose proof (positive_below P A HP HA H) as B.
  assert (Z : A * (2 * P + A - 1) ^ 2 = 0).
  { apply (Rmult_eq_reg_r (/ ((1 - P) * (P + A) * (1 + A) ^ 2))).
    - unfold Rdiv in C. lra.
    - apply Rinv_neq_0_compat; lra. }
  apply Rmult_integral in Z. destruct Z as [Z | Z]; [lra |].
  assert (2 * P + A - 1 = 0) by (apply Rsqr_0_uniq; unfold Rsqr; nra).
  unfold worst_prior. lra.
Qed.
