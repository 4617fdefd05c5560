"""Verification: good releases pass, and each check is failed by a release that is broken in exactly its way."""
