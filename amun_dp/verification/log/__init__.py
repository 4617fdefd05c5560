"""Checks of the released log."""
