"""Edit distances between all sequences of two sets: insertions, deletions and replacements of one activity.

Bit-parallel after Myers (1999), in words of 64 activities after Hyyrö (2003): a column of the table of partial
distances is two bit vectors, where it rises by one and where it falls by one, and one step of the text takes a fixed
number of operations a word. They are done for a block of pairs at once.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from amun_dp.certified.sequences import Sequences
from amun_dp.eventlog import IntArray

WORD = 64
_BLOCK = 256
"""Sequences on a side of a block: its bit vectors stay in the processor's cache."""

Words = npt.NDArray[np.uint64]


def words_of(lengths: IntArray) -> IntArray:
    """Words that sequences of such lengths take: the work for a pair is this times the length of the other."""
    return -(-lengths // WORD)


def edit_distances(texts: Sequences, patterns: Sequences) -> IntArray:
    """A row for each text, a column for each pattern; no sequence is empty. O(length · words) a pair."""
    result = np.empty((texts.count, patterns.count), dtype=np.int64)
    for rows in _blocks(texts):
        for columns in _blocks(patterns):
            result[np.ix_(rows, columns)] = _block(texts.take(rows), patterns.take(columns))
    return result


def _blocks(sequences: Sequences) -> Iterator[IntArray]:
    """Numbers of the sequences, the longest first: those of a block are about as long."""
    order = np.argsort(-sequences.lengths, kind="stable")
    for start in range(0, len(order), _BLOCK):
        yield order[start : start + _BLOCK]


def _block(texts: Sequences, patterns: Sequences) -> IntArray:
    symbols, code = np.unique(texts.activity, return_inverse=True)
    occurs = _occurrences(patterns, symbols)
    words, last = len(occurs), (patterns.lengths - 1) // WORD
    last_bit = ((patterns.lengths - 1) % WORD).astype(np.uint64)
    rising = np.full((words, texts.count, patterns.count), ~np.uint64(0))
    falling = np.zeros_like(rising)
    distance = np.tile(patterns.lengths, (texts.count, 1))
    for position in range(int(texts.lengths[0])):
        active = int(np.count_nonzero(texts.lengths > position))  # texts come longest first
        symbol = code[texts.offsets[:active] + position]
        # Above the first row of the table distances rise by one a step: an empty pattern needs every insertion.
        carry_up, carry_down = np.uint64(1), np.uint64(0)
        for word in range(words):
            equal, up, down = occurs[word][symbol], rising[word, :active], falling[word, :active]
            vertical = equal | down
            equal = equal | carry_down
            diagonal = (((equal & up) + up) ^ up) | equal
            right_up, right_down = down | ~(diagonal | up), up & diagonal
            ends = last == word
            distance[:active, ends] += _bit(right_up, ends, last_bit) - _bit(right_down, ends, last_bit)
            shifted_up, shifted_down = (right_up << np.uint64(1)) | carry_up, (right_down << np.uint64(1)) | carry_down
            carry_up, carry_down = right_up >> np.uint64(WORD - 1), right_down >> np.uint64(WORD - 1)
            rising[word, :active] = shifted_down | ~(vertical | shifted_up)
            falling[word, :active] = shifted_up & vertical
    return distance


def _occurrences(patterns: Sequences, symbols: IntArray) -> Words:
    """Bit p of [word, symbol, pattern] says that the pattern has the symbol at place 64 · word + p."""
    words = int(words_of(patterns.lengths).max())
    result = np.zeros((words, len(symbols), patterns.count), dtype=np.uint64)
    place = np.arange(len(patterns.activity)) - np.repeat(patterns.offsets[:-1], patterns.lengths)
    pattern = np.repeat(np.arange(patterns.count), patterns.lengths)
    symbol = np.minimum(np.searchsorted(symbols, patterns.activity), len(symbols) - 1)
    known = symbols[symbol] == patterns.activity
    bit = np.uint64(1) << (place % WORD).astype(np.uint64)
    np.bitwise_or.at(result, (place[known] // WORD, symbol[known], pattern[known]), bit[known])
    return result


def _bit(vector: Words, ends: npt.NDArray[np.bool_], bit: Words) -> IntArray:
    """The bit of the last row of the table, of the patterns that end in this word."""
    return ((vector[:, ends] >> bit[ends]) & np.uint64(1)).astype(np.int64)
