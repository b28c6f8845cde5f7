"""Counter-based random numbers held in the state record; `docs/randomness.md` is the specification.

A draw is a pure function of (seed, episode, stream, counter): no draw of one stream can move another, a copied record
continues exactly as the original, and the same bits come out compiled or not, on every machine.
"""

from __future__ import annotations

from typing import Any

from rfop_env.compiler import rule, small_rule

DEAL, DICE, BOT, POLICY, DETERMINIZE = range(5)  # the streams: decks, dice, scripted opponents, random play, resampling
STREAMS = 5

WORD = 0xFFFFFFFF
GOLDEN = 0x9E3779B9  # 2**32 / golden ratio: keeps the streams' counters far apart


@small_rule
def mix(x: int) -> int:
    """Scramble 32 bits (two rounds of multiply and xor-shift)."""
    x = x & WORD
    x ^= x >> 16
    x = (x * 0x7FEB352D) & WORD
    x ^= x >> 15
    x = (x * 0x846CA68B) & WORD
    return x ^ (x >> 16)


@rule
def begin_streams(s: Any) -> None:
    """Derive the keys of all streams from the record's seed and episode, and set every counter to 0."""
    low, high, episode = int(s.seed[0]), int(s.seed[1]), int(s.episode)
    s.key[0] = mix(low ^ mix(episode + GOLDEN))
    s.key[1] = mix(high + mix(int(s.key[0]) + episode))
    for stream in range(STREAMS):
        s.draws[stream] = 0


@rule
def new_chance(s: Any, key: int) -> None:
    """Let all chance to come follow from a key of 32 bits, also the deals that seed and streams would repeat."""
    key = int(key)
    s.seed[0] = mix(key ^ GOLDEN)
    s.seed[1] = key
    s.episode = 0
    begin_streams(s)


@small_rule
def random_word(s: Any, stream: int) -> int:
    """The stream's next 32 random bits."""
    counter = int(s.draws[stream]) + 1
    s.draws[stream] = counter
    return mix(mix(counter + int(s.key[0]) + stream * GOLDEN) ^ int(s.key[1]))


@rule
def random_below(s: Any, stream: int, n: int) -> int:
    """An unbiased draw from 0 to n-1 (multiply-shift with rejection); n from 1 to 2**31 - 1."""
    n = int(n)  # of a record, whose 32 bits do not hold the product
    product = random_word(s, stream) * n
    if (product & WORD) < n:
        threshold = (0x100000000 - n) % n
        while (product & WORD) < threshold:
            product = random_word(s, stream) * n
    return product >> 32


@rule
def shuffle(s: Any, stream: int, cards: Any, size: int) -> None:
    """Shuffle the first `size` entries of an array of the record in place (Fisher and Yates)."""
    for i in range(size - 1, 0, -1):
        j = random_below(s, stream, i + 1)
        card = int(cards[i])
        cards[i] = cards[j]
        cards[j] = card
