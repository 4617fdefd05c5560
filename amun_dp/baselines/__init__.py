"""pm4py's two anonymisers, SaCoFa and PRIPEL, run in a process of their own: for the audit and for comparisons."""
