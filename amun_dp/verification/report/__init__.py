"""Checks of the report: that it states nothing but what follows from the mechanisms that it records."""
