"""The games as environments of TextArena, for language models that play each other.

Importing this module registers `rfop/RedFlagOverParis-v1` and all other ids with TextArena, each in two versions: with
the wrappers that TextArena gives its board games, and without any, under the id followed by `-raw`.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import Any

from rfop_env import registry
from rfop_env.core import errors
from rfop_env.core.arguments import yes_or_no
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import extra
from rfop_env.core.game import Game
from rfop_env.interfaces.setup import GAME, Setup
from rfop_env.interfaces.text import move_in, parse_move, rules_text, view_text

with extra("textarena", __name__, "textarena"):
    import textarena
    from textarena.envs.registration import ENV_REGISTRY, register_with_versions
    from textarena.wrappers import ActionFormattingWrapper, GameMessagesAndCurrentBoardObservationWrapper

SEED_LIMIT = 2**48  # below it lie the seeds that a reset without a seed draws
PLAYERS = "players"  # the option of a game that says how many play
MAX_ERRORS = 1000  # invalid moves in a row that may be allowed


class TextGameEnv(textarena.Env):  # type: ignore[misc]  # where TextArena is not installed, it has no types
    """One game for TextArena: every seat is a player, who answers with a legal action in square brackets.

    **Observations**: a prompt with the rules in brief at the start; the journal, for all players; and the position as
    the player who decides sees it, for that player alone, with the legal actions where `list_legal_actions` says so.
    The answer of a player is shown to nobody else, since it may give hidden information away.

    **Moves** are read as `rfop_env.interfaces.text.parse_move` reads them, from the last words in square brackets.

    **Invalid moves**: as TextArena has them. The player reads why, `error_allowance` times in a row; after one more
    the game ends, with -1 for that player. The others get 1 in a game of two and 0 in a larger one, and do not read
    the legal actions.

    **Rewards**: the returns of the game, by player, from `close`. **Chance** follows from the seed of `reset` alone;
    Python's own random numbers stay as they are.

    **Arguments**: `error_allowance` is 0 to 1000; `components`, `reward` and the game's options are those of
    `interfaces.setup.Setup`. A game with an option `players` takes the number of players of `reset`. Raises
    `UnknownName`, `BadArgument`, `BadComponents`.
    """

    def __init__(
        self,
        game: str | Game,
        *,
        list_legal_actions: bool = True,
        error_allowance: int = 1,
        **arguments: Any,
    ) -> None:
        if isinstance(error_allowance, bool) or not isinstance(error_allowance, int):
            raise errors.BadArgument(f"error_allowance: expected a whole number, found {error_allowance!r}")
        if not 0 <= error_allowance <= MAX_ERRORS:
            raise errors.BadArgument(f"error_allowance: from 0 to {MAX_ERRORS}, found {error_allowance}")
        self._list_legal_actions = yes_or_no("list_legal_actions", list_legal_actions)
        self._error_allowance = error_allowance

        # A first batch refuses wrong options at once.
        self._setup = Setup.read(game, arguments, GAME, ("list_legal_actions", "error_allowance"))
        self.batch = self._setup.new_batch()
        self.state: Any = None

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Start a game; without a seed, a random one. Raises `BadArgument` for another number of players, `BadSeed`."""
        self.batch = self._batch_for(num_players)
        self.batch.reset(secrets.randbelow(SEED_LIMIT) if seed is None else seed)
        self.state = _state_class(num_players)(num_players=num_players, error_allowance=self._error_allowance)
        seats = self.batch.game.spec.seats
        self.state.reset(game_state={}, player_prompt_function=self._prompt, role_mapping=dict(enumerate(seats)))
        self._show()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """The player who decides answers. Raises `NotStarted`, `GameOver`, `BadArgument`."""
        if self.state is None:
            raise errors.NotStarted("no game has begun: call reset(num_players, seed) first")
        if self.state.done:
            raise errors.GameOver("the game has ended: call reset(num_players, seed)")
        if not isinstance(action, str):
            raise errors.BadArgument(f"action: expected a text, found {type(action).__name__}")

        player = self.state.current_player_id
        self._add(action, textarena.ObservationType.PLAYER_ACTION, from_id=player, to_id=player)
        try:
            self.batch.step([parse_move(self.batch, move_in(action))])
        except errors.UnclearMove as error:
            self._refuse(player, str(error))
        else:
            self._go_on()
        arguments = {} if self.state.num_players == 1 else {"rotate_player": False}
        outcome: tuple[bool, dict[str, Any]] = self.state.step(**arguments)
        return outcome

    # -- parts ---------------------------------------------------------------------------------------------------------

    def _batch_for(self, num_players: int) -> GameBatch:
        """A batch for so many players."""
        game, options = self._setup.game, dict(self._setup.options)
        if PLAYERS in [option.name for option in game.options]:
            options.setdefault(PLAYERS, num_players)
        seats = game.under(options).spec.players
        if num_players != seats:
            raise errors.BadArgument(f"num_players: {game.id} has {seats} here, found {num_players!r}")
        return replace(self._setup, options=options).new_batch()

    def _prompt(self, player_id: int, game_state: Any) -> str:
        """The first observation of a player. The example is of the action table, whatever the position."""
        game = self.batch.game
        side = game.seat_names(self.batch.record())[player_id]
        example = game.action_label(self.batch.components, 0)
        parts = [
            f"You play {side} in {game.title}.",
            rules_text(game),
            f"When you decide, answer with one legal action in square brackets, for example [{example}].",
        ]
        return "\n\n".join(filter(None, parts))

    def _add(self, text: str, kind: Any, to_id: int = -1, from_id: int = textarena.GAME_ID) -> None:
        self.state.add_observation(text, kind, from_id=from_id, to_id=to_id)

    def _go_on(self) -> None:
        """After a legal action: the end of the game, or the next decision."""
        if not self.batch.terminated[0]:
            self._show()
            return
        self._add_journal()
        reason = self.batch.game.end_reasons[int(self.batch.end_reason[0])]
        self._end(dict(enumerate(self.batch.rewards[0].tolist())), reason)

    def _show(self, refusal: str = "") -> None:
        """Give everybody the journal, and the player who decides the position; no journal again after a refusal."""
        self.state.current_player_id = int(self.batch.current_player[0])
        if not refusal:
            self._add_journal()
        view = view_text(self.batch, list_legal_actions=self._list_legal_actions, journal=())
        self._add(refusal + view, textarena.ObservationType.GAME_BOARD, to_id=self.state.current_player_id)

    def _add_journal(self) -> None:
        for line in self.batch.journal(0):
            self._add(line, textarena.ObservationType.GAME_ACTION_DESCRIPTION)

    def _refuse(self, player: int, reason: str) -> None:
        """Count an invalid move; the position follows once more, since some wrappers leave out why."""
        eliminated = self.state.set_invalid_move(reason=reason)
        if eliminated:  # in a game of three or four
            self._end(dict.fromkeys(range(self.state.num_players), 0.0) | {player: -1.0}, reason)
        if not self.state.done:
            self._show(f"Your last answer was no legal action: {reason}\n\n")
            return

        # The reason names legal actions of the player: the others do not read it.
        side = self.batch.game.seat_names(self.batch.record())[player]
        for number in range(self.state.num_players):
            if number != player:
                self.state.game_info[number]["reason"] = f"{side} named no legal action"

    def _end(self, rewards: dict[int, float], reason: str) -> None:
        self.state.rewards = rewards
        for player in range(self.state.num_players):
            self.state.game_info[player]["reason"] = reason
        self.state.done = True


def _state_class(num_players: int) -> Any:
    """TextArena's own state for so many players."""
    if num_players == 1:
        return textarena.SinglePlayerState
    return textarena.TwoPlayerState if num_players == 2 else textarena.FFAMultiPlayerState


def register_environments() -> list[str]:
    """Register every environment with TextArena; returns the ids. Idempotent."""
    for entry in registry.entries():
        if entry.full_id not in ENV_REGISTRY:
            register_with_versions(
                entry.full_id,
                f"{__name__}:TextGameEnv",
                {"default": [GameMessagesAndCurrentBoardObservationWrapper, ActionFormattingWrapper]},
                game=entry.id,
            )
    return [entry.full_id for entry in registry.entries()]


register_environments()
