(* The cubic of one-sided noise has at most one root between 0 and 1, and the advantage is A exactly there. *)
From Coq Require Import Reals Lra Psatz.
Require Import Formulas.
Open Scope R_scope.

Theorem unique : forall A x z : R, 0 < A < 1 -> 0 < x < 1 -> 0 < z < 1 ->
  oversampling_polynomial x A = 0 -> oversampling_polynomial z A = 0 -> x = z.
Proof.
  intros A x z HA Hx Hz Px Pz. unfold oversampling_polynomial in *.
  assert (E : (x - z) * (2 * (x ^ 2 + x * z + z ^ 2 + x * z * (x + z))) = 0).
  { assert (X : 2 * x ^ 3 = (1 - A) * (1 + x)) by lra.
    assert (Z : 2 * z ^ 3 = (1 - A) * (1 + z)) by lra.
    assert (2 * x ^ 3 * (1 + z) = 2 * z ^ 3 * (1 + x)) by (rewrite X, Z; ring).
    lra. }
  assert (0 < x * z) by (apply Rmult_lt_0_compat; lra).
  assert (0 < x * z * (x + z)) by (apply Rmult_lt_0_compat; lra).
  assert (0 <= x ^ 2) by apply pow2_ge_0.
  assert (0 <= z ^ 2) by apply pow2_ge_0.
  apply Rmult_integral in E. destruct E as [E | E]; lra.
Qed.

Theorem changes_sign : forall A : R, 0 < A < 1 -> oversampling_polynomial 0 A < 0 < oversampling_polynomial 1 A.
Proof.
  intros A HA. unfold oversampling_polynomial. split; lra.
Qed.

Theorem advantage_there : forall A x : R, 0 < x ->
  (1 + x) * (one_sided_advantage x - A) = - oversampling_polynomial x A.
Proof.
  intros A x Hx. unfold one_sided_advantage, oversampling_polynomial. field. lra.
Qed.
