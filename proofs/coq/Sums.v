(* Finite sums over lists, and the total variation distance of two laws on a list of outputs. *)
From Coq Require Import Reals Lra Psatz List.
Open Scope R_scope.

Fixpoint sum {A : Type} (f : A -> R) (l : list A) : R :=
  match l with
  | nil => 0
  | a :: rest => f a + sum f rest
  end.

Lemma sum_ext : forall (A : Type) (f g : A -> R) l, (forall a, f a = g a) -> sum f l = sum g l.
Proof. intros A f g l H. induction l as [| a l IH]; simpl; [reflexivity | rewrite H, IH; reflexivity]. Qed.

Lemma sum_le : forall (A : Type) (f g : A -> R) l, (forall a, f a <= g a) -> sum f l <= sum g l.
Proof. intros A f g l H. induction l as [| a l IH]; simpl; [lra | specialize (H a); lra]. Qed.

Lemma sum_plus : forall (A : Type) (f g : A -> R) l, sum (fun a => f a + g a) l = sum f l + sum g l.
Proof. intros A f g l. induction l as [| a l IH]; simpl; [lra | rewrite IH; lra]. Qed.

Lemma sum_scale : forall (A : Type) (c : R) (f : A -> R) l, sum (fun a => c * f a) l = c * sum f l.
Proof. intros A c f l. induction l as [| a l IH]; simpl; [lra | rewrite IH; lra]. Qed.

Lemma sum_zero : forall (A : Type) (l : list A), sum (fun _ => 0) l = 0.
Proof. intros A l. induction l as [| a l IH]; simpl; lra. Qed.

Lemma sum_nonneg : forall (A : Type) (f : A -> R) l, (forall a, 0 <= f a) -> 0 <= sum f l.
Proof. intros A f l H. rewrite <- (sum_zero A l). apply sum_le. exact H. Qed.

Lemma sum_swap : forall (A B : Type) (f : A -> B -> R) l m,
  sum (fun a => sum (f a) m) l = sum (fun b => sum (fun a => f a b) l) m.
Proof.
  intros A B f l m. induction l as [| a l IH]; simpl.
  - symmetry. apply sum_zero.
  - rewrite IH. rewrite <- sum_plus. reflexivity.
Qed.

(* An average with weights that sum to 1 is at most what every value is at most. *)
Lemma average_le : forall (A : Type) (w f : A -> R) l c,
  (forall a, 0 <= w a) -> sum w l = 1 -> (forall a, f a <= c) -> sum (fun a => w a * f a) l <= c.
Proof.
  intros A w f l c Hw H1 Hf.
  apply Rle_trans with (sum (fun a => c * w a) l).
  - apply sum_le. intros a. specialize (Hw a). specialize (Hf a). nra.
  - rewrite sum_scale, H1. lra.
Qed.

Definition positive (r : R) : R := Rmax r 0.

Lemma positive_above : forall r, r <= positive r.
Proof. intros r. apply Rmax_l. Qed.

Lemma positive_nonneg : forall r, 0 <= positive r.
Proof. intros r. apply Rmax_r. Qed.

(* What a share f between 0 and 1 can make of a difference. *)
Lemma share : forall p q f, 0 <= f <= 1 -> p * f <= q * f + positive (p - q).
Proof.
  intros p q f H. pose proof (positive_above (p - q)). pose proof (positive_nonneg (p - q)).
  assert ((p - q) * f <= positive (p - q)) by nra. lra.
Qed.

Definition distance {O : Type} (p q : O -> R) (outputs : list O) : R := sum (fun o => positive (p o - q o)) outputs.

Lemma distance_self : forall (O : Type) (p : O -> R) outputs, distance p p outputs = 0.
Proof.
  intros O p outputs. unfold distance. rewrite <- (sum_zero O outputs). apply sum_ext.
  intros o. unfold positive. replace (p o - p o) with 0 by ring. apply Rmax_left. lra.
Qed.

(* Mixtures of laws that are close two by two are as close. *)
Lemma distance_of_mixtures : forall (X Y O : Type) (v : X -> R) (w : Y -> R) (p : X -> O -> R) (q : Y -> O -> R)
    (xs : list X) (ys : list Y) (outputs : list O) (tau : R),
  (forall x, 0 <= v x) -> sum v xs = 1 -> (forall y, 0 <= w y) -> sum w ys = 1 ->
  (forall x y, distance (p x) (q y) outputs <= tau) ->
  distance (fun o => sum (fun x => v x * p x o) xs) (fun o => sum (fun y => w y * q y o) ys) outputs <= tau.
Proof.
  intros X Y O v w p q xs ys outputs tau Hv V1 Hw W1 H. unfold distance.
  apply Rle_trans with (sum (fun o => sum (fun x => v x * sum (fun y => w y * positive (p x o - q y o)) ys) xs) outputs).
  - apply sum_le. intros o. unfold positive at 1. apply Rmax_lub.
    + replace (sum (fun x => v x * p x o) xs - sum (fun y => w y * q y o) ys)
        with (sum (fun x => v x * sum (fun y => w y * (p x o - q y o)) ys) xs).
      * apply sum_le. intros x. apply Rmult_le_compat_l; [apply Hv |].
        apply sum_le. intros y. apply Rmult_le_compat_l; [apply Hw | apply positive_above].
      * assert (E : forall x, sum (fun y => w y * (p x o - q y o)) ys = p x o - sum (fun y => w y * q y o) ys).
        { intros x. rewrite (sum_ext _ _ (fun y => p x o * w y + -1 * (w y * q y o))) by (intros; ring).
          rewrite sum_plus, !sum_scale, W1. ring. }
        rewrite (sum_ext _ _ (fun x => v x * p x o + (- sum (fun y => w y * q y o) ys) * v x)).
        -- rewrite sum_plus, sum_scale, V1. ring.
        -- intros x. rewrite E. ring.
    + apply sum_nonneg. intros x. apply Rmult_le_pos; [apply Hv |]. apply sum_nonneg. intros y.
      apply Rmult_le_pos; [apply Hw | apply positive_nonneg].
  - rewrite sum_swap.
    rewrite (sum_ext _ _ (fun x => v x * sum (fun y => w y * distance (p x) (q y) outputs) ys)).
    + apply average_le; try assumption. intros x. apply average_le; try assumption. intros y. apply H.
    + intros x. rewrite sum_scale. f_equal. rewrite sum_swap. apply sum_ext. intros y.
      rewrite sum_scale. reflexivity.
Qed.
