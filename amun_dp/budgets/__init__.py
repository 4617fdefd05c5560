"""What a release spends of the budget of its log, and what a refusal says."""
