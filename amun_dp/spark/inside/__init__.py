"""The confidential figures of a release on Spark."""
