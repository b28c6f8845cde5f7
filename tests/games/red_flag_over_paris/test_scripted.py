"""The Solo Opponent's tables as a player of the 2-player game: which card of a hand it spends."""

from __future__ import annotations

from .table import COMMUNE, Table


def test_momentum_is_paid_with_the_first_card_of_fewest_points():
    for hand, card in [
        ((1, 9, 17), 1),  # 1, 2 and 4 points
        ((1, 2, 3), 1),  # the lowest number of equal ones
        ((9, 2), 2),
        ((9, 10, 17), 9),
        ((17, 41), 41),  # the highest number
    ]:
        t = Table().hand(COMMUNE, *hand).to_play(COMMUNE)
        assert t.advised == f"card {card}", (hand, card)
        assert t.do(f"card {card}").advised == "use momentum", (hand, card)
