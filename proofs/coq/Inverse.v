(* The permitted ratio is the one at which the posterior bound equals prior + advantage, and back. *)
From Coq Require Import Reals Lra Psatz.
Require Import Formulas.
Open Scope R_scope.

Theorem there : forall P A : R, 0 < P -> 0 < A -> P + A < 1 -> posterior P (likelihood_ratio P A) = P + A.
Proof.
  intros P A HP HA H. unfold posterior, likelihood_ratio.
  field. repeat split; try lra; nra.
Qed.

Theorem back : forall P y : R, 0 < P < 1 -> 0 < y < 1 -> likelihood_ratio P (posterior P y - P) = y.
Proof.
  intros P y HP Hy. unfold posterior, likelihood_ratio.
  assert (0 < y * (1 - P)) by (apply Rmult_lt_0_compat; lra).
  field. repeat split; try lra; nra.
Qed.
