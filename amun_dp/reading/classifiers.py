"""The keys of an XES classifier, which are written as one text."""

from __future__ import annotations

import re
from collections.abc import Collection

_KEY = re.compile(r"'([^']*)'|(\S+)")


def classifier_keys(text: str, declared: Collection[str]) -> tuple[str, ...]:
    """Keys are separated by spaces; a key in single quotes may contain spaces.

    Many logs leave the quotes out, so words that together are a declared key are that key, the longest first.
    """
    keys: list[str] = []
    words: list[str] = []
    for match in _KEY.finditer(text):
        quoted, word = match.groups()
        if word is not None:
            words.append(word)
            continue
        keys += _longest_declared(words, declared)
        words.clear()
        keys.append(quoted)
    return tuple(keys + _longest_declared(words, declared))


def _longest_declared(words: list[str], declared: Collection[str]) -> list[str]:
    keys: list[str] = []
    start = 0
    while start < len(words):
        ends = range(len(words), start, -1)
        end = next((end for end in ends if " ".join(words[start:end]) in declared), start + 1)
        keys.append(" ".join(words[start:end]))
        start = end
    return keys
