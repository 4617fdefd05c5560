"""Checks that need the original log."""
