"""End games with hidden cards: Kuhn poker by hand, and one of Red Flag Over Paris beside slow play of all its deals."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from training.research.__main__ import main as research
from rfop_env.agent import Agent, copy_games
from rfop_env.core.errors import RfopError
from rfop_env.registry import get_game
from training.research.lab import end_games, exact
from training.research.lab.best_play import BestPlay
from training.research.lab.cfr import cfr_plus_at
from training.research.lab.hidden_cards import Grower, NotSolved, join
from training.research.lab.red_flag_deals import BOARD, RedFlagCards
from rfop_training.evaluation.setting import Setting

GAME = get_game("RedFlagOverParis-v1")
AGENT = "red-flag/ppo-3"

# -- Kuhn poker --------------------------------------------------------------------------------------------------------

DEALS = [*itertools.permutations(range(3), 2)]  # cards of seats 0 and 1: jack, queen, king
PASS, BET = range(2)
HISTORIES = ["", "p", "b", "pb"]  # where someone decides; "p" bets or checks, "b" calls or folds
ENDS = {"pp": 1, "bb": 2, "pbb": 2}  # who holds the better card wins so much
FOLDS = {"bp": 1.0, "pbp": -1.0}  # the return of seat 0


def kuhn_return(deal, history):
    first, second = DEALS[deal]
    return FOLDS[history] if history in FOLDS else ENDS[history] * (1.0 if first > second else -1.0)


def kuhn(*agents):
    """Kuhn poker as layers; an agent is a function of seat, card and history that gives the probability of a bet."""
    zero, sure = np.zeros(1, np.int64), [np.ones(1) for _ in agents]
    deals = np.zeros(len(DEALS), np.int64)
    chance = np.full(len(DEALS), 1 / len(DEALS))
    layers = [
        exact.Layer(
            zero - 1, zero > 0, np.zeros((1, 2)), deals, np.arange(len(DEALS)), sure, zero, deals, chance
        )
    ]  # fmt: skip
    positions = [(deal, "") for deal in range(len(DEALS))]
    while positions:
        following = [(d, h + a) for d, h in positions if h in HISTORIES for a in "pb"]
        moves = [(n, a) for n, (_, h) in enumerate(positions) if h in HISTORIES for a in (PASS, BET)]
        seat = np.array([len(h) % 2 for _, h in positions])
        known = [(DEALS[d][s], h) if h in HISTORIES else (3, h) for (d, h), s in zip(positions, seat, strict=True)]
        sets = sorted({k for k in known if k[0] < 3}) + sorted({k for k in known if k[0] == 3})
        information = np.array([sets.index(k) for k in known])
        asked = [k for k in sets if k[0] < 3]
        policies = [
            np.array([p for card, h in asked for p in (1 - agent(len(h) % 2, card, h), agent(len(h) % 2, card, h))])
            for agent in agents
        ]
        own = [0.0 if h in HISTORIES else kuhn_return(d, h) for d, h in positions]
        layers.append(
            exact.Layer(
                seat, np.array([h not in HISTORIES for _, h in positions]), np.array([[r, -r] for r in own]),
                np.array([n for n, _ in moves], np.int64), np.arange(len(moves)), policies, information,
                np.array([2 * information[n] + a for n, a in moves], np.int64), np.ones(len(moves)),
            )
        )  # fmt: skip
        positions = following
    return layers


def optimal(seat, card, history, bluff=1 / 3):
    """A best strategy: Kuhn 1950, with a bluff of the jack as often as a third."""
    if seat == 0:
        return {"": (bluff, 0, 3 * bluff), "pb": (0, bluff + 1 / 3, 1)}[history][card]
    return {"p": (1 / 3, 0, 1), "b": (0, 1 / 3, 1)}[history][card]


def timid(seat, card, history):
    """Never puts anything in."""
    return 0.0


def test_best_responses_in_kuhn_poker():
    layers = kuhn(optimal, timid)
    np.testing.assert_allclose(exact.values(layers, 0)[0], [[-1 / 18, 1 / 18]], atol=1e-12)
    for seat in range(2):
        won = exact.values(layers, 0, seat)[0][0, seat]
        assert won == pytest.approx(-1 / 18 if seat == 0 else 1 / 18)

    # Against who never bets nor calls, every bet wins 1.
    assert exact.values(layers, 1)[0].tolist() == [[0.0, 0.0]]
    assert [exact.values(layers, 1, seat)[0][0, seat] for seat in range(2)] == pytest.approx([1.0, 1.0])
    best, worst = end_games.findings(join([layers, layers]), ["optimal", "timid"])
    assert (best.exploitability, worst.exploitability) == (pytest.approx(0, abs=1e-12), pytest.approx(2.0))
    assert best.best is None and best.loss_within is None and best.positions == 2


def test_cfr_comes_to_the_value_of_kuhn_poker():
    layers = kuhn()
    few, many = (
        [replace(layer, policies=[policy]) for layer, policy in zip(layers, policies, strict=True)]
        for policies in cfr_plus_at(layers, [5, 500])
    )

    def exploitability(solved):
        own = exact.values(solved, 0)[0][0]
        return sum(exact.values(solved, 0, seat)[0][0, seat] - own[seat] for seat in range(2))

    assert exact.values(many, 0)[0][0, 0] == pytest.approx(-1 / 18, abs=2e-3)
    assert 0 <= exploitability(many) < 2e-3 < exploitability(few)


# -- an end game of Red Flag Over Paris --------------------------------------------------------------------------------


@dataclass
class EndGame:
    cards: RedFlagCards
    grower: Grower

    def solved(self, *agents):
        return self.grower.solve(agents, 0)


@cache
def beginnings():
    """Positions in which end games begin."""
    return end_games.EndGames(Setting(GAME.id), AGENT, 3, 20).positions()


def cards_of(number):
    """The hidden cards of one of them."""
    position = copy_games(beginnings(), np.array([number]))
    return RedFlagCards(position, 12, "outcome", np.random.default_rng([0, number]))


@cache
def end_game():
    """One with few positions that is not decided."""
    for number in range(beginnings().num_games):
        cards = cards_of(number)
        grower = Grower(cards, 1500, "outcome")
        try:
            grower.solve([], 0)
        except NotSolved:
            continue
        return EndGame(cards, grower)
    raise AssertionError("none is so small")


class Last(Agent):
    """Takes the last legal action."""

    name = "last"

    def act(self, observation, action_mask, rng, positions=None):
        return action_mask.shape[1] - 1 - action_mask[:, ::-1].argmax(axis=1)


def agent_of(name):
    return Last() if name == "last" else Setting(GAME.id).agent(name)


def equal_weights(batch):
    return np.full(batch.num_games, 1 / batch.num_games)


def ended(cards, batch):
    """Which games have ended or are settled, and the returns of those [n, 2]."""
    over, settled = ~batch.action_mask.any(axis=1), cards.leaves(batch.states)
    returns = np.where(over[:, None], batch.game_returns("outcome"), 0.0)
    if settled.any():
        returns[settled] = cards.values(copy_games(batch, np.flatnonzero(settled)))
    return over | settled, returns


def followed(batch, weights, agent):
    """The games after every move that the agent may make, with their weights."""
    parent, action = batch.action_mask.nonzero()
    policy = exact.move_probabilities(agent, batch, parent, action, np.random.default_rng(0))
    parent, action, policy = parent[policy > 0], action[policy > 0], policy[policy > 0]
    after = copy_games(batch, parent)
    after.step(action)
    return after, weights[parent] * policy


def responded(cards, batch, weights, agent, responder):
    """What the responder wins from an agent in games that it cannot tell apart so far, by trying everything."""
    over, returns = ended(cards, batch)
    won = float(weights[over] @ returns[over, responder])
    running = np.flatnonzero(~over)
    if not len(running):
        return won
    batch, weights = copy_games(batch, running), weights[running]

    # The responder knows who is asked, and what it sees if it is.
    mine = batch.current_player == responder
    others = np.flatnonzero(~mine)
    if len(others):
        after = followed(copy_games(batch, others), weights[others], agent)
        won += responded(cards, *after, agent, responder)
    seen: dict[bytes, list[int]] = {}
    for game in np.flatnonzero(mine):
        seen.setdefault(batch.observation[game].tobytes(), []).append(int(game))
    for games in seen.values():
        alike = copy_games(batch, np.array(games))
        assert (alike.action_mask == alike.action_mask[0]).all()
        tried = []
        for action in np.flatnonzero(alike.action_mask[0]):
            after = alike.clone()
            after.step(np.full(len(games), action))
            tried.append(responded(cards, after, weights[games], agent, responder))
        won += max(tried)
    return won


@pytest.mark.parametrize("name", [AGENT, AGENT + "@1", "last"])
def test_values_are_those_of_games_played_from_all_deals(name):
    one, agent = end_game(), agent_of(name)
    layers = one.solved(agent)
    deals = one.cards.deals()
    batch, weights, total = deals, equal_weights(deals), np.zeros(2)
    while True:
        over, returns = ended(one.cards, batch)
        total += weights[over] @ returns[over]
        if over.all():
            break
        batch, weights = followed(copy_games(batch, np.flatnonzero(~over)), weights[~over], agent)
    np.testing.assert_allclose(exact.values(layers, 0)[0][0], total)


@pytest.mark.parametrize("name", [AGENT, AGENT + "@1", "last"])
def test_best_responses_are_those_found_by_trying_everything(name):
    one, agent = end_game(), agent_of(name)
    layers, deals = one.solved(agent), one.cards.deals()
    for seat in range(2):
        found = exact.values(layers, 0, seat)[0][0, seat]
        assert found == pytest.approx(responded(one.cards, deals, equal_weights(deals), agent, seat))


def test_information_sets_hold_what_the_seat_cannot_tell_apart():
    grower = end_game().grower
    positions, several = grower._root_positions(), 0
    while positions is not None:
        grown, following = grower._expand_layer(positions, 10_000)
        batch, layer = positions.batch, grown.layer
        for number in range(layer.sets):
            games = np.flatnonzero((layer.information == number) & ~layer.over)
            several += len(games) > 1
            for shown in (batch.observation, batch.action_mask, batch.current_player):
                assert (shown[games] == shown[games[:1]]).all()
        positions = following
    assert several > 20


def test_chances_add_up():
    for layer in end_game().solved():
        ways = np.bincount(layer.parent * len(layer.owner) + layer.choice, layer.chance)
        np.testing.assert_allclose(ways[ways > 0], 1.0)


def first_draws():
    """The first positions from which cards can be drawn, with their hidden cards: of an end game with 2 in the deck."""
    for number in range(beginnings().num_games):
        cards = cards_of(number)
        if len(cards._places) != 2:
            continue
        grower = Grower(cards, 3000, "outcome")
        positions = grower._root_positions()
        for _ in range(3):
            grown, following = grower._expand_layer(positions, 3000)
            if (grown.layer.chance < 1).any():
                return cards, grower, positions.batch
            positions = following
    raise AssertionError("nothing is drawn")


def test_draws_are_as_probable_as_with_a_shuffled_deck():
    cards, grower, batch = first_draws()
    parent, action = batch.action_mask.nonzero()
    tried, move, chance = grower._take_moves(batch, parent, action)
    found, expected = {}, {}
    for k, zone, part in zip(move, tried.states["zone"], chance, strict=True):
        found[k, zone.tobytes()] = found.get((k, zone.tobytes()), 0) + part

    # Both orders of the doubtful cards in the deck.
    for places in (cards._places, cards._places[::-1]):
        shuffled = copy_games(batch, parent)
        states = shuffled.get_state()
        states["deck"][:, cards._places] = states["deck"][:, places]
        shuffled.set_state(states)
        shuffled.step(action)
        for k, zone in enumerate(shuffled.states["zone"]):
            expected[k, zone.tobytes()] = expected.get((k, zone.tobytes()), 0) + 0.5
    assert found == expected and 0.5 in found.values()


# -- best play ---------------------------------------------------------------------------------------------------------


def test_best_play_is_that_of_the_exact_search():
    # Of Revolution, by all that tells positions apart.
    game = get_game("Revolution-v0")
    late = end_games.EndGames(Setting(game.id), "scripted", 7, 20).positions()
    fields = [f.name for f in game.record.fields[10:] if game.state.fields[f.name][0].itemsize % 4 == 0]
    values = BestPlay(game, late.components, fields, "outcome").values(late)
    expected = exact.values(exact.solve(late, [], 100_000, "outcome", 0))[0]
    np.testing.assert_array_equal(values, expected)
    assert len(np.unique(values)) > 1


def test_best_play_after_the_last_card_is_that_of_the_exact_search():
    batch = copy_games(beginnings(), np.arange(12))
    cards, rng, compared = end_game().cards, np.random.default_rng(0), []
    search = BestPlay(GAME, batch.components, BOARD, "outcome")
    while batch.action_mask.any():
        # Positions after the last card, but for those with too many bonus actions to search them slowly.
        running = batch.action_mask.any(axis=1)
        for game in np.flatnonzero(running & cards.leaves(batch.states)):
            last = copy_games(batch, np.array([game]))
            try:
                expected = exact.values(exact.solve(last, [], 400, "outcome", 0))[0]
            except RfopError:
                continue
            values = search.values(last)
            np.testing.assert_array_equal(values, expected)
            compared.append(values[0, 0])
        batch = copy_games(batch, np.flatnonzero(running))
        batch.step([rng.choice(np.flatnonzero(mask)) for mask in batch.action_mask])
    assert len(compared) > 10 and set(compared) == {-1.0, 1.0}


# -- the command -------------------------------------------------------------------------------------------------------


def test_what_cannot_be_solved_is_passed_over_or_refused(capsys):
    one = end_game()
    with pytest.raises(NotSolved, match="more than 100 positions follow"):
        replace(one.grower, max_positions=100).solve([], 0)
    with pytest.raises(NotSolved, match="more than 2 deals, or no deck: give more --deals"):
        RedFlagCards(one.cards._position, 2, "outcome", np.random.default_rng(0))
    with pytest.raises(RfopError, match=r"LeveeEnMasse-v0 has chance.*such as Revolution-v0, or RedFlagOverParis-v1"):
        end_games.require_solvable(get_game("LeveeEnMasse-v0"))
    words = ["random", "--env", GAME.id, "--origin", AGENT, "--games", "4"]
    assert research(["end-games", *words, "--most", "50"]) == 2
    assert "fewer than two end games can be solved (" in capsys.readouterr().err
    assert research(["end-games", *words, "--left", "1"]) == 2
    assert "give more --games or --left" in capsys.readouterr().err
