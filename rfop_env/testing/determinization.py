"""Does a seat see only what it may? Determinize what is hidden from it: its observation and mask must not change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rfop_env.core.batch import GameBatch
from rfop_env.core.decisions import NOBODY
from rfop_env.core.game import Game
from rfop_env.core.kernels import scripted_actions
from rfop_env.registry import get_game
from rfop_env.testing.random_play import check_position

CHANCE = ("seed", "episode", "key", "draws")  # fields that every determinization moves, hidden information or not


def check_determinization(
    game: str | Game,
    steps: int = 200,
    *,
    seed: int = 0,
    num_games: int = 16,
    options: Mapping[str, object] | None = None,
    components: Any = None,
) -> int:
    """Determinize for every seat before each of `steps` random steps; `AssertionError` where a seat could tell.

    The same for NOBODY, where no seat may tell.
    Also checked: a determinization depends on the keys and on what the seat knows alone, so that a position
    determinized by other keys first becomes the same one; scripted players advise the same before and after; the
    determinized position has no problems, in one game of a step, each in its turn; and a game that declares hidden
    information has some to determinize. Returns how often a determinization changed the position.
    """
    played = get_game(game)
    batch = GameBatch(played, num_games, seed, options=options, components=components, autoreset=True)
    changed = 0
    for step in range(steps):
        keys = np.arange(num_games, dtype=np.int64) + step * num_games
        _determinize_once(batch, NOBODY, keys, examined=step % num_games)
        for seat in range(played.spec.players):
            changed += _determinize_once(batch, seat, keys, examined=(step + seat) % num_games)
        batch.step_random()
    assert changed or not played.spec.hidden_information, (
        f"{played.id}: hidden information is declared, none was drawn anew"
    )
    return changed


def _determinize_once(batch: GameBatch, seat: int, keys: NDArray[np.int64], examined: int) -> int:
    """Determinize all games for a seat in a copy, and look for problems in one; in how many the position changed."""
    other, again = batch.clone(), batch.clone()
    other.determinize(seat, keys)
    again.determinize(seat, keys + 1)
    again.determinize(NOBODY, keys + 2)
    again.determinize(seat, keys)

    # Nothing of earlier determinizations remains after another one.
    for name in batch.game.state.names or ():
        different = (other.states[name] != again.states[name]).reshape(batch.num_games, -1).any(axis=1)
        for i in np.flatnonzero(different)[:1]:
            raise AssertionError(f"{_where(batch, int(i), seat)}: {name!r}, drawn anew, shows what lay there before")

    # The position is sound, and the seat observes the same; for NOBODY all seats do.
    check_position(other, [examined])
    seats = range(batch.game.spec.players) if seat == NOBODY else [seat]
    for observer in seats:
        for i, entry in np.argwhere(batch.observe(observer) != other.observe(observer))[:1]:
            layout = batch.game.observation
            piece = next(p.name for p in reversed(layout.pieces) if layout.start(p.name) <= entry)
            fault = "was drawn anew for NOBODY" if seat == NOBODY else "shows hidden information"
            raise AssertionError(f"{_where(batch, int(i), observer)}: {piece!r} {fault}")

    # The same seat decides, with the same legal actions.
    decides = np.isin(batch.current_player, seats)
    assert (other.current_player == batch.current_player)[decides].all(), "a determinization changed who decides"
    for i in np.flatnonzero(decides & (batch.action_mask != other.action_mask).any(axis=1))[:1]:
        raise AssertionError(f"{_where(batch, int(i), seat)}: the legal actions show hidden information")

    # A scripted player chooses the same action.
    for player in batch.game.scripted:
        changed = _advice(batch, batch, player.name) != _advice(batch, other, player.name)
        for i in np.flatnonzero(decides & changed)[:1]:
            raise AssertionError(f"{_where(batch, int(i), seat)}: {player.name!r} plays by hidden information")
    return int(_differs(batch, other).sum())


def _advice(batch: GameBatch, seen: GameBatch, name: str) -> NDArray[np.int64]:
    """The actions of a scripted player in the games of `seen`, with the random streams of `batch`."""
    states = seen.get_state()
    for field in CHANCE:
        states[field] = batch.states[field]
    return scripted_actions(batch.game, states, batch.components, seen.action_mask, name)


def _differs(batch: GameBatch, other: GameBatch) -> NDArray[np.bool_]:
    """Games whose records differ in more than the future chance, bool [N]."""
    names = [name for name in batch.game.state.names or () if name not in CHANCE]
    parts = [(batch.states[n] != other.states[n]).reshape(batch.num_games, -1).any(axis=1) for n in names]
    return np.asarray(np.any(parts, axis=0), np.bool_)


def _where(batch: GameBatch, game: int, seat: int) -> str:
    seed, episode = batch.seed_of(game)
    who = "nobody" if seat == NOBODY else batch.game.spec.seats[seat]
    return f"{batch.game.id}, seed {seed}, game {episode}, {who}"
