(* A yes/no question: the laws given yes and given no are mixtures over the values of the case. *)
From Coq Require Import Reals Lra Psatz List.
Require Import Formulas Sums.
Open Scope R_scope.

Theorem yes_no :
  forall (Yes No Output : Type) (these : list Yes) (those : list No) (outputs : list Output)
    (v : Yes -> R) (w : No -> R) (p : Yes -> Output -> R) (q : No -> Output -> R) (before tau : R),
  1 / 2 <= before <= 1 ->
  (forall x, 0 <= v x) -> sum v these = 1 -> (forall x, 0 <= w x) -> sum w those = 1 ->
  (forall x o, 0 <= p x o) -> (forall x, sum (p x) outputs = 1) ->
  (forall x x', distance (q x') (p x) outputs <= tau) ->
  sum (fun o => Rmax (before * sum (fun x => v x * p x o) these) ((1 - before) * sum (fun x => w x * q x o) those)) outputs
  <= success_bound_replace before before tau.
Proof.
  intros Yes No Output these those outputs v w p q before tau Hb Hv V1 Hw W1 Hp P1 Hd.
  pose proof (distance_of_mixtures No Yes Output w v q p those these outputs tau Hw W1 Hv V1
    (fun x' x => Hd x x')) as D.
  set (yes := fun o => sum (fun x => v x * p x o) these) in *.
  set (no := fun o => sum (fun x => w x * q x o) those) in *.
  assert (N : forall o, 0 <= yes o).
  { intros o. unfold yes. apply sum_nonneg. intros x. apply Rmult_le_pos; [apply Hv | apply Hp]. }
  assert (T : sum yes outputs = 1).
  { unfold yes. rewrite sum_swap. rewrite (sum_ext _ _ v); [exact V1 |].
    intros x. rewrite sum_scale, P1. ring. }
  apply Rle_trans with (sum (fun o => before * yes o + (1 - before) * positive (no o - yes o)) outputs).
  - apply sum_le. intros o. pose proof (positive_above (no o - yes o)). pose proof (positive_nonneg (no o - yes o)).
    pose proof (N o). apply Rmax_lub.
    + assert (0 <= (1 - before) * positive (no o - yes o)) by (apply Rmult_le_pos; lra). unfold yes in *. lra.
    + assert (0 <= (2 * before - 1) * yes o) by (apply Rmult_le_pos; lra).
      assert (0 <= (1 - before) * (positive (no o - yes o) - (no o - yes o))) by (apply Rmult_le_pos; lra).
      unfold yes, no in *. lra.
  - rewrite sum_plus, !sum_scale, T. fold (distance no yes outputs). unfold success_bound_replace. nra.
Qed.
