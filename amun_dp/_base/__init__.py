"""What every package may use, and what knows nothing of event logs: arrays, sorting, units of time, processes."""
