"""Nothing that is made for a seat changes when what the seat cannot see is drawn anew: observations, drawings, texts,
prompts, pages, printed lines. `tests/libraries/test_library_views.py` has the interfaces that need other libraries.

To the check each interface is a function of the positions of a game so far and a seat. It fails for every one of them
that looks with another seat's eyes.
"""

import contextlib
import importlib.util
import io
import json
from functools import cache
from unittest import mock

import numpy as np
import pytest

from rfop_env.agent import act_for
from rfop_agents.language_model import LanguageModelAgent, parse_name, speakers
from rfop_env.cli.play import TerminalGame
from rfop_env.cli.replay import TerminalReplay
from rfop_env.cli.table_setup import GameTable
from rfop_env import make_batch
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import UnclearMove
from rfop_env.interfaces.gymnasium_env import GameEnv
from rfop_env.interfaces.pettingzoo_aec import raw_env
from rfop_env.interfaces.text import legal_actions, parse_move, view_json, view_text
from rfop_env.mcp.open_games import Games
from rfop_env.players import AgentLoader
from rfop_env.registry import get_game
from rfop_env.replays import Replay
from rfop_env.replays.moments import NO_SEAT, Moment, Playback
from rfop_env.replays.page import replay_page
from rfop_env.seat_view import card_texts
from rfop_env.testing.determinization import alternatives, check_view
from rfop_env.web.session import Session
from rfop_env.web.view import hint_view, moment_view, session_state, session_summary
from tests.games.paris.table import redraw
from tests.replays.playing import ENVIRONMENTS
from tests.replays.test_replay_pages import content

STOPS = 4  # positions of a game


@cache
def all_cases(name, options):
    """Positions of games of an environment, for every seat."""
    return alternatives(name, options=dict(options), stops=STOPS, redraw=redraw)


def cases(show, name, options=()):
    """The same for an interface; those that show a whole game are given none of its shorter parts."""
    is_page = show in (web_page, replay)
    return [case for case in all_cases(name, options) if len(case.real) >= STOPS - 1 or not is_page]


def check_other_eyes(show, name):
    """`check_view` fails for an interface that looks with another seat's eyes."""
    with pytest.raises(AssertionError, match="it depends on what is hidden"):
        check_view(cases(show, name), lambda positions, seat: show(positions, 1 - seat))


def check_many_games(show, name, options):
    """`check_view` for an interface in longer games of several seeds."""
    for seed in range(1, 6):
        check_view(alternatives(name, options=options, seed=seed, stops=10, guesses=2, redraw=redraw), show)


def over(batch):
    return bool(batch.states["over"][0])


def decides(batch, seat):
    """Whether a seat decides in a running game."""
    return not over(batch) and int(batch.current_player[0]) == seat


def seated(seat, players):
    """The names of players: a person in one seat."""
    return ["person" if k == seat else "random" for k in range(players)]


def printed(run):
    """What a function prints, on both streams."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        run()
    return out.getvalue()


# -- interfaces: what each makes of the positions of a game so far, for a seat -----------------------------------------


def observations(positions, seat):
    """The observation, and the mask of the seat that decides."""
    batch = positions[-1]
    return batch.observe(seat).tobytes(), batch.action_mask.tobytes() if decides(batch, seat) else None


def pettingzoo(positions, seat):
    """An agent's observation, mask and info with the journal, and the picture of the selected one."""
    batch = positions[-1]
    if over(batch):
        return None
    env = raw_env(batch.game.id, journal=True, render_mode="svg", **batch.given_options)
    env.reset(seed=1)
    env.batch.copy_from(batch)
    env._select()
    env._last_turn_start = positions[max(0, len(positions) - 2)].get_record()
    agent = env.possible_agents[seat]
    view = [part.tobytes() for part in (*env.observe(agent).values(), env.infos[agent].pop("action_mask"))]
    return view, env.infos[agent], env.render() if agent == env.agent_selection else None


def gymnasium(positions, seat):
    """The observation and the info of a seat among opponents, with the journal, when it decides."""
    batch = positions[-1]
    if not decides(batch, seat):
        return None
    among = {"opponent": "random", "seat": seat} if batch.game.spec.players > 1 else {}
    env = GameEnv(batch.game.id, journal=True, render_mode="ansi", **among, **batch.given_options)
    env.reset(seed=1)
    env.batch.copy_from(batch)
    view, info = env._outcome()
    return [part.tobytes() for part in (*view.values(), info.pop("action_mask"))], info, env.render()


def drawings(positions, seat):
    """Both drawings, with legal actions and what has changed since the position before."""
    batch, viewer = positions[-1], seat if positions[-1].game.spec.players > 1 else None
    previous = positions[max(0, len(positions) - 2)].record()
    legal = np.flatnonzero(batch.action_mask[0]).tolist()  # a drawing for another seat leaves them out itself
    svg = batch.game.presentation.draw_svg(batch.record(), batch.components, viewer, legal=legal, previous=previous)
    return batch.game.presentation.draw_text(batch.record(), batch.components, viewer), svg


def texts(positions, seat):
    """Text and JSON of a position, the legal actions, and why a move is refused."""
    batch = positions[-1]
    answers = [view_text(batch, 0, seat), json.dumps(view_json(batch, 0, seat))]
    if decides(batch, seat):
        answers.append(repr(legal_actions(batch)))
        for words in ("nonsense", "card", "objective 99", "put the key"):
            try:
                answers.append(str(parse_move(batch, words)))
            except UnclearMove as error:
                answers.append(str(error))
    return answers


def language_model(positions, seat):
    """Every prompt of the seat that decides, and what everybody may read on stderr."""
    batch, prompts = positions[-1], []
    if over(batch):
        return None
    settings = [parse_name(f"language-model {flags} --tries 2") for flags in ("--command true", ENDPOINT)]

    def run():
        for spec in settings:
            agent = LanguageModelAgent(spec)
            agent._speaker = Writing(spec, prompts)
            act_for(agent, batch, np.array([0]), np.random.default_rng(1))

    output = printed(run)
    return output, prompts if decides(batch, seat) else None


ENDPOINT = "--endpoint http://127.0.0.1:9/v1 --model m"


class Writing(speakers.EndpointSpeaker):
    """Writes down what it is asked as a command and as an endpoint, and answers with what is no move."""

    def __init__(self, settings, prompts):
        super().__init__(settings)
        self.prompts = prompts

    def ask(self, question):
        self.prompts.append(repr(question))
        return super().ask(question)

    def _complete(self, messages):
        self.prompts.append(json.dumps(messages))
        return "objective 99"


def mcp(positions, seat):
    """The answers of the tools for games, and of a refused move."""
    batch, server = positions[-1], Games(AgentLoader(seed=1))
    server.new_game(batch.game.id, batch.game.spec.seats[seat], "random", 5, batch.given_options)
    game = server._open["game-1"]
    game.batch.copy_from(batch)
    game.journal, game._new = [line for position in positions for line in position.journal()], 0
    answers = [game.position(form) for form in ("text", "json")] + [server.journal("game-1")]
    if decides(batch, seat):
        answers += [server.list_legal_actions("game-1"), server.position("game-1", "json", False)]
        with pytest.raises(UnclearMove) as error:
            server.play("game-1", "objective 99")
        answers.append(str(error.value))
    return answers


def web_page(positions, seat):
    """What the server sends to the only person: state, moments, cards, a hint, the line in the list of games."""
    first, players = positions[0], positions[0].game.spec.players
    session, programs = None, AgentLoader(seed=1)
    moments = []
    for batch in positions:
        session = Session(
            get_game(first.game.id), seated(seat, players), programs, options=first.given_options,
            components=first.components, states=batch.get_state(),
        )  # fmt: skip
        moments += session.moments
    session.id, session.moments = "id", moments
    for moment in moments:
        moment.time = 0  # when it was reached, which differs between any two games
    sent = [session_state(session), session_summary(session), card_texts(session.batch.components)]
    sent += [moment_view(session, k) for k in range(len(moments))]
    if session.asks_person:
        name = programs.names(session.game)[-1]
        sent.append(hint_view(session, session.version, name))
    return json.dumps(sent)


def replay(positions, seat):
    """The page of a replay and what `rfop replay` prints, both for one seat."""
    episode = episode_so_far(positions)
    viewer = TerminalReplay(episode, seat)
    page = replay_page(episode, [seat]) if len(episode.seats) > 1 else ""
    return content(page) if page else None, page, printed(lambda: [viewer.print(k) for k in range(len(positions))])


def episode_so_far(positions):
    """The episode of some positions: before each the seat that decides takes its first legal action."""
    first, moments = positions[0], []
    for k, batch in enumerate(positions):
        previous = positions[k - 1]
        label = legal_actions(previous)[0].label if k else ""
        moments.append(
            Moment(
                batch.get_state(), tuple(batch.journal()), NO_SEAT if over(batch) else int(batch.current_player[0]),
                int(previous.current_player[0]) if k else NO_SEAT, label, f"does {label}",
                None if over(batch) else float(batch.action_mask.argmax()),
            )
        )  # fmt: skip
    options = {o.name: str(first.given_options.get(o.name, o.default)) for o in first.game.options}
    seed, episode = first.game_seed(0)
    replay_file = Replay(
        first.game, first.components.name, first.components.digest, options, seed, episode, None,
        ("random",) * first.game.spec.players, (), values_by="judge",
    )  # fmt: skip
    names = first.game.seat_names(first.record())
    return Playback(replay_file, first.game, first.components, names, tuple(moments))


def terminal(positions, seat):
    """What `rfop play` prints for a person who is asked."""
    batch = positions[-1].clone()
    if not decides(batch, seat):
        return None
    table = GameTable(batch, seated(seat, batch.game.spec.players), 1)
    with mock.patch("builtins.input", side_effect=["objective 99", "d", "?", EOFError]):
        return printed(TerminalGame(table).play)


def notebook(positions, seat):
    """What a cell of a notebook shows to the seat that decides."""
    from rfop_env.notebook import Board

    board = Board(positions[-1].clone())
    board.receive({"act": 0, "version": 0})
    return dict(board.state) if decides(positions[-1], seat) else None


INTERFACES = (
    observations, pettingzoo, gymnasium, drawings, texts, language_model, mcp, web_page, replay, terminal, notebook,
)  # fmt: skip
if importlib.util.find_spec("anywidget") is None:
    INTERFACES = INTERFACES[:-1]
EVERY_ENVIRONMENT = pytest.mark.parametrize(("name", "options"), ENVIRONMENTS, ids=str)


@EVERY_ENVIRONMENT
def test_nothing_made_for_a_seat_depends_on_what_is_hidden_from_it(name, options):
    for show in INTERFACES:
        check_view(cases(show, name, tuple(options.items())), show)


# What the deciding player of Paris holds is not drawn anew for others, since the pending question follows from it.
DECIDING = (gymnasium, language_model, terminal, notebook)  # interfaces for nobody but the seat that decides


@pytest.mark.parametrize(
    ("name", "interfaces"),
    [("RedFlagOverParis-v1", INTERFACES), ("Paris-v0", [show for show in INTERFACES if show not in DECIDING])],
)
def test_the_check_fails_for_what_another_seat_is_shown(name, interfaces):
    for show in interfaces:
        check_other_eyes(show, name)


@pytest.mark.slow
@EVERY_ENVIRONMENT
def test_in_many_games_nothing_made_for_a_seat_depends_on_what_is_hidden_from_it(name, options):
    for show in INTERFACES:
        check_many_games(show, name, options)


# -- the journal -------------------------------------------------------------------------------------------------------

# The journal is for all seats, and no seat's determinization changes it. So it is compared where a seat sees the same:
# after other actions of the one that decides, and after the same ones in positions that the seat cannot tell apart.

# Everybody at the table sees these, though they may change nothing on it. So it is with a few cards that copy events,
# which are played in none of the games below.
OPEN_KINDS = ("remove", "storm", "bonus", "use", "yes", "done")


def different_journals(name, journal, games=10, share=0.3):
    """Actions after which a seat that does not decide sees the same, and reads something else in the journal."""
    differing = []
    for seed in range(games):
        batch, rng = make_batch(name, 1, seed), np.random.default_rng(seed)
        while not over(batch):
            decider = int(batch.current_player[0])
            for seat in range(batch.game.spec.players) if rng.random() < share else ():
                if seat != decider:
                    differing += _differing(batch, seat, decider, journal)
            batch.step_random()
    return differing


def _differing(batch, seat, decider, journal):
    guess = batch.clone()
    guess.determinize(seat, 1)
    lines = {}
    for world in (batch, guess):
        legal = np.flatnonzero(world.action_mask[0]) if decides(world, decider) else []
        for action in legal:
            successor = world.clone()
            successor.step([action])
            kind = world.game.actions.rows[action].kind
            if kind not in OPEN_KINDS and not over(successor):
                view = (successor.observe(seat).tobytes(), decides(successor, seat) and successor.action_mask.tobytes())
                lines.setdefault(view, {})[str(journal(successor))] = world.game.actions.label(int(action))
    return [labels for labels in lines.values() if len(labels) > 1]


@pytest.mark.parametrize("name", ["RedFlagOverParis-v1", "Paris-v0"])
def test_the_journal_tells_no_more_than_every_seat_sees(name):
    assert different_journals(name, GameBatch.journal) == []
