"""Limits of games: the most decisions that a component set and the options allow."""

from __future__ import annotations

from collections.abc import Mapping

from rfop_env.games.levee_en_masse import board, state, turn
from rfop_env.games.levee_en_masse.components import HEAD, HEADLINES, Components


def most_decisions(c: Components, options: Mapping[str, str]) -> int:
    """The most decisions of a game with a component record under the options, by name; forced ones included."""
    standard = options["scenario"] == state.SCENARIO_NAMES[state.STANDARD]
    cards = [n for n in range(1, HEADLINES + 1) if not (standard and c.headline[n, HEAD.expansion])]
    actions = sum(int(c.headline[n, HEAD.actions]) for n in cards)
    if options["difficulty"] == state.DIFFICULTY_NAMES[state.EASIER]:
        actions += len(cards) // turn.FIFTH
    levees = board.ALL_MARKERS * (1 + _attack(options)) if _on(options, "levee") else 0  # each costs a marker for good
    return len(cards) * _free(options, napoleon=not standard) + actions * _paid(options) + levees


def _on(options: Mapping[str, str], name: str) -> bool:
    return options[name] == "on"


def _attack(options: Mapping[str, str]) -> int:
    """An attack, and what is done about its failure."""
    return 1 + (_on(options, "reserves") or _on(options, "commit_order"))


def _paid(options: Mapping[str, str]) -> int:
    """The most decisions that one Action brings."""
    attack = _attack(options)
    commit = 1 + 1 + attack if _on(options, "commit_order") else 0  # order is restored, given up, and then the attack
    spirit = 1 + attack if _on(options, "spirit_of_89") else 0  # a space is liberated, and fights
    return max(attack, commit, spirit)


def _free(options: Mapping[str, str], napoleon: bool) -> int:
    """The most decisions of a turn besides its Actions."""
    attack = _attack(options)
    barricades = board.FIRST_STATIONARY * attack  # against each army that can come to Paris
    second_roll = int(_on(options, "reserves"))  # it may fail as well
    commit = 1 + attack if _on(options, "commit_order") else 0
    spirit = board.ALL_MARKERS * attack if _on(options, "spirit_of_89") else 0
    return 1 + barricades + second_roll + commit + spirit + int(napoleon)
