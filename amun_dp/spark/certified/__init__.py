"""The certified method on Spark."""
