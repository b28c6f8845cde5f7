"""What an Action does in a position, in words: its odds, for people who choose."""

from __future__ import annotations

from typing import Any

from rfop_env.games.levee_en_masse import actions, board, government, journal, state
from rfop_env.games.levee_en_masse.component_set import army_words
from rfop_env.games.levee_en_masse.components import HEAD, Components
from rfop_env.games.levee_en_masse.state import State

DIE = range(1, 7)


def tell(s: State, components: Any, action: int) -> str:
    """What a legal action does in this position, a sentence with the faces of the die that succeed."""
    row = actions.ACTIONS.rows[action]
    sentence = row.sentence
    if row.kind == "political":
        verb = "raise" if row.argument == board.REPUBLIC else "lower"
        sentence = f"{verb} {board.POLITICS_NAMES[row.argument]} by a box"
    if row.kind == "military":
        free = s.box[row.argument] == board.PARIS and s.attacked[row.argument] == 0
        sentence = f"attack {army_words(board.ARMY_NAMES[row.argument])}"
        sentence += ", free: the first time in Paris" if free else ""

    if row.kind == "liberate":
        sentence = f"put a Liberation marker on {_space(components, row.argument)}"
    if row.kind == "levee":
        place = _space(components, row.argument - 1) if row.argument else "the Holding Box"
        sentence = f"give up the Liberation marker of {place} for an emergency Military Action"
    if row.kind == "restore":
        sentence = "take Disorder out of Paris"
    if row.kind == "accept":
        sentence = f"leave the attack on {army_words(board.ARMY_NAMES[int(s.roll_army)])} as it was rolled"
    if row.kind == "end":
        number = int(s.actions_left)
        sentence += (
            f"; {number} Action{'s' * (number != 1)} {'is' if number == 1 else 'are'} given up" if number else ""
        )

    if row.kind == "napoleon" and s.question == state.ASK_ROLL:
        sentence += ", and commit the last reserves and reroll the attack"

    faces = winning_faces(s, components.tables, action)
    return sentence if faces is None else f"{sentence}; succeeds on {faces} of 6 rolls"


def _space(components: Any, index: int) -> str:
    track, box = divmod(index, board.INNER_BOXES)
    return str(components.space_name(track, box + 1))


def winning_faces(s: State, c: Components, action: int) -> int | None:
    """The number of faces of the die on which an action succeeds, 0 to 6; None for an action without a roll.

    `c` is the component record. The +1 of the forces of order and a reroll are not counted.
    """
    card, row = c.headline[s.headline], actions.ACTIONS.rows[action]
    if action in range(actions.MILITARY, actions.MILITARY + board.ARMIES):
        return _faces_of_attack(s, c, row.argument, spirit=False)
    if action in range(actions.SPIRIT, actions.SPIRIT + board.ARMIES):
        return _faces_of_attack(s, c, row.argument, spirit=True)
    if action == actions.NAVAL:
        return _faces(int(card[HEAD.naval]), int(c.navy_value))
    if row.kind == "political":
        drm = int(card[HEAD.political]) - int(s.napoleon == state.NAPOLEON_ASSIGNED)
        return _faces(drm, int(s.politics[row.argument]))
    if row.kind == "liberate":
        return _faces(int(card[HEAD.liberation]), int(c.liberation_value))
    if action == actions.RESTORE:
        return len(DIE) if _firm_republic(s) else _faces(int(card[HEAD.order]), int(c.disorder_value))
    if action == actions.RESERVES and s.roll_kind == state.BY_SEA:
        return _faces(int(card[HEAD.naval]), int(c.navy_value))
    if action == actions.RESERVES:
        return _faces_of_attack(s, c, int(s.roll_army), spirit=s.roll_kind == state.BY_SPIRIT)
    if row.kind == "napoleon" and s.question == state.ASK_ROLL:
        return _faces_of_attack(s, c, row.argument, spirit=False, joins=True)
    return None


def _faces(drm: int, value: int, triumph: int = max(DIE)) -> int:
    """The faces that succeed; from the natural `triumph` on every one does."""
    return sum(journal.beats(die, drm, value) or die >= triumph for die in DIE)


def _faces_of_attack(s: State, c: Components, army: int, spirit: bool, joins: bool = False) -> int:
    """The faces that beat an army, by a Military Action or by a liberated space itself (10.2).

    `joins`: Napoleon comes for the roll (L53).
    """
    napoleon = int((s.napoleon_army == army or joins) and not spirit)
    drm = 0
    if not spirit:
        card = c.headline[s.headline]
        own = int(card[HEAD.army_drm]) if card[HEAD.army] == army + 1 else 0
        drm = int(s.french_army) + own + napoleon

    # With Napoleon a natural 5 is a decisive victory (10.6.1).
    decisive = s.decisive == 1 and not (army == board.PRUSSIAN and s.rotated == 1)
    return _faces(drm, int(c.battle_value[army]), max(DIE) - napoleon if decisive else max(DIE))


def _firm_republic(s: State) -> bool:
    """True if the Republic alone stands highest, at box 3 or 4: it restores order without a roll (L19)."""
    rivals = max(int(s.politics[marker]) for marker in range(board.POLITICS) if marker != board.REPUBLIC)
    return bool(s.politics[board.REPUBLIC] >= government.FIRM_REPUBLIC and s.politics[board.REPUBLIC] > rivals)
