"""Checks of the ledger in the internal part."""
