"""Times of a certified release: durations of steps, and starts of cases."""
