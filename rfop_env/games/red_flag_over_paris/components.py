"""The component record of Red Flag Over Paris: the tables that the rules read, filled from `components/*.toml`."""

from __future__ import annotations

from typing import Any

import numpy as np

from rfop_env.core.record import Fields, Grid, Vector, number
from rfop_env.games.red_flag_over_paris import board

# Cards are numbered as printed: 1 to 41 strategy cards (17 and 34 are the Final Crisis cards), 42 to 53 objectives.
# Row 0 of every card table is unused.
STRATEGY_CARDS = 41
CARDS = 54
FIRST_OBJECTIVE = 42
OBJECTIVES = 12
FINAL_CRISIS_CARD = (34, 17)  # of the Commune, of Versailles

# A card's event is at most MAX_STEPS rows of these columns.
STEP_OPERATION, STEP_COUNT, STEP_SPACES, STEP_FLAGS = 0, 1, 2, 3
STEP_CONDITION, STEP_CONDITION_ARGUMENT, STEP_OPTION, STEP_SECOND = 4, 5, 6, 7
STEP_COLUMNS = 8
MAX_STEPS = 8

# STEP_OPERATION: what a row does. STEP_COUNT is its number, STEP_SPACES the set of spaces it may touch.
END = 0  # no row: the event is over
PLACE = 1  # cubes of the acting side
PLACE_OUT_OF_PLAY = 2  # cubes of the acting side, each from the supply or from those removed from play
REMOVE = 3  # enemy cubes, without an attempt
REPLACE = 4  # enemy cubes with cubes of the acting side
MOVE = 5  # cubes of the acting side, from STEP_SPACES to STEP_SECOND
REMOVE_OWN = 6  # cubes of the acting side
PLACE_DISC = 7  # a Fortification or Barricade of the acting side
OPERATIONS = 8  # STEP_COUNT Operations Points within STEP_SPACES
OPERATIONS_BOTH = 9  # STEP_COUNT points within STEP_SPACES and STEP_SECOND points in political spaces
MOMENTUM = 10  # by STEP_COUNT (+1 or -1); STEP_SECOND 0: the acting side's track, 1: the enemy's
REVEAL_HAND = 11  # the enemy's
REVEAL_OBJECTIVE = 12  # the enemy's
SWAP_CARD = 13  # a hand card for the top card of the deck
USE_ANY_DISCARD = 14  # the event of a card of the acting side, or neutral, discarded this round

# STEP_FLAGS
UP_TO = 1  # any number from 0 to STEP_COUNT
MUST = 2  # without this row the event cannot be used
MAY = 4  # the whole row is optional
DIFFERENT = 8  # each cube in another space
WHERE_PRESENT = 16  # only spaces where the acting side is present

# STEP_CONDITION: otherwise the row is passed over (a first row: the whole event cannot be used)
ALWAYS = 0
IF_CONTROL = 1  # the acting side controls the space STEP_CONDITION_ARGUMENT
IF_OWN_MOMENTUM = 2  # the acting side's momentum is at least STEP_CONDITION_ARGUMENT
IF_ENEMY_MOMENTUM = 3  # the enemy's is

# Rows of the Solo Opponent Aid, in the order of the file; 0 ends a table.
AID_ROWS = 16


class Components(Fields):
    """The tables of a component set."""

    points: Vector = number(np.int32, CARDS)  # Operations Points of a strategy card, 0 for objectives
    side: Vector = number(np.int32, CARDS)  # COMMUNE, VERSAILLES or NEUTRAL; objectives are NEUTRAL
    not_in_solo: Vector = number(np.int32, CARDS)  # 1: removed before a solo game
    target: Vector = number(np.int32, CARDS)  # the space of an objective
    program: Any = number(np.int32, CARDS, MAX_STEPS, STEP_COLUMNS)
    adjacent: Vector = number(np.int32, board.SPACES)  # set of places (14 bits) whose controller may act in this space
    always_present: Vector = number(np.int32, board.SIDES)  # set of spaces where a side is present without pieces
    never_isolated: Vector = number(np.int32, board.SIDES)  # spaces where a side's cubes are never isolated
    start_cubes: Grid = number(np.int32, board.SIDES, board.SPACES)
    track: Grid = number(np.int32, board.SIDES, board.ZONES)  # cubes in each zone of the crisis track at the start
    bonus: Grid = number(np.int32, board.SIDES, board.ZONES)  # bonus cubes over each zone (over Starting: none)
    collaboration: Vector = number(np.int32, 4)  # Versailles cubes under Prussian Collaboration 0 (none), 1, 2, 3
    pool_places: Vector = number(np.int32, 4)  # places of the Commune's cube pool at Revolutionary Momentum 0 to 3
    gift_dimension: Vector = number(np.int32, board.SIDES)  # where the ENEMY may place at momentum 2 and 3
    choose_table: Grid = number(np.int32, board.SIDES, AID_ROWS)  # Aid of the bot playing this side: place or remove
    place_table: Grid = number(np.int32, board.SIDES, AID_ROWS)  # where to place or replace
    remove_table: Grid = number(np.int32, board.SIDES, AID_ROWS)  # where to remove


COMPONENTS = Components.dtype()
assert board.PLACES <= 31

# Rows of choose_table, read from the top; the first that holds decides (all but CHOOSE_PLACE say "remove").
CHOOSE_NO_CUBES = 1  # no available cubes
CHOOSE_TAKES_KEY_SPACE = 2  # one removal, certain to succeed, ends the player's control of a pivotal or objective space
CHOOSE_DIMENSION = 3  # one removal gives the bot a whole dimension, or breaks one that the player controls whole
CHOOSE_HOME_DIMENSION = 4  # the player has a cube in Forts (Versailles bot) or Public Opinion (Commune bot)
CHOOSE_NO_ROOM = 5  # no legal space with Room
CHOOSE_PLACE = 6  # otherwise: place

# Rows of place_table and remove_table, each a condition that eliminates spaces.
SELECT_ROOM = 1  # has Room
SELECT_COMPLETES_DIMENSION = 2  # completes a dimension for the bot
SELECT_ADDS_KEY_CONTROL = 3  # adds bot control of a pivotal or objective space
SELECT_BREAKS_CONTROL = 4  # breaks the player's control of the space
SELECT_ADDS_CONTROL = 5  # adds bot control of the space
SELECT_OWN_SPHERE = 6  # military (Versailles bot), political (Commune bot)
SELECT_STRONGEST_DIMENSION = 7  # a dimension where the bot controls most spaces
SELECT_NOT_ISOLATED = 8  # the bot's cubes there are not isolated
SELECT_FEWEST_CUBES = 9  # fewest player cubes
SELECT_DIE = 10  # a die chooses among the spaces left
SELECT_CERTAIN = 11  # success certain, else the highest strength
SELECT_BREAKS_DIMENSION = 12  # breaks a dimension that the player controls whole
SELECT_BREAKS_KEY_CONTROL = 13  # breaks the player's control of a pivotal or objective space
SELECT_ISOLATED = 14  # the player's cubes are isolated
