"""Control flow of a certified release, in each of its forms."""
