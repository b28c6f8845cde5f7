"""What holds in every position of Revolution alone, its observation, symmetries and scripted player."""

from __future__ import annotations

import numpy as np
import pytest

from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.core.kernels import scripted_actions
from rfop_env.core.random_stream import BOT
from rfop_env.games.revolution import actions, board, game, observation
from rfop_env.games.revolution import symmetries as board_symmetries
from rfop_env.testing.conformance import check_symmetries

from .table import Table, space

ID = "Revolution-v0"
GAMES = 400 if JIT else 12


def ended_games(n: int, seed: int = 0, reward: str = "outcome") -> GameBatch:
    """Random games, all at their end, their last rewards in place."""
    batch = GameBatch(game.revolution(), n, seed, reward=reward)
    batch.step_random(repeat=game.revolution().spec.max_decisions)
    assert batch.terminated.all()
    return batch


@pytest.mark.many_games
def test_certain_control_and_markers_stay():
    batch = GameBatch(game.revolution(), GAMES, 3)
    controls, marked = batch.states["controls"].copy(), batch.states["marked"].copy()
    while not batch.states["over"].all():
        batch.step_random()
        assert (batch.states["controls"] >= controls).all() and (batch.states["marked"] >= marked).all()
        controls, marked = batch.states["controls"].copy(), batch.states["marked"].copy()
    assert (controls.sum(axis=1) <= 1).all()


@pytest.mark.many_games
def test_at_most_one_side_has_eleven_spaces_to_mark():
    """Section 4: of 21 spaces that can be marked exactly one side has eleven or more once the board is full."""
    batch, full = ended_games(GAMES, 20), 0
    for s in batch.states.view(np.recarray):
        numbers = [
            x for x in range(board.SPACES) if s.on[x] < board.FIRST_BUILDING and s.on[x] % board.COUNTERS != board.FLAG
        ]
        markable = [*numbers, int(s.at[board.NOTRE_DAME])]
        controlled = [int(s.controls[side, markable].sum()) for side in range(board.SIDES)]
        assert min(controlled) <= 10
        if s.placed == board.PIECES:
            full += 1
            assert len(markable) == sum(controlled) == 21 and max(controlled) >= 11
    assert full > 0


@pytest.mark.many_games
def test_the_winner_meets_a_condition_and_the_rewards_say_so():
    """+1 and -1, or the loser's markers left / 11; a draw is 0 for both."""
    outcome, margin = ended_games(GAMES, 7), ended_games(GAMES, 7, "margin")
    assert (outcome.states["winner"] == margin.states["winner"]).all()
    for k, winner in enumerate(outcome.states["winner"]):
        if winner < 0:
            assert not outcome.rewards[k].any() and not margin.rewards[k].any()
        else:
            points = outcome.states["left"][k, 1 - winner] / 11
            assert outcome.rewards[k, winner] == 1 and margin.rewards[k, winner] == pytest.approx(points)
        assert outcome.rewards[k].sum() == margin.rewards[k].sum() == 0


@pytest.mark.skipif(not JIT, reason="needs thousands of games")
def test_draws_are_as_frequent_as_the_simulation_of_the_rulings_says():
    """Section 4: about 5 % of random games; about 2 % need the Jacobins' last marking (V20)."""
    batch = ended_games(20_000)
    assert 0.045 < (batch.states["winner"] < 0).mean() < 0.055
    full = np.flatnonzero((batch.states["placed"] == board.PIECES) & (batch.states["winner"] == board.JACOBINS))
    last = sum(any(line.startswith("Jacobins mark") for line in batch.journal(int(k))[-3:-1]) for k in full)
    assert 0.01 < last / batch.num_games < 0.03


@pytest.mark.parametrize("seed", range(3))
def test_a_copied_position_is_the_same_whatever_the_order_of_play(seed):
    """Equal positions have equal bytes: two counters of each side in either order."""
    rng, batches = np.random.default_rng(seed), [GameBatch(game.revolution(), 1, 0) for _ in range(2)]
    labels = ["building bastille", "space a1", "building versailles", "space c3", "space e5"]
    spaces = rng.permutation(["b2", "d4", "a4", "d1"])
    pairs = [(f"counter {n}", f"space {x}") for n, x in zip((1, 2, 3, 4), spaces, strict=True)]
    for batch, order in zip(batches, ((0, 1, 2, 3), (2, 3, 0, 1)), strict=True):
        for label in [*labels, *(word for k in order for word in pairs[k])]:
            batch.step([actions.ACTIONS.parse(label)])
    states = [batch.get_state() for batch in batches]
    for record in states:
        record["journal"], record["journal_size"] = 0, 0
    assert states[0].tobytes() == states[1].tobytes()


# -- observation -------------------------------------------------------------------------------------------------------


def test_the_planes_are_a_picture_of_the_board():
    table = Table("J9 . . . .  R8 . . . .  . . ND . .  . . . . .  Ba . . JF Ve")
    size = len(observation.PLANES) * board.SPACES
    assert [piece.name for piece in observation.LAYOUT.pieces[: len(observation.PLANES)]] == [
        plane.name for plane in observation.PLANES
    ]
    grid = table.batch.observation[0, :size].reshape(-1, board.WIDTH, board.WIDTH)
    planes = dict(zip((plane.name for plane in observation.PLANES), grid, strict=True))
    assert planes["own_values"][0, 0] == 9 and planes["enemy_values"][1, 0] == 8 and planes["own_flag"][4, 3] == 1
    assert planes["own_influence"][1, 0] == 9 and planes["enemy_influence"][0, 0] == 8
    assert planes["notre_dame"][2, 2] == planes["bastille"][4, 0] == planes["versailles"][4, 4] == 1
    assert planes["empty"].sum() == board.SPACES - 6 and planes["empty_neighbours"][0, 0] == 1


def test_networks_see_the_board_space_by_space():
    """Each space by its own entries, its neighbours those that share a side (V3)."""
    layout = board_symmetries.board_layout()
    assert layout.observation.shape == (
        board.SPACES,
        len(observation.PLANES),
    ) and layout.neighbours.sum() == 2 * 2 * board.WIDTH * (board.WIDTH - 1)
    for x in range(board.SPACES):
        assert set(layout.observation[x]) == {observation.LAYOUT.start(plane.name) + x for plane in observation.PLANES}
        assert set(np.flatnonzero(layout.neighbours[x])) == set(board.NEIGHBOURS[x, : board.DEGREE[x]])
        assert actions.ACTIONS.label(int(layout.actions[x])) == f"space {board.SPACE_NAMES[x]}"


def test_each_side_sees_its_own_pieces_first():
    table = Table("J9 . . . .  J8 . . . .  . . ND . .  . . . . .  Ba . . . Ve", to_play="R").play("0", "b1")
    for side, own, enemy in (("R", 1, 2), ("J", 2, 1)):
        assert [len(table.view(side, f"{whose}_numbers")) for whose in ("own", "enemy")] == [own, enemy]
    assert table.view("R", "enemy_control") == table.view("J", "own_control") == ["a1", "a2"]
    assert (table.view("R", "side"), table.view("J", "side")) == (0, 1)


def test_the_question_and_the_held_counter_are_seen_by_both():
    batch = Table("J9 . . . .  . . . . .  . . ND . .  . . . . .  Ba . . . Ve", to_play="R").batch
    batch.step([actions.ACTIONS.parse("counter 7")])
    for seat in range(board.SIDES):
        view = observation.LAYOUT.describe(batch.observe(seat)[0])
        assert view["question"] == ["space"] and view["held_counter"] == ["7"] and view["on_turn"] == int(seat == 0)
    assert "7" in observation.LAYOUT.describe(batch.observe(board.ROYALISTS)[0])["own_unplayed"]


def test_an_ended_game_asks_nothing():
    batch = ended_games(4, 5)
    for seat in range(board.SIDES):
        for view in map(observation.LAYOUT.describe, batch.observe(seat)):
            assert view["question"] == [] and view["on_turn"] == 0 and view["held_counter"] == []


# -- symmetries --------------------------------------------------------------------------------------------------------


def test_there_are_eight_different_turns_and_they_form_a_group():
    turns = {tuple(symmetry.actions) for symmetry in board_symmetries.symmetries()}
    assert len(turns) == 8 and tuple(range(actions.ACTIONS.size)) == tuple(board_symmetries.symmetries()[0].actions)
    assert {tuple(np.array(a)[list(b)]) for a in turns for b in turns} == turns
    corner = [
        int(symmetry.actions[actions.SPACE + space("a1")]) - actions.SPACE for symmetry in board_symmetries.symmetries()
    ]
    assert sorted(corner) == sorted([space(name) for name in ("a1", "e1", "e5", "a5")] * 2)


@pytest.mark.parametrize("components", [None, "small_board"])
@pytest.mark.parametrize("symmetry", board_symmetries.symmetries(), ids=lambda symmetry: symmetry.name)
def test_a_turned_game_is_seen_turned_at_every_step(symmetry, components):
    n = 50 if JIT else 3
    straight, turned = (GameBatch(game.revolution(), n, 0, components=components) for _ in range(2))
    rng, where = np.random.default_rng(1), np.argsort(symmetry.actions)
    while not straight.states["over"].all():
        choices = np.array([rng.choice(np.flatnonzero(row)) if row.any() else -1 for row in straight.action_mask])
        straight.step(choices)
        turned.step(np.where(choices < 0, -1, where[choices]))
        assert np.array_equal(straight.observation[:, symmetry.observation], turned.observation)
        assert np.array_equal(straight.action_mask[:, symmetry.actions], turned.action_mask)
        assert np.array_equal(straight.rewards, turned.rewards)


@pytest.mark.skipif(not JIT, reason="the same as above with other games")
def test_the_conformance_suite_agrees_about_the_symmetries():
    check_symmetries(ID)


# -- the scripted player -----------------------------------------------------------------------------------------------


def scripted_choice(batch: GameBatch) -> np.ndarray:
    """What the scripted player would do."""
    return scripted_actions(batch.game, batch.states, batch.components, batch.action_mask, "scripted")


@pytest.mark.many_games
def test_scripted_plays_legal_moves_and_touches_only_its_stream():
    batch = GameBatch(game.revolution(), 4, 2)
    while not batch.states["over"].all():
        states = batch.get_state()
        choices = scripted_choice(batch)
        running = np.flatnonzero(batch.states["over"] == 0)
        assert batch.action_mask[running, choices[running]].all() and (np.delete(choices, running) == -1).all()
        states["draws"][:, BOT] = batch.states["draws"][:, BOT]
        assert states.tobytes() == batch.get_state().tobytes()
        batch.step(choices)


@pytest.mark.skipif(not JIT, reason="needs hundreds of games")
@pytest.mark.parametrize("seat", [board.ROYALISTS, board.JACOBINS])
def test_scripted_beats_random_play(seat):
    batch = GameBatch(game.revolution(), 2000, 1, opponent="scripted", seat=seat)
    batch.step_random(repeat=game.revolution().spec.max_decisions)
    assert (batch.states["winner"] == 1 - seat).mean() > 0.97
