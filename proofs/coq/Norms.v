(* Squared lengths of what cases add, in any number of dimensions: one list entry is one cell. *)
From Coq Require Import Reals Lra Psatz List.
Require Import Formulas Sums.
Open Scope R_scope.

Definition square_length {Cell : Type} (v : Cell -> R) (cells : list Cell) : R := sum (fun c => v c ^ 2) cells.

Theorem nonnegative_contributions : forall (Cell : Type) (v w : Cell -> R) (cells : list Cell) (square : R),
  (forall c, 0 <= v c) -> (forall c, 0 <= w c) ->
  square_length v cells <= square -> square_length w cells <= square ->
  square_length (fun c => v c - w c) cells <= replaced_square square.
Proof.
  intros Cell v w cells square Hv Hw V W. unfold replaced_square.
  apply Rle_trans with (square_length v cells + square_length w cells); [| lra].
  unfold square_length. rewrite <- sum_plus. apply sum_le. intros c. pose proof (Hv c). pose proof (Hw c). nra.
Qed.

Theorem centred_contributions : forall (Cell : Type) (v w : Cell -> R) (cells : list Cell) (square : R),
  square_length v cells <= square -> square_length w cells <= square ->
  square_length (fun c => v c - w c) cells <= replaced_square_centred square.
Proof.
  intros Cell v w cells square V W. unfold replaced_square_centred.
  apply Rle_trans with (2 * square_length v cells + 2 * square_length w cells); [| lra].
  unfold square_length. rewrite <- !sum_scale, <- sum_plus. apply sum_le. intros c.
  assert (0 <= (v c + w c) ^ 2) by apply pow2_ge_0. nra.
Qed.

(* The cases of a group, in a list: one vector each. *)
Lemma square_of_sum : forall (Case : Type) (f : Case -> R) (cases : list Case),
  (sum f cases) ^ 2 <= INR (length cases) * sum (fun k => f k ^ 2) cases.
Proof.
  intros Case f cases. induction cases as [| k cases IH].
  - simpl. lra.
  - change (sum f (k :: cases)) with (f k + sum f cases).
    change (sum (fun j => f j ^ 2) (k :: cases)) with (f k ^ 2 + sum (fun j => f j ^ 2) cases).
    change (length (k :: cases)) with (S (length cases)). rewrite S_INR.
    set (n := INR (length cases)) in *. set (s := sum f cases) in *. set (t := sum (fun j => f j ^ 2) cases) in *.
    assert (N : 0 <= n) by (unfold n; apply pos_INR).
    assert (0 <= t) by (unfold t; apply sum_nonneg; intros; apply pow2_ge_0).
    destruct (Rle_lt_or_eq_dec _ _ N) as [L | L].
    + assert (0 <= (n * f k - s) ^ 2) by apply pow2_ge_0.
      assert (2 * f k * s <= n * f k ^ 2 + t).
      { apply Rmult_le_reg_l with n; [exact L |]. nra. }
      nra.
    + assert (s ^ 2 <= 0) by nra. assert (s = 0) by nra. nra.
Qed.

Theorem group_contributions :
  forall (Case Cell : Type) (v : Case -> Cell -> R) (cases : list Case) (cells : list Cell) (square : R),
  (forall k, square_length (v k) cells <= square) ->
  square_length (fun c => sum (fun k => v k c) cases) cells <= group_square square (INR (length cases)).
Proof.
  intros Case Cell v cases cells square H. unfold group_square, square_length.
  apply Rle_trans with (sum (fun c => INR (length cases) * sum (fun k => v k c ^ 2) cases) cells).
  - apply sum_le. intros c. apply square_of_sum.
  - rewrite sum_scale. rewrite sum_swap.
    assert (sum (fun k => sum (fun c => v k c ^ 2) cells) cases <= INR (length cases) * square).
    { clear -H. induction cases as [| k cases IH].
      - simpl. lra.
      - change (length (k :: cases)) with (S (length cases)). rewrite S_INR. specialize (H k).
        unfold square_length in H.
        change (sum (fun k => sum (fun c => v k c ^ 2) cells) (k :: cases))
          with (sum (fun c => v k c ^ 2) cells + sum (fun k => sum (fun c => v k c ^ 2) cells) cases).
        lra. }
    pose proof (pos_INR (length cases)). nra.
Qed.
