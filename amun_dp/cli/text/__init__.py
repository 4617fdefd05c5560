"""Results as text for people, by command."""
