"""The MCP server, spoken to over stdio by the library's own client: whole games, hidden information, bad input."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys

import pytest

from rfop_env import list_games
from rfop_env.core.errors import BadArgument, BadSeed, RfopError, UnclearMove, UnknownName
from rfop_env.mcp.open_games import MOST_GAMES, Games
from rfop_env.players import AgentLoader

pytestmark = pytest.mark.libraries
IDS = list_games()  # without the toy games, which the server does not know


def labels_in(text):
    return re.findall(r"^\d+\. (.+?): ", text.rsplit("Legal actions:\n", 1)[1], re.MULTILINE)


def games():
    return Games(AgentLoader(seed=1))


def talk(conversation):
    """What a conversation with a new server gives; `conversation(call)` calls tools: (text, whether it is an error)."""
    from mcp import Client, StdioServerParameters

    server = StdioServerParameters(
        command=sys.executable, args=["-m", "rfop_env", "mcp"], env={**os.environ, "RFOP_QUIET": "1"}
    )

    async def run():
        async with Client(server) as client:

            async def call(tool, **arguments):
                result = await client.call_tool(tool, arguments)
                return result.content[0].text, bool(result.is_error)

            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            return await conversation(call, tools)

    return asyncio.run(run())


def test_a_conversation_over_stdio():
    pytest.importorskip("mcp")

    async def conversation(call, server_tools):
        tools = {
            "end_game",
            "list_environments",
            "rules",
            "new_game",
            "position",
            "list_legal_actions",
            "play",
            "journal",
        }
        assert set(server_tools) == tools and all(tool.description for tool in server_tools.values())
        environments, _ = await call("list_environments")
        assert all(id in environments for id in IDS)
        assert "flag" in (await call("rules", environment="Revolution-v0"))[0]

        # A whole game.
        text, failed = await call("new_game", environment="Revolution-v0", seat="jacobins", opponent="scripted", seed=4)
        assert not failed and text.startswith("game-1: Revolution against scripted\n") and "You play Jacobins" in text
        rng, moves = random.Random(2), 0
        while "The game is over" not in text:
            text, failed = await call("play", game="game-1", move=rng.choice(labels_in(text)))
            assert not failed
            moves += 1
        assert moves > 5 and text.endswith("The seed was 4.")
        assert "place" in (await call("journal", game="game-1"))[0]
        assert (await call("list_legal_actions", game="game-1"))[0].startswith("The game is over")

        # What does not fit is one sentence, and the server goes on.
        mistakes = [
            ("play", {"game": "game-1", "move": "1"}, "the game has ended"),
            ("play", {"game": "game-9", "move": "1"}, "unknown game"),
            ("rules", {"environment": "Revolutoin-v0"}, "did you mean 'Revolution-v0'"),
            ("new_game", {"environment": "Revolution-v0", "seat": "king"}, "unknown seat 'king'"),
            ("new_game", {"environment": "Revolution-v0", "opponent": "nobody at all"}, "unknown agent"),
            ("new_game", {"environment": "Revolution-v0", "seed": -1}, "seed"),
            ("new_game", {"environment": "Revolution-v0", "options": {"size": "9"}}, "unknown option"),
            ("new_game", {"environment": "Revolution-v0", "opponent": "search-1000000"}, "at most 20,000 simulations"),
            ("new_game", {"environment": "Revolution-v0", "opponent": "language-model --command id"}, "command line"),
            ("position", {"game": "game-1", "form": "xml"}, "unknown form"),
            ("play", {"game": "game-1"}, "move"),
        ]
        for tool, arguments, words in mistakes:
            answer, failed = await call(tool, **arguments)
            assert failed and words in answer and "Traceback" not in answer, answer
        text, failed = await call("new_game", environment="LeveeEnMasse-v0", seed=1)
        assert not failed and text.startswith("game-2: ")
        return True

    assert talk(conversation)


def play_out(server, name, text, seed=3):
    rng, texts = random.Random(seed), [text]
    while "The game is over" not in texts[-1]:
        texts.append(server.play(name, rng.choice(labels_in(texts[-1]))))
    return texts


@pytest.mark.parametrize("id", IDS)
def test_every_environment_is_played_to_its_end(id):
    server = games()
    options = {"players": "3"} if id == "Paris-v0" else {}
    texts = play_out(server, "game-1", server.new_game(id, "", "random", 5, options))
    again = games()
    assert play_out(again, "game-1", again.new_game(id, "", "random", 5, options)) == texts
    assert "The seed was 5." in texts[-1] and not any("The seed was" in text for text in texts[:-1])
    sentences = [line[2:] for text in texts for line in text.splitlines() if line.startswith("- ")]
    assert sentences == server.journal("game-1").splitlines()  # every sentence is told once


def test_a_move_that_is_refused_leaves_the_game_as_it_was():
    server = games()
    server.new_game("RedFlagOverParis-v1", "", "random", 5, {})
    game = server._open["game-1"]
    state = game.batch.get_state().tobytes()
    for words in ("", "nonsense", "99", "done", "x" * 10_000):
        with pytest.raises(UnclearMove):
            server.play("game-1", words)
    assert game.batch.get_state().tobytes() == state


def test_an_opponent_that_fails_costs_no_game():
    """The move stands; the opponent is asked again with the next call."""
    server = games()
    text = server.new_game("Revolution-v0", "", "random", 5, {})
    game = server._open["game-1"]

    class Failing:
        def act(self, batch, stop):
            raise RfopError("out of order")

    program = game._programs[1]
    with pytest.raises(RfopError, match="out of order"):
        while True:
            game._programs[1] = Failing()
            text = server.play("game-1", labels_in(text)[0])
    decisions = int(game.batch.states["decisions"][0])
    game._programs[1] = program
    assert "You decide now" in server.position("game-1")
    assert int(game.batch.states["decisions"][0]) > decisions


def test_no_running_game_is_dropped_for_another():
    server = games()
    for k in range(MOST_GAMES):
        server.new_game("Revolution-v0", "", "random", k, {})
    with pytest.raises(BadArgument, match=r"16 games are running.*end_game first"):
        server.new_game("Revolution-v0", "", "random", 99, {})
    assert len(server._open) == MOST_GAMES and server.position("game-1")

    # A game that is given up, or over, makes room.
    assert server.end_game("game-2") == "game-2 is closed."
    server.new_game("Revolution-v0", "", "random", 99, {})
    while not server._open["game-3"].over:
        server.play("game-3", "1")
    server.new_game("Revolution-v0", "", "random", 99, {})
    assert len(server._open) == MOST_GAMES and not {"game-2", "game-3"} & set(server._open)


def test_wrong_names_and_sizes():
    server = games()
    with pytest.raises(UnknownName, match="none is open"):
        server.position("game-1")
    for arguments, error in (
        (("Revolution-v0", "x" * 300, "random", 1, {}), BadArgument),
        (("Revolution-v0", "", "x" * 300, 1, {}), BadArgument),
        (("x" * 300, "", "random", 1, {}), BadArgument),
        (("Revolution-v0", "", "random", 2**64, {}), BadSeed),
        (("Revolution-v0", "", "random", 1, {str(k): "1" for k in range(30)}), BadArgument),
    ):
        with pytest.raises(error):
            server.new_game(*arguments)
    assert server._open == {}


def test_sigterm_ends_a_server_that_waits_for_its_client():
    pytest.importorskip("mcp")
    with subprocess.Popen(
        [sys.executable, "-m", "rfop_env", "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + "\n")
        server.stdin.flush()
        assert "rfop" in server.stdout.readline()
        server.terminate()
        try:
            assert server.wait(120) == -signal.SIGTERM
        finally:
            server.kill()
