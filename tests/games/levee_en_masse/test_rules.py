"""The rules of Levée en Masse beyond the rulings: worked examples, rule sections, optional rules, the journal."""

from __future__ import annotations

import pytest

from rfop_env.games.levee_en_masse import board, state
from tests.games.levee_en_masse.table import Table, army

EVERYBODY = ("British", "Prussian", "Austrian", "Piedmont", "Vendée")


def level(**options) -> Table:
    """A table on which nobody reigns, so that the French Army stands at 0."""
    return Table(**options).politics(0, 0, 0)


# -- the booklet's worked examples -------------------------------------------------------------------------------------


def test_example_the_french_army_at_minus_2_and_the_political_answer():
    """6.2, 7.1: card -1 and Monarchy -1; Republic raised to a tie gives one back, and one more when it reigns."""
    t = Table().politics(3, 0, 2).card(12).says(military=-1).dice(3, 4)
    assert t.s.french_army == -2
    assert t.do("political Republic").tracks == (3, 0, 3) and t.s.french_army == -1
    assert t.do("political Republic").tracks == (3, 0, 4) and t.s.french_army == 0


def test_example_the_barricades():
    """7.2: Disorder, Austria and Piedmont in Paris, +1 for the Republic: a natural 1 fails, a 3 becomes 4 and wins."""
    t = Table().politics(0, 0, 2).at(Austrian=0, Piedmont=0, British=1).set(disorder=1).dice(1, 3)
    assert t.s.french_army == 1
    t.do("military Austrian", "military Piedmont")
    assert (t.where("Austrian"), t.where("Piedmont")) == (0, 1) and t.s.actions_left == 5
    assert t.dice(2).do("military Austrian").s.actions_left == 4


def test_example_the_navy_drives_the_british_from_rouen_to_dunkirk():
    """7.3: a natural 5 beats the Navy's 4; from box 1 the army falls back to box 3."""
    t = Table().at(British=1).dice(5).do("naval")
    assert t.where("British") == 3 and "British retreats to Dunkirk" in t.log


def test_example_an_advance_against_a_liberation_marker():
    """5.1: the Prussian army rolls a 3 and shares box 3 with the marker."""
    t = level().at(Prussian=4).liberated("Prussian", 3).orders("Prussian", move=1).dice(3).do("end")
    assert t.where("Prussian") == 3 and t.marker("Prussian", 3)


def test_example_control():
    """7.4: with the Austrian army in box 3, boxes 1 and 2 are French, of which only box 2 is round."""
    t = level().hold().at(Austrian=3).ready()
    assert {space for space in t.choices("liberate") if space.startswith("Austrian")} == {"Austrian 2"}


def test_example_the_score_of_history_is_minus_13():
    """9.3: Despotism 4, Monarchy 1, Republic 1, Brussels and Savoy liberated, no enemy left on the map."""
    t = Table().politics(1, 4, 1).card(60).liberated("Austrian", 2).liberated("Piedmont", 3)
    t.at(**dict.fromkeys(EVERYBODY, board.OFF_MAP)).ready().do("end")
    assert t.s.score == -16 - 5 + 3 + 5 == -13 and t.outcome == "minor victory"
    assert t.batch.rewards[0, 0] == pytest.approx(1 / 3) and t.batch.game.winners(t.s) == (True,)


# -- rule sections -----------------------------------------------------------------------------------------------------


def test_5_2_politics_move_within_their_tracks():
    t = Table().politics(4, -1, 3).next_says(monarchy=1, despotism=-2, republic=2).ready().do("end")
    assert t.tracks == (4, -1, 4)


def test_5_3_a_journee_brings_disorder_and_a_second_one_changes_nothing():
    t = level().next_says(journee=1).ready().do("end")
    assert t.s.disorder == 1 and "restore" in t.legal
    assert t.next_says(journee=1).ready().do("end").s.disorder == 1


def test_5_5_1_drms_hold_for_their_turn_only():
    t = level().says(political=-2, military=2).ready()
    assert t.s.french_army == 2 and t.view("drms")["political"] == -2
    t.do("end")
    assert t.s.french_army == 0 and set(t.view("drms").values()) == {0}


def test_5_5_2_a_card_rotates_after_the_advance_and_lifts_before_it():
    t = level().at(Prussian=2).orders("Prussian", move=1, rotate=1).ready().do("end")
    assert t.where("Prussian") == 1 and t.s.rotated == 1
    t.at(Prussian=2).orders("Prussian", move=1, lift=1).ready().do("end")
    assert t.where("Prussian") == 1 and t.s.rotated == 0


def test_5_5_3_no_more_markers_than_lie_aside():
    t = level().hold(2).next_says(markers=1).ready().do("end").sound()
    assert t.s.markers_held == 2


def test_5_1_inactive_armies_do_not_move():
    t = level().at(Austrian=board.OFF_MAP).orders("Austrian", move=1).orders("Prussian", move=-1).ready().do("end")
    assert t.where("Austrian") == board.OFF_MAP and t.where("Prussian") == 5


def test_an_army_removed_by_a_card_may_enter_again():
    t = level().set(rotated=1).orders("Prussian", remove=1).ready().do("end").sound()
    assert t.where("Prussian") == board.OFF_MAP and t.s.rotated == 0
    t.orders("Prussian", enter=3).ready().do("end")
    assert t.where("Prussian") == 3
    assert t.orders("Prussian", enter=5).ready().do("end").where("Prussian") == 3  # it is there already


@pytest.mark.parametrize("name", EVERYBODY)
def test_7_2_a_military_action_beats_the_battle_value(name):
    value = {"British": 3, "Prussian": 4, "Austrian": 4, "Piedmont": 2, "Vendée": 3}[name]
    assert level().at(**{name: 2}).dice(value).do(f"military {name}").where(name) == 2
    t = level().at(**{name: 2}).dice(value + 1).do(f"military {name}")
    assert t.where(name) == 3 and t.s.actions_left == 4
    assert f"military {name}" not in level().ready().legal  # not at its start


@pytest.mark.parametrize(("die", "drm", "success"), [(2, 0, False), (3, 0, True), (2, 1, True), (3, -1, False)])
def test_7_4_a_liberation_action_beats_the_markers_value(die, drm, success):
    t = level().hold().says(liberation=drm).dice(die).do("liberate Piedmont 3")
    assert t.marker("Piedmont", 3) is success and t.s.markers_held == int(not success) and t.s.actions_left == 4


@pytest.mark.parametrize(("die", "drm", "success"), [(3, 0, False), (4, 0, True), (3, 1, True), (4, -1, False)])
def test_7_5_restoring_order_beats_the_disorder_marker(die, drm, success):
    t = level().set(disorder=1).says(order=drm).dice(die).do("restore")
    assert t.s.disorder == int(not success) and ("restore" in t.legal) is not success


def test_7_0_an_action_can_be_repeated_until_none_is_left():
    t = (
        level()
        .at(Austrian=3)
        .set(actions_left=2)
        .says(actions=2)
        .dice(2, 2)
        .do("military Austrian", "military Austrian")
    )
    assert t.s.drawn == 2 and t.where("Austrian") == 3  # with nothing left to do, the next turn began


def test_8_2_disorder_lowers_republic_but_not_below_minus_1():
    t = level().politics(0, 0, 0).set(disorder=1).ready().do("end")
    assert t.tracks == (0, 0, -1) and t.s.disorder == 1
    assert t.do("end").tracks == (0, 0, -1)


def test_9_3_the_seven_steps():
    t = Table().politics(1, 2, 3).card(55).set(disorder=1).at(British=1, Vendée=2, Austrian=0).liberated("Prussian", 4)
    undrawn = int(t.s.deck_size - t.s.drawn)
    t.ready().do("end")
    assert t.s.score == 9 + 4 - 8 - 5 - undrawn - 6 - 3 - 1


@pytest.mark.parametrize(
    ("reward", "returns"),
    [
        ("level", [-1, -2 / 3, -1 / 3, 0, 1 / 3, 2 / 3, 1]),
        ("score", [-1, -0.9, -0.26, -0.16, -0.08, 0, 0.01]),
        ("outcome", [-1, -1, -1, -1, 1, 1, 1]),
    ],
)
def test_rewards_are_the_level_the_score_or_the_outcome(reward: str, returns: list[float]):
    t = Table()
    t.s.over = 1
    for reason, score, payment in zip(range(1, 8), (-100, -90, -26, -16, -8, 0, 1), returns, strict=True):
        t.s.end_reason, t.s.score = reason, score
        assert t.batch.game_returns(reward)[0, 0] == pytest.approx(payment)
        assert t.batch.game.winners(t.batch.record(0)) == (reason >= 5,)
    t.s.over = 0
    assert t.batch.game_returns(reward)[0, 0] == 0


@pytest.mark.parametrize("reward", ["level", "score", "outcome"])
def test_every_reward_is_paid_at_the_end(reward: str):
    t = level(reward=reward).at(Austrian=0)
    assert t.ready().do("end").batch.rewards[0, 0] == -1


# -- optional rules ----------------------------------------------------------------------------------------------------


def test_optional_rules_are_off_unless_asked_for():
    """All off: none of their actions is ever legal; each on: the observation says so."""
    t = level(scenario="extended").at(Austrian=2, Prussian=3).liberated("Austrian", 2).hold().ready()
    assert t.view("optional_rules") == []
    assert not {"levee", "spirit", "commit", "reserves", "accept"} & {label.split()[0] for label in t.legal}
    assert t.dice(1).do("military Austrian").view("question") == ["action"]
    for name in state.OPTIONAL_RULES:
        assert level(**{name: "on"}).ready().view("optional_rules") == [name]


def test_10_1_an_emergency_action_is_spent_before_an_ordinary_one():
    t = level(levee="on").hold().at(Austrian=2).ready().do("levee held")
    assert t.s.emergency == 1 and "levee held" not in t.legal
    assert t.dice(2).do("military Austrian").s.emergency == 0 and t.s.actions_left == 5
    t = level(levee="on").hold().at(British=4).set(actions_left=0).ready()
    assert not t.choices("levee")  # nobody can be the target of a Military Action


@pytest.mark.parametrize(("name", "box"), [("British", 1), ("British", 4), ("Austrian", 2), ("Vendée", 4)])
def test_10_1_a_levee_takes_a_marker_from_any_space(name, box):
    t = level(levee="on").liberated(name, box).at(Prussian=3).ready()
    assert t.choices("levee") == {f"{name} {box}"}
    assert t.do(f"levee {name} {box}").s.emergency == 1 and not t.marker(name, box)


def test_10_2_the_marker_stays_if_the_army_is_driven_off():
    t = level(spirit_of_89="on").at(Prussian=4).liberated("Prussian", 3).orders("Prussian", move=1)
    t.dice(3).do("end").dice(5).do("spirit Prussian", "end")
    assert t.marker("Prussian", 3) and t.where("Prussian") == 4


def test_10_2_nobody_fights_at_sea():
    t = level(spirit_of_89="on").at(British=4).liberated("British", 4).ready()
    assert not t.choices("spirit")


def test_10_4_the_last_reserves_reroll_one_failure_a_turn():
    t = level(reserves="on").at(Austrian=3).dice(2, 2).do("military Austrian")
    assert t.legal == {"accept", "reserves"} and t.view("roll_die") == ["2"] and t.view("roll_army") == ["Austrian"]
    t.do("reserves")
    assert t.where("Austrian") == 3 and t.s.actions_left == 4 and t.view("question") == ["action"]
    assert t.dice(2).do("military Austrian").view("question") == ["action"]  # once a turn
    assert t.do("end").view("reserves") == ["last turn"] and t.s.french_army == -1


def test_10_4_the_observation_shows_how_the_army_was_attacked():
    t = level(reserves="on").at(Austrian=0, Prussian=3).dice(2).do("military Prussian")
    assert t.view("roll_kind") == ["military action"]
    t = level(reserves="on").at(Austrian=0).dice(2).do("military Austrian")
    assert t.view("roll_kind") == ["barricades"]


def test_10_4_a_failure_may_be_accepted():
    t = level(reserves="on").at(Austrian=3).dice(2).do("military Austrian", "accept").sound()
    assert t.where("Austrian") == 3 and t.s.reserves_used == 0
    assert t.do("end").s.french_army == 0


def test_10_5_an_extra_action_only_against_armies_in_square_spaces():
    t = level(commit_order="on").at(Austrian=1, Prussian=2).set(actions_left=0).dice(6).do("commit action")
    assert t.choices("military") == {"Austrian"} and t.s.disorder == 1
    t.do("military Austrian")
    assert t.where("Austrian") == 2
    assert "commit action" not in level(commit_order="on").at(Austrian=2).ready().legal
    assert "commit action" not in level(commit_order="on").at(Austrian=1).set(disorder=1).ready().legal


@pytest.mark.parametrize(("die", "legal"), [(1, False), (3, False), (4, True), (5, False)])
def test_10_5_the_forces_of_order_break_a_tie_after_the_roll(die, legal):
    t = level(commit_order="on").at(Austrian=1).dice(die).do("military Austrian")
    assert ("commit bonus" in t.legal) is legal
    if legal:
        t.do("commit bonus")
        assert t.where("Austrian") == 2 and t.s.disorder == 1


@pytest.mark.parametrize(("box", "disorder"), [(2, 0), (0, 0), (1, 1)])
def test_10_5_not_outside_square_spaces_not_in_paris_not_in_disorder(box, disorder):
    t = level(commit_order="on").at(Austrian=box).set(disorder=disorder).dice(4).do("military Austrian")
    assert "commit bonus" not in t.legal and "commit action" not in t.legal


def test_10_4_and_10_5_can_follow_each_other():
    t = level(commit_order="on", reserves="on").at(Austrian=1).dice(2, 4).do("military Austrian")
    assert t.legal == {"accept", "reserves"}
    assert t.do("reserves").legal == {"accept", "commit bonus"}
    assert t.do("commit bonus").where("Austrian") == 2


def test_10_6_a_card_that_rotates_the_prussian_army_ends_its_disarray():
    t = level(decisive="on").at(Prussian=3).dice(6).do("military Prussian")
    assert t.s.disarray[army("Prussian")] == 1
    assert t.orders("Prussian", rotate=1).ready().do("end").sound().s.disarray[army("Prussian")] == 0


def test_10_6_a_stationary_army_beaten_decisively_leaves_and_raises_the_highest():
    t = level(scenario="extended", decisive="on").politics(0, 0, 2).at(Suvorov=4).dice(6).do("military Suvorov").sound()
    assert t.where("Suvorov") == board.OFF_MAP and t.tracks == (0, 0, 3)
    t = level(scenario="extended", decisive="on").politics(0, 0, 2).at(Suvorov=4).dice(1, 1).do("military Suvorov")
    assert t.where("Suvorov") == 4 and t.tracks == (0, 0, 1)


# -- readings ----------------------------------------------------------------------------------------------------------


def test_reading_only_an_occupied_space_is_conquered():
    """8.3: a marker behind the army stays, as after an advance of two boxes."""
    t = level().at(Austrian=2).liberated("Austrian", 3).ready().do("end")
    assert t.marker("Austrian", 3)


def test_reading_the_spirit_of_89_is_a_military_action_but_for_its_two_differences():
    """10.2: the last reserves may reroll it, and 10.6 applies to it, without Napoleon."""
    t = level(spirit_of_89="on", reserves="on").at(Austrian=3).liberated("Austrian", 3).dice(2, 5)
    t.do("spirit Austrian")
    assert t.do("reserves").where("Austrian") == 4 and t.marker("Austrian", 3)
    t = level(scenario="extended", spirit_of_89="on", decisive="on").politics(0, 0, 2).at(Austrian=3)
    t.liberated("Austrian", 3).napoleon("Austrian").dice(5).do("spirit Austrian")
    assert t.where("Austrian") == 4 and t.s.disarray[army("Austrian")] == 0 and t.tracks == (0, 0, 2)
    t = level(spirit_of_89="on", decisive="on").at(Austrian=3).liberated("Austrian", 3).dice(6).do("spirit Austrian")
    assert t.s.disarray[army("Austrian")] == 1


def test_reading_a_natural_6_turns_an_army_at_its_start_once():
    """10.6.1: the victory and the decisive victory are one."""
    t = level(decisive="on").dice(6).do("military Austrian")
    assert t.s.disarray[army("Austrian")] == 1 and t.where("Austrian") == 5


def test_reading_a_decisive_defeat_lets_an_army_in_disarray_recover():
    """10.6.2: its advance is an advance like any other."""
    t = level(decisive="on").at(Austrian=3)
    t.s.disarray[army("Austrian")] = 1
    t.dice(1, 2).do("military Austrian")
    assert t.where("Austrian") == 3 and t.s.disarray[army("Austrian")] == 0


# -- the journal -------------------------------------------------------------------------------------------------------


def test_the_journal_tells_what_happened_since_the_last_decision():
    t = level().at(Austrian=2).orders("Austrian", move=1).ready().do("end")
    assert t.log[1:] == ["Austrian advances to Arras"] and t.log[0].startswith("Headline")
