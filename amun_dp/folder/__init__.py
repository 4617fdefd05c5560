"""A release folder on disk: its file names, its parts, and how it is put in place whole or not at all."""
