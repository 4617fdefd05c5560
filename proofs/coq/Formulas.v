(* Written by the functions of accounting/algebra.py (python -m proofs.coqcore); do not edit. *)
From Coq Require Import Reals.
Open Scope R_scope.

Definition likelihood_ratio (prior advantage : R) : R := ((prior / (1 - prior)) * ((1 / (advantage + prior)) - 1)).
Definition posterior (prior ratio : R) : R := (1 / (1 + ((ratio * (1 - prior)) / prior))).
Definition worst_prior (advantage : R) : R := ((1 - advantage) / 2).
Definition worst_ratio (advantage : R) : R := (((1 - advantage) / (1 + advantage)) ^ 2).
Definition worst_advantage (x : R) : R := ((1 - x) / (1 + x)).
Definition one_sided_advantage (x : R) : R := ((((x ^ 2) * ((1 - x) / (1 + x))) + 1) - (x ^ 2)).
Definition oversampling_polynomial (x advantage : R) : R := (((2 * (x ^ 3)) + ((advantage - 1) * x)) + (advantage - 1)).
