(* A histogram with discrete Laplace noise, whatever its cells and however many a case touches. *)
From Coq Require Import Reals Lra Psatz List ZArith Lia.
Require Import Formulas.
Open Scope R_scope.

(* A cell: what is released, and the counts that two logs have there. *)
Definition cell : Type := (Z * Z * Z)%type.

Definition away (o c : Z) : nat := Z.abs_nat (o - c).

Fixpoint mass (q : R) (count : cell -> Z) (cells : list cell) : R :=
  match cells with
  | nil => 1
  | c :: rest => laplace_mass q (away (fst (fst c)) (count c)) * mass q count rest
  end.

Definition here (c : cell) : Z := snd (fst c).
Definition there (c : cell) : Z := snd c.

Fixpoint moved (cells : list cell) : nat :=
  match cells with
  | nil => 0%nat
  | c :: rest => (away (here c) (there c) + moved rest)%nat
  end.

Lemma triangle : forall o c d : Z, (away o d <= away c d + away o c)%nat.
Proof. intros o c d. unfold away. lia. Qed.

Lemma power_falls : forall q m n, 0 < q <= 1 -> (m <= n)%nat -> q ^ n <= q ^ m.
Proof.
  intros q m n H L. induction L as [| n L IH]; [lra |]. simpl.
  assert (0 < q ^ n) by (apply pow_lt; lra). nra.
Qed.

Lemma cell_ratio : forall q o c d, 0 < q < 1 ->
  laplace_mass q (away o c) * q ^ (away c d) <= laplace_mass q (away o d).
Proof.
  intros q o c d H. unfold laplace_mass.
  assert (F : 0 < (1 - q) / (1 + q)) by (apply Rdiv_lt_0_compat; lra).
  rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra |].
  rewrite <- pow_add. apply power_falls; [lra |]. pose proof (triangle o c d). lia.
Qed.

Lemma mass_positive : forall q count cells, 0 < q < 1 -> 0 < mass q count cells.
Proof.
  intros q count cells H. induction cells as [| c rest IH]; simpl; [lra |].
  apply Rmult_lt_0_compat; [| exact IH]. unfold laplace_mass.
  apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra | apply pow_lt; lra].
Qed.

Lemma histogram_ratio : forall q cells, 0 < q < 1 ->
  mass q here cells * q ^ (moved cells) <= mass q there cells.
Proof.
  intros q cells H. induction cells as [| c rest IH]; simpl; [lra |].
  rewrite pow_add.
  replace (laplace_mass q (away (fst (fst c)) (here c)) * mass q here rest *
      (q ^ away (here c) (there c) * q ^ moved rest))
    with (laplace_mass q (away (fst (fst c)) (here c)) * q ^ away (here c) (there c) *
      (mass q here rest * q ^ moved rest)) by ring.
  apply Rmult_le_compat.
  - apply Rmult_le_pos; [| apply pow_le; lra]. unfold laplace_mass.
    apply Rmult_le_pos; [| apply pow_le; lra].
    left. apply Rdiv_lt_0_compat; lra.
  - apply Rmult_le_pos; [left; apply mass_positive; exact H | apply pow_le; lra].
  - apply cell_ratio. exact H.
  - exact IH.
Qed.

(* Noise of scale b; the counts of the two logs differ by a total of at most W. *)
Theorem weighted_histogram : forall b cells (W : nat), 0 < b -> (moved cells <= W)%nat ->
  mass (exp (- (1 / b))) here cells <= exp (INR W / b) * mass (exp (- (1 / b))) there cells.
Proof.
  intros b cells W Hb HW. set (q := exp (- (1 / b))).
  assert (B : 0 < 1 / b) by (apply Rdiv_lt_0_compat; lra).
  assert (Q : 0 < q < 1).
  { split; [apply exp_pos |]. apply Rlt_le_trans with (exp 0); [apply exp_increasing; lra | rewrite exp_0; lra]. }
  assert (P : forall n : nat, q ^ n = exp (- (INR n / b))).
  { intros n. induction n as [| n IH].
    - simpl. replace (- (0 / b)) with 0 by (field; lra). rewrite exp_0. reflexivity.
    - rewrite S_INR. change (q ^ S n) with (q * q ^ n). rewrite IH. unfold q. rewrite <- exp_plus.
      apply (f_equal exp). field. lra. }
  pose proof (histogram_ratio q cells Q) as R.
  pose proof (power_falls q _ _ (conj (proj1 Q) (Rlt_le _ _ (proj2 Q))) HW) as L. rewrite (P W) in L.
  pose proof (mass_positive q here cells Q) as M.
  assert (E : exp (INR W / b) * exp (- (INR W / b)) = 1).
  { rewrite <- exp_plus. replace (INR W / b + - (INR W / b)) with 0 by ring. apply exp_0. }
  pose proof (exp_pos (INR W / b)) as X.
  assert (S : mass q here cells * exp (- (INR W / b)) <= mass q there cells).
  { apply Rle_trans with (mass q here cells * q ^ moved cells); [| exact R].
    apply Rmult_le_compat_l; [left; exact M | exact L]. }
  replace (mass q here cells) with (exp (INR W / b) * (mass q here cells * exp (- (INR W / b)))).
  - apply Rmult_le_compat_l; [left; exact X | exact S].
  - replace (exp (INR W / b) * (mass q here cells * exp (- (INR W / b))))
      with (mass q here cells * (exp (INR W / b) * exp (- (INR W / b)))) by ring.
    rewrite E. ring.
Qed.

(* A case adds at most W to the counts of the others; replaced by another such case, the counts move by at most 2W. *)
Fixpoint added (counts others : list Z) : nat :=
  match counts, others with
  | c :: counts', o :: others' => (away c o + added counts' others')%nat
  | _, _ => 0%nat
  end.

Theorem replaced_case : forall others one other (W : nat),
  length one = length others -> length other = length others ->
  (added one others <= W)%nat -> (added other others <= W)%nat -> (added one other <= 2 * W)%nat.
Proof.
  assert (T : forall others one other, length one = length others -> length other = length others ->
    (added one other <= added one others + added other others)%nat).
  { induction others as [| y others IH]; intros [| a one] [| b other] H1 H2; simpl in *; try lia.
    specialize (IH one other). unfold away. assert (length one = length others) by lia.
    assert (length other = length others) by lia. specialize (IH H H0). lia. }
  intros others one other W H1 H2 A B. pose proof (T others one other H1 H2). lia.
Qed.
