"""The random numbers: fixed words, unbiased draws, independent streams."""

import numpy as np
import pytest

from rfop_env.core import random_stream
from rfop_env.core.decisions import Header
from tests.core.rule_calls import from_python
from rfop_env.core.record import Field, RecordLayout
from rfop_env.core.random_stream import DEAL, DICE, STREAMS


begin_streams, mix, random_below, random_word, shuffle = (
    from_python(getattr(random_stream, name))
    for name in ("begin_streams", "mix", "random_below", "random_word", "shuffle")
)
RECORD = RecordLayout([*Header.fields(), Field("cards", np.int8, 0, 99, (10,))]).dtype
# (low seed, high seed, episode): first three words of the streams DEAL and DICE. A change here breaks every seed that
# anybody has written down: it needs a new version of every environment.
GOLDEN = {
    (0, 0, 0): [[2363477056, 941260327, 302032592], [540080553, 2396019161, 712070876]],
    (1, 0, 0): [[3508903054, 4152079588, 3938528267], [4100675868, 2457971821, 3209369009]],
    (0, 1, 0): [[3969649095, 38117455, 1344655915], [2892840623, 1149315335, 2517345828]],
    (0, 0, 1): [[1964890783, 1938192599, 3349002965], [2322722811, 270623065, 430286099]],
    (2**32 - 1, 2**32 - 1, 3): [[43604439, 1375460416, 1274043608], [1028083226, 2389054632, 2971837583]],
}


def record(low=0, high=0, episode=0):
    """A record with its streams begun."""
    s = np.zeros(1, RECORD).view(np.recarray)[0]
    s.seed[0], s.seed[1], s.episode = low, high, episode
    begin_streams(s)
    return s


def chi_square(counts):
    """The statistic against equal frequencies."""
    expected = np.sum(counts) / np.size(counts)
    return float(((counts - expected) ** 2 / expected).sum())


@pytest.mark.parametrize("start", GOLDEN, ids=str)
def test_fixed_words(start):
    s = record(*start)
    assert [[int(random_word(s, stream)) for _ in range(3)] for stream in (DEAL, DICE)] == GOLDEN[start]


def test_mixing_loses_nothing():
    words = {int(mix(x)) for x in range(2**14)} | {int(mix(x << 18)) for x in range(1, 2**14)}
    assert len(words) == 2**15 - 1 and min(words) >= 0 and max(words) < 2**32


@pytest.mark.parametrize("n", [2, 3, 6, 7, 52])
def test_draws_are_even(n):
    s = record(11)
    counts = np.bincount([random_below(s, DICE, n) for _ in range(200 * n)], minlength=n)
    assert len(counts) == n
    assert chi_square(counts) < (n - 1) + 4 * np.sqrt(2 * (n - 1)) + 4


def test_draws_of_a_large_range_are_rejected_not_wrapped():
    n = 3 * 2**29  # 2**32 is 2.67 times n: without rejection some values would come up half as often again
    s = record(5)
    draws = np.array([random_below(s, DEAL, n) for _ in range(6000)])
    assert draws.min() >= 0 and draws.max() < n and int(s.draws[DEAL]) > 6000
    assert chi_square(np.bincount(draws % 3, minlength=3)) < 14


def test_a_draw_from_one_is_no_choice():
    assert random_below(record(), DICE, 1) == 0


def test_streams_do_not_move_each_other():
    s, twin = record(9), record(9)
    expected = [int(random_word(s, DEAL)) for _ in range(20)]
    draws = []
    for _ in range(20):
        for stream in range(1, STREAMS):
            random_word(twin, stream)
        draws.append(int(random_word(twin, DEAL)))
    assert draws == expected


def test_streams_episodes_and_seeds_share_no_words():
    starts = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    words = [
        int(random_word(s, k)) for s in (record(*start) for start in starts) for k in range(STREAMS) for _ in range(500)
    ]
    assert len(set(words)) >= len(words) - 3  # 10,000 words of 32 bits: about 0.01 meetings by chance


def test_streams_are_uncorrelated():
    s = record(3)
    table = np.zeros((6, 6))
    for _ in range(3600):
        table[random_below(s, DEAL, 6), random_below(s, DICE, 6)] += 1
    assert chi_square(table) < 35 + 4 * np.sqrt(70)


def test_shuffles_are_even_and_lose_no_card():
    s, places = record(1), np.zeros((4, 4))
    for _ in range(1200):
        s.cards[:] = np.arange(10)
        shuffle(s, DEAL, s.cards, 4)
        assert sorted(s.cards.tolist()) == list(range(10)) and s.cards[4:].tolist() == [4, 5, 6, 7, 8, 9]
        places[np.arange(4), s.cards[:4]] += 1
    assert chi_square(places) < 9 + 4 * np.sqrt(18) + 4


def test_a_bound_from_a_record_draws_as_a_plain_number():
    with np.errstate(all="raise"):
        first, second = record(7), record(7)
        draws = [int(random_below(first, DEAL, np.int32(2**30 + n))) for n in range(20)]
        assert draws == [int(random_below(second, DEAL, 2**30 + n)) for n in range(20)]
