(* The best guess after a release gains at most the distance to a law that does not see the case: finite supports, any
   prior, any set of guesses, attackers who draw their guess and who may know the other cases. *)
From Coq Require Import Reals Lra Psatz List.
Require Import Formulas Sums.
Open Scope R_scope.

(* How likely a strategy that draws guess g with probability s(g) is right about x; right g x is 1 or 0, or between. *)
Definition chance {Value Guess : Type} (right : Guess -> Value -> R) (guesses : list Guess) (s : Guess -> R)
  (x : Value) : R := sum (fun g => s g * right g x) guesses.

Lemma chance_between : forall (Value Guess : Type) (right : Guess -> Value -> R) guesses (s : Guess -> R) (x : Value),
  (forall g y, 0 <= right g y <= 1) -> (forall g, 0 <= s g) -> sum s guesses = 1 ->
  0 <= chance right guesses s x <= 1.
Proof.
  intros Value Guess right guesses s x Hr Hs S1. unfold chance. split.
  - apply sum_nonneg. intros g. apply Rmult_le_pos; [apply Hs | apply Hr].
  - apply average_le; try assumption. intros g. apply Hr.
Qed.

(* Where the output does not depend on the case, no strategy is right more often than the best guess before. *)
Lemma blind : forall (Value Output Guess : Type) (values : list Value) (outputs : list Output) (guesses : list Guess)
    (prior : Value -> R) (reference : Output -> R) (right : Guess -> Value -> R) (strategy : Output -> Guess -> R)
    (before : R),
  (forall o, 0 <= reference o) -> sum reference outputs = 1 ->
  (forall o g, 0 <= strategy o g) -> (forall o, sum (strategy o) guesses = 1) ->
  (forall g, sum (fun x => prior x * right g x) values <= before) ->
  sum (fun x => prior x * sum (fun o => reference o * chance right guesses (strategy o) x) outputs) values <= before.
Proof.
  intros Value Output Guess values outputs guesses prior reference right strategy before Hq Q1 Hs S1 Hb.
  rewrite (sum_ext _ _ (fun x => sum (fun o => reference o * (prior x * chance right guesses (strategy o) x)) outputs)).
  2:{ intros x. rewrite <- sum_scale. apply sum_ext. intros o. ring. }
  rewrite sum_swap.
  rewrite (sum_ext _ _ (fun o => reference o * sum (fun x => prior x * chance right guesses (strategy o) x) values)).
  2:{ intros o. rewrite sum_scale. reflexivity. }
  apply average_le; try assumption. intros o.
  rewrite (sum_ext _ _ (fun x => sum (fun g => strategy o g * (prior x * right g x)) guesses)).
  2:{ intros x. unfold chance. rewrite <- sum_scale. apply sum_ext. intros g. ring. }
  rewrite sum_swap.
  rewrite (sum_ext _ _ (fun g => strategy o g * sum (fun x => prior x * right g x) values)).
  2:{ intros g. rewrite sum_scale. reflexivity. }
  apply average_le; [apply Hs | apply S1 | apply Hb].
Qed.

(* Moving from the release to the reference costs each value its distance. *)
Lemma moved : forall (Value Output Guess : Type) (values : list Value) (outputs : list Output) (guesses : list Guess)
    (prior : Value -> R) (release : Value -> Output -> R) (reference : Output -> R) (right : Guess -> Value -> R)
    (strategy : Output -> Guess -> R),
  (forall x, 0 <= prior x) -> (forall g x, 0 <= right g x <= 1) ->
  (forall o g, 0 <= strategy o g) -> (forall o, sum (strategy o) guesses = 1) ->
  sum (fun x => prior x * sum (fun o => release x o * chance right guesses (strategy o) x) outputs) values
  <= sum (fun x => prior x * sum (fun o => reference o * chance right guesses (strategy o) x) outputs) values
     + sum (fun x => prior x * distance (release x) reference outputs) values.
Proof.
  intros Value Output Guess values outputs guesses prior release reference right strategy Hp Hr Hs S1.
  rewrite <- sum_plus. apply sum_le. intros x. rewrite <- Rmult_plus_distr_l.
  apply Rmult_le_compat_l; [apply Hp |]. unfold distance. rewrite <- sum_plus. apply sum_le. intros o.
  apply share. apply chance_between; [exact Hr | apply Hs | apply S1].
Qed.

Theorem any_guess :
  forall (Value Others Output Guess : Type) (values : list Value) (others : list Others) (outputs : list Output)
    (guesses : list Guess) (prior : Value -> R) (weight : Others -> R) (release : Value -> Others -> Output -> R)
    (reference : Others -> Output -> R) (right : Guess -> Value -> R) (strategy : Others -> Output -> Guess -> R)
    (before tau : R),
  (forall x, 0 <= prior x) -> sum prior values = 1 -> (forall y, 0 <= weight y) -> sum weight others = 1 ->
  (forall y o, 0 <= reference y o) -> (forall y, sum (reference y) outputs = 1) ->
  (forall g x, 0 <= right g x <= 1) ->
  (forall y o g, 0 <= strategy y o g) -> (forall y o, sum (strategy y o) guesses = 1) ->
  (forall g, sum (fun x => prior x * right g x) values <= before) ->
  (forall x y, distance (release x y) (reference y) outputs <= tau) ->
  sum (fun y => weight y * sum (fun x => prior x *
    sum (fun o => release x y o * chance right guesses (strategy y o) x) outputs) values) others
  <= success_bound before tau.
Proof.
  intros Value Others Output Guess values others outputs guesses prior weight release reference right strategy before
    tau Hp P1 Hw W1 Hq Q1 Hr Hs S1 Hb Hd.
  apply average_le; try assumption. intros y.
  eapply Rle_trans.
  - apply (moved _ _ _ values outputs guesses prior (fun x o => release x y o) (reference y) right (strategy y));
      [exact Hp | exact Hr | apply Hs | apply S1].
  - unfold success_bound. apply Rplus_le_compat.
    + apply blind; [apply Hq | apply Q1 | apply Hs | apply S1 | exact Hb].
    + apply average_le; try assumption. intros x. apply Hd.
Qed.
