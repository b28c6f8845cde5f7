"""The action table of Paris: one choice of one player, 123 ids.

An id's meaning never depends on hidden matters, but some ids serve several questions: a bonus tile is taken if it is
not owned, otherwise used or sold; a good is sold, or pays what is asked for.
"""

from __future__ import annotations

from rfop_env.core.action_table import ActionTable
from rfop_env.games.paris import board

ACTIONS = ActionTable(
    [
        ("draw", "draw the top building tile of stack {}", [str(1 + k) for k in range(board.STACKS)]),
        ("put", "put a key from behind the screen on {}", board.PLACE_NAMES[board.FIRST_BANK :]),
        ("key", "choose the key at {} to move, or move the chosen key there", board.PLACE_NAMES),
        ("district", "choose {} for the tile being placed", board.DISTRICT_NAMES),
        ("search", "search the End Game tiles and take one", [""]),
        ("end-tile", "take the End Game tile {}; use, pay with or sell your own", board.END_NAMES),
        ("bonus", "take bonus tile {}; use, pay with or sell your own", [str(1 + i) for i in range(board.BONUS_TILES)]),
        ("give", "sell a token of {}; where it is asked for, pay it", board.GOOD_NAMES),
        ("buy", "buy a token of {}", board.GOOD_NAMES[: board.RESOURCES]),
        ("vp-tile", "place VP tile {}", [str(1 + k) for k in range(board.VP_TILES)]),
        ("done", "decline, pass, or end the turn", [""]),
    ]
)

DRAW = ACTIONS.first("draw")  # + stack
PUT = ACTIONS.first("put")  # + bank or Arc, less FIRST_BANK
KEY = ACTIONS.first("key")  # + place
DISTRICT = ACTIONS.first("district")
SEARCH = ACTIONS.first("search")
END_TILE = ACTIONS.first("end-tile")  # + kind
BONUS = ACTIONS.first("bonus") - 1  # + number
GIVE = ACTIONS.first("give")  # + good
BUY = ACTIONS.first("buy")  # + resource
VP_TILE = ACTIONS.first("vp-tile")
DONE = ACTIONS.first("done")
