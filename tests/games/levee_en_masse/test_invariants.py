"""What holds in every position of Levée en Masse: random play, determinizations, rewards, the scripted player."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from rfop_env.compiler import JIT
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import UnknownName
from rfop_env.core.kernels import scripted_actions
from rfop_env.games.levee_en_masse import board, ending, game, scoring, state
from rfop_env.games.levee_en_masse.components import HEAD
from rfop_env.testing.random_play import check_position
from tests.games.levee_en_masse.table import Table

ALL_RULES = dict.fromkeys(state.OPTIONAL_RULES, "on")
CONFIGURATIONS = [
    {},
    {"scenario": "extended", "difficulty": "harder"},
    {"scenario": "puree", **ALL_RULES},
    {"scenario": "historical", "difficulty": "easier", **ALL_RULES},
    {"scenario": "extended", **ALL_RULES},
    *({"scenario": "extended", name: "on"} for name in state.OPTIONAL_RULES),
]
EACH = pytest.mark.parametrize("options", CONFIGURATIONS, ids=["-".join(o) or "standard" for o in CONFIGURATIONS])


def start(num_games: int = 1, seed: int = 0, reward: str | None = None, **options) -> GameBatch:
    """A batch at the start of its games."""
    return GameBatch(game.levee_en_masse(), num_games, seed, options=options, reward=reward)


def step_scripted(batch: GameBatch) -> None:
    """One decision of the scripted player in every running game; its ties are broken as the record goes on."""
    states = batch.get_state()
    actions = scripted_actions(batch.game, states, batch.components, batch.action_mask, "scripted")
    batch.states["draws"] = states["draws"]
    batch.step(np.where(batch.states["over"] != 0, -1, actions))


# -- random play -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [CONFIGURATIONS[0], CONFIGURATIONS[4]], ids=["standard", "all rules"])
def test_games_of_the_scripted_player_violate_no_invariant(options):
    """Far into the game, where random play does not come: legal, no problems, at last every colour seen."""
    batch = start(8 if JIT else 1, 3, **options)
    highest = np.zeros(batch.num_games, np.int32)
    for turn in itertools.cycle(range(batch.num_games)):
        if (batch.states["over"] != 0).all():
            break
        step_scripted(batch)
        check_position(batch, [turn])
        highest = np.maximum(highest, batch.states["drawn"])
    assert highest.max() > 24


@pytest.mark.skipif(JIT, reason="a test calls the rules from plain Python alone")
def test_the_score_by_source_is_that_of_the_rules_in_every_position():
    batch = start(1, 5)
    while not batch.states["over"][0]:
        record = batch.record()
        (_, rows) = ending.score(record, batch.components)
        assert rows[-1][1] == (scoring.final_score(record, batch.components.record.view(np.recarray)[0]),)
        assert sum(points for _, (points,) in rows[:-1]) == rows[-1][1][0]
        step_scripted(batch)


@EACH
def test_what_can_never_be(options):
    """Markers and cards are conserved, nobody moves who is not there, and no turn leaves an army in Paris."""
    batch = start(32 if JIT else 2, 7, **options)
    total = board.ALL_MARKERS if options.get("scenario") else board.ALL_MARKERS - 1
    counts = batch.states["drawn"].copy()
    while not (batch.states["over"] != 0).all():
        batch.step_random()
        s = batch.states
        markers = s["liberated"].sum(axis=(1, 2)) + s["markers_aside"] + s["markers_held"]
        assert (markers <= total).all() and (("levee" in options) or (markers == total).all())
        turned = (s["drawn"] == counts + 1) & (s["over"] == 0)
        assert (s["drawn"] >= counts).all() and ((s["emergency"] + s["inside"])[turned] == 0).all()
        assert (s["napoleon_army"][s["napoleon"] == state.NAPOLEON_ASSIGNED] >= 0).all()
        counts = s["drawn"].copy()


# -- hidden information ------------------------------------------------------------------------------------------------


def test_a_determinization_keeps_first_and_last_cards_and_what_was_played():
    """3.0: only the middle of each deck is unknown; the cards played stay, and the decks hold what they held."""
    batch = start(1, 3, scenario="extended")
    for _ in range(8):
        batch.step([batch.game.actions.parse("end")])
    pile, count = batch.states["deck"][0].tolist(), int(batch.states["drawn"][0])
    decks = set()
    for key in range(20):
        copy = batch.clone()
        copy.determinize(0, key)
        deck = copy.states["deck"][0].tolist()
        decks.add(tuple(deck))
        assert deck[:count] == pile[:count]
        for begin, end in ((0, 21), (21, 45), (45, 60)):
            assert deck[begin] == pile[begin] and deck[end - 1] == pile[end - 1]
            assert sorted(deck[begin:end]) == sorted(pile[begin:end])
    assert len(decks) == 20


def test_a_determinization_brings_any_middle_card_to_any_middle_place():
    """3.0: from the first turn on, each deck is unknown between its first and its last card, up to both."""
    batch = start(1, 3)
    decks = [tuple(int(card) for card in batch.states["deck"][0] if card)]
    for key in range(60):
        copy = batch.clone()
        copy.determinize(0, key)
        decks.append(tuple(int(card) for card in copy.states["deck"][0] if card))
    colours = batch.components.record[0]["headline"][list(decks[0]), HEAD.colour]
    ends = [i for i in range(len(colours)) if not 0 < i < len(colours) - 1 or len(set(colours[i - 1 : i + 2])) > 1]
    assert len(ends) == 6
    assert [i for i, cards in enumerate(zip(*decks, strict=True)) if len(set(cards)) == 1] == ends


def test_in_puree_every_card_to_come_can_be_the_next():
    """12.2: one pile, no card has a fixed place."""
    batch = start(1, 3, scenario="puree")
    following = set()
    for key in range(100):
        copy = batch.clone()
        copy.determinize(0, key)
        following.add(int(copy.states["deck"][0, 1]))
    assert len(following) > 40


def test_the_observation_shows_which_cards_are_to_come():
    """Observation: all but the cards revealed, by number and by colour."""
    t = Table().card(21).ready()
    to_come = {int(card) for card in t.view("to_come")}
    assert to_come == {int(card) for card in t.s.deck[19:48]} and t.view("headline") == ["21"]
    assert t.view("cards_left") == {"blue": 0, "white": 17, "red": 12}


# -- rewards and ends --------------------------------------------------------------------------------------------------


def test_levels_run_evenly_from_minus_1_to_1_and_scores_in_hundredths():
    """Rewards: end reasons from 1 to 7 give -1 to 1; a score gives its hundredth."""
    level, score = start(64 if JIT else 4, 3), start(64 if JIT else 4, 3, "score")
    for batch in (level, score):
        batch.step_random(repeat=game.levee_en_masse().spec.max_decisions)
        assert batch.terminated.all()
    assert np.allclose(level.rewards[:, 0], (level.end_reason - 4) / 3)
    assert np.allclose(score.rewards[:, 0], score.states["score"] / 100)
    won = [game.levee_en_masse().winners(level.record(i))[0] for i in range(level.num_games)]
    assert won == [int(reason) - 1 >= state.MINOR_VICTORY for reason in level.end_reason]


def test_the_bounds_of_the_score_hold_for_the_worst_and_the_best_position():
    """9.3: no position scores above or below the bounds from which the range of the rewards follows."""
    best = Table(scenario="extended").politics(-1, -1, 4).card(60)
    best.at(**dict.fromkeys(("British", "Prussian", "Austrian", "Piedmont", "Vendée"), board.OFF_MAP))
    best.liberated("British", 4).liberated("Prussian", 4).liberated("Austrian", 4).ready().do("end")
    worst = Table(scenario="extended").politics(4, 4, -1).card(46).set(disorder=1)
    worst.at(British=1, Prussian=1, Austrian=1, Piedmont=1, Vendée=board.PARIS).ready().do("end")
    assert best.s.score == scoring.HIGHEST_SCORE == 33
    assert scoring.LOWEST_SCORE == -90 <= worst.s.score == -3 - 16 - 20 - 14 - 6 - 12


def test_a_fall_before_red_ends_with_cards_left():
    """9.1, 9.2: by the decks that are left, in random play."""
    batch = start(64 if JIT else 4, 9)
    batch.step_random(repeat=game.levee_en_masse().spec.max_decisions)
    colour = batch.components.record["headline"][0][:, HEAD.colour]
    early = batch.states["red_seen"] == 0
    assert (batch.states["box"][early] == board.PARIS).any(axis=1).all()
    for s in batch.states[early]:
        colours = colour[s["deck"][s["drawn"] : s["deck_size"]]]
        assert board.WHITE in colours or board.BLUE not in colours
        assert (s["end_reason"] - 1 == state.CRUSHING_DEFEAT) == (board.BLUE in colours)


def test_options_are_named_and_checked():
    """Options: on and off also as True and False; a wrong value is refused with the right ones."""
    assert start(decisive=True).states["decisive"][0] == 1 and start(decisive=False).states["decisive"][0] == 0
    with pytest.raises(UnknownName, match="standard"):
        start(scenario="short")
    assert game.levee_en_masse().under({"scenario": "historical"}).spec.hidden_information is False


# -- the scripted player -----------------------------------------------------------------------------------------------


def test_the_scripted_player_breaks_ties_by_its_own_dice():
    """Scripted: equal worths are drawn from stream BOT, so that games vary and DICE stays untouched."""
    t = Table().politics(-1, -1, 4).at(Prussian=3, Austrian=3).ready()
    actions = set()
    for draw in range(40):
        t.s.draws[2] = draw
        actions.add(t.advised)
    assert actions == {"military Prussian", "military Austrian"}


# -- problems ----------------------------------------------------------------------------------------------------------


def test_a_faulty_position_is_named(subtests):
    """Each fault in a sentence."""
    cases = [
        ({"box": [6, 5, 5, 5, 5, -1, -1, -1, -1]}, "box[0] is 6, outside -1 to 5"),
        ({"disarray": [1, 0, 0, 0, 0, 0, 0, 0, 0]}, "British has disarray 1"),
        ({"napoleon_army": 2}, "Napoleon is assigned to no army"),
        ({"napoleon": state.NAPOLEON_ASSIGNED, "napoleon_army": 5}, "off the map"),
        ({"napoleon": state.NAPOLEON_ASSIGNED, "napoleon_army": 9}, "napoleon_army is 9, outside -1 to 8"),
        ({"markers_aside": 3}, "3 Liberation markers, not 2"),
        ({"markers_aside": -1, "markers_held": 3}, "markers_aside is -1, outside 0 to 3"),
        ({"politics": [5, 0, 0]}, "politics[0] is 5, outside -1 to 4"),
        ({"disorder": 2}, "disorder is 2, outside 0 to 1"),
        ({"french_army": 3}, "french_army is 3, outside -2 to 2"),
        ({"actions_left": -1}, "actions_left is -1, outside 0 to 99"),
        ({"roll_army": 3}, "a roll is asked about"),
        ({"deck_size": 47}, "does not hold the cards"),
        ({"headline": 12}, "card 12 is current"),
    ]
    for fields, fault in cases:
        with subtests.test(fields=fields, fault=fault):
            batch = start()
            for name, value in fields.items():
                batch.states[name][0] = value
            assert any(fault in sentence for sentence in batch.problems())


def test_a_marker_in_a_square_space_is_a_fault():
    """L12: only round spaces can be liberated."""
    assert any("not round" in fault for fault in Table().liberated("Vendée", 3).batch.problems())
