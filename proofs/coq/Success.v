(* The same for a whole curve: each line above the curve of what tests can tell bounds the best guess. A concave curve is
   the lowest of its lines, so the best guess after the release is at most the curve at the best guess before. *)
From Coq Require Import Reals Lra Psatz List.
Require Import Formulas Sums AnyGuess.
Open Scope R_scope.

(* The excess of p over slope times q: the intercept of the line of that slope above all tests. *)
Definition excess {O : Type} (slope : R) (p q : O -> R) (outputs : list O) : R :=
  sum (fun o => positive (p o - slope * q o)) outputs.

Theorem tests_below_the_line : forall (O : Type) (slope : R) (p q test : O -> R) (outputs : list O),
  (forall o, 0 <= test o <= 1) ->
  sum (fun o => p o * test o) outputs <= slope * sum (fun o => q o * test o) outputs + excess slope p q outputs.
Proof.
  intros O slope p q test outputs H. unfold excess. rewrite <- sum_scale, <- sum_plus. apply sum_le. intros o.
  pose proof (share (p o) (slope * q o) (test o) (H o)). lra.
Qed.

Theorem guesses_below_the_line :
  forall (Value Output Guess : Type) (values : list Value) (outputs : list Output) (guesses : list Guess)
    (prior : Value -> R) (release : Value -> Output -> R) (reference : Output -> R) (right : Guess -> Value -> R)
    (strategy : Output -> Guess -> R) (before slope most : R),
  0 <= slope -> (forall x, 0 <= prior x) -> sum prior values = 1 ->
  (forall o, 0 <= reference o) -> sum reference outputs = 1 ->
  (forall g x, 0 <= right g x <= 1) ->
  (forall o g, 0 <= strategy o g) -> (forall o, sum (strategy o) guesses = 1) ->
  (forall g, sum (fun x => prior x * right g x) values <= before) ->
  (forall x, excess slope (release x) reference outputs <= most) ->
  sum (fun x => prior x * sum (fun o => release x o * chance right guesses (strategy o) x) outputs) values
  <= success_line before slope most.
Proof.
  intros Value Output Guess values outputs guesses prior release reference right strategy before slope most Hl Hp P1 Hq
    Q1 Hr Hs S1 Hb He.
  apply Rle_trans with (sum (fun x => slope * (prior x *
      sum (fun o => reference o * chance right guesses (strategy o) x) outputs) +
    prior x * excess slope (release x) reference outputs) values).
  - apply sum_le. intros x. pose proof (Hp x).
    pose proof (tests_below_the_line Output slope (release x) reference
      (fun o => chance right guesses (strategy o) x) outputs
      (fun o => chance_between Value Guess right guesses (strategy o) x Hr (Hs o) (S1 o))). nra.
  - rewrite sum_plus, sum_scale. unfold success_line. apply Rplus_le_compat.
    + apply Rmult_le_compat_l; [exact Hl |]. apply blind; assumption.
    + apply average_le; assumption.
Qed.
