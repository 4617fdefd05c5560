"""Spark itself: sessions, stages, interruptions, and sums over all workers."""
