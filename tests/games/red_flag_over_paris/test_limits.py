"""How long a game can get: the bound that is derived from the events of a component set."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rfop_env.core.batch import GameBatch
from rfop_env.games.red_flag_over_paris import card_language, limits
from rfop_env.games.red_flag_over_paris.component_set import load_components
from rfop_env.games.red_flag_over_paris.components import CARDS, MAX_STEPS, STEP_COLUMNS
from rfop_env.games.red_flag_over_paris.game import solo, two_player
from rfop_env.testing.random_play import play_random
from tests.games.eager import play_eagerly

MOVES = '"move 9 from any to any"'


@pytest.fixture(scope="module")
def long_events(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file whose strategy cards all move many cubes, most of them for either side."""
    rows = []
    for row in load_components(None).rows("strategy_card"):
        last = str(row["final_crisis"]).lower()
        rows.append(
            f'[[strategy_card]]\nnumber = {row["number"]}\nname = "{row["name"]}"\npoints = {row["points"]}\n'
            f'side = "{row["side"] if row["final_crisis"] else "Neutral"}"\nfinal_crisis = {last}\n'
            f'event = [{MOVES}, {MOVES}, {MOVES}]\nprovenance = "printed"\n'
        )
    path = tmp_path_factory.mktemp("sets") / "long.toml"
    path.write_text("".join(rows), encoding="utf-8")
    return path


@pytest.mark.many_games
def test_long_events_make_games_longer_than_the_shipped_set_allows(long_events: Path) -> None:
    shipped = two_player().spec.max_decisions
    games = play_random(two_player(), 1, num_games=1, seed=1, components=long_events)
    bound = two_player().under({}, load_components(long_events)).spec.max_decisions
    assert shipped < games.longest <= bound


@pytest.mark.many_games
@pytest.mark.parametrize("game", [two_player, solo])
def test_eager_games_stay_within_the_bound(game, long_events: Path) -> None:
    for components in (None, long_events):
        batch = GameBatch(game(), 1, 3, components=components)
        assert play_eagerly(batch, 3, {"use": 3}) <= batch.game.spec.max_decisions


def test_the_longest_way_through_an_event() -> None:
    """A choice among options is one more; the event of a discard is taken to be the longest, here 9."""
    for event, decisions in [
        (["place up to 3 in any"], 3),
        (["place out of play 3 in any"], 6),
        (["move 2 from any to any", "place disc in Forts"], 6),
        (["operations up to 2 in Forts and up to 4 in political"], 6),
        (["may: own momentum +1", "reveal hand", "swap card"], 4),
        (["option 1: move 2 from any to any", "option 2: remove 1 in any", "place 1 in Press"], 6),
        (["use any discard"], 1 + 9),
    ]:
        program = np.zeros((CARDS, MAX_STEPS, STEP_COLUMNS), np.int32)
        program[7] = card_language.parse_event(event)
        assert limits.event_decisions(program[7], 9) == decisions, (event, decisions)


def test_the_longest_journal_of_an_event() -> None:
    """R29: its title and, for each cube, what the tables say and what is done; a discard's is 9 here."""
    for event, lines in [
        (["place up to 3 in any"], 1 + 6),
        (["replace 2 in any", "remove own 1 in any"], 1 + 6 + 2),
        (["move 2 from any to any", "place disc in Forts"], 1 + 4 + 2),
        (["operations up to 2 in Forts and up to 4 in political"], 1 + 36),
        (["may: own momentum +1", "reveal hand", "swap card"], 1 + 3 + 1 + 1),
        (["option 1: move 2 from any to any", "option 2: remove 1 in any", "place 1 in Press"], 1 + 4 + 2),
        (["use any discard"], 1 + 9),
    ]:
        program = np.zeros((CARDS, MAX_STEPS, STEP_COLUMNS), np.int32)
        program[7] = card_language.parse_event(event)
        assert limits.event_lines(program[7], 9) == lines, (event, lines)


def test_r29_longer_events_make_longer_journals(long_events: Path) -> None:
    shipped, long = (load_components(path).tables for path in (None, long_events))
    plain = max(limits.event_lines(program, 0) for program in shipped.program[1:])
    longer = limits.event_lines(long.program[1], 0) - limits.event_lines(
        card_language.parse_event(["use any discard"]), plain
    )
    unused = int(shipped.not_in_solo.sum() - long.not_in_solo.sum())  # cards that the bot may turn up besides
    # Six plays of a round and six of the Final Crisis; three times through the deck, two lines a card.
    assert limits.most_lines(long) == limits.most_lines(shipped) + 12 * longer + 6 * unused
