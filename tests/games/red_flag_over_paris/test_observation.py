"""The bounds of the observation are those of the record, piece by piece."""

from __future__ import annotations

from rfop_env.games.red_flag_over_paris import observation, state

COUNTS = {"plays", "vp", "momentum", "momentum_cards", "cubes", "pool", "track", "bonus", "out_of_play", "collaboration"}
COUNTS |= {"fulfilled"}
OTHER_BOUNDS = {  # of counts that the record does not hold as such, and of signs; all other pieces are 0 or 1
    "deck_size": (0, 39),
    "hand_sizes": (0, 9),
    "pool_room": (0, 18),
    "points": (0, 18),
    "event_step": (0, 8),
    "control": (-1, 1),
    "whether_momentum": (-1, 1),
    "used_round": (-4, 4),
    **dict.fromkeys(("used_event", "used_operations", "used_copy", "used_momentum", "used_final_crisis"), (-1, 1)),
}


def test_the_bounds_of_counts_are_those_of_the_record():
    fields = {field.name: field for field in state.RECORD.fields}
    for piece in observation.LAYOUT.pieces:
        name = piece.name.removeprefix("own_").removeprefix("enemy_")
        if name in COUNTS:
            field = fields[name]
            assert (piece.low, piece.high) == (field.low, field.high), piece.name
        else:
            assert (piece.low, piece.high) == OTHER_BOUNDS.get(piece.name, (0, 1)), piece.name
