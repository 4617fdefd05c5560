"""The event log as columns, its variants and its figures."""
