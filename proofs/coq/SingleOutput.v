(* Outputs whose likelihood ratio exceeds a bound are rare: finite supports, any statement about the case. *)
From Coq Require Import Reals Lra Psatz List.
Require Import Formulas Sums.
Open Scope R_scope.

(* How far an event can be likelier under one law than `ratio` times under the other. *)
Theorem exceptions :
  forall (Yes No Output : Type) (these : list Yes) (those : list No) (event : list Output)
    (v : Yes -> R) (w : No -> R) (p : Yes -> Output -> R) (q : No -> Output -> R) (low high excess : R),
  0 <= low < high ->
  (forall x, 0 <= v x) -> sum v these = 1 -> (forall x, 0 <= w x) -> sum w those = 1 ->
  (* every pair of values: the excess over `low` on the event *)
  (forall x x', sum (p x) event - low * sum (q x') event <= excess) ->
  (* on the event the statement's ratio is beyond `high` *)
  (forall o, high * sum (fun x => w x * q x o) those <= sum (fun x => v x * p x o) these) ->
  sum (fun o => sum (fun x => v x * p x o) these) event <= exception_bound excess (low / high).
Proof.
  intros Yes No Output these those event v w p q low high excess Hl Hv V1 Hw W1 He Hr.
  set (yes := sum (fun o => sum (fun x => v x * p x o) these) event).
  set (no := sum (fun o => sum (fun x => w x * q x o) those) event).
  assert (Y : yes = sum (fun x => v x * sum (p x) event) these).
  { unfold yes. rewrite sum_swap. apply sum_ext. intros x. apply sum_scale. }
  assert (N : no = sum (fun x => w x * sum (q x) event) those).
  { unfold no. rewrite sum_swap. apply sum_ext. intros x. apply sum_scale. }
  assert (D : yes - low * no <= excess).
  { replace (yes - low * no) with (sum (fun x => v x * (sum (p x) event - low * no)) these).
    - apply average_le; try assumption. intros x.
      replace (sum (p x) event - low * no) with (sum (fun x' => w x' * (sum (p x) event - low * sum (q x') event)) those).
      + apply average_le; try assumption. intros x'. apply He.
      + rewrite (sum_ext _ _ (fun x' => sum (p x) event * w x' + (- low) * (w x' * sum (q x') event))) by (intros; ring).
        rewrite sum_plus, !sum_scale, W1, <- N. ring.
    - rewrite (sum_ext _ _ (fun x => v x * sum (p x) event + (- (low * no)) * v x)) by (intros; ring).
      rewrite sum_plus, sum_scale, V1, <- Y. ring. }
  assert (E : high * no <= yes).
  { unfold no, yes. rewrite <- sum_scale. apply sum_le. exact Hr. }
  unfold exception_bound.
  assert (H : 0 < 1 - low / high).
  { assert (low / high < 1); [| lra]. apply Rmult_lt_reg_r with high; [lra |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  apply Rmult_le_reg_r with (1 - low / high); [exact H |].
  unfold Rdiv at 2. rewrite Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r.
  apply Rle_trans with (yes - low * no); [| exact D].
  assert (low * no <= low / high * yes).
  { replace (low * no) with (low / high * (high * no)) by (field; lra).
    apply Rmult_le_compat_l; [| exact E]. unfold Rdiv. apply Rmult_le_pos; [lra |].
    left. apply Rinv_0_lt_compat. lra. }
  lra.
Qed.
