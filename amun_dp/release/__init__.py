"""From a log and what is asked for to a release: plan, charge the budget, draw, account, save."""
