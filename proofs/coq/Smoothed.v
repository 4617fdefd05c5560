(* A discrete law within a factor of its smoothed twin, cell by cell, and what that costs in all. *)
From Coq Require Import Reals Lra Psatz List.
Require Import Formulas Sums.
Open Scope R_scope.

(* One cell after the other; what is measured in a cell may depend on the outputs so far (the newest first). *)
Fixpoint mass {Output : Type} (step : list Output -> Output -> R) (transcript : list Output) : R :=
  match transcript with
  | nil => 1
  | o :: past => mass step past * step past o
  end.

Theorem cells_multiply :
  forall (Output : Type) (discrete smooth : list Output -> Output -> R) (theta : R) (transcript : list Output),
  0 <= theta -> (forall past o, 0 <= discrete past o) -> (forall past o, 0 <= smooth past o) ->
  (forall past o, discrete past o <= smoothed_at_most theta * smooth past o) ->
  0 <= mass discrete transcript <= (1 + theta) ^ length transcript * mass smooth transcript.
Proof.
  intros Output discrete smooth theta transcript Ht Hd Hs H. induction transcript as [| o past IH]; simpl; [lra |].
  destruct IH as [N IH]. split.
  - apply Rmult_le_pos; [exact N | apply Hd].
  - apply Rle_trans with (((1 + theta) ^ length past * mass smooth past) * (smoothed_at_most theta * smooth past o)).
    + apply Rmult_le_compat; [exact N | apply Hd | exact IH | apply H].
    + right. unfold smoothed_at_most. ring.
Qed.

Theorem surcharge :
  forall (Output : Type) (discrete smooth : Output -> R) (outputs : list Output) (factor : R),
  1 <= factor -> (forall o, 0 <= smooth o) -> sum smooth outputs = 1 ->
  (forall o, discrete o <= factor * smooth o) -> distance discrete smooth outputs <= factor - 1.
Proof.
  intros Output discrete smooth outputs factor Hf Hs S1 H. unfold distance.
  apply Rle_trans with (sum (fun o => (factor - 1) * smooth o) outputs).
  - apply sum_le. intros o. unfold positive. pose proof (H o). pose proof (Hs o). apply Rmax_lub; nra.
  - rewrite sum_scale, S1. lra.
Qed.

(* A curve of the smoothed laws, and how far that of the discrete ones is from it. *)
Theorem curve : forall p p' m m' ratio high low delta : R,
  0 < high -> m <= high * p -> low * p' <= m' -> 0 <= ratio ->
  p - ratio * low / high * p' <= delta -> m - ratio * m' <= high * delta.
Proof.
  intros p p' m m' ratio high low delta Hh H L Hr D.
  assert (ratio * (low * p') <= ratio * m') by (apply Rmult_le_compat_l; assumption).
  assert (high * (p - ratio * low / high * p') <= high * delta) by (apply Rmult_le_compat_l; lra).
  replace (high * (p - ratio * low / high * p')) with (high * p - ratio * (low * p')) in * by (field; lra).
  lra.
Qed.
