"""How far a released log is from the original. Every figure here is one of the original, and so confidential."""
