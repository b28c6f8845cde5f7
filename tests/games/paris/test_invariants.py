"""What holds in every position of every game of Paris: random play, determinizations, rewards, the scripted player."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.core.decisions import NOBODY
from rfop_env.core.kernels import scripted_actions
from rfop_env.games.paris import board, frames, game, observation, state
from rfop_env.testing.determinization import CHANCE
from tests.games.paris.table import Table

pytestmark = pytest.mark.many_games

CONFIGURATIONS = [
    {"players": "2"},
    {"players": "3", "tokens": "random", "bonus_track": "random"},
    {"players": "4", "screens": "open"},
    {"players": "3", "memory": "perfect"},
    {"players": "4", "buildings": "variant", "tokens": "random", "bonus_track": "random"},
]
STOCK = ("francs", "goods", "bonus", "keys_in_hand", "vp")  # it changes hands in the open
EACH = pytest.mark.parametrize("options", CONFIGURATIONS, ids=["-".join(o.values()) for o in CONFIGURATIONS])


def start(num_games: int = 1, seed: int = 0, reward: str | None = None, **options) -> GameBatch:
    """A batch at the start of its games."""
    return GameBatch(game.paris(), num_games, seed, options=options, reward=reward)


# -- random play -------------------------------------------------------------------------------------------------------


@EACH
def test_tokens_keys_and_bonus_tiles_are_conserved(options):
    """P42 and set-up: six tokens of each good, everybody's keys, nobody with two tiles of a number, no debts."""
    batch = start(32 if JIT else 2, 5, **options)
    s = batch.states
    keys = s["keys_in_hand"][0, 0] + s["keys_aside"][0, 0]
    copies = s["bonus_left"].copy()
    while not (s["over"] != 0).all():
        batch.step_random(repeat=5)
        tokens = (s["token"][:, :, None] == np.arange(1, 7)).sum(axis=1) + s["supply"] + s["goods"].sum(axis=1)
        assert (tokens == board.TOKENS_EACH).all()
        owned = s["keys"].sum(axis=2) + s["keys_in_hand"] + s["keys_aside"]
        assert (owned[:, : int(options["players"])] == keys).all()
        assert (s["bonus_left"] + (s["bonus"] != state.NOT_OWNED).sum(axis=1) == copies).all()
        assert (s["francs"] >= 0).all()


def test_a_turn_asks_nothing_twice_at_its_end():
    """P44: turns only rise, each player once a round in seat order, whatever is passed."""
    batch = start(8 if JIT else 2, 3, players=4)
    while not (batch.states["over"] != 0).all():
        batch.step_random()
        s = batch.states
        expected = (s["start_player"] + s["turns"] - 1) % s["players"]
        assert (s["active"] == expected).all()


# -- hidden information ------------------------------------------------------------------------------------------------


def late_game(players: int, first_seed: int = 0, **options) -> GameBatch:
    """A game of random play near its end, at a decision of seat 0, with goods and tiles in several hands."""
    for seed in range(first_seed, first_seed + 50):
        batch = start(1, seed, players=players, **options)
        s = batch.states
        while not s["over"][0]:
            batch.step_random()
            hidden = int((s["bonus"][0] == state.UNUSED).sum()) + int(s["goods"][0].sum())
            if s["end_taken"][0] > 6 and batch.current_player[0] == 0 and hidden > 6 and not s["over"][0]:
                return batch
    raise AssertionError("no such position found")


def determinized(batch: GameBatch, keys: int, seat: int = 0) -> list[GameBatch]:
    """Copies in which what a seat cannot see is drawn anew."""
    copies = [batch.clone() for _ in range(keys)]
    for key, copy in enumerate(copies):
        copy.determinize(seat, key)
    return copies


@pytest.mark.parametrize(
    "options",
    [{"players": "2"}, {"players": "4"}, {"players": "3", "memory": "perfect"}, {"players": "3", "screens": "open"}],
    ids=lambda options: "-".join(options.values()),
)
def test_p48_a_determinization_keeps_what_changed_hands_in_the_open(options):
    """P48: whoever paid attention knows all Francs, tokens and bonus tiles; End Game tiles are taken in secret."""
    batch = start(16 if JIT else 1, 8, **options)
    rng, positions, drawn = np.random.default_rng(8), 0, 0
    while not (batch.states["over"] != 0).all():
        for seat in range(int(options["players"])):
            copy = batch.clone()
            copy.determinize(seat, positions)
            for field in STOCK:
                assert np.array_equal(batch.states[field], copy.states[field]), field
            drawn += int((batch.states["end_kind"] != copy.states["end_kind"]).any(axis=1).sum())
        positions += int((batch.states["over"] == 0).sum())
        if rng.random() < 0.1:
            batch.step_random()
        else:
            batch.step(
                scripted_actions(game.paris(), batch.get_state(), batch.components, batch.action_mask, "scripted")
            )
    assert positions > 150 * batch.num_games and drawn > 5 * batch.num_games


def test_p48_memory_does_not_change_a_determinization():
    """P48: `memory` is what the observation shows, not what a player knows."""
    for seed in range(3):
        own, perfect = late_game(3, seed), late_game(3, seed, memory="perfect")
        for key in range(4):
            for batch in (own, perfect):
                batch.determinize(0, key)
            for field in set(own.states.dtype.names) - {"perfect_memory"}:
                assert np.array_equal(own.states[field], perfect.states[field]), field


def test_nobodys_determinization_shuffles_building_tiles_alone():
    batch = late_game(4)
    copies = determinized(batch, 12, NOBODY)
    for field in set(batch.states.dtype.names) - {"pile", *CHANCE}:
        assert {copy.states[field].tobytes() for copy in copies} == {batch.states[field].tobytes()}, field
    assert len({copy.states["pile"].tobytes() for copy in copies}) > 1


@pytest.mark.parametrize("memory", ["own", "perfect"])
def test_p38_a_determinization_keeps_what_each_search_showed(memory):
    """P38: one tile was taken before the first own search, one between two: it is known which is which."""
    table = Table(3, memory=memory).end_tiles(1, "2-vp").end_tiles(0, "wood").end_tiles(2, "gold")
    table.end_tiles(0, "marble").end_tiles(1, "francs").act(0)
    kinds: list[set[int]] = [set() for _ in range(5)]
    for copy in determinized(table.batch, 60):
        for i in range(5):
            kinds[i].add(int(copy.states[0]["end_kind"][i]) - 1)
    assert kinds[:4] == [{7}, {0}, {2}, {1}] and len(kinds[4]) > 3


@pytest.mark.parametrize("buildings", ["base", "variant"])
def test_p1_a_determinization_keeps_the_districts_of_the_tops(buildings):
    """P1: the stacks are shuffled, the districts on the backs of the tops stay; every hidden tile can be anywhere."""
    batch = start(1, 4, buildings=buildings)
    batch.step_random(repeat=20)
    s = batch.states[0]
    sizes = s["pile_size"]
    tops = [int(s["pile"][k, sizes[k] - 1]) // 6 for k in range(3)]
    lowest: list[set[int]] = [set() for _ in range(3)]
    for copy in determinized(batch, 60):
        pile = copy.states[0]["pile"]
        assert [int(pile[k, sizes[k] - 1]) // 6 for k in range(3)] == tops
        assert sorted(pile.ravel().tolist()) == sorted(s["pile"].ravel().tolist())
        for k in range(3):
            lowest[k].add(int(pile[k, 0]))
    hidden = board.SPACES - int(s["drawn"].sum())
    assert min(len(tiles) for tiles in lowest) > hidden // 2


def assert_even(counts: Counter, outcomes: int) -> None:
    """All outcomes were found, each about as often as the others: within five standard deviations; keys are fixed."""
    number, share = sum(counts.values()), 1 / outcomes
    assert len(counts) == outcomes
    assert all(abs(n - number * share) < 5 * (number * share * (1 - share)) ** 0.5 for n in counts.values()), counts


def test_p1_a_top_is_any_hidden_tile_of_its_district_with_the_same_probability():
    """P1: the back of a top shows its district, no more: each top can be every tile of it that is not drawn yet."""
    batch = start(1, 2)
    batch.step_random(repeat=20)
    s = batch.states[0]
    counts: list[Counter] = [Counter() for _ in range(3)]
    for copy in determinized(batch, 300):
        for k in range(3):
            counts[k][int(copy.states[0]["pile"][k, s["pile_size"][k] - 1])] += 1
    for tiles in counts:
        district = min(tiles) // 6
        possible = {tile for tile in range(6 * district, 6 * district + 6) if not s["drawn"][tile]}
        assert set(tiles) == possible
        assert_even(tiles, len(possible))


def test_p1_the_last_three_tiles_are_shuffled_evenly():
    """P1: the tiles that stay in the stacks at the end lie in each order with the same probability."""
    batch = start(3, 2)
    while (batch.states[0]["pile_size"] > 1).any():
        batch.step_random()
    assert not batch.states[0]["over"]
    assert_even(Counter(tuple(copy.states[0]["pile"][:, 0].tolist()) for copy in determinized(batch, 400)), 6)


def test_p38_early_tiles_are_shuffled_evenly():
    """P38: three tiles that others took before the own search lie in each order with the same probability."""
    table = Table(4).end_tiles(1, "2-vp").end_tiles(2, "gold").end_tiles(3, "marble").end_tiles(0, "wood").act(0)
    copies = determinized(table.batch, 400)
    assert_even(Counter(tuple(copy.states[0]["end_kind"][:3].tolist()) for copy in copies), 6)


def test_p38_a_determinization_keeps_what_the_last_search_showed():
    """P38: tiles that others took before the own search are exchanged among them, later ones with those left."""
    table = Table(3).end_tiles(1, "2-vp").end_tiles(2, "gold").end_tiles(0, "wood").end_tiles(1, "marble").act(0)
    early, late = set(), set()
    for copy in determinized(table.batch, 120):
        kinds = [int(k) - 1 for k in copy.states[0]["end_kind"][:4]]
        assert sorted(kinds[:2]) == [2, 7] and kinds[2] == 0
        early.add(kinds[0])
        late.add(kinds[3])
        assert copy.states[0]["end_left"].sum() == 8
    assert early == {2, 7} and late == {1, 3, 4, 5, 6, 8}


def test_p38_tiles_between_two_own_searches_are_shuffled_among_themselves():
    """P38: what others took after a search of the seat may change hands, the very next tile too."""
    table = Table(3).end_tiles(0, "wood").end_tiles(1, "gold").end_tiles(2, "2-vp").end_tiles(0, "wood").act(0)
    assert_even(Counter(tuple(copy.states[0]["end_kind"][1:3].tolist()) for copy in determinized(table.batch, 100)), 2)


def test_p38_late_tiles_are_drawn_evenly():
    """P38: a tile taken since the own search is any of those that it left, each with the same probability."""
    table = Table(3).end_tiles(1, "2-vp").end_tiles(0, "wood").end_tiles(2, "gold").act(0)
    left = np.array(table.s.end_left)
    left[board.END_NAMES.index("gold")] += 1
    copies = determinized(table.batch, 600)
    counts = np.bincount([int(copy.states[0]["end_kind"][2]) - 1 for copy in copies], minlength=board.END_KINDS)
    expected = 600 * left / left.sum()
    assert (np.abs(counts - expected) <= 5 * np.sqrt(expected * (1 - left / left.sum()))).all(), counts
    for copy in copies:
        assert copy.states[0]["end_kind"][0] - 1 == board.END_NAMES.index("2-vp")


def test_while_another_decides_the_end_game_tiles_stay():
    """P48, a reading: the pending question of another player depends on the tiles held and left."""
    table = Table(3).end_tiles(1, "2-vp").end_tiles(2, "gold").act(1)
    for copy in determinized(table.batch, 8):
        for field in ("end_kind", "end_left"):
            assert np.array_equal(copy.states[0][field], table.batch.states[0][field])


def test_the_observation_is_relative_to_the_seat():
    """Observation: own side first, then the others in turn order; seats not taken are 0."""
    table = Table(3).keys(2, "Chaillot 4").act(1)
    assert table.view(2, "keys")["own: Chaillot 4"] == 1 and table.view(1, "keys")["next: Chaillot 4"] == 1
    assert table.view(0, "keys")["second next: Chaillot 4"] == 1 and table.view(0, "turn_of") == ["next"]
    assert table.view(1, "totals")["next: Chaillot"] == 4
    part = observation.LAYOUT.part(table.batch.observe(0)[0], "keys")
    assert not part[len(part) // 4 * 3 :].any()


def test_only_the_seat_on_turn_is_asked():
    """Observation: the question and what it is about belong to the player on turn."""
    table = Table().keys(0, "Arc de Triomphe").act(0).do("key Arc de Triomphe")
    assert table.view(0, "question") == ["destination"] and table.view(0, "origin") == ["Arc de Triomphe"]
    assert table.view(1, "question") == ["none"] and table.view(1, "origin") == []


# -- rewards -----------------------------------------------------------------------------------------------------------


def final_rewards(vp: list[int], reward: str) -> list[float]:
    """Returns of a game that ends with these VP, equal money and empty boards."""
    table = Table(len(vp))
    table.batch = batch = GameBatch(game.paris(), 1, 7, options={"players": len(vp)}, reward=reward)
    batch.states[:] = Table(len(vp)).batch.states  # nothing is asked in it yet
    table.s = batch.record()
    table.s.vp[: len(vp)] = vp
    table.finish()
    return [round(float(r), 4) for r in batch.rewards[0]]


def test_placement():
    """Reward "placement": places run evenly from +1 to -1, ties share the mean of the places they fill."""
    assert final_rewards([3, 5], "placement") == [-1, 1]
    assert final_rewards([4, 4], "placement") == [0, 0]
    assert final_rewards([1, 2, 3], "placement") == [-1, 0, 1]
    assert final_rewards([5, 5, 1], "placement") == [0.5, 0.5, -1]
    assert final_rewards([9, 1, 1], "placement") == [1, -0.5, -0.5]
    assert final_rewards([4, 3, 2, 1], "placement") == [1, 0.3333, -0.3333, -1]
    assert final_rewards([2, 2, 2, 2], "placement") == [0, 0, 0, 0]
    assert final_rewards([7, 3, 3, 3], "placement") == [1, -0.3333, -0.3333, -0.3333]


def test_margin():
    """Reward "margin": the mean lead over the others / 100, each lead within -100 to 100."""
    assert final_rewards([30, 10], "margin") == [0.2, -0.2]
    assert final_rewards([250, 10], "margin") == [1, -1]
    assert final_rewards([30, 10, 20], "margin") == [0.15, -0.15, 0]
    assert final_rewards([40, 0, 0, 0], "margin") == [0.4, -0.1333, -0.1333, -0.1333]


@pytest.mark.parametrize("reward", ["placement", "margin"])
@EACH
def test_returns_add_up_to_zero(reward, options):
    """Zero-sum under both rewards and any number of players; winners have the highest placement."""
    batch = start(32 if JIT else 2, 3, reward, **options)
    batch.step_random(repeat=game.paris().spec.max_decisions)
    assert batch.terminated.all() and np.abs(batch.rewards.sum(axis=1)).max() < 1e-6
    for i in range(batch.num_games):
        first = np.flatnonzero(game.paris().winners(batch.record(i)))
        vp = batch.states["vp"][i, : int(options["players"])]
        assert (vp[first] == vp.max()).all()


def test_seats_and_players_under_options():
    """Options: seats by the number of players, numbers as well as words; the default is two."""
    assert game.paris().spec.seats == ("player_0", "player_1")
    for players in (2, 3, 4):
        assert game.paris().under({"players": players}).spec.players == players
        assert start(players=players).rewards.shape == (1, players)


QUESTIONS = {  # what the question holds, and what is seen of it besides
    "district of the landmark": (
        (frames.ASK_LANDMARK_DISTRICT, 0, 0, board.FIRST_LANDMARK + 3),
        {"destination": ["Opéra"]},
    ),
    "payment of a resource": (
        (frames.ASK_PAYMENT, 0, 1, 2, 3, board.FIRST_LANDMARK + 6),
        {"to_pay": {"wood": 1, "marble": 2, "gold": 3}, "destination": ["Louvre"], "half": 0},
    ),
    "bonus tile": ((frames.ASK_BONUS, 0, 2), {"fee": 2}),
    "prestige for a landmark": (
        (frames.ASK_PRESTIGE, 0, 6, 1),
        {"destination": ["Louvre"], "section": ["2"], "half": 0},
    ),
    "district of the VP tile": ((frames.ASK_VP_DISTRICT, 0, 4), {"vp_tile": ["5"]}),
    "pair to return": ((frames.ASK_PAIRS, 0, 24, 3), {"pairs": 3}),
}


def test_a_question_shows_what_it_is_about_to_the_seat_that_answers():
    """Observation: what is paid, for what, what is placed; nothing of it to the other seat."""
    for question, (frame, about) in QUESTIONS.items():
        table = Table().landmark("Louvre", "Montmartre").keys(0, "Arc de Triomphe")
        table.goods(0, wood=2, marble=2, gold=3, silver=1).own(0, 10, 21).ask(*frame)
        row = table.batch.observe(0)[0]
        assert (observation.LAYOUT.low <= row).all() and (row <= observation.LAYOUT.high).all(), question
        assert table.view(0, "question") == [question] and table.view(1, "question") == ["none"], question
        for piece in ("origin", "destination", "to_pay", "section", "half", "fee", "drawn", "vp_tile", "pairs"):
            for batch in (Table().act().batch, table.batch):
                assert not observation.LAYOUT.part(batch.observe(1)[0], piece).any(), question
            if piece in about:
                assert table.view(0, piece) == about[piece], question
            else:
                assert not observation.LAYOUT.part(row, piece).any(), question


def test_half_a_tile_on_the_table_is_seen():
    """Observation: tile 21 has paid one of two resources, and may pay the other."""
    table = Table().own(0, 10, 21).goods(0, wood=1).ask(frames.ASK_PAYMENT, 0, 2, 0, 0, board.FIRST_LANDMARK)
    assert table.do("bonus 21").view(0, "half") == 1 and table.view(0, "to_pay")["wood"] == 1


def test_the_building_tile_being_placed_is_seen():
    """Observation: the tile drawn in the variant of the buildings, until it has its district."""
    table = Table(buildings="variant").empty("Chaillot 3")
    table.s.tile_at[:] = 0
    table.ask(frames.ASK_DRAW).do("draw 1")
    assert table.view(0, "question") == ["place the building tile"]
    assert table.view(0, "drawn") == ["Chaillot 3"] and table.view(1, "drawn") == []


# -- the scripted player -----------------------------------------------------------------------------------------------


def test_the_scripted_player_beats_random_play():
    """Scripted: more than 95 of 100 games of two against random play, either seat."""
    games = 200 if JIT else 2
    for seat in (0, 1):
        batch = GameBatch(game.paris(), games, 3, opponent="random", seat=seat)
        while not (batch.states["over"] != 0).all():
            batch.step(
                scripted_actions(game.paris(), batch.get_state(), batch.components, batch.action_mask, "scripted")
            )
        assert (batch.states["better"][:, seat] == 0).mean() > 0.95


# -- problems ----------------------------------------------------------------------------------------------------------

BREAKS = {
    "players": (lambda s: s.__setattr__("players", 5), "players is 5, outside 2 to 4"),
    "turn": (lambda s: s.__setattr__("active", 3), "active is 3"),
    "tokens": (lambda s: s.goods.__setitem__((0, 1), 1), "7 tokens of marble"),
    "keys": (lambda s: s.keys.__setitem__((0, 50), 2), "player 0 has"),
    "two keys on a bank": (lambda s: s.keys.__setitem__((1, 44), 2), "two keys on Batignolles bank"),
    "key on nothing": (lambda s: s.keys.__setitem__((1, 36), 1), "Tuileries, which is in the supply"),
    "building tiles": (lambda s: s.drawn.__setitem__(0, 0), "not all 36"),
    "stack": (lambda s: s.pile_size.__setitem__(0, 13), "pile_size[0] is 13, outside 0 to 12"),
    "building space": (lambda s: s.tile_at.__setitem__(1, 1), "tile 0 lies on Batignolles 2"),
    "landmark": (lambda s: s.landmark_district.__setitem__(0, 7), "landmark_district[0] is 7, outside 0 to 6"),
    "VP tiles": (lambda s: s.vp_tile_district.__setitem__(slice(0, 2), 3), "two VP tiles"),
    "bonus tiles": (lambda s: s.bonus_left.__setitem__(4, 2), "2 tiles 4 on the track"),
    "bonus track": (lambda s: s.bonus_space.__setitem__(4, 5), "laid out by numbers"),
    "meeple": (lambda s: s.meeple.__setitem__(0, board.BONUS_TILES + 1), "meeple[0] is 31, outside 0 to 30"),
    "End Game tiles": (lambda s: s.end_left.__setitem__(0, 0), "0 End Game tiles wood left"),
    "End Game tile": (lambda s: s.__setattr__("end_taken", 1), "an End Game tile of no kind"),
    "rounds": (lambda s: s.__setattr__("rounds_left", 1), "1 rounds left with 0"),
    "money": (lambda s: s.francs.__setitem__(0, -1), "francs[0] is -1, outside 0 to 10000"),
    "absent seat": (lambda s: s.francs.__setitem__(3, 2), "a seat that is not taken has francs"),
    "sold": (lambda s: s.sold.__setitem__(1, 1), "1 tokens of marble were sold in this turn, 0 left"),
    "bought": (lambda s: s.bought.__setitem__(2, 3), "3 tokens of gold were bought in this turn and are not held"),
}


def test_a_faulty_position_is_noticed():
    """Faults: each kind of nonsense written into a sound position is named."""
    for change, sentence in BREAKS.values():
        table = Table().act().sound()
        change(table.s)
        assert any(sentence in problem for problem in table.batch.problems()), table.batch.problems()


def test_nobody_draws_from_empty_stacks():
    """Faults: a question for a building tile when none is left has no answer once the free actions are taken."""
    batch = start()
    assert batch.states["stack"][0, batch.states["depth"][0] - 1, 0] == frames.ASK_DRAW and batch.problems() == []
    batch.states["pile_size"] = 0
    assert any("to be drawn, and there is none" in problem for problem in batch.problems())
