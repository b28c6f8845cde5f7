"""Does a seat see only what it may? Determinize what is hidden from it: its observation and mask must not change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
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
    """Determinize for every seat before each of `steps` random steps; `AssertionError` where its observation changes.

    For NOBODY, no observation may change.
    Also checked: a determinization depends on the keys and on the seat's information alone, so that a position
    determinized by other keys first becomes the same one; scripted players advise the same before and after; the
    determinized position has no problems, in one game of a step, each in its turn; and a game that declares hidden
    information has some to determinize. Returns how often a determinization changed the position.
    """
    game = get_game(game)
    batch = GameBatch(game, num_games, seed, options=options, components=components, autoreset=True)
    changed = 0
    for step in range(steps):
        keys = np.arange(num_games, dtype=np.int64) + step * num_games
        _determinize_once(batch, NOBODY, keys, examined=step % num_games)
        for seat in range(game.spec.players):
            changed += _determinize_once(batch, seat, keys, examined=(step + seat) % num_games)
        batch.step_random()
    assert changed or not game.spec.hidden_information, (
        f"{game.id}: hidden information is declared, none was drawn anew"
    )
    return changed


def _determinize_once(batch: GameBatch, seat: int, keys: NDArray[np.int64], examined: int) -> int:
    """Determinize all games for a seat in a copy, and look for problems in one; in how many the position changed."""
    copy, again = batch.clone(), batch.clone()
    copy.determinize(seat, keys)
    again.determinize(seat, keys + 1)
    again.determinize(NOBODY, keys + 2)
    again.determinize(seat, keys)

    # Nothing of earlier determinizations remains after another one.
    for name in batch.game.state.names or ():
        different = (copy.states[name] != again.states[name]).reshape(batch.num_games, -1).any(axis=1)
        for i in np.flatnonzero(different)[:1]:
            raise AssertionError(f"{_where(batch, int(i), seat)}: {name!r}, drawn anew, shows what lay there before")

    # The position is sound, and the seat observes the same; for NOBODY all seats do.
    check_position(copy, [examined])
    seats = range(batch.game.spec.players) if seat == NOBODY else [seat]
    for observer in seats:
        for i, entry in np.argwhere(batch.observe(observer) != copy.observe(observer))[:1]:
            layout = batch.game.observation
            piece = next(p.name for p in reversed(layout.pieces) if layout.start(p.name) <= entry)
            fault = "was drawn anew for NOBODY" if seat == NOBODY else "shows hidden information"
            raise AssertionError(f"{_where(batch, int(i), observer)}: {piece!r} {fault}")

    # The same seat decides, with the same legal actions.
    decides = np.isin(batch.current_player, seats)
    assert (copy.current_player == batch.current_player)[decides].all(), "a determinization changed who decides"
    for i in np.flatnonzero(decides & (batch.action_mask != copy.action_mask).any(axis=1))[:1]:
        raise AssertionError(f"{_where(batch, int(i), seat)}: the legal actions show hidden information")

    # A scripted player chooses the same action.
    for player in batch.game.scripted:
        changed = _advice(batch, batch, player.name) != _advice(batch, copy, player.name)
        for i in np.flatnonzero(decides & changed)[:1]:
            raise AssertionError(f"{_where(batch, int(i), seat)}: {player.name!r} plays by hidden information")
    return int(_differs(batch, copy).sum())


def _advice(batch: GameBatch, position: GameBatch, name: str) -> NDArray[np.int64]:
    """The actions of a scripted player in the games of `position`, with the random streams of `batch`."""
    states = position.get_state()
    for field in CHANCE:
        states[field] = batch.states[field]
    return scripted_actions(batch.game, states, batch.components, position.action_mask, name)


def _differs(batch: GameBatch, copy: GameBatch) -> NDArray[np.bool_]:
    """Games whose records differ in more than the future chance, bool [N]."""
    names = [name for name in batch.game.state.names or () if name not in CHANCE]
    parts = [(batch.states[n] != copy.states[n]).reshape(batch.num_games, -1).any(axis=1) for n in names]
    return np.asarray(np.any(parts, axis=0), np.bool_)


def _where(batch: GameBatch, game: int, seat: int) -> str:
    seed, episode = batch.game_seed(game)
    who = "nobody" if seat == NOBODY else batch.game.spec.seats[seat]
    return f"{batch.game.id}, seed {seed}, game {episode}, {who}"


# -- what interfaces make for a seat -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Alternatives:
    """A game up to a position, and games that a seat cannot tell from it.

    A game is a sequence of batches of one: some of its positions in order, the present one last.
    """

    seat: int
    real: tuple[GameBatch, ...]
    guesses: tuple[tuple[GameBatch, ...], ...]  # `real`, with what the seat cannot see drawn anew in every position


def alternatives(
    game: str | Game,
    *,
    seed: int = 0,
    stops: int = 4,
    guesses: int = 1,
    options: Mapping[str, object] | None = None,
    components: Any = None,
    redraw: Callable[[GameBatch, int, int], None] = GameBatch.determinize,
) -> list[Alternatives]:
    """Alternatives for every seat in positions of random play and of each scripted player, the ends included.

    A game gives so many `stops`, at least 2: its beginning, its end, and some between. `redraw(batch, seat, key)` draws
    anew what the seat cannot see; another one may also draw what a seat knows and is not shown.
    """
    game, cases = get_game(game), list[Alternatives]()
    for player in (None, *(player.name for player in game.scripted)):
        batch = GameBatch(game, 1, seed, options=options, components=components)
        positions = _positions(batch, player, stops, np.random.default_rng(seed))
        for count in range(1, stops + 1):
            real = tuple(positions[:count])
            cases += [
                Alternatives(seat, real, tuple(_guess(real, redraw, seat, key) for key in range(guesses)))
                for seat in range(batch.game.spec.players)
            ]
    return cases


def _positions(batch: GameBatch, player: str | None, stops: int, rng: np.random.Generator) -> list[GameBatch]:
    """Copies of a batch of one at so many positions of a game of this scripted player; None: of random play."""
    every = [batch.clone()]
    while not batch.states["over"][0]:
        # A script that was always right would visit few positions: a tenth of the decisions is random.
        if player is None or rng.random() < 0.1:
            batch.step_random()
        else:
            batch.step(scripted_actions(batch.game, batch.get_state(), batch.components, batch.action_mask, player))
        every.append(batch.clone())
    between = np.sort(rng.choice(np.arange(1, len(every) - 1), stops - 2, replace=False))
    return [every[0], *(every[k] for k in between), every[-1]]


def _guess(
    real: Sequence[GameBatch], redraw: Callable[[GameBatch, int, int], None], seat: int, key: int
) -> tuple[GameBatch, ...]:
    guess = tuple(batch.clone() for batch in real)
    for batch in guess:
        redraw(batch, seat, key)
    return guess


def check_view(cases: Iterable[Alternatives], show: Callable[[Sequence[GameBatch], int], object]) -> None:
    """What an interface makes for a seat does not change when what the seat cannot see is drawn anew.

    `show(positions, seat)` gives what the interface makes, as a value that compares. Raises `AssertionError` with the
    first place that differs.
    """
    for case in cases:
        expected = show(case.real, case.seat)
        for guess in case.guesses:
            view = show(guess, case.seat)
            if view != expected:
                first, second = repr(expected), repr(view)
                pairs = enumerate(zip(first, second, strict=False))
                at = next((k for k, pair in pairs if pair[0] != pair[1]), len(first))
                around = slice(max(0, at - 80), at + 80)
                where = _where(case.real[-1], 0, case.seat)
                decision = int(case.real[-1].states["decisions"][0])
                raise AssertionError(
                    f"{where}, decision {decision}: it depends on what is hidden: {first[around]!r}, {second[around]!r}"
                )
