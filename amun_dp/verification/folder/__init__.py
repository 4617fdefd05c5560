"""Checks of the files of a release, as they stand on disk."""
