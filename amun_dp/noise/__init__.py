"""The only door to randomness: samplers, and the exact one of this package."""
