(* Where any two values of a case are within tau, the likeliest value's own law is a reference that it costs nothing. *)
From Coq Require Import Reals Lra Psatz List.
Require Import Formulas Sums AnyGuess.
Open Scope R_scope.

Theorem any_guess_replaced :
  forall (Value Output Guess : Type) (likeliest : Value) (values : list Value) (outputs : list Output)
    (guesses : list Guess) (prior : Value -> R) (release : Value -> Output -> R) (right : Guess -> Value -> R)
    (strategy : Output -> Guess -> R) (before tau : R),
  (forall x, 0 <= prior x) -> sum prior (likeliest :: values) = 1 ->
  (forall x o, 0 <= release x o) -> (forall x, sum (release x) outputs = 1) ->
  (forall g x, 0 <= right g x <= 1) ->
  (forall o g, 0 <= strategy o g) -> (forall o, sum (strategy o) guesses = 1) ->
  (forall g, sum (fun x => prior x * right g x) (likeliest :: values) <= before) ->
  (forall x x', distance (release x) (release x') outputs <= tau) ->
  sum (fun x => prior x * sum (fun o => release x o * chance right guesses (strategy o) x) outputs) (likeliest :: values)
  <= success_bound_replace before (prior likeliest) tau.
Proof.
  intros Value Output Guess likeliest values outputs guesses prior release right strategy before tau Hp P1 Hm M1 Hr Hs
    S1 Hb Hd.
  eapply Rle_trans.
  - apply (moved _ _ _ (likeliest :: values) outputs guesses prior release (release likeliest) right strategy);
      assumption.
  - unfold success_bound_replace. apply Rplus_le_compat.
    + apply blind; [apply Hm | apply M1 | assumption | assumption | exact Hb].
    + simpl. rewrite distance_self. simpl in P1.
      apply Rle_trans with (sum (fun x => tau * prior x) values).
      * assert (sum (fun x => prior x * distance (release x) (release likeliest) outputs) values
          <= sum (fun x => tau * prior x) values).
        { apply sum_le. intros x. pose proof (Hp x). pose proof (Hd x likeliest). nra. }
        lra.
      * rewrite sum_scale. replace (sum prior values) with (1 - prior likeliest) by lra. lra.
Qed.
