"""The action table of Levée en Masse: one choice in the Action Phase, or an answer to a roll; 79 ids."""

from __future__ import annotations

from rfop_env.core.action_table import ActionTable
from rfop_env.games.levee_en_masse import board

_SPACES = [f"{track} {box}" for track in board.TRACK_NAMES for box in range(1, board.START)]

ACTIONS = ActionTable(
    [
        ("political", "Political Action on {}: lower Monarchy or Despotism, or raise Republic", board.POLITICS_NAMES),
        ("military", "Military Action against the army {}; the first against one in Paris is free", board.ARMY_NAMES),
        ("naval", "Naval Action against the British army", [""]),
        ("liberate", "Liberation Action in the space {} (track and box)", _SPACES),
        ("restore", "Restore Order Action", [""]),
        ("napoleon", "assign Napoleon to fight the army {}, at no cost", board.ARMY_NAMES),
        ("detach", "take Napoleon back to the Holding Box, at no cost", [""]),
        ("levee", "give up the Liberation marker {} for an emergency Military Action", ["held", *_SPACES]),
        ("spirit", "let the liberated space where the army {} stands fight it, at no cost", board.ARMY_NAMES),
        ("commit", "place Disorder in Paris for {}", ["action", "bonus"]),
        ("reserves", "commit the last reserves and reroll the attack", [""]),
        ("accept", "leave the attack as it was rolled", [""]),
        ("end", "end the Action Phase", [""]),
    ]
)

POLITICAL = ACTIONS.first("political")  # + marker
MILITARY = ACTIONS.first("military")  # + army
NAVAL = ACTIONS.first("naval")
LIBERATE = ACTIONS.first("liberate")  # + space_index
RESTORE = ACTIONS.first("restore")
NAPOLEON = ACTIONS.first("napoleon")  # + army
DETACH = ACTIONS.first("detach")
LEVEE = ACTIONS.first("levee")  # of a marker in the Holding Box; LEVEE_ON + space_index: of one on the map
LEVEE_ON = LEVEE + 1
SPIRIT = ACTIONS.first("spirit")  # + army
COMMIT_ACTION, COMMIT_BONUS = range(ACTIONS.first("commit"), ACTIONS.first("commit") + 2)
RESERVES = ACTIONS.first("reserves")
ACCEPT = ACTIONS.first("accept")
END = ACTIONS.first("end")
assert len(_SPACES) == board.TRACKS * board.INNER_BOXES
