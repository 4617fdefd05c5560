"""Speed and memory, measured; run by ``make bench``."""
