"""Faults on purpose, many of them: what docs/reliability.md promises under kills, races, bad files and floods."""
