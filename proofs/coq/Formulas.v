(* Written by the functions of accounting (python -m proofs.coqcore); do not edit. *)
From Coq Require Import Reals.
Open Scope R_scope.

Definition likelihood_ratio (prior : R) (advantage : R) : R := ((prior / (1 - prior)) * ((1 / (advantage + prior)) - 1)).
Definition posterior (prior : R) (ratio : R) : R := (1 / (1 + ((ratio * (1 - prior)) / prior))).
Definition worst_prior (advantage : R) : R := ((1 - advantage) / 2).
Definition worst_ratio (advantage : R) : R := (((1 - advantage) / (1 + advantage)) ^ 2).
Definition worst_advantage (x : R) : R := ((1 - x) / (1 + x)).
Definition one_sided_advantage (x : R) : R := ((((x ^ 2) * ((1 - x) / (1 + x))) + 1) - (x ^ 2)).
Definition oversampling_polynomial (x : R) (advantage : R) : R := (((2 * (x ^ 3)) + ((advantage - 1) * x)) + (advantage - 1)).
Definition laplace_mass (q : R) (distance : nat) : R := (((1 - q) / (1 + q)) * (q ^ distance)).
Definition success_bound (before : R) (distance : R) : R := (before + distance).
Definition success_line (before : R) (slope : R) (excess : R) : R := ((slope * before) + excess).
Definition success_bound_replace (before : R) (likeliest : R) (distance : R) : R := (before + (distance * (1 - likeliest))).
Definition exception_bound (excess : R) (ratio : R) : R := (excess / (1 - ratio)).
Definition smoothed_at_most (theta : R) : R := (1 + theta).
Definition replaced_square (square : R) : R := (2 * square).
Definition replaced_square_centred (square : R) : R := (4 * square).
Definition group_square (square : R) (members : R) : R := ((members ^ 2) * square).
Definition total (first : R) (second : R) : R := (first + second).
