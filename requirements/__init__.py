"""What is installed: exact versions with hashes (runtime, development), and the lowest that are supported (floors)."""
