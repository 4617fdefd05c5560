(* Pure losses add up along a transcript, however a later step and its loss depend on the outputs so far. *)
From Coq Require Import Reals Lra Psatz List.
Require Import Formulas Sums.
Open Scope R_scope.

(* A step gives each output a mass that depends on the outputs before it (the newest first). *)
Fixpoint mass {Output : Type} (step : list Output -> Output -> R) (transcript : list Output) : R :=
  match transcript with
  | nil => 1
  | o :: past => mass step past * step past o
  end.

Fixpoint spent {Output : Type} (loss : list Output -> R) (transcript : list Output) : R :=
  match transcript with
  | nil => 0
  | o :: past => total (spent loss past) (loss past)
  end.

Lemma mass_nonneg : forall (Output : Type) (step : list Output -> Output -> R) transcript,
  (forall past o, 0 <= step past o) -> 0 <= mass step transcript.
Proof.
  intros Output step transcript H. induction transcript as [| o past IH]; simpl; [lra |].
  apply Rmult_le_pos; [exact IH | apply H].
Qed.

Theorem transcript_ratio :
  forall (Output : Type) (one other : list Output -> Output -> R) (loss : list Output -> R) (transcript : list Output),
  (forall past o, 0 <= one past o) -> (forall past o, 0 <= other past o) ->
  (forall past o, one past o <= exp (loss past) * other past o) ->
  mass one transcript <= exp (spent loss transcript) * mass other transcript.
Proof.
  intros Output one other loss transcript H1 H2 H. induction transcript as [| o past IH]; simpl.
  - rewrite exp_0. lra.
  - unfold total. rewrite exp_plus.
    apply Rle_trans with ((exp (spent loss past) * mass other past) * (exp (loss past) * other past o)).
    + apply Rmult_le_compat; [apply mass_nonneg; assumption | apply H1 | exact IH | apply H].
    + right. ring.
Qed.

(* Any event: any finite collection of transcripts. *)
Theorem event_ratio :
  forall (Output : Type) (one other : list Output -> Output -> R) (loss : list Output -> R) (budget : R)
    (event : list (list Output)),
  (forall past o, 0 <= one past o) -> (forall past o, 0 <= other past o) ->
  (forall past o, one past o <= exp (loss past) * other past o) ->
  (forall transcript, spent loss transcript <= budget) ->
  sum (mass one) event <= exp budget * sum (mass other) event.
Proof.
  intros Output one other loss budget event H1 H2 H B. rewrite <- sum_scale. apply sum_le. intros transcript.
  eapply Rle_trans; [apply (transcript_ratio Output one other loss); assumption |].
  apply Rmult_le_compat_r; [apply mass_nonneg; exact H2 |].
  destruct (Rle_lt_or_eq_dec _ _ (B transcript)) as [L | L].
  - left. apply exp_increasing. exact L.
  - right. rewrite L. reflexivity.
Qed.
